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
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.cli.progress import progress
from jetgram.collisions.collider import INVISIBLE, Collider
from jetgram.collisions.processes import WPRIME_VS_QCD, Process
from jetgram.jets.clustering import find_jets
from jetgram.jets.subjets import find_subjets
from jetgram.momenta import Events, Jets

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

HEADING = (
    f"{'':24} signal    QCD   both  1 jet: AUC R  2 jets: AUC R  1 particle: AUC R  median mass of QCD jets 1 to 4"
)
PAPER = f"{'paper':38} 58.5%  0.891  5.6   0.961 21.1   0.650  1.7    68.3  64.5  24.3  15.5"
BATCH = 200
WEIGHED = 4  # jets whose masses the authors drew, for background
READ = 10  # jets that must survive the preprocessing
CENTRAL = 5.0
WINDOW = (240.0, 360.0)  # of the leading jet's pT, in GeV

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


@dataclass
class Particles:
    """The stable particles of a batch of events, neutrinos included, and the angle of the W in the frame of the W'."""

    momenta: Floats
    ids: NDArray[np.int64]
    offsets: NDArray[np.int64]
    cosine: Floats

    def __post_init__(self) -> None:
        """Columns that every view asks for."""
        self.eta = kinematics.eta(self.momenta)
        self.pt = kinematics.pt(self.momenta)
        self.visible = ~np.isin(np.abs(self.ids), INVISIBLE) & (self.momenta[:, 3] > 0)

    def take(self, kept: Mask) -> Events:
        """An event of each, of some particles."""
        return Events(self.momenta[kept], np.concatenate([[0], np.cumsum(kept)])[self.offsets])


def _visible(p: Particles) -> Mask:
    return p.visible


def _central(p: Particles) -> Mask:
    return p.visible & (np.abs(p.eta) < CENTRAL)


def _hadrons(p: Particles) -> Mask:
    return _central(p) & (np.abs(p.ids) > 100)


def _charged(p: Particles) -> Mask:
    return _central(p) & np.isin(np.abs(p.ids), (11, 13, 211, 321, 2212, 3112, 3222, 3312, 3334))


def _as_sin2(cosine: Floats) -> Floats:
    """Pythia's own distribution of the angle, nearly that of longitudinal bosons."""
    return 1 - 0.78 * cosine**2


@dataclass(frozen=True)
class View:
    """A way to look at events.

    Args:
        keep: which particles were written.
        radius: of the jets.
        algorithm: that finds them.
        digits: significant digits of pT, eta, phi and E in the file; None is exact.
        angle: relative to 1, how often the W' decays at this cosine; None as Pythia decays it.
    """

    keep: Callable[[Particles], Mask] = _central
    radius: float = 1.0
    algorithm: str = "antikt"
    digits: int | None = None
    angle: Callable[[Floats], Floats] | None = None

    @property
    def of_events(self) -> tuple[Any, ...]:
        """What the jets depend on; the rest is weights and cuts."""
        return self.keep, self.radius, self.algorithm, self.digits


def _isotropic(cosine: Floats) -> Floats:
    return 1 / _as_sin2(cosine)


def _transverse(cosine: Floats) -> Floats:
    return (1 + cosine**2) / _as_sin2(cosine)


VIEWS: Mapping[str, View] = {
    "": View(),
    "any eta": View(_visible),
    "|eta| < 3": View(lambda p: p.visible & (np.abs(p.eta) < 3)),
    "|eta| < 2.5": View(lambda p: p.visible & (np.abs(p.eta) < 2.5)),
    "with neutrinos": View(lambda p: (np.abs(p.eta) < CENTRAL) & (p.momenta[:, 3] > 0)),
    "no muons": View(lambda p: _central(p) & (np.abs(p.ids) != 13)),
    "hadrons only": View(_hadrons),
    "hadrons only, 5 digits": View(lambda p: p.visible & (np.abs(p.ids) > 100), digits=5),
    "charged only": View(_charged),
    "pT > 0.5 GeV": View(lambda p: _central(p) & (p.pt > 0.5)),
    "pT > 1 GeV": View(lambda p: _central(p) & (p.pt > 1)),
    "R = 0.8": View(radius=0.8),
    "R = 0.9": View(radius=0.9),
    "R = 1.2": View(radius=1.2),
    "C/A jets": View(algorithm="ca"),
    "kt jets": View(algorithm="kt"),
    "6 digits, any eta": View(_visible, digits=6),
    "5 digits, any eta": View(_visible, digits=5),
    "4 digits, any eta": View(_visible, digits=4),
    "3 digits, any eta": View(_visible, digits=3),
    "W' decays isotropic": View(angle=_isotropic),
    "W' decays 1 + cos^2": View(angle=_transverse),
    "isotropic, 6 digits": View(_visible, digits=6, angle=_isotropic),
    "isotropic, 5 digits": View(_visible, digits=5, angle=_isotropic),
    "1 + cos^2, 6 digits": View(_visible, digits=6, angle=_transverse),
}


@dataclass
class Found:
    """What is kept of many events."""

    jets: Floats  # (events, 2, 4): (phi, eta, pT, m) of the two hardest jets
    masses: Floats  # (events, 4): of the four hardest jets, NaN for jets that are not there
    particle: Floats  # (events, 3): (pT, eta, m) of the hardest particle
    survives: Mask  # (events,): whether the preprocessing of the first jets succeeds
    weight: Floats  # (events,)

    def passes(self) -> Mask:
        """Whether the leading jet is in the window, and the event was not dropped."""
        pt = self.jets[:, 0, 2]
        return (pt >= WINDOW[0]) & (pt <= WINDOW[1]) & self.survives

    def kept(self) -> float:
        """The fraction of events that pass."""
        return float(np.average(self.passes(), weights=self.weight))


def generate(name: str, lines: Sequence[str], count: int, views: Mapping[str, View], signal: bool) -> dict[str, Found]:
    """Generate events, and look at them in each way."""
    collider = Collider(Process(pythia=tuple(lines)), (11, len(name), int(signal)))
    parts: dict[str, list[Found]] = {view: [] for view in views}
    with progress(f"generating {'signal' if signal else 'background'}, {name}", count, "events") as advance:
        for _ in range(0, count, BATCH):
            particles = _stable(collider.pythia.nextBatch(BATCH).prt, signal)
            seen: dict[Any, Found] = {}
            for name_of_view, view in views.items():
                found = seen.get(view.of_events) or _look(particles, view)
                seen[view.of_events] = found
                weight = found.weight if view.angle is None else view.angle(particles.cosine)
                parts[name_of_view].append(replace(found, weight=weight))
            advance(BATCH)
    return {view: _join(found) for view, found in parts.items()}


def _join(parts: Sequence[Found]) -> Found:
    return Found(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Found)))


def _stable(record: Any, signal: bool) -> Particles:
    import awkward as ak

    counts = np.asarray(ak.num(record, axis=1))
    flat = ak.flatten(record, axis=1)
    momenta = np.stack([np.asarray(flat["p", axis]) for axis in ("px", "py", "pz", "e")], axis=-1)
    ids, status = np.asarray(flat["id"]), np.asarray(flat["status"])
    offsets = np.concatenate([[0], np.cumsum(counts)])
    stable = status > 0
    cosine = np.zeros(len(counts))
    if signal:
        hard = np.flatnonzero(status == -22)
        event = np.searchsorted(offsets, hard, side="right") - 1
        cosine = np.array([_cosine(momenta[hard[event == i]]) for i in range(len(counts))])
    return Particles(momenta[stable], ids[stable], np.concatenate([[0], np.cumsum(stable)])[offsets], cosine)


def _cosine(hard: Floats) -> float:
    """Of the first boson's polar angle in the frame of the resonance, which comes before it."""
    resonance, boson = hard[0], hard[1]
    boosted = kinematics.boost_z(boson[None], kinematics.rapidity(resonance[None]))[0]
    return float(boosted[2] / np.linalg.norm(boosted[:3]))


def _look(particles: Particles, view: View) -> Found:
    events = particles.take(view.keep(particles))
    written = events.momenta
    if view.digits is not None:
        written = _as_text(written, view.digits)
        events = Events(_physical(written), events.offsets, particles={"energy": written[:, 3]})
    jets = find_jets(events, view.radius, view.algorithm, hardest=READ if view.digits else WEIGHED)
    event = jets.columns["event"]
    rank = np.arange(len(jets)) - np.searchsorted(event, event)
    p = jets.total
    columns = np.stack([kinematics.phi(p), kinematics.eta(p), kinematics.pt(p), kinematics.mass(p)], axis=1)
    found = np.full((len(events), 2, 4), np.nan)
    first = rank < 2
    found[event[first], rank[first]] = columns[first]
    masses = np.full((len(events), WEIGHED), np.nan)
    weighed = rank < WEIGHED
    masses[event[weighed], rank[weighed]] = columns[weighed, 3]
    survives = np.ones(len(events), dtype=bool)
    if view.digits is not None:
        survives[event[_breaks(jets)]] = False
    return Found(found, masses, _hardest(written, events.offsets), survives, np.ones(len(events)))


def _as_text(momenta: Floats, digits: int) -> Floats:
    """The momenta once pT, eta, phi and E were written with so many digits and read again; E may be below |p|."""
    values = [kinematics.pt(momenta), kinematics.eta(momenta), kinematics.phi(momenta), momenta[:, 3]]
    pt, eta, phi, energy = (_rounded(value, digits) for value in values)
    return np.stack([pt * np.cos(phi), pt * np.sin(phi), pt * np.sinh(eta), energy], axis=1)


def _rounded(values: Floats, digits: int) -> Floats:
    with np.errstate(divide="ignore"):
        exponent = np.floor(np.log10(np.abs(values)))
    scale = 10.0 ** (digits - 1 - np.where(np.isfinite(exponent), exponent, 0))
    return np.round(values * scale) / scale


def _physical(momenta: Floats) -> Floats:
    """With energies of at least |p|, which our own jet finder asks for; others take what they are given."""
    energy = np.maximum(momenta[:, 3], np.linalg.norm(momenta[:, :3], axis=1) * (1 + 1e-12))
    return np.column_stack([momenta[:, :3], energy])


def _breaks(jets: Jets) -> Mask:
    """Which jets cannot be boosted to the leading subjet's frame: it has |pz| >= E, by rounding.

    The authors drop an event if that happens to one of its ten hardest jets.
    """
    leading = find_subjets(jets) == 0
    owner = np.repeat(np.arange(len(jets)), jets.multiplicity)[leading]
    pz = np.bincount(owner, jets.momenta[leading, 2], len(jets))
    energy = np.bincount(owner, jets.particles["energy"][leading], len(jets))
    return np.abs(pz) >= energy


def _hardest(momenta: Floats, offsets: NDArray[np.int64]) -> Floats:
    pt = kinematics.pt(momenta)
    rows = [int(start + np.argmax(pt[start:stop])) for start, stop in pairwise(offsets)]
    p = momenta[rows]
    m2 = kinematics.mass2(p)
    return np.stack([pt[rows], np.abs(kinematics.eta(p)), np.sign(m2) * np.sqrt(np.abs(m2))], axis=1)


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
