"""What the authors of the paper would have seen of events: jets, masses, the hardest particle; and which they keep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

import numpy as np
from event_views import Floats, Mask, Particles, View
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.jets.clustering import find_jets
from jetgram.jets.subjets import find_subjets
from jetgram.momenta import Events, Jets

WEIGHED = 4  # jets whose masses the authors drew, for background
READ = 10  # jets that must survive the preprocessing
WINDOW = (240.0, 360.0)  # of the leading jet's pT, in GeV


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


def join(parts: Sequence[Found]) -> Found:
    """What is kept of all parts together."""
    return Found(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Found)))


def stable_particles(record: Any, signal: bool) -> Particles:
    """Of a batch of Pythia's event records; those of signal begin with the resonance and its boson."""
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


def look(particles: Particles, view: View) -> Found:
    """What one view shows of a batch."""
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
