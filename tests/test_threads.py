"""The threads of the native core, which wait from call to call."""

import os
import subprocess
import sys
import threading
import time

import pytest

from jetgram import backend
from jetgram.trees.topologies import build_trees
from jetgram.trees.trees import Trees

pytestmark = pytest.mark.skipif(backend.load()[0] is None, reason="there is no native core")


def same(trees: Trees, expected: Trees) -> bool:
    return bool((trees.children == expected.children).all() and (trees.momenta == expected.momenta).all())


@pytest.fixture
def expected(qcd_jets, monkeypatch) -> Trees:
    monkeypatch.setenv("JETGRAM_THREADS", "1")
    trees = build_trees(qcd_jets, "kt")
    monkeypatch.setenv("JETGRAM_THREADS", "3")
    return trees


def test_many_callers_at_once(qcd_jets, expected):
    right = []

    def call():
        right.extend(same(build_trees(qcd_jets, "kt"), expected) for _ in range(20))

    callers = [threading.Thread(target=call) for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert right == [True] * 80


def test_calls_after_a_rest(qcd_jets, expected):
    for pause in (0.0, 0.0005, 0.01, 0.0, 0.1):  # threads look out for work, then sleep, and wake up
        time.sleep(pause)
        assert same(build_trees(qcd_jets, "kt"), expected)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own(qcd_jets, expected):
    assert same(build_trees(qcd_jets, "kt"), expected)
    child = os.fork()
    if child == 0:
        os._exit(0 if same(build_trees(qcd_jets, "kt"), expected) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


FORKS = """
import os, sys, threading, time, warnings
import numpy as np
from jetgram import backend

warnings.simplefilter("ignore", DeprecationWarning)  # Python warns of forks in a process with threads
engine = backend.load()[0].Engine("simple", 1, 1, [1, 1], "auto", 1)  # tiny chunks: locks are taken all the time
parameters = np.ones(sum(int(np.prod(shape)) for _, shape in engine.parameters), dtype=np.float32)
jets = np.arange(2000)
trees = np.ones((len(jets), 1), dtype=np.float32), np.zeros(len(jets), dtype=np.bool_), np.arange(len(jets) + 1)


def predict(threads):
    out = np.empty((len(jets), 1), dtype=np.float32)
    engine.predict(parameters, *trees, jets, threads, out)
    return out


def predict_on(threads):
    while True:
        predict(threads)


expected = predict(1)
for threads in (1, 1, 3):
    threading.Thread(target=predict_on, args=(threads,), daemon=True).start()
time.sleep(0.1)
for number in range(100):
    child, deadline = os.fork(), time.monotonic() + 30
    if child == 0:
        os._exit(0 if all(np.array_equal(predict(threads), expected) for threads in (1, 3)) else 1)
    while (found := os.waitpid(child, os.WNOHANG)) == (0, 0):
        if time.monotonic() > deadline:
            os.kill(child, 9)
            print("child", number, "hangs", flush=True)
            os._exit(3)
        time.sleep(0.001)
    if os.waitstatus_to_exitcode(found[1]):
        print("child", number, "found other numbers", flush=True)
        os._exit(2)
os._exit(0)
"""


@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="the sanitizer's own locks survive no fork")
def test_processes_forked_while_threads_predict():
    """Children find locks as other threads of their parent held them; none may wait for such a lock."""
    found = subprocess.run([sys.executable, "-c", FORKS], capture_output=True, text=True, timeout=600)
    assert (found.returncode, found.stdout) == (0, ""), found.stderr
