"""Flipped bits and cut-off ends in every kind of file that jetgram writes.

Each is an error that names the file, or leaves what is read as it was: never another number, never a traceback, and
never much more memory than the file takes.
"""

import json
import mmap
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from amounts import amount

from jetgram.errors import DatasetError, JetgramError
from jetgram.evaluation.evaluate import SeedResult
from jetgram.evaluation.predict import predict_dataset
from jetgram.evaluation.score_files import read_scores, write_scores
from jetgram.evaluation.uncertainty import Errors
from jetgram.jets.found import numbers_column
from jetgram.models.history import read_history
from jetgram.models.settings import make_settings
from jetgram.models.store import load_model
from jetgram.momenta import Events
from jetgram.roc import Rejection
from jetgram.storage import sealed
from jetgram.storage.dataset import Dataset, save
from jetgram.storage.found_jets import FOLDER, with_found_jets
from jetgram.studies.seeds import SeedRecord, append_seeds, read_seeds
from jetgram.training.blocks import prepare_files
from jetgram.training.checkpoint import Checkpoint, Progress, load_checkpoint, save_checkpoint
from jetgram.training.prepare import Preparation

SLACK = 64 * 2**20  # bytes by which a process may grow for other reasons


class Kind(NamedTuple):
    """A kind of file: where one is, and what is read of it, as something that can be compared."""

    file: Path
    read: Callable[[], Any]


class Damage(NamedTuple):
    """What became of the damaged files."""

    tried: int
    refused: int
    wrong: list[str]


def bend(kind: Kind, count: int, seed: int) -> Damage:
    """Flip single bits of a file, or cut it off, and read it; then put it right again."""
    whole, rng = kind.file.read_bytes(), np.random.default_rng(seed)
    expected, refused, wrong = kind.read(), 0, []
    reset_peak()
    before = peak()
    try:
        for number in range(count):
            damaged, what = one_damage(whole, rng, number)
            kind.file.write_bytes(damaged)
            try:
                if kind.read() != expected:
                    wrong.append(f"{what}: another result")
            except JetgramError as error:
                refused += 1
                if kind.file.name not in str(error):
                    wrong.append(f"{what}: the message does not name the file: {error}")
            except BaseException as error:
                wrong.append(f"{what}: {type(error).__name__}: {error}")
    finally:
        kind.file.write_bytes(whole)
    if (more := peak() - before) > 2 * len(whole) + SLACK:
        wrong.append(f"memory rose by {more >> 20} MiB")
    return Damage(count, refused, wrong)


def one_damage(whole: bytes, rng: np.random.Generator, number: int) -> tuple[bytes, str]:
    if number % 10 == 9:
        length = int(rng.integers(len(whole)))
        return whole[:length], f"cut off after {length} bytes"
    place, bit = int(rng.integers(len(whole))), int(rng.integers(8))
    damaged = bytearray(whole)
    damaged[place] ^= 1 << bit
    return bytes(damaged), f"bit {bit} of byte {place}"


def reset_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def peak() -> int:
    """The largest resident set since it was reset, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def same_bits(arrays: Any) -> Any:
    return {name: np.asarray(array).tobytes() for name, array in arrays.items()}


@pytest.fixture(scope="module")
def kinds(some_jets, some_dataset, some_tagger, tmp_path_factory) -> dict[str, Kind]:
    folder = tmp_path_factory.mktemp("kinds")
    model, data = folder / "model", some_dataset.path
    some_tagger.save(model)
    scores = folder / "scores.parquet"
    write_scores(scores, predict_dataset(load_model(model), some_dataset, "train"))
    arguments = (folder / "prepared", Preparation(some_dataset, "train", make_settings(hidden=6)[0]))
    prepare_files(*arguments)
    (prepared,) = (folder / "prepared").iterdir()
    weights = np.arange(5, dtype=np.float32)
    tensor = torch.from_numpy(weights)
    adam = {"mean": tensor + 1, "square": tensor + 2, "steps": torch.tensor(3)}
    save_checkpoint(folder, Checkpoint(Progress(epoch=2, history=[{"loss": 0.5}]), tensor, tensor + 3, adam), "me")

    def dataset() -> Any:
        jets = Dataset(data).read()
        return jets.momenta.tobytes(), jets.offsets.tobytes(), jets.columns["label"].tobytes()

    def network() -> Any:
        found = load_model(model)
        return same_bits(found.network.state_dict()), found.scaler.center.tobytes(), found.settings, str(found.record)

    def checkpoint() -> Any:
        found = load_checkpoint(folder, "me", 5)
        return None if found is None else (found.progress, found.parameters.tolist(), found.best.tolist())

    def blocks() -> Any:
        found = prepare_files(*arguments)
        return same_bits(found.block(0).to_arrays()), found.targets.tobytes(), found.weights.tobytes()

    def score_file() -> Any:
        found = read_scores(scores)
        return found.score.tobytes(), found.pt.tobytes(), found.provenance

    events = save(folder / "events", Events(some_jets.momenta, some_jets.offsets), {"source": "torture"})
    (shard,) = events.manifest.shards

    def found_jets() -> Any:
        return with_found_jets(events, shard, events.read(), 1.0).particles[numbers_column("antikt", 1.0)].tobytes()

    found_jets()  # finds them, and keeps them in the file
    seeds = folder / "seeds.csv"
    append_seeds(seeds, [a_seed(number) for number in (1, 2, 3)])

    def records() -> Any:
        found = [each for _, each in read_seeds(seeds)]
        refused = [each for each in found if isinstance(each, str)]
        if refused:  # a study leaves these lines out, and lists them
            raise DatasetError(f"{seeds}: {refused[0]}")
        if len(found) < 3:  # cut off between two lines: a study trains these seeds again
            raise DatasetError(f"{seeds} has {len(found)} lines")
        return found

    return {
        "dataset.json": Kind(data / "dataset.json", dataset),
        "shard": Kind(data / "train-00000.parquet", dataset),
        "model.json": Kind(model / "model.json", network),
        "weights": Kind(model / "model.safetensors", network),
        "history": Kind(model / "history.jsonl", lambda: read_history(model)),
        "checkpoint": Kind(folder / "checkpoint.safetensors", checkpoint),
        "prepared.json": Kind(prepared / "prepared.json", blocks),
        "prepared block": Kind(prepared / "block-000000.safetensors", blocks),
        "prepared columns": Kind(prepared / "columns.safetensors", blocks),
        "scores": Kind(scores, score_file),
        "found jets": Kind(events.path / FOLDER / "antikt-R1" / shard.file, found_jets),
        "seeds": Kind(seeds, records),
    }


def a_seed(number: int) -> SeedRecord:
    result = SeedResult("", "", number, 200, 100, 0.9172, (Rejection(65.58),), Errors(0.0015, (3.87,)))
    return SeedRecord.of(result, "particles-simple-kt", "nominal", 1.5, ("ab" * 32, "01" * 32, "cd" * 32), "quick")


DOCUMENTS = ("dataset.json", "model.json", "history", "prepared.json")
KINDS = (
    *DOCUMENTS,
    "shard",
    "weights",
    "checkpoint",
    "prepared block",
    "prepared columns",
    "scores",
    "found jets",
    "seeds",
)


@pytest.mark.parametrize("name", KINDS)
def test_damaged_files_are_errors_or_leave_the_result(kinds, name, tell):
    damage = bend(kinds[name], amount(60, 10_000), seed=KINDS.index(name))
    tell(f"flips: {name}: {damage.tried} damaged, {damage.refused} refused, {len(damage.wrong)} wrong")
    assert not damage.wrong, damage.wrong[:5]


def test_a_missing_seal_is_found(kinds, monkeypatch):
    """Planted: nobody looks at the digest of a document."""
    monkeypatch.setattr(sealed, "require_seal", lambda *arguments: None)
    assert bend(kinds["model.json"], 300, seed=3).wrong


def test_a_missing_hash_is_found(kinds, monkeypatch):
    """Planted: nobody looks at the hash of the weights."""
    monkeypatch.setattr(sealed.Form, "read_named", lambda self, path, *arguments: path.read_bytes())
    assert bend(kinds["weights"], 300, seed=3).wrong


def test_a_reader_that_takes_too_much_memory_is_found(kinds):
    """Planted: memory as the damaged file asks for it, given back at once."""
    kind = kinds["history"]

    def greedy() -> Any:
        with mmap.mmap(-1, 2 * SLACK) as pages:  # an array could lie where the heap already has room, and add nothing
            for start in range(0, len(pages), mmap.PAGESIZE):
                pages[start] = 1
        return kind.read()

    assert not bend(kind, 5, seed=3).wrong
    assert "memory rose" in bend(Kind(kind.file, greedy), 5, seed=3).wrong[0]


def test_a_parser_without_the_boundary_is_found(kinds):
    """Planted: what a parser raises is what the user sees."""
    kind = kinds["history"]

    def bare() -> Any:
        return [json.loads(line) for line in kind.file.read_bytes().splitlines()]

    assert any("Error" in what for what in bend(Kind(kind.file, bare), 200, seed=3).wrong)
