"""Jets to measure with: those of a dataset, or some that are generated once and kept."""

from __future__ import annotations

import contextlib
import itertools
import os
from concurrent.futures import Executor
from pathlib import Path

from jetgram.collisions.generate import make_shard
from jetgram.collisions.processes import Process, Sample
from jetgram.collisions.settings import GenerationSettings, ShardTask, Split
from jetgram.errors import DatasetError
from jetgram.momenta import Jets, Momenta
from jetgram.progress import Advance, silent
from jetgram.storage import parquet
from jetgram.storage.dataset import Dataset
from jetgram.storage.manifest import MANIFEST
from jetgram.storage.sealed import digest_of
from jetgram.storage.writer import DatasetWriter

JETS = 1100  # more than the largest default batch, so that every round gets others
REPEATS = 8  # a kept sample lists its one shard so often: as much to read as in a larger dataset
PIECES = 4  # that are generated at the same time, where there are cores

SPLIT: Split = "train"


# The background of `w-vs-qcd`, made several times faster by a higher floor: jets of some 60 particles.
QCD = Process(pythia=("HardQCD:all = on", "PhaseSpace:pTHatMin = 180.", "PhaseSpace:pTHatMax = 550."))


def sample_settings(jets: int = JETS) -> GenerationSettings:
    """What is generated where no dataset is given."""
    sample = Sample(name="bench", rows="jets", signal=QCD, background=QCD)
    return GenerationSettings.create(sample=sample, rows=jets, seed=1, test_share=0.0)


def cache_folder() -> Path:
    """Where jetgram keeps what it can generate again: in `$XDG_CACHE_HOME`, by default `~/.cache`."""
    wish = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (wish if wish.is_absolute() else Path.home() / ".cache") / "jetgram"


def kept_folder(wanted: GenerationSettings) -> Path:
    """The folder of this sample; with other settings, or of other versions of the packages, it is another one."""
    return cache_folder() / f"bench-{digest_of(wanted.provenance())[:12]}"


def is_kept(wanted: GenerationSettings) -> bool:
    """Whether the sample was made before."""
    return (kept_folder(wanted) / MANIFEST).is_file()


def make_sample(wanted: GenerationSettings, executor: Executor, advance: Advance = silent) -> Dataset:
    """Generate the jets and keep them as one shard of the default size.

    Args:
        wanted: what to generate.
        executor: where.
        advance: is told how many jets are ready since the last call.
    """
    parts: list[Momenta] = []
    for content in executor.map(make_shard, _tasks(wanted)):
        parts.append(parquet.decode(content, "a generated shard"))
        advance(len(parts[-1]))
    kept = kept_folder(wanted)
    with contextlib.closing(DatasetWriter(kept, "jets", wanted.provenance())) as writer:
        for part in parts:
            writer.add(part, SPLIT)
        writer.seal(repeat=REPEATS)
    return Dataset(kept)


def _tasks(wanted: GenerationSettings) -> list[ShardTask]:
    """Few and large pieces, all of them background: Pythia takes a second to start."""
    cuts = [wanted.rows * piece // PIECES for piece in range(PIECES + 1)]
    counts = [after - before for before, after in itertools.pairwise(cuts)]
    return [ShardTask(wanted, index, SPLIT, signal=0, background=count) for index, count in enumerate(counts) if count]


def largest_split(dataset: Dataset) -> str:
    """The split with the most jets."""
    if dataset.kind != "jets":
        raise DatasetError(f"{dataset.path} holds {dataset.kind}; expected a dataset of jets")
    return max(dataset.splits, key=lambda split: dataset.splits[split])


def first_jets(dataset: Dataset, split: str, count: int) -> Jets:
    """The first jets of a split, `count` or all of them, without columns."""
    jets = dataset.first(count, split, columns=())
    assert isinstance(jets, Jets)  # largest_split has seen to it
    return jets
