import os
import threading

import pytest
import torch

from jetgram import backend
from jetgram.bench.clock import clocked, rate_at_once
from jetgram.networks.device import using_threads


def test_quick_work_is_repeated() -> None:
    calls: list[int] = []
    timing = clocked(lambda: calls.append(1))
    assert len(calls) > 10
    assert 0 < timing.thread <= 1
    assert timing.wall > 0


def test_works_run_at_once_in_threads_of_their_own() -> None:
    meeting = threading.Barrier(2, timeout=30)
    seen: dict[int, set[int]] = {0: set(), 1: set()}

    def work(number: int) -> None:
        if not seen[number]:
            meeting.wait()  # would break if one were called after the other
        seen[number].add(threading.get_ident())

    assert rate_at_once([lambda: work(0), lambda: work(1)]) > 0
    assert [len(threads) for threads in seen.values()] == [1, 1]
    assert seen[0] != seen[1]


def test_a_failing_work_is_an_error() -> None:
    def fail() -> None:
        raise ValueError("no such jet")

    with pytest.raises(ValueError, match="no such jet"):
        rate_at_once([fail, lambda: None])


@pytest.mark.parametrize("wish", [None, "5"])
def test_threads_are_restored(monkeypatch: pytest.MonkeyPatch, wish: str | None) -> None:
    monkeypatch.delenv("JETGRAM_THREADS", raising=False)
    if wish:
        monkeypatch.setenv("JETGRAM_THREADS", wish)
    before = torch.get_num_threads()
    with using_threads(2):
        assert (backend.threads(), torch.get_num_threads()) == (2, 2)
    assert os.environ.get("JETGRAM_THREADS") == wish
    assert torch.get_num_threads() == before
