"""Ctrl-C in a terminal goes to a command and to all its workers at once."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

import jetgram
from jetgram.storage.dataset import save


def start(*arguments):
    """A command in a session of its own, and that as psutil sees it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "jetgram", *map(str, arguments)],
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(Path(jetgram.__file__).parents[1])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    return process, psutil.Process(process.pid)


def stop(process, group):
    """Ctrl-C; standard output and error. Nobody is left behind."""
    children = group.children()
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert psutil.wait_procs(children, timeout=30)[1] == []
    return out, err


@pytest.mark.parametrize("seconds", [0.0, 1.0])
def test_generation_stops_with_one_line_and_leaves_nobody_behind(tmp_path, seconds: float) -> None:
    process, group = start("generate", "w-vs-qcd", "--jets", 400, "--out", tmp_path / "jets")
    while len(group.children()) < 3:  # two workers and Python's own resource tracker
        assert process.poll() is None
        time.sleep(0.01)
    time.sleep(seconds)  # once while the workers start, once while they work
    assert stop(process, group) == ("", "stopped by Ctrl-C\n")


def test_workers_that_train_stop_too(tmp_path, qcd_jets) -> None:
    """A training that is asked to end writes a checkpoint; then its worker would take the next task, or wait."""
    jets = qcd_jets.with_columns(label=(np.arange(len(qcd_jets)) % 2).astype(np.int8))
    save(tmp_path / "jets", {"train": jets[:200], "test": jets[200:]}, {"source": "tests"})
    out = tmp_path / "models"
    arguments = ("--seeds", 3, "--workers", 1, "--epochs", 100_000, "--recipe", "paper")
    process, group = start("train", tmp_path / "jets", "--out", out, *arguments)
    while not (out / "seed-000" / "history.jsonl").exists():
        assert process.poll() is None
        time.sleep(0.05)
    time.sleep(1)
    stop(process, group)
