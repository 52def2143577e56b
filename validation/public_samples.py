"""Measure the samples after public datasets: rows per second of a core, what the cuts keep, what the floors lose.

    python validation/public_samples.py

For each class: from its own floor the CPU time of the whole chain (Pythia, detector, jets, truth), and the fraction of
the events that survive the veto and give a row; from a lower floor the fraction of rows below its own. Of quarks and
gluons also what the veto on all sides of the window costs: a loose one on soft jets is obeyed, the other is asked, and
the rows are counted that it would have dropped.
"""

from __future__ import annotations

import time

import numpy as np
from floor import Watcher, asked_jets
from numpy.typing import NDArray

from jetgram.collisions.detector import simulate
from jetgram.collisions.generate import BATCH, select_jets, start
from jetgram.collisions.processes import QUARK_VS_GLUON, TOP_VS_QCD, Sample
from jetgram.collisions.settings import GenerationSettings
from jetgram.collisions.veto import Cuts, JetWindowVeto

LOWER = {"top-vs-qcd": {1: 150.0, 0: 200.0}, "quark-vs-gluon": {1: 250.0, 0: 250.0}}  # GeV, by label
EVENTS = {"top-vs-qcd": {1: 1600, 0: 800}, "quark-vs-gluon": {1: 600, 0: 600}}
WATCHED = 4000  # events for what the veto costs
LOOSE = Cuts(early=0.75, late=0.85)
CLASSES = {1: "signal", 0: "background"}
FLOOR = "PhaseSpace:pTHatMin"


def floor_of(sample: Sample, label: int) -> float:
    """The floor in the sample's card."""
    lines = getattr(sample, CLASSES[label]).pythia
    return float(next(line for line in lines if FLOOR in line).split("=")[1])


def run(sample: Sample, label: int, floor: float, events: int) -> tuple[NDArray[np.float64], int, float]:
    """The pT-hat of each row, how many events survived the veto, and the CPU time in seconds."""
    process = getattr(sample, CLASSES[label]).with_settings((f"{FLOOR} = {floor}",))
    recipe = GenerationSettings(sample=sample.model_copy(update={CLASSES[label]: process}), rows=2)
    collider = start(recipe, label, (7, label))
    begin, pt_hat, survived = time.process_time(), [], 0
    for number in range(events // BATCH):
        seen = simulate(collider.events(BATCH), recipe.level, seed=(1, number))
        pt_hat.append(select_jets(recipe, seen, label, np.arange(len(seen)), (1, number)).columns["pt_hat"])
        survived += len(seen)
    return np.concatenate(pt_hat), survived, time.process_time() - begin


def lost_to_the_window(sample: Sample, label: int, events: int) -> tuple[int, int]:
    """How many rows the veto of the window drops, and of how many."""
    process = getattr(sample, CLASSES[label])
    watcher = Watcher(JetWindowVeto(sample, process), sample, process, LOOSE)
    parts = list(asked_jets(GenerationSettings(sample=sample, rows=2), label, watcher, events))
    return sum(np.count_nonzero(jets.columns["dropped"]) for jets in parts), sum(map(len, parts))


def main() -> None:
    """Print a line for each class of both samples."""
    for sample in (TOP_VS_QCD, QUARK_VS_GLUON):
        for label, name in CLASSES.items():
            floor, events = floor_of(sample, label), EVENTS[sample.name][label]
            rows, survived, seconds = run(sample, label, floor, events)
            speed = f"{len(rows) / seconds:.0f} rows/s, {len(rows) / survived:.1%} of {survived} events"
            lower = LOWER[sample.name][label]
            wide = run(sample, label, lower, events)[0]
            lost = (
                f"{np.count_nonzero(wide < floor)} of {len(wide)} rows from {lower:.0f} GeV are below {floor:.0f} GeV"
            )
            print(f"{sample.name} {name}: {speed}; {lost}", flush=True)
            if sample.veto == "window":
                dropped, rows_asked = lost_to_the_window(sample, label, WATCHED)
                print(f"{sample.name} {name}: {dropped} of {rows_asked} rows dropped by the veto", flush=True)


if __name__ == "__main__":
    main()
