"""Datasets of real collisions: shards made in any order, on any machine, and put together to the same bytes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, as_completed
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.collisions.collider import Collider
from jetgram.collisions.processes import Process, Sample
from jetgram.collisions.recipe import Recipe, ShardTask
from jetgram.collisions.truth import add_truth
from jetgram.errors import DatasetError, GenerationError
from jetgram.momenta import Events, Jets, Momenta, concatenate
from jetgram.storage import atomic, parquet
from jetgram.storage.dataset import Dataset
from jetgram.storage.manifest import MANIFEST, Manifest, Shard

BATCH = 200  # events at a time
SMALLEST_BATCH = 20
HOPELESS = 10_000  # events without a single row

_SHUFFLE = 2  # beside the labels 0 and 1, the third random stream of a shard


def generate(
    recipe: Recipe, path: Path | str, executor: Executor, on_rows: Callable[[int], None] = lambda rows: None
) -> Dataset:
    """Make the dataset of a recipe in a folder, or finish one that was interrupted.

    Args:
        recipe: what to make.
        path: the folder; new, or left by an interrupted run of the same recipe.
        executor: where the shards are made, one task a shard.
        on_rows: called with a shard's number of rows when it is done; not for those that were there before.
    """
    path = Path(path)
    path.mkdir(parents=True, exist_ok=True)
    atomic.remove_leftovers(path)
    if (path / MANIFEST).exists():
        return _finished(recipe, path)
    tasks = recipe.shards()
    futures = {executor.submit(make_shard, task): task for task in _missing(tasks, path)}
    for future in as_completed(futures):
        task = futures[future]
        atomic.write_bytes(path / task.file, future.result())
        on_rows(task.rows)
    shards = [Shard.describe(path / task.file, task.split) for task in tasks]
    Manifest.seal(path, recipe.sample.rows, shards, recipe.provenance())
    return Dataset(path)


def finished_rows(recipe: Recipe, path: Path) -> int:
    """Rows of the recipe that an earlier run has left in the folder."""
    return sum(task.rows for task in recipe.shards() if (path / task.file).is_file())


def make_shard(task: ShardTask) -> bytes:
    """The bytes of one shard: signal and background, shuffled."""
    recipe, sample = task.recipe, task.recipe.sample
    parts = []
    for label, (process, count) in enumerate(((sample.background, task.background), (sample.signal, task.signal))):
        if count:
            seed = (recipe.seed, task.index, label)
            parts.append(collect(recipe, start(sample, process, seed), label, count, seed))
    rows = concatenate(parts)
    order = np.random.default_rng([recipe.seed, task.index, _SHUFFLE]).permutation(len(rows))
    return parquet.encode(rows[order], task.provenance())


def start(sample: Sample, process: Process, seed: tuple[int, ...]) -> Collider:
    """Pythia, running one process of a sample; for jets, with the veto on events that are too soft."""
    if sample.rows == "events":
        return Collider(process, seed)
    from jetgram.collisions.veto import LeadingJetVeto

    return Collider(process, seed, LeadingJetVeto(sample.pt[0], sample.radius, process))


def collect(recipe: Recipe, collider: Collider, label: int, count: int, seed: tuple[int, ...]) -> Momenta:
    """Exactly `count` rows of one process.

    Args:
        recipe: the level, the selection and the matching.
        collider: the process, running.
        label: 1 for the sample's signal, 0 for its background.
        count: rows wanted, at least one.
        seed: of everything random besides Pythia: detector and soft particles.
    """
    from jetgram.collisions.detector import simulate

    kept: list[Momenta] = []
    rows = generated = 0
    while rows < count:
        events = collider.events(_batch_size(count - rows, rows, generated))
        batch_seed = (*seed, len(kept))
        seen = simulate(events, recipe.level, seed=batch_seed)
        part = select(recipe, seen, label, batch_seed) if recipe.sample.rows == "jets" else seen
        kept.append(part[: count - rows])
        rows, generated = rows + len(kept[-1]), generated + len(events)
        if rows == 0 and generated > HOPELESS:
            raise GenerationError(f"none of {generated} events of {recipe.sample.name!r} has a jet that is wanted")
    return concatenate(kept).with_columns(label=np.full(count, label, dtype=np.int8))


def select(recipe: Recipe, events: Events, label: int, seed: tuple[int, ...]) -> Jets:
    """Leading jets in the sample's pT range, with their truth and the soft particles that would join them."""
    from jetgram.jets.clustering import find_jets
    from jetgram.jets.soft import SoftParticles

    jets = find_jets(events, radius=recipe.sample.radius, hardest=1, soft=SoftParticles(), seed=seed)
    jets = jets[_inside(jets.pt, recipe.sample.pt)]
    jets = add_truth(jets, events)
    process = recipe.sample.signal if label == 1 else recipe.sample.background
    if process.boson_pt is not None:
        jets = jets[_inside(kinematics.pt(jets.columns["boson"]), process.boson_pt)]
    if recipe.match is not None and process.bosons:
        jets = jets[jets.columns["boson_dr"] < recipe.match]
    columns = {name: value for name, value in jets.columns.items() if name != "event"}
    return dataclasses.replace(jets, columns=columns, ragged={"soft": jets.ragged["soft"]})


def _inside(value: NDArray[np.float64], limits: tuple[float, float]) -> NDArray[np.bool_]:
    return (value > limits[0]) & (value < limits[1])


def _batch_size(wanted: int, kept: int, generated: int) -> int:
    """Events to generate next: by the share kept so far, not many more than are needed."""
    share = (kept + 1) / (generated + 2)
    return int(np.clip(1.1 * wanted / share, SMALLEST_BATCH, BATCH))


def _missing(tasks: Sequence[ShardTask], path: Path) -> list[ShardTask]:
    """Tasks without a shard on disk; a shard of another recipe is an error."""
    missing = []
    for task in tasks:
        file = path / task.file
        if not file.is_file():
            missing.append(task)
        elif parquet.provenance(file.read_bytes(), file) != task.provenance():
            raise DatasetError(f"{file} was made with other settings or versions; choose another folder, or remove it")
    expected = {task.file for task in tasks}
    for file in path.glob("*.parquet"):
        if file.name not in expected:
            raise DatasetError(f"{file} does not belong to this dataset; choose another folder")
    return missing


def _finished(recipe: Recipe, path: Path) -> Dataset:
    """The dataset that is there already, if it is of this recipe and undamaged."""
    dataset = Dataset(path)
    if dataset.provenance != recipe.provenance():
        raise DatasetError(f"{path} holds a dataset made with other settings or versions; choose another folder")
    dataset.verify()
    return dataset
