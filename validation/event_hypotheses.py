"""What the paper's events may have been: each hypothesis next to what its authors logged, drew and published.

The authors keep 58.5 % of their events, reading background and signal in turn until one passes, so that this is the
harmonic mean of both fractions. They cut on the leading jet (240 <= pT <= 360 GeV), and drop an event if one of its ten
hardest jets cannot be boosted to the frame of its leading subjet. Rounding in a text file does that to jets near the
beam (E < |pz|), so that the number of digits decides how many events are left (`digits`).

For each hypothesis this prints the fractions that pass, what boosted trees find in the momenta of one jet, of two jets
and of the hardest particle (AUC and R at 80 %; they need more events than a few thousand for the last two), and the
median masses of the first four background jets, which the authors drew as histograms.

A hypothesis is either another way to generate (`HYPOTHESES`), or another way to look at the same events (`VIEWS`), such
as fewer particles, a smaller jet radius, or few digits in a text file. Views cost no generation of their own.

    python validation/event_hypotheses.py [--events 6000] [--only NAME ...] [--views NAME ...] [--all-views]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from event_looks import Found, join, look, stable_particles
from event_views import VIEWS, Floats, View

from jetgram import kinematics
from jetgram.cli.progress import progress
from jetgram.collisions.collider import Collider
from jetgram.collisions.processes import WPRIME_VS_QCD, Process

HEADING = (
    f"{'':24} signal    QCD   both  1 jet: AUC R  2 jets: AUC R  1 particle: AUC R  median mass of QCD jets 1 to 4"
)
PAPER = f"{'paper':38} 58.5%  0.891  5.6   0.961 21.1   0.650  1.7    68.3  64.5  24.3  15.5"
BATCH = 200

_SIGNAL = WPRIME_VS_QCD.signal.pythia
_QCD = WPRIME_VS_QCD.background.pythia
_Z_PRIME = (
    "NewGaugeBoson:ffbar2gmZZprime = on",
    "Zprime:gmZmode = 3",
    "32:m0 = 700.",
    "Zprime:coup2WW = 1.",
    "32:onMode = off",
    "32:onIfMatch = 24 -24",
)


class Hypothesis(NamedTuple):
    """How events may have been generated: lines for Pythia on top of those of the sample."""

    both: tuple[str, ...] = ()
    signal: tuple[str, ...] = ()
    background: tuple[str, ...] = ()


HYPOTHESES: Mapping[str, Hypothesis] = {
    "as we generate": Hypothesis(),
    "MPI off": Hypothesis(both=("PartonLevel:MPI = off",)),
    "ISR off": Hypothesis(both=("PartonLevel:ISR = off",)),
    "MPI, ISR off": Hypothesis(both=("PartonLevel:MPI = off", "PartonLevel:ISR = off")),
    "FSR off": Hypothesis(both=("PartonLevel:FSR = off",)),
    "pi0 stable": Hypothesis(both=("111:mayDecay = off",)),
    "8 TeV": Hypothesis(both=("Beams:eCM = 8000.",)),
    "14 TeV": Hypothesis(both=("Beams:eCM = 14000.",)),
    "tune 4C": Hypothesis(both=("Tune:pp = 5",)),
    "tune A14": Hypothesis(both=("Tune:pp = 21",)),
    "FSR: alpha_s = 0.12": Hypothesis(both=("TimeShower:alphaSvalue = 0.12",)),
    "QCD: quarks only": Hypothesis(
        background=("HardQCD:all = off", "HardQCD:qq2qq = on", "HardQCD:gg2qqbar = on", "HardQCD:qqbar2qqbarNew = on")
    ),
    "W' of 650 GeV": Hypothesis(signal=("34:m0 = 650.",)),
    "W' of 750 GeV": Hypothesis(signal=("34:m0 = 750.",)),
    "width 75 GeV": Hypothesis(signal=("34:mWidth = 75.", "34:doForceWidth = on")),
    "no width": Hypothesis(signal=("34:mWidth = 0.01", "34:doForceWidth = on")),
    "angles of H+ -> WZ": Hypothesis(signal=("Wprime:anglesWZ = 1.",)),
    "W' and Z'": Hypothesis(signal=_Z_PRIME),
    "Z to bb": Hypothesis(signal=("23:onMode = off", "23:onIfAny = 5")),
}


def generate(name: str, lines: Sequence[str], count: int, views: Mapping[str, View], signal: bool) -> dict[str, Found]:
    """Generate events, and look at them in each way."""
    collider = Collider(Process(pythia=tuple(lines)), (11, len(name), int(signal)))
    parts: dict[str, list[Found]] = {view: [] for view in views}
    with progress(f"generating {'signal' if signal else 'background'}, {name}", count, "events") as advance:
        for _ in range(0, count, BATCH):
            particles = stable_particles(collider.pythia.nextBatch(BATCH).prt, signal)
            seen: dict[Any, Found] = {}
            for name_of_view, view in views.items():
                found = seen.get(view.of_events) or look(particles, view)
                seen[view.of_events] = found
                weight = found.weight if view.angle is None else view.angle(particles.cosine)
                parts[name_of_view].append(replace(found, weight=weight))
            advance(BATCH)
    return {view: join(found) for view, found in parts.items()}


def _one_jet(found: Found) -> Floats:
    _, eta, pt, mass = found.jets[:, 0].T
    return np.stack([np.abs(eta), pt, mass], axis=1)


def _two_jets(found: Found) -> Floats:
    phi, eta, pt, mass = np.moveaxis(found.jets, 2, 0)
    side = np.sign(eta[:, 0])
    angles = (side * eta[:, 0], side * eta[:, 1], np.abs(eta[:, 0] - eta[:, 1]), np.abs(kinematics.delta_phi(*phi.T)))
    return np.column_stack([*angles, pt, mass])


def _one_particle(found: Found) -> Floats:
    return found.particle


ROWS = (_one_jet, _two_jets, _one_particle)


def separation(signal: Found, background: Found, row: Callable[[Found], Floats]) -> tuple[float, float]:
    """AUC and R at 80 % of boosted trees; each half of the events is judged by trees grown on the other."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.metrics import auc, roc_curve

    masks = [found.passes() for found in (signal, background)]
    pairs = list(zip((signal, background), masks, strict=True))
    x = np.concatenate([row(found)[mask] for found, mask in pairs])
    weight = np.concatenate([found.weight[mask] / found.weight[mask].sum() for found, mask in pairs]) * len(x)
    y = np.repeat([1, 0], [mask.sum() for mask in masks])
    half = np.random.default_rng(1).permutation(len(y)) % 2
    score = np.empty(len(y))
    for part in (0, 1):
        trees = HistGradientBoostingClassifier(
            max_iter=80, learning_rate=0.07, max_leaf_nodes=12, min_samples_leaf=40, random_state=1
        )
        trees.fit(x[half == part], y[half == part], sample_weight=weight[half == part])
        score[half != part] = trees.decision_function(x[half != part])
    false, true, _ = roc_curve(y, score, sample_weight=weight)
    return float(auc(false, true)), float(1 / np.interp(0.8, true, false))


def report(name: str, signal: Found, background: Found) -> str:
    """One line of the table."""
    kept = [found.kept() for found in (signal, background)]
    harmonic = 2 / sum(1 / fraction for fraction in kept)
    rows = "   ".join("{:.3f} {:4.1f}".format(*separation(signal, background, row)) for row in ROWS)
    masses = np.nanmedian(background.masses[background.passes()], axis=0)
    drawn = "".join(f"{mass:6.1f}" for mass in masses)
    return f"{name:24} {kept[0]:6.1%} {kept[1]:6.1%} {harmonic:6.1%}  {rows}  {drawn}"


def main() -> None:
    """Print one line per hypothesis and view."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=6_000, help="of each class")
    parser.add_argument("--only", nargs="*", default=list(HYPOTHESES), choices=list(HYPOTHESES), metavar="NAME")
    parser.add_argument("--views", nargs="*", default=list(VIEWS), choices=list(VIEWS), metavar="NAME")
    parser.add_argument("--all-views", action="store_true", help="of every hypothesis, not of the first alone")
    given = parser.parse_args()
    print(HEADING, PAPER, sep="\n", flush=True)
    nominal: dict[str, Found] = {}
    for name in given.only:
        views = {view: VIEWS[view] for view in (given.views if name == given.only[0] or given.all_views else [""])}
        both, signal, background = HYPOTHESES[name]
        sides = []
        for lines, extra, is_signal in ((_SIGNAL, signal, True), (_QCD, background, False)):
            if not is_signal and not both and not background and all(view in nominal for view in views):
                sides.append(nominal)
                continue
            sides.append(generate(name, (*lines, *both, *extra), given.events, views, is_signal))
            if not is_signal and not both and not background:
                nominal = sides[-1]
        for view in views:
            print(report(f"  {view}" if view else name, sides[0][view], sides[1][view]), flush=True)


if __name__ == "__main__":
    main()
