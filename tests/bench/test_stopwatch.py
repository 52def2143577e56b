import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from jetgram.bench.stopwatch import Stopwatch

PIECE = 0.02  # seconds


def outer() -> None:
    time.sleep(PIECE)
    inner()


def inner() -> None:
    time.sleep(PIECE)


def failing() -> None:
    time.sleep(PIECE)
    raise ZeroDivisionError


def stages() -> Stopwatch:
    return Stopwatch({"outer": [outer], "inner": [inner, failing]})


def test_inner_stages_take_their_time_from_outer_ones() -> None:
    start = time.perf_counter()
    with stages() as stopwatch:
        outer()
    whole = time.perf_counter() - start
    found = stopwatch.seconds
    assert min(found.values()) >= PIECE
    assert sum(found.values()) <= whole


def test_threads_add_up() -> None:
    with stages() as stopwatch, ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: inner(), range(4)))
    assert stopwatch.seconds["inner"] >= 4 * PIECE
    assert stopwatch.seconds["outer"] == 0


def test_an_exception_ends_a_stage() -> None:
    with stages() as stopwatch:
        with pytest.raises(ZeroDivisionError):
            failing()
        before = stopwatch.seconds["inner"]
        time.sleep(PIECE)
        outer()
    assert stopwatch.seconds["outer"] >= PIECE
    assert before >= PIECE


def test_nothing_is_left_behind() -> None:
    before = sys.getprofile(), threading.getprofile()
    with pytest.raises(ZeroDivisionError), stages():
        failing()
    assert (sys.getprofile(), threading.getprofile()) == before
