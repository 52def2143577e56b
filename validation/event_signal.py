"""Which W' the paper's events were made with: what each hypothesis gives, next to what its authors logged.

The authors keep 58.5 % of their events after the cut on the leading jet (240 <= pT <= 360 GeV); we keep more. For each
hypothesis this prints the fraction of signal and of all events that pass, also with as many jets of two or
more particles as a network reads, and what boosted trees find in the momenta of one jet and of two (paper, with a
recurrent network: AUC 0.8909 and R = 5.6 at 80 %; 0.9606 and 21.1).

    python validation/event_signal.py [--events 6000] [--only NAME ...]
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.cli.progress import progress
from jetgram.collisions.collider import Collider
from jetgram.collisions.processes import WPRIME_VS_QCD, Process
from jetgram.jets.clustering import find_jets
from jetgram.momenta import Events
from jetgram.roc import roc_curve

LOGGED = 0.585
JETS = (1, 2, 5, 10)  # that a network may read
HARDEST = 10
BATCH = 200

_SIGNAL = WPRIME_VS_QCD.signal.pythia
_Z_PRIME = (
    "NewGaugeBoson:ffbar2gmZZprime = on",
    "Zprime:gmZmode = 3",
    "32:m0 = 700.",
    "Zprime:coup2WW = 1.",
    "32:onMode = off",
    "32:onIfMatch = 24 -24",
)
HYPOTHESES: Mapping[str, tuple[str, ...]] = {
    "W' of Pythia": _SIGNAL,
    "width 75 GeV": (*_SIGNAL, "34:mWidth = 75.", "34:doForceWidth = on"),
    "W' and Z'": (*_SIGNAL, *_Z_PRIME),
    "Z' alone": (*_Z_PRIME, "24:onMode = off", "24:onIfAny = 1 2 3 4 5"),
    "tune 4C": (*_SIGNAL, "Tune:pp = 5"),
    "no width": (*_SIGNAL, "34:mWidth = 0.01", "34:doForceWidth = on"),
    "isotropic decays": (*_SIGNAL, "Wprime:anglesWZ = 0."),
    "8 TeV": (*_SIGNAL, "Beams:eCM = 8000."),
}
BACKGROUND = "QCD"


class Found(NamedTuple):
    """What is kept of many events."""

    momenta: NDArray[np.float64]  # (events, 2, 4): (phi, eta, pT, m) of the two hardest jets
    jets: NDArray[np.int64]  # (events,): jets of two or more particles

    @property
    def passes(self) -> NDArray[np.bool_]:
        """Whether the leading jet is in the range of the sample."""
        assert WPRIME_VS_QCD.pt is not None
        low, high = WPRIME_VS_QCD.pt
        pt = self.momenta[:, 0, 2]
        return (pt >= low) & (pt <= high)


def measure(name: str, pythia: Sequence[str], count: int) -> Found:
    """Generate events and find their jets."""
    collider = Collider(Process(pythia=tuple(pythia)), (7, len(name)), eta_max=WPRIME_VS_QCD.eta_max)
    parts = []
    with progress(f"generating {name}", count, "events") as advance:
        for _ in range(0, count, BATCH):
            parts.append(_find(collider.events(BATCH)))
            advance(BATCH)
    return Found(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _find(events: Events) -> Found:
    jets = find_jets(Events(events.momenta, events.offsets), hardest=None)
    event = jets.columns["event"]
    rank = np.arange(len(jets)) - np.searchsorted(event, event)
    momenta = np.full((len(events), 2, 4), np.nan)
    p = jets.total
    columns = np.stack([kinematics.phi(p), kinematics.eta(p), kinematics.pt(p), kinematics.mass(p)], axis=1)
    first = rank < 2
    momenta[event[first], rank[first]] = columns[first]
    return Found(momenta, np.bincount(event[jets.multiplicity >= 2], minlength=len(events)))


def separation(signal: Found, background: Found, jets: int) -> tuple[float, float]:
    """AUC and R at 80 % of boosted trees on the momenta of the first jets, half of the events for training."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    x = np.concatenate([found.momenta[found.passes, :jets].reshape(-1, 4 * jets) for found in (signal, background)])
    y = np.repeat([1, 0], [signal.passes.sum(), background.passes.sum()])
    order = np.random.default_rng(1).permutation(len(y))
    train, test = order[::2], order[1::2]
    trees = HistGradientBoostingClassifier(max_iter=200, learning_rate=0.05, early_stopping=True, random_state=1)
    curve = roc_curve(trees.fit(x[train], y[train]).predict_proba(x[test])[:, 1], y[test])
    return curve.auc, curve.rejection(0.8).value


def main() -> None:
    """Print one line per hypothesis."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=6_000)
    parser.add_argument("--only", nargs="*", default=list(HYPOTHESES))
    given = parser.parse_args()
    background = measure(BACKGROUND, WPRIME_VS_QCD.background.pythia, given.events)
    heading = "  ".join(f"{n:>2} jets" for n in JETS)
    print(f"{'':18} signal  all   ({heading})   1 jet: AUC, R80   2 jets: AUC, R80   [logged: all {LOGGED:.1%}]")
    kept = background.passes.mean()
    shares = "  ".join(f"{(background.passes & (background.jets >= n)).mean():7.1%}" for n in JETS)
    print(f"{BACKGROUND:18} {kept:6.1%}         {shares}", flush=True)
    for name in given.only:
        signal = measure(name, HYPOTHESES[name], given.events)
        both = [0.5 * sum((found.passes & (found.jets >= n)).mean() for found in (signal, background)) for n in JETS]
        total = 0.5 * (signal.passes.mean() + kept)
        shares = "  ".join(f"{share:7.1%}" for share in both)
        one, two = (separation(signal, background, jets) for jets in (1, 2))
        print(
            f"{name:18} {signal.passes.mean():6.1%} {total:6.1%}  {shares}   "
            f"{one[0]:.4f} {one[1]:5.2f}     {two[0]:.4f} {two[1]:5.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
