"""Datasets of real collisions: shards made in any order, on any machine, and put together to the same bytes."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, as_completed
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics, numpy_bits
from jetgram.collisions.collider import Collider, require_pythia
from jetgram.collisions.processes import Sample
from jetgram.collisions.settings import GenerationSettings, ShardTask
from jetgram.collisions.shard_process import make_in_process
from jetgram.collisions.truth import add_truth, is_wanted
from jetgram.errors import GenerationError
from jetgram.fanout import given_or_opened
from jetgram.joining import concatenate
from jetgram.momenta import Events, Jets, Momenta
from jetgram.progress import Advance, silent
from jetgram.storage import parquet
from jetgram.storage.dataset import Dataset
from jetgram.storage.writer import DatasetWriter

BATCH = 200  # events at a time
SMALLEST_BATCH = 20
HOPELESS = 10_000  # events without a single row
NUMBERED = 1_000_000  # event numbers of each shard and class

_SHUFFLE = 2  # next to the labels 0 and 1, the third random stream of a shard


def generate(
    settings: GenerationSettings,
    path: Path | str,
    executor: Executor | None = None,
    on_rows: Advance = silent,
) -> Dataset:
    """Make a dataset in a folder, or finish one that was interrupted.

    Args:
        settings: what to make.
        path: the folder; new, or left by an interrupted run with the same settings.
        executor: where the shards are made, one task per shard; by default on the `jetgram.cluster` around, or in one
            process.
        on_rows: called with a shard's number of rows when it is done; not for those that were there before.
    """
    return generate_levels({Path(path): settings}, executor, on_rows)[0]


def generate_levels(
    wanted: Mapping[Path, GenerationSettings], executor: Executor | None = None, on_rows: Advance = silent
) -> list[Dataset]:
    """Make the datasets of several detector levels in one pass of Pythia.

    Rows of the same collision have the same number in the column `event`. Each dataset is, bit for bit, the one that
    `generate` makes with its settings alone.

    Args:
        wanted: the settings of each folder; alike but for their `level`.
        executor: where the shards are made, one task per shard, whatever the number of levels; see `generate`.
        on_rows: called with a shard's number of rows when it is done at all levels.
    """
    require_pythia()  # where it is missing, nothing is begun
    first = next(iter(wanted.values()))
    if any(settings.at(first.level) != first for settings in wanted.values()):
        raise GenerationError("only settings that differ in nothing but their level share their collisions")
    with contextlib.ExitStack() as stack:
        workers = stack.enter_context(given_or_opened(executor))
        writers = {path: stack.enter_context(_writer(path, settings)) for path, settings in wanted.items()}
        shards: dict[int, list[tuple[Path, ShardTask]]] = {}
        for path, settings in wanted.items():
            for task in settings.shards():
                if task.file in writers[path].missing:
                    shards.setdefault(task.index, []).append((path, task))
        futures = {
            workers.submit(make_shards, [task for _, task in members]): members for _, members in sorted(shards.items())
        }
        for future in as_completed(futures):
            members = futures[future]
            for (path, task), content in zip(members, future.result(), strict=True):
                writers[path].put(task.file, content)
            on_rows(members[0][1].rows)
    return [Dataset(path) for path in wanted]


def _writer(path: Path, settings: GenerationSettings) -> DatasetWriter:
    plan = {task.file: task.provenance() for task in settings.shards()}
    return DatasetWriter(path, settings.sample.rows, settings.provenance(), plan)


def finished_rows(wanted: Mapping[Path, GenerationSettings]) -> int:
    """Rows that earlier runs have left in the folders, at all levels."""
    shards = next(iter(wanted.values())).shards()
    return sum(task.rows for task in shards if all((path / task.file).is_file() for path in wanted))


def make_shard(task: ShardTask) -> bytes:
    """The bytes of one shard: signal and background, shuffled."""
    return make_shards([task])[0]


def make_shards(tasks: Sequence[ShardTask]) -> list[bytes]:
    """The bytes of one shard at each of several levels, from the same collisions; the same on every machine."""
    if numpy_bits.wide_features():
        return make_in_process(tasks)
    first = tasks[0]
    wanted = [task.settings for task in tasks]
    parts: list[list[Momenta]] = [[] for _ in tasks]
    for label, count in enumerate((first.background, first.signal)):
        if count:
            seed = (first.settings.seed, first.index, label)
            found = find_rows(wanted, start(first.settings, label, seed), label, count, seed)
            for level, rows in zip(parts, found, strict=True):
                level.append(rows)
    order = np.random.default_rng([first.settings.seed, first.index, _SHUFFLE]).permutation(first.rows)
    return [
        parquet.encode(concatenate(level)[order], task.provenance()) for level, task in zip(parts, tasks, strict=True)
    ]


def start(settings: GenerationSettings, label: int, seed: tuple[int, ...]) -> Collider:
    """Pythia, running one class of a sample; for jets in a range of pT, with the veto on events without one."""
    sample, process = settings.sample, settings.process(label)
    hook = None
    if sample.rows == "jets" and sample.pt is not None:
        from jetgram.collisions.veto import JetWindowVeto, LeadingJetVeto

        window = sample.veto == "window"
        hook = JetWindowVeto(sample, process) if window else LeadingJetVeto(sample.pt[0], sample.radius, process)
    return Collider(process, seed, hook, sample.eta_max, sample.energy, sample.truth)


def find_rows(
    wanted: Sequence[GenerationSettings], collider: Collider, label: int, count: int, seed: tuple[int, int, int]
) -> list[Momenta]:
    """Exactly `count` rows of one process at each level: of the first collisions that give a row at this level.

    What is made at one level must not depend on the others. So the sizes of the batches, which the random numbers of
    the detector follow, depend on `count` alone.

    Args:
        wanted: settings with the levels, the selection and the matching.
        collider: the process, running.
        label: 1 for the sample's signal, 0 for its background.
        count: rows wanted, at least one.
        seed: of everything random besides Pythia, detector and soft particles: that of the settings, shard, label.
    """
    from jetgram.collisions.detector import simulate

    kept: list[list[Momenta]] = [[] for _ in wanted]
    first_number = NUMBERED * (2 * seed[1] + label)
    generated = batches = 0
    while any(_rows(parts) < count for parts in kept):
        events = collider.events(_batch_size(count, generated))
        batch_seed = (*seed, batches)
        numbers = first_number + generated + np.arange(len(events))
        for settings, parts in zip(wanted, kept, strict=True):
            if _rows(parts) < count:
                seen = simulate(events, settings.level, seed=batch_seed)
                choose = select_jets if settings.sample.rows == "jets" else select_events
                parts.append(choose(settings, seen, label, numbers, batch_seed)[: count - _rows(parts)])
        generated, batches = generated + len(events), batches + 1
        if (generated > HOPELESS and not all(map(_rows, kept))) or generated > NUMBERED - BATCH:
            found = (
                f"{min(map(_rows, kept))} of {generated} events of {wanted[0].sample.name!r} have a jet in its range"
            )
            raise GenerationError(f"{found}; widen its pt range, or raise its pT-hat limits")
    return [concatenate(parts).with_columns(label=np.full(count, label, dtype=np.int8)) for parts in kept]


def select_jets(
    settings: GenerationSettings, events: Events, label: int, numbers: NDArray[np.int64], seed: tuple[int, ...]
) -> Jets:
    """Leading jets in the sample's pT range, with their truth and the soft particles that would join them."""
    from jetgram.jets.cleaning import keep_hardest
    from jetgram.jets.clustering import find_jets
    from jetgram.jets.soft import SoftParticles

    sample, process = settings.sample, settings.process(label)
    jets = find_jets(events, radius=sample.radius, hardest=1, soft=SoftParticles(), seed=seed)
    jets = jets[_inside(jets.pt, sample.pt) & _central(jets, sample)]
    jets = add_truth(jets, events)
    jets = jets[is_wanted(jets, process)]
    if process.boson_pt is not None:
        jets = jets[_inside(kinematics.pt(jets.columns["boson"]), process.boson_pt)]
    if settings.match is not None and process.has_truth:
        jets = jets[jets.columns[f"{sample.truth}_dr"] < settings.match]
    if sample.constituents is not None:
        jets = keep_hardest(jets, sample.constituents)
    jets = jets.with_columns(event=numbers[jets.columns["event"]])
    return dataclasses.replace(jets, ragged={"soft": jets.ragged["soft"]})


def select_events(
    settings: GenerationSettings, events: Events, label: int, numbers: NDArray[np.int64], seed: tuple[int, ...]
) -> Events:
    """Events whose leading jet is in the sample's pT range, whole."""
    from jetgram.jets.clustering import find_jets

    events = events.with_columns(event=numbers)
    events = events[events.multiplicity > 0]
    if settings.sample.pt is None:
        return events
    jets = find_jets(Events(events.momenta, events.offsets), radius=settings.sample.radius, hardest=1)
    return events[jets.columns["event"][_inside(jets.pt, settings.sample.pt)]]


def _inside(value: NDArray[np.float64], limits: tuple[float, float] | None) -> NDArray[np.bool_]:
    if limits is None:
        return np.ones(len(value), dtype=np.bool_)
    return (value >= limits[0]) & (value <= limits[1])


def _central(jets: Jets, sample: Sample) -> NDArray[np.bool_]:
    """Whether the axis of each jet is within the sample's limits of pseudorapidity and rapidity."""
    central = np.ones(len(jets), dtype=np.bool_)
    for limit, angle in ((sample.jet_eta_max, kinematics.eta), (sample.jet_rapidity_max, kinematics.rapidity)):
        if limit is not None:
            central &= np.abs(angle(jets.total)) < limit
    return central


def _rows(parts: Sequence[Momenta]) -> int:
    return sum(map(len, parts))


def _batch_size(count: int, generated: int) -> int:
    """Events to generate next: as many as rows are wanted, then a tenth of that at a time for those left out."""
    missing = count - generated if generated < count else count // 10
    return int(np.clip(missing, SMALLEST_BATCH, BATCH))
