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


def killed(command: Command, folder: Path, kills: int, seed: int) -> tuple[int, list[str]]:
    """Kill a command so often, and run it again after each kill until one is done: how many were, and what is wrong.

    A command that is done, killed before or not, must have written what an unbroken run writes; the next one begins in
    a new folder. Signals that come too late do not count.
    """
    rng, wrong, done, hits = np.random.default_rng(seed), [], 0, 0
    seconds = unbroken_seconds(command, folder / "timed")
    expected = digest(folder / "timed", command.files)
    assert expected
    while hits < kills or not done:
        out = folder / f"broken-{done}"
        out.mkdir(exist_ok=True)
        begin, last = time.monotonic(), hits >= kills
        moment = float(rng.uniform(0.1, 1.0)) * seconds
        ended = (
            run(command.into(out)) if last else run_and_kill(command.into(out), moment, SIGNALS[hits % len(SIGNALS)])
        )
        if "Traceback" in ended.errors and "KeyboardInterrupt" not in ended.errors:
            wrong.append(f"after {hits} kills: {ended.errors[-500:]}")
        if ended.code == 0:
            done += 1
            seconds = min(seconds, time.monotonic() - begin)  # of the fastest run: the machine may have other work
            if digest(out, command.files) != expected:
                wrong.append(f"after {hits} kills: other files")
        elif last:
            return done, [*wrong, f"run again: {ended.errors[-500:]}"]
        else:
            hits += 1
    return done, wrong


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


# In the short version the command that starts fastest; killed trainings and generations have tests of their own.
@pytest.mark.parametrize("name", ["generate", "convert", "train", "predict"] if FULL else ["convert"])
def test_a_killed_command_ends_as_if_it_had_been_left_alone(commands, name, tmp_path, tell):
    kills = amount(2, 50)
    done, wrong = killed(commands[name], tmp_path, kills, seed=len(name))
    tell(f"kills: {name}: {kills} kills, {done} times done with the files of an unbroken run, {len(wrong)} wrong")
    assert not wrong, wrong


def test_files_that_are_not_written_whole_are_found(commands, tmp_path):
    """Planted: the command writes in place, and ends in the middle of a file."""
    command = commands["convert"]
    assert run(command.into(tmp_path), CARELESS + MAIN).code < 0
    assert run(command.into(tmp_path)).code != 0
