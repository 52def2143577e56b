"""Jets become trees with features once, before the first epoch, block by block: those in memory, or of a dataset."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jetgram.errors import DatasetError
from jetgram.fanout import read_ahead
from jetgram.joining import concatenate
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Events, M, Momenta
from jetgram.progress import Advance
from jetgram.storage.dataset import Dataset
from jetgram.storage.found_jets import with_found_jets
from jetgram.storage.manifest import Shard
from jetgram.training.augmentation import Perturbation
from jetgram.training.prepared import Block, PreparedMemory, counted
from jetgram.training.targets import compute_targets, needed_columns, number_column
from jetgram.validity import require_good

Array = NDArray[np.float64]

BLOCK = 1024  # jets
RANDOM = "by momenta"  # what random trees are drawn by; once it was the number of the jet


def prepare_jets(
    jets: Momenta,
    targets: Array,
    weights: Array,
    settings: ModelSettings,
    advance: Advance | None = None,
    perturbation: Perturbation | None = None,
) -> PreparedMemory:
    """Jets (or events) in memory, prepared in memory.

    Args:
        jets: as they were found; or events.
        targets: `(jets, outputs)`.
        weights: `(jets,)`.
        settings: of the model.
        advance: is told how many jets are ready since the last call.
        perturbation: what is done to the jets before; None for nothing.
    """

    def blocks() -> Iterator[Block]:
        for begin in range(0, len(jets), BLOCK):
            some = slice(begin, begin + BLOCK)
            seen = jets[some] if perturbation is None else perturbation(jets[some], begin)
            yield Block(settings.read(seen, begin).inputs, targets[some], weights[some])

    return PreparedMemory.of(counted(blocks(), advance))


def jets_digest(jets: Momenta, targets: Array, weights: Array, settings: ModelSettings) -> str:
    """Tells jets in memory, and how they are read, from others; the arguments are those of `prepare_jets`."""
    digest = hashlib.sha256(repr(settings.reading).encode())
    particles = [jets.particles[name] for name in settings.input.particle_columns if name in jets.particles]
    for array in (jets.momenta, jets.offsets, targets, weights, *particles):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


@dataclasses.dataclass(frozen=True, eq=False)
class Preparation:
    """What is prepared of a stored dataset.

    Args:
        dataset: of what the settings say.
        split: the split to read.
        settings: of the model.
        weight: the column with the weights of the jets; None for 1.
        perturbation: what is done to the jets before they are read; None for nothing.
    """

    dataset: Dataset
    split: str
    settings: ModelSettings
    weight: str | None = None
    perturbation: Perturbation | None = None

    @property
    def identity(self) -> dict[str, Any]:
        """What decides the prepared jets: where it is equal, they are equal."""
        settings, perturbation = self.settings, self.perturbation
        return {
            "dataset": self.dataset.digest,
            "split": self.split,
            "reading": settings.reading,
            "targets": list(settings.head.targets),
            "weight": self.weight,
            **({"random_trees": RANDOM} if "random" in settings.input.topologies else {}),
            **({} if perturbation is None else perturbation.dump()),
        }

    def blocks(self) -> Iterator[Block]:
        """The jets, or events, prepared block by block; memory holds a shard and a block."""
        dataset, settings = self.dataset, self.settings
        if dataset.kind != settings.rows:
            raise DatasetError(f"{dataset.path} holds {dataset.kind}; this model learns from {settings.rows}")
        if not dataset.rows(self.split):
            found = f"it has no {dataset.kind} to learn from in the split {self.split}"
            raise DatasetError(f"{dataset.path} is empty: {found}")
        if settings.input.particle_columns:
            settings.input.require_particles(dataset.row(0, self.split))
        columns = self._columns()
        # While one block is handed out, the next is in the native core, and another shard is decoded.
        parts = read_ahead(lambda shard: _good_rows(dataset, shard, columns, settings), dataset.shards(self.split))
        numbered = ((BLOCK * number, jets) for number, jets in enumerate(rechunk(parts)))
        yield from read_ahead(lambda chunk: self._block(*chunk), numbered)

    def _columns(self) -> set[str]:
        """What it takes of the dataset besides the momenta."""
        settings = self.settings
        columns = needed_columns(settings.head.targets, self.dataset, self.split) | set(settings.input.particle_columns)
        columns |= {self.weight} if self.weight else set()
        return columns if self.perturbation is None else columns | self.perturbation.columns

    def _block(self, first: int, rows: Momenta) -> Block:
        """These rows, of which the first has the given number."""
        weights = number_column(rows, self.weight) if self.weight else np.ones(len(rows))
        seen = rows if self.perturbation is None else self.perturbation(rows, first)
        targets = compute_targets(rows, self.settings.head.targets)
        return Block(self.settings.read(seen, first).inputs, targets, weights)


def prepare_dataset(preparation: Preparation, advance: Advance | None = None) -> PreparedMemory:
    """The jets of a stored dataset, prepared in memory.

    Args:
        preparation: what is prepared.
        advance: is told how many jets are ready since the last call.
    """
    return PreparedMemory.of(counted(preparation.blocks(), advance))


def _good_rows(dataset: Dataset, shard: Shard, columns: set[str], settings: ModelSettings) -> Momenta:
    rows = dataset.read_shard(shard, columns)
    require_good(rows, f"{dataset.path / shard.file}: {dataset.kind.removesuffix('s')}")
    radius = settings.input.jet_radius
    if radius is not None and isinstance(rows, Events):
        rows = with_found_jets(dataset, shard, rows, radius)
    return rows


def rechunk(parts: Iterable[M], size: int = BLOCK) -> Iterator[M]:
    """The same jets, or events, in collections of `size`, the last one smaller.

    Example:
        >>> from jetgram.momenta import Jets
        >>> one = Jets(np.ones((3, 4)) * [0, 0, 0, 1], np.arange(4))
        >>> [len(chunk) for chunk in rechunk([one, one, one], size=4)]
        [4, 4, 1]
    """
    rest: list[M] = []
    for part in parts:
        jets = concatenate([*rest, part])
        whole = len(jets) - len(jets) % size
        for begin in range(0, whole, size):
            yield jets[begin : begin + size]
        rest = [jets[whole:]] if whole < len(jets) else []
    yield from rest
