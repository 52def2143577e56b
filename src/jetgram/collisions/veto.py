r"""Giving up early on events that cannot have a jet hard enough.

QCD events fall so steeply with pT-hat that, counted without bias from a floor low enough to be harmless, nine in ten
have no jet above 200 GeV; and of W bosons without any floor, one in thirty has 200 GeV. Biasing them away would leave
jets with very different weights. Instead, Pythia asks up to three times whether an event is worth going on with:

1. after the first emission of the showers, if a boson's pT is asked for: emissions are ordered, so that those to come
   are softer than the first; if even four as hard as it, all in the right direction, would not give the boson 90 % of
   the pT it needs, the event is dropped;
2. when the showers have come down to 10 GeV, before almost all of the work: if the leading anti-kt jet is below 85 % of
   the pT that is wanted in the end, or the boson below 90 %;
3. before hadronisation: if the leading jet is below 95 %, or without a boson in its range: from here on, no boson's pT
   changes.

The first two do not ask of events with a resonance heavier than the pT that is wanted: its decay, which is still to
come, may give such a jet. An event that passes ends a row of those that did not; after `HOPELESS` of them nothing is
dropped any more, and `is_hopeless` tells.

All jets that survive have the same weight. `validation/floor.py` measures what the two cuts lose: a few jets in a
thousand, all of them close to the lower limit.

Nearly all of the work is below 10 GeV, multiple interactions above all. Where jets come from the hard process and not
from a decay, `JetWindowVeto` drops at the same two places what is too hard or not central, too, and at the very
beginning what comes from another parton.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Iterator
from typing import Any, NamedTuple

from jetgram.collisions.processes import Process, Sample
from jetgram.extras import needed_for

with needed_for("generating collisions"):
    import pythia8mc

SCALE = 10.0
HOPELESS = 100_000  # events in a row that were dropped


class Cuts(NamedTuple):
    """Where an event is given up, as fractions of the wanted pT; see above."""

    emissions: float = 4
    early_boson: float = 0.9
    early: float = 0.85
    late: float = 0.95
    hard: float = 1.2
    aside: float = 0.1  # in rapidity, beyond the limit


# Of jets in a wider radius: what is at the edge of a jet at 10 GeV may be inside of it in the end, or outside.
WINDOW_CUTS, WIDER = Cuts(early=0.97, late=0.97), 1.5


_ANTIKT = -1
_ETA_MAX = 10.0
_ALL_FINAL, _ALL_VISIBLE = 1, 2
_HARD_PROCESS = range(5, 9)  # what comes out of it, in Pythia's record
_AFTER_RESONANCE_DECAYS = 4  # Pythia's iPos beyond the evolution of the whole event


class LeadingJetVeto(pythia8mc.UserHooks):  # type: ignore[misc]
    """Drops events whose leading jet, or whose boson, cannot reach the wanted pT any more.

    Undecayed resonances count as visible, so that no boson's jet is ever missed. Where no boson is asked for, what
    Pythia calls invisible is left out: neutrinos, and a Z that will become some (`23:isVisible = off`).

    Args:
        min_pt: of the leading jet, in GeV.
        radius: of the jets.
        process: its `bosons` must have the pT that its `boson_pt` asks for.
        cuts: where to give up.
    """

    def __init__(self, min_pt: float, radius: float, process: Process, cuts: Cuts | None = None) -> None:
        super().__init__()
        self._bosons = frozenset(process.bosons)
        self._boson_pt = process.boson_pt
        self._cuts = cuts or Cuts()
        self._min_pt, self._dropped = min_pt, 0
        which = _ALL_FINAL if process.bosons else _ALL_VISIBLE
        self._early, self._late = (_finder(cut * min_pt, radius, which) for cut in (self._cuts.early, self._cuts.late))

    def canVetoStep(self) -> bool:  # noqa: N802, D102
        return self._boson_pt is not None

    def numberVetoStep(self) -> int:  # noqa: N802, D102
        return 1

    def doVetoStep(self, position: int, initial: int, final: int, event: Any) -> bool:  # noqa: N802, D102
        reach = self._cuts.emissions * event[event.size() - 1].scale()  # what was emitted last is last in the record
        worthless = position < _AFTER_RESONANCE_DECAYS and not self._may_have_boson(event, reach)
        return self._drop(worthless and not self._has_heavy_resonance(event))

    def canVetoPT(self) -> bool:  # noqa: N802, D102
        return True

    def scaleVetoPT(self) -> float:  # noqa: N802, D102
        return SCALE

    def doVetoPT(self, position: int, event: Any) -> bool:  # noqa: N802, D102
        if position >= _AFTER_RESONANCE_DECAYS or self._has_heavy_resonance(event):
            return False
        return self._drop(not (self._may_have_boson(event) and self._has_jet(self._early, event)))

    def canVetoPartonLevel(self) -> bool:  # noqa: N802, D102
        return True

    def doVetoPartonLevel(self, event: Any) -> bool:  # noqa: N802, D102
        worthless = not (self._has_boson(event) and self._has_jet(self._late, event))
        if not worthless:
            self._dropped = 0
        return self._drop(worthless)

    @property
    def is_hopeless(self) -> bool:
        """Whether so many events were dropped in a row that none seems to pass."""
        return self._dropped >= HOPELESS

    def _has_jet(self, finder: Any, event: Any) -> bool:
        """Whether the leading jet is what is wanted, nearly."""
        finder.analyze(event)
        return bool(finder.sizeJet() > 0)

    def _drop(self, worthless: bool) -> bool:
        """Whether to drop an event; it is counted."""
        if not worthless or self.is_hopeless:
            return False
        self._dropped += 1
        return True

    def _has_heavy_resonance(self, event: Any) -> bool:
        """Whether the hard process made a resonance whose decay alone may give a jet that is hard enough."""
        made = (event[place] for place in _HARD_PROCESS if place < event.size())
        return any(particle.isResonance() and particle.m0() > self._min_pt for particle in made)

    def _may_have_boson(self, event: Any, reach: float = 0.0) -> bool:
        """Whether a boson is nearly hard enough: the last copy so far, which has decayed already in Vincia's shower."""
        if self._boson_pt is None:
            return True
        enough = self._cuts.early_boson * self._boson_pt[0] - reach
        return any(p.idAbs() in self._bosons and _is_last_copy(p, event) and p.pT() > enough for p in event)

    def _has_boson(self, event: Any) -> bool:
        """Whether any copy of a boson is in the range, and so perhaps the last one."""
        if self._boson_pt is None:
            return True
        low, high = self._boson_pt
        return any(p.idAbs() in self._bosons and low < p.pT() < high for p in event)


class JetWindowVeto(LeadingJetVeto):
    """Drops also events whose leading jet is too hard or not central, or comes from a parton that is not asked for.

    That a jet is too soft is decided with `WIDER` times its radius; so the cuts can be close to the window.

    Args:
        sample: its `pt` is the window, its `jet_eta_max` and `jet_rapidity_max` the limits of the jet's axis.
        process: the hard process has one of its `partons`, if it names some.
        cuts: where to give up.
    """

    def __init__(self, sample: Sample, process: Process, cuts: Cuts = WINDOW_CUTS) -> None:
        low, high = sample.pt or (0.0, math.inf)
        super().__init__(low, WIDER * sample.radius, process, cuts)
        self._jets = _finder(0.0, sample.radius, _ALL_VISIBLE)
        self._max_pt = cuts.hard * high
        self._max_eta, self._max_rapidity = (
            math.inf if limit is None else limit + cuts.aside for limit in (sample.jet_eta_max, sample.jet_rapidity_max)
        )
        self._partons = frozenset(process.partons)

    def canVetoProcessLevel(self) -> bool:  # noqa: N802, D102
        return bool(self._partons)

    def doVetoProcessLevel(self, process: Any) -> bool:  # noqa: N802, D102
        made = {process[place].idAbs() for place in _HARD_PROCESS if place < process.size()}
        return self._drop(not made & self._partons)

    def _has_jet(self, finder: Any, event: Any) -> bool:
        if not (super()._has_jet(finder, event) and super()._has_jet(self._jets, event)):
            return False
        jet = self._jets.p(0)
        central = abs(jet.eta()) < self._max_eta and abs(jet.rap()) < self._max_rapidity
        return bool(central and jet.pT() < self._max_pt)


def _is_last_copy(particle: Any, event: Any) -> bool:
    return bool(particle.isFinal() or event[particle.daughter1()].id() != particle.id())


def _finder(min_pt: float, radius: float, which: int) -> Any:
    """Pythia's own jet finder; its first use would print FastJet's banner into the user's output."""
    finder = pythia8mc.SlowJet(_ANTIKT, radius, min_pt, _ETA_MAX, which, 0)
    event = pythia8mc.Event()
    event.append(22, 1, 0, 0, 1.0, 0.0, 0.0, 1.0)
    with _standard_output_closed():
        finder.analyze(event)
    return finder


@contextlib.contextmanager
def _standard_output_closed() -> Iterator[None]:
    """What C++ code prints meanwhile is lost."""
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)
