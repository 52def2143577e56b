"""Training and scoring again and again: memory stays flat, and the speed at the end is that of the beginning."""

import mmap
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from amounts import amount

import jetgram
from jetgram.momenta import Jets
from jetgram.storage.dataset import save
from jetgram.tagger import JetTagger

NOISE = 8.0  # MiB that the memory of a process may move without a leak, in seconds as in an hour


class Soak(NamedTuple):
    """What changed between the first and the last quarter of the rounds; jets/s per second of the processor."""

    rounds: int
    mebibytes: float
    slope: float  # MiB per minute
    files: int  # open file descriptors
    first: float
    last: float

    @property
    def leaks(self) -> bool:
        return self.mebibytes > NOISE or self.files > 0

    def __str__(self) -> str:
        memory = f"{self.mebibytes:+.1f} MiB ({self.slope:+.3f} MiB/min), {self.files:+d} open files"
        return f"{self.rounds:,} rounds: {memory}; {self.first:,.0f} jets/s at first, {self.last:,.0f} at the end"


def soak(work: Callable[[], int], seconds: float) -> Soak:
    """Work again and again, after a warm-up."""
    for _ in range(3):
        work()
    begin, times, sizes, files, jets = time.monotonic(), [], [], [], []
    while len(times) < 8 or time.monotonic() - begin < seconds:
        start = time.process_time()
        done = work()
        jets.append(done / (time.process_time() - start))
        times.append(time.monotonic() - begin)
        sizes.append(int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20)
        files.append(sum(1 for _ in Path("/proc/self/fd").iterdir()))
    quarter = max(len(times) // 4, 2)
    gained, opened = (float(np.median(values[-quarter:]) - np.median(values[:quarter])) for values in (sizes, files))
    slope = float(np.polyfit(times, sizes, 1)[0]) * 60
    first, last = float(np.median(jets[:quarter])), float(np.median(jets[-quarter:]))
    return Soak(len(times), gained, slope, int(opened), first, last)


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
    assert found.last > 0.5 * found.first


def test_a_leak_is_found(some_jets, tmp_path):
    """Planted: every round keeps 2 MiB."""
    kept, work = [], a_day_of_work(some_jets, tmp_path)

    def leaking() -> int:
        kept.append(mmap.mmap(-1, 2**21))  # new memory, whatever earlier tests have given back
        kept[-1].write(bytes(2**21))
        return work()

    assert soak(leaking, 3).leaks


def test_files_that_stay_open_are_found(some_jets, tmp_path):
    """Planted: every round leaves a file open."""
    kept, work = [], a_day_of_work(some_jets, tmp_path)

    def leaking() -> int:
        kept.append(os.open(os.devnull, os.O_RDONLY))
        return work()

    assert soak(leaking, 1).leaks
    for descriptor in kept:
        os.close(descriptor)
