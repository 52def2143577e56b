"""Two writers, no space, no rights, no file descriptors, no memory, forks, and 64 threads."""

import resource
import signal
import threading
import time

import numpy as np
import pytest
from amounts import FULL, amount
from commands import digest, limit, run, run_here, start

from jetgram.errors import DatasetError, JetgramError
from jetgram.momenta import Jets
from jetgram.storage.dataset import save
from jetgram.storage.lock import FolderLock

SETTINGS = ["--epochs", "2", "--set", "hidden=6", "--set", "validation=50", "--resume"]
LIMITS = {
    "no space": (resource.RLIMIT_FSIZE, 2_000),
    "no file descriptors": (resource.RLIMIT_NOFILE, 6),
    "no memory": (resource.RLIMIT_AS, 600 * 2**20),
}


@pytest.mark.parametrize("what", LIMITS if FULL else ["no space"])
def test_what_is_missing_is_said_and_the_run_goes_on_with_it(some_dataset, tmp_path, what, tell):
    """A line instead of a traceback; with enough of it the same command ends with the weights of an unbroken run."""
    arguments = ["train", str(some_dataset.path), *SETTINGS, "--out"]
    limited = run([*arguments, str(tmp_path / "a")], limits=limit(*LIMITS[what]))
    assert limited.code != 0
    if what == "no space":  # with the others Python itself may not come up
        assert limited.well, limited.errors
        assert "error:" in limited.errors
    assert run_here([*arguments, str(tmp_path / "a")]).code == 0
    assert run_here([*arguments, str(tmp_path / "b")]).code == 0
    files = ["model.safetensors", "model.json"]
    assert digest(tmp_path / "a", files) == digest(tmp_path / "b", files)
    tell(f"resources: {what}: ended with {limited.code}, then the weights of an unbroken run")


def test_a_folder_that_cannot_be_written_is_named(some_dataset):
    limited = run_here(["train", str(some_dataset.path), *SETTINGS, "--out", "/proc/jetgram"])
    assert limited.well
    assert limited.code == 1
    assert "/proc/jetgram" in limited.errors


def test_a_traceback_is_found(some_dataset):
    """Planted: nobody catches what goes wrong."""
    ended = run(["train", str(some_dataset.path)], "raise OSError('no space')")
    assert not ended.well


def test_of_two_writers_one_is_told_who_the_other_is(some_dataset, tmp_path, tell):
    arguments = ["train", str(some_dataset.path), "--epochs", "400", *SETTINGS[2:], "--out", str(tmp_path / "model")]
    first, second = start(arguments), start(arguments)
    try:
        codes = {}
        while not codes:
            time.sleep(0.02)
            codes = {process.pid: process.returncode for process in (first, second) if process.poll() is not None}
        loser, winner = (first, second) if first.pid in codes else (second, first)
        assert f"process {winner.pid} on" in loser.stderr.read()
        assert loser.returncode == 1
    finally:
        for process in (first, second):
            process.send_signal(signal.SIGKILL)
            process.communicate()
    tell("resources: two writers: the second is told the process of the first")


def test_without_the_lock_two_writers_are_not_told(some_jets, tmp_path, monkeypatch):
    """Planted: locks that lock nothing; the test above would see no loser."""
    monkeypatch.setattr("jetgram.storage.lock._try_lock", lambda file: True)
    with FolderLock(tmp_path, DatasetError):
        save(tmp_path, some_jets, {})  # no error
    monkeypatch.undo()
    with FolderLock(tmp_path / "b", DatasetError), pytest.raises(JetgramError, match="another run writes"):
        save(tmp_path / "b", some_jets, {})


def scores_of_threads(predict, jets: Jets, threads: int, calls: int) -> list[np.ndarray]:
    found: list[np.ndarray] = []

    def work() -> None:
        for _ in range(calls):
            found.append(predict(jets))

    workers = [threading.Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=600)
    return found


def test_64_threads_score_alike(some_tagger, some_jets, tell):
    expected, calls = some_tagger.predict_proba(some_jets), amount(3, 200)
    found = scores_of_threads(some_tagger.predict_proba, some_jets, 64, calls)
    assert len(found) == 64 * calls
    assert all(np.array_equal(scores, expected) for scores in found)
    tell(f"resources: 64 threads: {len(found)} calls, all bit-identical")


def test_threads_that_share_memory_are_found(some_tagger, some_jets):
    """Planted: all threads write into one array before they read it."""
    shared = np.zeros((len(some_jets), 2))
    barrier = threading.Barrier(2)

    def careless(jets: Jets) -> np.ndarray:
        mine = threading.get_ident() % 1_000_003
        shared[:] = some_tagger.predict_proba(jets)
        shared[0, 0] = mine
        barrier.wait(timeout=60)
        return np.array(shared[0, 0] == mine)

    found = scores_of_threads(careless, some_jets, 2, 1)
    assert not all(found)
