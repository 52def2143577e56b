"""The process that makes shards elsewhere: kept from shard to shard, and gone with the one that started it."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from jetgram.collisions import shard_process
from jetgram.collisions.generate import make_shards
from jetgram.collisions.processes import WPRIME_VS_QCD, Process, Sample
from jetgram.collisions.settings import GenerationSettings
from jetgram.collisions.shard_process import ShardProcess, make_in_process
from jetgram.errors import GenerationError

SHARDS = GenerationSettings(sample=WPRIME_VS_QCD, rows=4, test_share=0.5).shards()
WRONG = Process(pythia=("HardQCD:all = on", "PhaseSpace:pTHatMin = nonsense"))
ORPHAN = """
import sys
from jetgram.collisions.shard_process import ShardProcess

process = ShardProcess()
print(process._process.pid, flush=True)
sys.stdin.read()
"""


def test_shards_are_those_of_a_numpy_without_avx512():
    """The tests run with such a NumPy or without AVX-512 at all: here and there the bytes are the same."""
    here = [make_shards([task]) for task in SHARDS]
    assert [make_in_process([task]) for task in SHARDS] == here


def test_it_is_kept_from_shard_to_shard_and_started_anew_after_its_death():
    first = make_in_process(SHARDS[:1])
    kept = shard_process._of_thread.process
    assert make_in_process(SHARDS[:1]) == first
    assert shard_process._of_thread.process is kept
    kept._process.kill()
    kept._process.wait()
    assert make_in_process(SHARDS[:1]) == first
    assert shard_process._of_thread.process is not kept


def test_an_error_there_is_one_here():
    sample = Sample(name="wrong", rows="events", signal=WRONG, background=WRONG)
    with pytest.raises(GenerationError, match="nonsense"):
        make_in_process(GenerationSettings(sample=sample, rows=2, test_share=0).shards())
    assert make_in_process(SHARDS[:1])  # it goes on


def test_a_process_that_dies_is_an_error():
    process = ShardProcess()
    process._process.kill()
    with pytest.raises(GenerationError, match="the process of a shard ended with -9"):
        process.make(SHARDS[:1])
    process.close()


def is_running(pid):
    """Whether a process is there, and not only waited for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_it_ends_with_the_process_that_started_it():
    parent = subprocess.Popen([sys.executable, "-c", ORPHAN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    child = int(parent.stdout.readline())
    assert is_running(child)
    os.kill(parent.pid, signal.SIGKILL)
    parent.communicate()
    end = time.monotonic() + 30
    while is_running(child) and time.monotonic() < end:
        time.sleep(0.1)
    assert not is_running(child)


def test_a_request_that_was_interrupted_is_not_answered_later(monkeypatch):
    """Otherwise the next request would be given the shards of this one."""
    process = ShardProcess()

    def interrupt(text):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(shard_process.json, "loads", interrupt)
        with pytest.raises(KeyboardInterrupt):
            process.make(SHARDS[:1])
    assert not process.usable
    monkeypatch.setattr(shard_process._of_thread, "process", process, raising=False)
    assert make_in_process(SHARDS[1:2]) == make_shards(SHARDS[1:2])


def test_a_process_that_ends_within_its_answer_is_an_error(monkeypatch):
    process = ShardProcess()
    monkeypatch.setattr(shard_process.json, "loads", lambda text: {"sizes": [10**9]})
    threading.Timer(1.0, process._process.kill).start()
    with pytest.raises(GenerationError, match="the process of a shard ended with -9"):
        process.make(SHARDS[:1])
