"""Training and scoring again and again: memory stays flat, and the speed at the end is that of the beginning.

The speed is judged by `make torture` alone, and against a yardstick that runs in turns with the work: shared cores can
be twice as slow as seconds before.
"""

import mmap
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from amounts import FULL, amount

import jetgram
from jetgram.momenta import Jets
from jetgram.storage.dataset import save
from jetgram.tagger import JetTagger

NOISE = 16.0  # MiB that the memory of a process may move without a leak, in seconds as in an hour


class Soak(NamedTuple):
    """What changed between the first and the last quarter of the rounds; speeds are in jets per CPU-second."""

    rounds: int
    mebibytes: float
    slope: float  # MiB per minute
    files: int  # open file descriptors
    first: float
    last: float
    relative: float  # speed of the last quarter over that of the first, both in units of the yardstick's

    @property
    def slows_down(self) -> bool:
        return self.relative < 0.5

    @property
    def leaks(self) -> bool:
        return self.mebibytes > NOISE or self.files > 0

    def __str__(self) -> str:
        memory = f"{self.mebibytes:+.1f} MiB ({self.slope:+.3f} MiB/min), {self.files:+d} open files"
        speed = f"{self.first:,.0f} jets/s at first, {self.last:,.0f} at the end ({self.relative:.2f} of a yardstick's)"
        return f"{self.rounds:,} rounds: {memory}; {speed}"


def timed(work: Callable[[], int]) -> tuple[int, float]:
    """What work gives, and seconds of the processor."""
    start = time.process_time()
    done = work()
    return done, time.process_time() - start


def yardstick() -> int:
    """Some Python and some NumPy, always the same: how long it takes tells how fast the core is at the moment."""
    numbers = np.random.default_rng(1).random(20_000)
    return sum(len(sorted(numbers.tolist())) + len(np.sort(numbers)) for _ in range(5))


def soak(work: Callable[[], int], seconds: float) -> Soak:
    """Work again and again, after a warm-up."""
    for _ in range(3):
        work()
    begin, times, sizes, files, jets, relative = time.monotonic(), [], [], [], [], []
    while len(times) < 8 or time.monotonic() - begin < seconds:
        done, taken = timed(work)
        jets.append(done / taken)
        relative.append(jets[-1] * timed(yardstick)[1])
        times.append(time.monotonic() - begin)
        sizes.append(int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20)
        files.append(sum(1 for _ in Path("/proc/self/fd").iterdir()))
    quarter = max(len(times) // 4, 2)
    gained, opened = (float(np.median(values[-quarter:]) - np.median(values[:quarter])) for values in (sizes, files))
    slope = float(np.polyfit(times, sizes, 1)[0]) * 60
    first, last = float(np.median(jets[:quarter])), float(np.median(jets[-quarter:]))
    changed = float(np.median(relative[-quarter:]) / np.median(relative[:quarter]))
    return Soak(len(times), gained, slope, int(opened), first, last, changed)


def a_day_of_work(jets: Jets, folder: Path) -> Callable[[], int]:
    """What a user does in a loop: write jets, train, score, save and open a model, read the jets and score them."""

    def work() -> int:
        tagger = JetTagger(hidden=6, epochs=1, validation=50).fit(jets, jets.columns["label"])
        for _ in range(5):
            tagger.predict_proba(jets)
        tagger.save(folder / "model")
        dataset = save(folder / "jets", jets, {"source": "soak"})
        JetTagger.load(folder / "model").predict_proba(jetgram.read(dataset.path))
        shutil.rmtree(folder / "model")
        shutil.rmtree(folder / "jets")
        return 7 * len(jets)

    return work


def test_memory_and_speed_stay(some_jets, tmp_path, tell):
    found = soak(a_day_of_work(some_jets, tmp_path), amount(4, 3600))
    tell(f"soak: {found}")
    assert not found.leaks
    assert not (FULL and found.slows_down)


def test_a_leak_is_found(some_jets, tmp_path):
    """Planted: every round keeps 16 MiB."""
    kept, work = [], a_day_of_work(some_jets, tmp_path)

    def leaking() -> int:
        kept.append(mmap.mmap(-1, 2**24))  # new memory, whatever earlier tests have given back
        kept[-1].write(bytes(2**24))
        return work()

    assert soak(leaking, 3).leaks


@pytest.mark.skipif(not FULL, reason="speeds are judged by make torture")
def test_work_that_becomes_slower_is_found(some_jets, tmp_path):
    """Planted: more and more work is done for the same jets."""
    times, work = 0, a_day_of_work(some_jets, tmp_path)

    def slowing() -> int:
        nonlocal times
        times += 1
        return max(work() for _ in range(1 + times**2 // 8))

    assert soak(slowing, 1).slows_down


def test_files_that_stay_open_are_found(some_jets, tmp_path):
    """Planted: every round leaves a file open."""
    kept, work = [], a_day_of_work(some_jets, tmp_path)

    def leaking() -> int:
        kept.append(os.open(os.devnull, os.O_RDONLY))
        return work()

    assert soak(leaking, 1).leaks
    for descriptor in kept:
        os.close(descriptor)
