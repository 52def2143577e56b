"""Commands that are killed at any moment: run again, they end with the bytes of a run that was left alone."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from amounts import FULL, amount
from commands import CARELESS, MAIN, SIGNALS, digest, run, run_and_kill


class Command(NamedTuple):
    """A command with `{out}` in its arguments, and the endings of the files that it makes."""

    arguments: Sequence[str]
    files: Sequence[str]

    def into(self, out: Path) -> list[str]:
        return [part.format(out=out) for part in self.arguments]


def killed(command: Command, folder: Path, kills: int, seed: int) -> tuple[dict[str, str], list[str]]:
    """What is there after so many kills and a run to the end, and what went wrong on the way."""
    rng, wrong = np.random.default_rng(seed), []
    seconds = unbroken_seconds(command, folder / "timed")
    out = folder / "broken"
    out.mkdir()
    for number in range(kills):
        signal_number = SIGNALS[number % len(SIGNALS)]
        ended = run_and_kill(command.into(out), float(rng.uniform(0.2, 1.0)) * seconds, signal_number)
        if "Traceback" in ended.errors and "KeyboardInterrupt" not in ended.errors:
            wrong.append(f"kill {number} with {signal_number.name}: {ended.errors[-500:]}")
        if ended.code == 0:  # it was done before it was killed
            out = folder / f"broken-{number}"
            out.mkdir()
    ended = run(command.into(out))
    if ended.code:
        wrong.append(f"run again: {ended.errors[-500:]}")
    return digest(out, command.files), wrong


def unbroken_seconds(command: Command, out: Path) -> float:
    out.mkdir()
    begin = time.monotonic()
    assert run(command.into(out)).code == 0
    return time.monotonic() - begin


@pytest.fixture(scope="module")
def commands(some_jets, some_dataset, some_tagger, tmp_path_factory) -> dict[str, Command]:
    folder = tmp_path_factory.mktemp("commands")
    np.savez(folder / "jets.npz", p4=some_jets.momenta, offsets=some_jets.offsets, label=some_jets.columns["label"])
    some_tagger.save(folder / "model")
    data = str(some_dataset.path)
    training = ["--epochs", "3", "--set", "hidden=6", "--set", "validation=50", "--checkpoint", "0.01", "--resume"]
    return {
        "generate": Command(
            ["generate", "w-vs-qcd", "--jets", "60", "--seed", "1", "--out", "{out}/jets"], [".parquet", "dataset.json"]
        ),
        "convert": Command(["convert", str(folder / "jets.npz"), "--out", "{out}/jets"], [".parquet", "dataset.json"]),
        "train": Command(["train", data, *training, "--out", "{out}/model"], ["model.safetensors", "model.json"]),
        "predict": Command(
            ["predict", str(folder / "model"), data, "--split", "train", "--out", "{out}/scores.parquet"], [".parquet"]
        ),
    }


@pytest.mark.parametrize("name", ["generate", "convert", "train", "predict"] if FULL else ["train"])
def test_a_killed_command_ends_as_if_it_had_been_left_alone(commands, name, tmp_path, tell):
    kills = amount(2, 50)
    found, wrong = killed(commands[name], tmp_path, kills, seed=len(name))
    tell(f"kills: {name}: {kills} kills, {len(wrong)} wrong, {'the same' if not wrong else 'other'} files")
    assert not wrong, wrong
    assert found == digest(tmp_path / "timed", commands[name].files)
    assert found


def test_files_that_are_not_written_whole_are_found(commands, tmp_path):
    """Planted: the command writes in place, and ends in the middle of a file."""
    command = commands["convert"]
    assert run(command.into(tmp_path), CARELESS + MAIN).code < 0
    assert run(command.into(tmp_path)).code != 0
