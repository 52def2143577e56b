"""Clocks: how long one call takes, and how much work gets done when several threads call at once."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import torch

SHORTEST = 0.03  # seconds: quicker work is repeated

Work = Callable[[], object]


class Timing(NamedTuple):
    """Seconds a call, by two clocks.

    Args:
        wall: by the clock on the wall, which other programs on the machine make longer.
        thread: of the processor, for the calling thread alone: without what other programs, or other threads, take.
    """

    wall: float
    thread: float


def clocked(work: Work) -> Timing:
    """Seconds for one call."""
    calls, wall, thread = 0, time.perf_counter(), time.thread_time()
    while calls == 0 or time.perf_counter() - wall < SHORTEST:
        work()
        calls += 1
    return Timing((time.perf_counter() - wall) / calls, (time.thread_time() - thread) / calls)


def rate_at_once(works: Sequence[Work]) -> float:
    """Calls a second, all works together, each in a thread of its own; they begin at the same moment.

    The works must release the GIL: what is measured is what the cores give, not Python.
    """
    start = threading.Barrier(len(works))

    def rate(work: Work) -> float:
        start.wait()
        return 1 / clocked(work).wall

    with ThreadPoolExecutor(len(works)) as pool:
        return sum(pool.map(rate, works))


@contextlib.contextmanager
def using_threads(count: int) -> Iterator[None]:
    """Inside the block native calls and torch use so many threads.

    Example:
        >>> from jetgram import backend
        >>> with using_threads(3):
        ...     backend.threads()
        3
    """
    wish, torch_threads = os.environ.get("JETGRAM_THREADS"), torch.get_num_threads()
    os.environ["JETGRAM_THREADS"] = str(count)
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(torch_threads)
        del os.environ["JETGRAM_THREADS"]
        if wish is not None:
            os.environ["JETGRAM_THREADS"] = wish
