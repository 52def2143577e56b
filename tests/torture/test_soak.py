"""Training and scoring again and again: memory stays flat, and the speed at the end is that of the beginning."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from amounts import amount

from jetgram.tagger import JetTagger

SLOPE = 2.0  # MiB per minute, and at least so much in all before it counts:
NOISE = 8.0  # MiB


def soak(work: Callable[[], int], seconds: float) -> tuple[float, float, float, float]:
    """MiB gained, MiB per minute of a straight line, and jets/s in the first and the last quarter; after a warm-up."""
    for _ in range(3):
        work()
    begin, times, sizes, jets = time.monotonic(), [], [], []
    while len(times) < 8 or time.monotonic() - begin < seconds:
        start = time.thread_time()
        done = work()
        jets.append(done / (time.thread_time() - start))
        times.append(time.monotonic() - begin)
        sizes.append(int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20)
    quarter = max(len(times) // 4, 2)
    slope = np.polyfit(times, sizes, 1)[0] * 60
    gained = float(np.median(sizes[-quarter:]) - np.median(sizes[:quarter]))
    return gained, float(slope), float(np.median(jets[:quarter])), float(np.median(jets[-quarter:]))


def leaks(gained: float, slope: float) -> bool:
    return gained > NOISE and slope > SLOPE


def a_day_of_work(jets):
    """Fit, score and save: what a user does in a loop."""

    def work() -> int:
        tagger = JetTagger(hidden=6, epochs=1, validation=50).fit(jets, jets.columns["label"])
        for _ in range(5):
            tagger.predict_proba(jets)
        return 6 * len(jets)

    return work


def test_memory_and_speed_stay(some_jets, tell):
    gained, slope, first, last = soak(a_day_of_work(some_jets), amount(8, 3600))
    tell(f"soak: {gained:+.1f} MiB, {slope:+.2f} MiB/min; {first:,.0f} jets/s at first, {last:,.0f} at the end")
    assert not leaks(gained, slope)
    assert last > 0.5 * first


def test_a_leak_is_found(some_jets):
    """Planted: every call keeps 2 MiB."""
    kept, work = [], a_day_of_work(some_jets)

    def leaking() -> int:
        kept.append(np.ones(2**18))
        return work()

    gained, slope, _, _ = soak(leaking, 3)
    assert leaks(gained, slope)
