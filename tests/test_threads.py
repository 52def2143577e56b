"""The threads of the native core, which wait from call to call."""

import os
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
