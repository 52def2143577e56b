"""How fast are training and inference: jets a second, share of the sgemm peak, native engine beside torch engine.

Real jets (QCD, pT-hat above 180 GeV, leading anti-kt R = 1 jet, some 60 particles) at the paper's sizes: 7 features, 40
hidden units. A training step is forward, loss, backward and Adam. Every round runs every case once, each beside an
sgemm on the same core; speeds are medians over the rounds, ratios and shares medians of those within a round. On one
thread the clock is that of the thread, so that other work on the machine does not count; what a second thread gives is
measured by the clock on the wall, so nothing else should be running.

    python benchmarks/engine.py [--rounds 7] [--jets 1100] [--batches 64 1024] [--threads 2] [--json]
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "validation"))
from pythia_jets import pythia_jets

from jetgram import backend
from jetgram.engine.dispatch import EngineName
from jetgram.engine.parameters import Adam
from jetgram.engine.schedule import Schedule
from jetgram.models.network import JetNetwork, TrainingStep, jet_classifier
from jetgram.momenta import Jets
from jetgram.trees.features import node_features
from jetgram.trees.topologies import build_trees

CACHE = Path(__file__).resolve().parents[1] / "build" / "benchmark_jets.npz"
CELLS = ("simple", "gated")
TOPOLOGIES = ("kt", "desc-pt")
MODES = ("training", "inference")
SHORTEST = 0.03  # seconds: quicker work is repeated


class Case(NamedTuple):
    """What one row of the table is about."""

    cell: str
    topology: str
    batch: int
    mode: str


class Run(NamedTuple):
    """How a case is run."""

    engine: EngineName
    threads: int


NATIVE, TORCH = Run("native", 1), Run("torch", 1)


class Timing(NamedTuple):
    """Seconds for one unit of work, by two clocks."""

    wall: float
    thread: float


def cached_jets(count: int) -> Jets:
    """Generated jets, kept in build/ for the next time."""
    if CACHE.exists():
        with np.load(CACHE) as file:
            jets = Jets(file["momenta"], file["offsets"])
        if len(jets) >= count:
            return jets[:count]
    jets = pythia_jets(count)
    CACHE.parent.mkdir(exist_ok=True)
    np.savez(CACHE, momenta=jets.momenta, offsets=jets.offsets)
    return jets


def prepare(jets: Jets, topology: str) -> Schedule:
    """Trees with features scaled by median and inter-quartile range."""
    trees = build_trees(jets, topology)
    features = node_features(trees)
    low, centre, high = np.percentile(features, [25, 50, 75], axis=0)
    return Schedule.from_trees(trees, (features - centre) / (high - low))


def clocked(work: Callable[[], object]) -> Timing:
    """Seconds for one call; quick work is repeated."""
    calls, wall, thread = 0, time.perf_counter(), time.thread_time()
    while time.perf_counter() - wall < SHORTEST or calls == 0:
        work()
        calls += 1
    return Timing((time.perf_counter() - wall) / calls, (time.thread_time() - thread) / calls)


def sgemm_peak(size: int = 768) -> float:
    """Multiply-adds a second of a square matrix product on one thread."""
    torch.set_num_threads(1)
    a, b, out = torch.ones(size, size), torch.ones(size, size), torch.empty(size, size)
    return size**3 / clocked(lambda: torch.mm(a, b, out=out)).thread


def multiply_adds(network: JetNetwork, trees: Schedule, jets: np.ndarray, mode: str) -> float:
    """Multiply-adds of the products: weights times inputs, and in training twice more for the two gradients.

    Features get no gradient, so that W_u counts twice instead of three times.
    """
    nodes = np.diff(trees.offsets)[jets].sum()
    inner = (nodes - len(jets)) / 2
    cell = network.embedding.cell
    local = cell.W_u.numel() * nodes
    recursion = inner * sum(w.numel() for name, w in cell.named_parameters() if w.ndim == 2 and name != "W_u")
    head = len(jets) * sum(w.numel() for w in network.head.parameters() if w.ndim == 2)
    return float(2 * local + 3 * (recursion + head) if mode == "training" else local + recursion + head)


def work_of(
    network: JetNetwork, step: TrainingStep, adam: Adam, trees: Schedule, jets: np.ndarray, mode: str
) -> Callable[[], object]:
    """One unit of work: a training step or a prediction."""
    targets = (jets % 2).astype(np.float32)

    def train() -> None:
        step(trees, jets, targets)
        adam.step()

    return train if mode == "training" else lambda: network.predict(trees, jets)


class Bench:
    """All cases with all their runs, in turns."""

    def __init__(self, jets: Jets, batches: list[int], threads: int) -> None:
        self.runs = [Run(engine, count) for engine in ("native", "torch") for count in sorted({1, threads})]
        self.trees = {topology: prepare(jets, topology) for topology in TOPOLOGIES}
        self.cases = [Case(*parts) for parts in itertools.product(CELLS, TOPOLOGIES, batches, MODES)]
        self.networks = {}
        for cell, engine in itertools.product(CELLS, ("native", "torch")):
            network = jet_classifier(cell, seed=1, engine=engine)
            step = TrainingStep(network)
            self.networks[cell, engine] = network, step, Adam(step.parameters, rate=1e-6)
        self.random = np.random.default_rng(1)

    def round(self) -> Iterator[tuple[Case, dict[str, float]]]:
        """Each case once: speeds in jets a second, shares and ratios."""
        for case in self.cases:
            trees = self.trees[case.topology]
            jets = self.random.permutation(len(trees))[: case.batch]
            peak = sgemm_peak()
            timings = {run: self.run(case, run, trees, jets) for run in self.runs}
            network = self.networks[case.cell, "native"][0]
            result = {"peak": peak, "native/torch": timings[TORCH].thread / timings[NATIVE].thread}
            result["share"] = multiply_adds(network, trees, jets, case.mode) / timings[NATIVE].thread / peak
            for run in self.runs:
                alone = run.threads == 1
                result[f"{run.engine} {run.threads}"] = len(jets) / (
                    timings[run].thread if alone else timings[run].wall
                )
                result[f"{run.engine} {run.threads}/1"] = timings[Run(run.engine, 1)].wall / timings[run].wall
            yield case, result

    def run(self, case: Case, run: Run, trees: Schedule, jets: np.ndarray) -> Timing:
        """One case by one engine on some threads."""
        os.environ["JETGRAM_THREADS"] = str(run.threads)
        torch.set_num_threads(run.threads)
        return clocked(work_of(*self.networks[case.cell, run.engine], trees, jets, case.mode))


def report(results: dict[Case, dict[str, float]], trees: Schedule, threads: int) -> None:
    """Print the table."""
    leaves = (np.diff(trees.offsets) + 1) / 2
    peak = statistics.median(result["peak"] for result in results.values())
    print(
        f"{len(trees)} jets of {leaves.mean():.0f} particles; sgemm {2e-9 * peak:.1f} GFLOP/s on one core; "
        f"path {backend.load()[0].cpu_path()}"
    )
    table = Table("cell", "topology", "batch", "mode", title="jets a second")
    columns = {"native": ("native 1", ",.0f"), "of peak": ("share", ".0%"), "torch": ("torch 1", ",.0f")}
    if threads > 1:
        for engine in ("native", "torch"):
            columns[f"{engine}, {threads} threads"] = (f"{engine} {threads}", ",.0f")
            columns[f"{engine}, {threads}/1"] = (f"{engine} {threads}/1", ".2f")
    columns["native/torch"] = ("native/torch", ".2f")
    for name in columns:
        table.add_column(name, justify="right")
    for case, result in results.items():
        numbers = (format(result[name], form) for name, form in columns.values())
        table.add_row(*map(str, case), *numbers)
    Console(width=140).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--jets", type=int, default=1100)
    parser.add_argument("--batches", type=int, nargs="+", default=[64, 1024])
    parser.add_argument("--threads", type=int, default=2, help="beside one; 1 where other work is running")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    bench = Bench(cached_jets(arguments.jets), arguments.batches, arguments.threads)
    rounds: dict[Case, list[dict[str, float]]] = {case: [] for case in bench.cases}
    for _ in range(arguments.rounds):
        for case, result in bench.round():
            rounds[case].append(result)
    results = {
        case: {name: statistics.median(r[name] for r in found) for name in found[0]} for case, found in rounds.items()
    }
    if arguments.json:
        print(json.dumps([{**case._asdict(), **result} for case, result in results.items()], indent=1))
    else:
        report(results, bench.trees["kt"], arguments.threads)


if __name__ == "__main__":
    main()
