"""How fast are trees built, next to FastJet's own C++ on the same jets?

Real jets (QCD, pT-hat above 180 GeV, leading anti-kt R = 1 jet, some 60 particles) are clustered in turns: jetgram on
one thread, on two, and FastJet (its fastest strategy, one thread, through the shim of validation/). Speeds are medians
over the rounds, ratios medians of the ratios within a round, so that a busy machine does not favour either. jetgram's
times include the check of the input and the memory of the result.

    python benchmarks/trees.py --jets 2000 --rounds 15
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "validation"))
from fastjet_shim import POWERS, histories
from pythia_jets import pythia_jets

from jetgram import backend
from jetgram.momenta import Jets
from jetgram.trees.features import node_features
from jetgram.trees.topologies import TOPOLOGIES, build_trees

Work = Callable[[], object]


def on_threads(threads: int, work: Work) -> Work:
    def run() -> object:
        os.environ["JETGRAM_THREADS"] = str(threads)
        return work()

    return run


def contestants(jets: Jets) -> dict[str, dict[str, Work]]:
    """What runs in turns, by topology (and once for the features) and name."""
    tasks: dict[str, dict[str, Work]] = {}
    for name in TOPOLOGIES:
        tasks[name] = {str(n): on_threads(n, lambda name=name: build_trees(jets, name)) for n in (1, 2)}  # type: ignore[misc]
        if name in POWERS:
            tasks[name]["fastjet"] = lambda name=name: histories(jets.momenta, jets.offsets, name)  # type: ignore[misc]
    trees = build_trees(jets)
    tasks["features"] = {str(n): on_threads(n, lambda: node_features(trees)) for n in (1, 2)}
    return tasks


def seconds(work: Work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure(tasks: dict[str, Work], rounds: int) -> dict[str, np.ndarray]:
    """Seconds of each contestant in each round, after one round to warm up."""
    times = [{name: seconds(work) for name, work in tasks.items()} for _ in range(rounds + 1)][1:]
    return {name: np.array([row[name] for row in times]) for name in tasks}


def summary(times: dict[str, np.ndarray], jets: int) -> dict[str, float | None]:
    one, two, fastjet = times["1"], times["2"], times.get("fastjet")
    return {
        "jets_per_second": jets / float(np.median(one)),
        "jets_per_second_2_threads": jets / float(np.median(two)),
        "fastjet_jets_per_second": None if fastjet is None else jets / float(np.median(fastjet)),
        "ratio_2_threads_to_1": float(np.median(one / two)),
        "ratio_to_fastjet": None if fastjet is None else float(np.median(fastjet / one)),
    }


def show(result: dict[str, dict[str, float | None]], jets: Jets) -> None:
    table = Table("topology", title=f"{len(jets):,} jets of {np.mean(jets.multiplicity):.0f} particles, jets/s")
    for name in ("1 thread", "2 threads", "2 : 1", "FastJet", "jetgram : FastJet"):
        table.add_column(name, justify="right")
    for name, found in result.items():
        table.add_row(
            name,
            f"{found['jets_per_second']:,.0f}",
            f"{found['jets_per_second_2_threads']:,.0f}",
            f"{found['ratio_2_threads_to_1']:.2f}",
            f"{found['fastjet_jets_per_second']:,.0f}" if found["fastjet_jets_per_second"] else "",
            f"[bold]{found['ratio_to_fastjet']:.2f}" if found["ratio_to_fastjet"] else "",
        )
    Console().print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jets", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", action="store_true", help="print numbers for a program")
    arguments = parser.parse_args()
    jets = pythia_jets(arguments.jets)
    result = {name: summary(measure(work, arguments.rounds), len(jets)) for name, work in contestants(jets).items()}
    if arguments.json:
        path = core.cpu_path() if (core := backend.native_core()) else "no native core"
        print(
            json.dumps(
                {"jets": len(jets), "particles": len(jets.momenta), "cpu_path": path, "speeds": result}, indent=2
            )
        )
    else:
        show(result, jets)


if __name__ == "__main__":
    main()
