"""What `jetgram generate` costs next to a bare `pythia.next()` loop plus FastJet; what more levels and workers cost.

Both sides run the same settings and hooks in turns; medians of their CPU times an event are compared. Workers are
compared by the clock on the wall, so nothing else should be running.

    python benchmarks/generation.py [--rounds 5] [--events 200] [--json]
"""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import fastjet
from rich.console import Console
from rich.table import Table

from jetgram.collisions.collider import Collider
from jetgram.collisions.generate import find_rows, generate, generate_levels
from jetgram.collisions.processes import W_VS_QCD
from jetgram.collisions.settings import LEVELS, GenerationSettings
from jetgram.fanout import open_executor
from jetgram.jets.clustering import jet_definition
from jetgram.momenta import Events
from jetgram.storage import parquet

MIN_PT = 20.0  # of the jets that FastJet hands over, GeV


@contextlib.contextmanager
def stopwatch(times: list[float], clock: Callable[[], float], count: int = 1) -> Iterator[None]:
    start = clock()
    yield
    times.append((clock() - start) / count)


class CountingCollider(Collider):
    """Counts the events it has given."""

    given = 0

    def events(self, count: int) -> Events:  # noqa: D102
        events = super().events(count)
        self.given += len(events)
        return events


def compare(name: str, rounds: int, events: int) -> dict[str, float]:
    """Milliseconds an event on both sides: medians over the rounds, the two sides in turns."""
    process = getattr(W_VS_QCD, name)
    recipe = GenerationSettings(sample=W_VS_QCD, rows=2)
    bare, ours = (CountingCollider(process, (1, side)) for side in (0, 1))
    definition = jet_definition("antikt", W_VS_QCD.radius)
    times: dict[str, list[float]] = {"next": [], "fastjet": [], "jetgram": []}
    for number in range(rounds):
        with stopwatch(times["next"], time.process_time, events):
            for _ in range(events):
                bare.pythia.next()
        array = bare.events(events).to_awkward()
        with stopwatch(times["fastjet"], time.process_time, events):
            fastjet.ClusterSequence(array, definition).inclusive_jets(MIN_PT)
        before, start = ours.given, time.process_time()
        parquet.encode(find_rows([recipe], ours, 0, events // 2, (1, number, 0))[0], {})
        times["jetgram"].append((time.process_time() - start) / (ours.given - before))
    return {key: 1e3 * statistics.median(values) for key, values in times.items()}


def levels(rows: int) -> float:
    """Time of all detector levels in one pass of Pythia over that of particles alone, in turns."""
    times: dict[int, list[float]] = {1: [], len(LEVELS): []}
    for seed in range(3):
        for count in times:
            with (
                tempfile.TemporaryDirectory() as folder,
                open_executor(2, same_bits=True) as executor,
                stopwatch(times[count], time.perf_counter),
            ):
                recipe = GenerationSettings(sample=W_VS_QCD, rows=rows, seed=seed)
                generate_levels({Path(folder) / level: recipe.at(level) for level in LEVELS[:count]}, executor)
    return statistics.median(times[len(LEVELS)]) / statistics.median(times[1])


def scaling(rows: int) -> dict[str, float]:
    """Jets a second with one worker and with two, start-up included, in turns."""
    times: dict[int, list[float]] = {1: [], 2: []}
    for seed in range(3):
        recipe = GenerationSettings(sample=W_VS_QCD, rows=rows, seed=seed)
        for workers in (1, 2):
            with (
                tempfile.TemporaryDirectory() as folder,
                open_executor(workers, same_bits=True) as executor,
                stopwatch(times[workers], time.perf_counter, rows),
            ):
                generate(recipe, Path(folder), executor)
    return {"one": 1 / statistics.median(times[1]), "two": 1 / statistics.median(times[2])}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--events", type=int, default=200, help="events a round")
    parser.add_argument("--rows", type=int, default=400, help="jets for the comparison of one worker with two")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    report = {name: compare(name, arguments.rounds, arguments.events) for name in ("signal", "background")}
    workers, all_levels = scaling(arguments.rows), levels(arguments.rows)
    for times in report.values():
        times["ratio"] = times["jetgram"] / (times["next"] + times["fastjet"])
    if arguments.json:
        print(
            json.dumps(
                {**report, "workers": {**workers, "ratio": workers["two"] / workers["one"]}, "levels": all_levels},
                indent=2,
            )
        )
        return
    table = Table(title="w-vs-qcd: CPU ms for an event that Pythia finishes")
    for heading in ("process", "pythia.next()", "FastJet", "jetgram generate", "ratio"):
        table.add_column(heading, justify="right")
    for name, t in report.items():
        table.add_row(name, *(f"{t[key]:.2f}" for key in ("next", "fastjet", "jetgram", "ratio")))
    Console().print(table)
    ratio = workers["two"] / workers["one"]
    Console().print(f"workers: one {workers['one']:.1f} jets/s, two {workers['two']:.1f} jets/s, ratio {ratio:.2f}")
    Console().print(f"all {len(LEVELS)} levels in one pass: {all_levels:.2f} of the time of particles alone")


if __name__ == "__main__":
    main()
