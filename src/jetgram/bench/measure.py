"""The whole measurement: rounds of all cases, and their medians."""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Sequence
from typing import TypeVar

from jetgram import backend
from jetgram.bench.engines import Case, EngineBench, MoreThreads, OneThread, Speeds, all_cases
from jetgram.bench.pipeline import PipelineBench, PipelineSpeed, median_round
from jetgram.bench.sample import JETS, first_jets, largest_split
from jetgram.errors import SettingsError
from jetgram.progress import Advance, silent
from jetgram.storage.dataset import Dataset

N = TypeVar("N", OneThread, MoreThreads)

BATCHES = (64, 1024)
ROUNDS = 7


@dataclasses.dataclass(frozen=True)
class Machine:
    """Where it was measured: the processor, its cores, and the path of the native core."""

    cpu: str
    cores: int
    path: str


@dataclasses.dataclass(frozen=True)
class EngineSpeed:
    """One case; all numbers are medians over the rounds, also the ratios."""

    cell: str
    topology: str
    batch: int
    mode: str
    one: OneThread
    more: MoreThreads | None


@dataclasses.dataclass(frozen=True)
class BenchResult:
    """What `jetgram bench` prints.

    Args:
        machine: where.
        rounds: how often every case was run.
        threads: compared with one.
        jets: different jets in the engines' batches.
        particles: per jet, on average.
        peak: multiply-adds per second of a large matrix product by PyTorch on one thread.
        core: multiply-adds per second that a core can do, on registers alone.
        engines: one entry per case.
        pipeline: from file to score on all threads.
    """

    machine: Machine
    rounds: int
    threads: int
    jets: int
    particles: float
    peak: float
    core: float
    engines: Sequence[EngineSpeed]
    pipeline: PipelineSpeed


def measure(
    dataset: Dataset,
    rounds: int = ROUNDS,
    threads: int | None = None,
    batches: Sequence[int] = BATCHES,
    advance: Advance = silent,
) -> BenchResult:
    """Measure everything, in turns.

    Args:
        dataset: of jets.
        rounds: how often every case is run.
        threads: compared with one; by default as many as jetgram uses.
        batches: sizes of batches for the engines.
        advance: is told how many of the `steps` are done since the last call.
    """
    threads = threads or backend.threads()
    split = largest_split(dataset)
    jets = first_jets(dataset, split, max(JETS, *batches))
    if len(jets) < max(batches):
        found = f"{dataset.path} has {len(jets)} jets in its split {split!r}"
        raise SettingsError(f"{found}; a batch of {max(batches)} needs as many: choose another dataset or batch")
    engines, pipeline = EngineBench(jets, batches, threads), PipelineBench(dataset, split, jets, threads)
    found_speeds: dict[Case, list[Speeds]] = {case: [] for case in engines.cases}
    found_ways: list[PipelineSpeed] = []
    for _ in range(rounds):
        for case, speeds in engines.round():
            found_speeds[case].append(speeds)
            advance(1)
        found_ways.append(pipeline.round())
        advance(1)
    entries = [_median_speeds(case, found) for case, found in found_speeds.items()]
    return BenchResult(
        machine=this_machine(),
        rounds=rounds,
        threads=threads,
        jets=len(jets),
        particles=float(jets.multiplicity.mean()),
        peak=statistics.median(entry.one.peak for entry in entries),
        core=statistics.median(entry.one.core for entry in entries),
        engines=entries,
        pipeline=median_round(found_ways),
    )


def steps(rounds: int, batches: Sequence[int]) -> int:
    """What `measure` counts: in every round each case once, and the way from file to score once.

    Example:
        >>> steps(rounds=1, batches=[64, 1024])  # 5 cells on trees, 2 batches, training and inference
        21
    """
    return rounds * (len(all_cases(batches)) + 1)


def this_machine() -> Machine:
    """The processor as the system names it."""
    core, reason = backend.load()
    return Machine(backend.processor(), backend.threads(), core.cpu_path() if core else f"no native core: {reason}")


def _median_speeds(case: Case, found: Sequence[Speeds]) -> EngineSpeed:
    more = [speeds.more for speeds in found if speeds.more is not None]
    return EngineSpeed(*case, _medians([speeds.one for speeds in found]), _medians(more) if more else None)


def _medians(found: Sequence[N]) -> N:
    """The median of each number."""
    columns = zip(*map(dataclasses.astuple, found), strict=True)
    return type(found[0])(*map(statistics.median, columns))
