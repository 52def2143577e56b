"""How much more than its jets does an event cost: training steps of events next to those of the same jets.

Events of up to five QCD jets, with some 60 particles in each of the hardest two, at the paper's sizes. A step is
forward, loss, backward and Adam, by the native engine on one thread. For the same jets, the jet-level network takes
steps of as many rows: a batch of 64 events with two jets is two batches of 64 jets. Every round runs all cases once;
ratios are medians of those within a round, by the clock of the thread, so that other work does not count.

The second table is what comes before: finding the jets of events and reading their trees, and what they take in memory.

    python benchmarks/events.py [--rounds 15] [--events 256] [--batch 64]
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from jetgram.collisions.collider import Collider
from jetgram.collisions.processes import WPRIME_VS_QCD
from jetgram.inputs.sequences import EventSchedule
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Events
from jetgram.networks.engine.parameters import Adam
from jetgram.networks.network import TrainingStep

CELLS = ("simple", "gated")
TOPOLOGIES = ("kt", "desc-pt")
HARDEST = (1, 2, 5)
LIMIT = 1.3


class Case(NamedTuple):
    """What one row of the table is about."""

    cell: str
    topology: str
    hardest: int


class Pair(NamedTuple):
    """A step of events, and the steps of the same jets."""

    events: Callable[[], object]
    jets: Callable[[], object]


def pair(case: Case, events: EventSchedule, batch: int) -> Pair:
    """One epoch over the events, and one over their jets as single jets."""
    assert events.trees is not None
    settings = ModelSettings(cell=case.cell)
    of_events = TrainingStep(settings.changed(event="jets").build(seed=0))
    of_jets = TrainingStep(settings.build(seed=0))
    trees = events.trees

    def epoch(step: TrainingStep, adam: Adam, inputs: EventSchedule | object, rows: int) -> None:
        for begin in range(0, rows, batch):
            chosen = np.arange(begin, min(begin + batch, rows))
            step(inputs, chosen, chosen % 2)  # type: ignore[arg-type]
            adam.step()

    event_adam, jet_adam = Adam(of_events.parameters), Adam(of_jets.parameters)
    return Pair(
        lambda: epoch(of_events, event_adam, events, len(events)),
        lambda: epoch(of_jets, jet_adam, trees, len(trees)),
    )


def seconds(work: Callable[[], object]) -> float:
    """Of this thread, for one call."""
    begin = time.thread_time()
    work()
    return time.thread_time() - begin


def read(events: Events, case: Case) -> EventSchedule:
    settings = ModelSettings(event="jets", hardest=case.hardest, topology=case.topology)
    found = settings.read(events).inputs
    scaled = found.scaled(found.fit_scaler())
    assert isinstance(scaled, EventSchedule)
    return scaled


def measure_steps(events: Events, rounds: int, batch: int) -> tuple[Table, bool]:
    """The table of steps, and whether all ratios are within the limit."""
    cases = [Case(cell, topology, m) for cell in CELLS for topology in TOPOLOGIES for m in HARDEST]
    schedules = {case: read(events, case) for case in cases if case.cell == CELLS[0]}
    inputs = {case: schedules[case._replace(cell=CELLS[0])] for case in cases}
    pairs = {case: pair(case, inputs[case], batch) for case in cases}
    times: dict[Case, list[tuple[float, float]]] = {case: [] for case in cases}
    for _ in range(rounds):
        for case, (of_events, of_jets) in pairs.items():
            times[case].append((seconds(of_events), seconds(of_jets)))
    table = Table("cell", "topology", "jets an event", title="training steps, one thread")
    for name in ("events/s", "jets/s", "event step / jet steps", "limit"):
        table.add_column(name, justify="right")
    good = True
    for case, found in times.items():
        ratio = statistics.median(a / b for a, b in found)
        good &= ratio <= LIMIT
        rate = len(inputs[case]) / statistics.median(a for a, _ in found)
        jets = len(inputs[case].momenta) / statistics.median(b for _, b in found)
        table.add_row(*map(str, case), f"{rate:,.0f}", f"{jets:,.0f}", f"{ratio:.2f}", f"{LIMIT}")
    return table, good


def measure_reading(events: Events) -> Table:
    """Jets found, and their trees with features, on one thread."""
    table = Table("read", title="reading events, one thread")
    for name in ("events/s", "jets/s", "GiB for 100,000 events"):
        table.add_column(name, justify="right")
    for settings in (
        *(ModelSettings(event="jets", hardest=m, topology=t) for m in HARDEST for t in TOPOLOGIES),
        ModelSettings(event="jet-momenta"),
        ModelSettings(event="particles", hardest=400),
    ):
        begin = time.thread_time()
        found = settings.read(events).inputs
        taken = time.thread_time() - begin
        size = found.nbytes / len(events) * 1e5 / 2**30
        table.add_row(
            settings.title, f"{len(events) / taken:,.0f}", f"{len(found.momenta) / taken:,.0f}", f"{size:.2f}"
        )
    return table


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--events", type=int, default=256)
    parser.add_argument("--batch", type=int, default=64)
    given = parser.parse_args()
    os.environ["JETGRAM_THREADS"] = "1"
    events = Collider(WPRIME_VS_QCD.background, (1,)).events(given.events)
    steps, good = measure_steps(events, given.rounds, given.batch)
    console = Console()
    console.print(steps)
    console.print(measure_reading(events))
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
