r"""Giving up early on events that cannot have a jet hard enough.

QCD events fall so steeply with pT-hat that, counted without bias from a floor low enough to be harmless, nine in ten
have no jet above 200 GeV. Biasing them away would leave jets with very different weights. Instead, Pythia asks twice
whether an event is worth going on with, and both times the answer is the leading anti-kt jet of what is there:

1. when its showers have come down to `SCALE` = 10 GeV, before almost all of the work: below `EARLY` = 80 % of the pT
   that is wanted in the end, the event is dropped, and so it is if its boson has less than `EARLY_BOSON` = 90 % of the
   pT it needs;
2. before hadronisation: below `LATE` = 95 %, or without a boson in its range: from here on, no boson's pT changes.

All jets that survive have the same weight. `validation/floor.py` measures what the two cuts lose: a few jets in a
thousand, all of them close to the lower limit.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

import pythia8mc

from jetgram.collisions.processes import Process

SCALE = 10.0
EARLY = 0.8
EARLY_BOSON = 0.9
LATE = 0.95

_ANTIKT = -1
_ETA_MAX = 10.0
_ALL_FINAL = 1
_AFTER_RESONANCE_DECAYS = 4  # Pythia's iPos beyond the evolution of the whole event


class LeadingJetVeto(pythia8mc.UserHooks):  # type: ignore[misc]
    """Drops events whose leading jet, or whose boson, cannot reach the wanted pT any more.

    Undecayed resonances count as visible, so that no boson's jet is ever missed.

    Args:
        min_pt: of the leading jet, in GeV.
        radius: of the jets.
        process: its `bosons` must have the pT that its `boson_pt` asks for.
    """

    def __init__(self, min_pt: float, radius: float, process: Process) -> None:
        super().__init__()
        self._bosons = frozenset(process.bosons)
        self._boson_pt = process.boson_pt
        self._early, self._late = _finder(EARLY * min_pt, radius), _finder(LATE * min_pt, radius)

    def canVetoPT(self) -> bool:  # noqa: N802, D102
        return True

    def scaleVetoPT(self) -> float:  # noqa: N802, D102
        return SCALE

    def doVetoPT(self, position: int, event: Any) -> bool:  # noqa: N802, D102
        if position >= _AFTER_RESONANCE_DECAYS:
            return False
        return not (self._may_have_boson(event) and _has_jet(self._early, event))

    def canVetoPartonLevel(self) -> bool:  # noqa: N802, D102
        return True

    def doVetoPartonLevel(self, event: Any) -> bool:  # noqa: N802, D102
        return not (self._has_boson(event) and _has_jet(self._late, event))

    def _may_have_boson(self, event: Any) -> bool:
        """Whether a boson is nearly hard enough; copies from earlier steps of the shower are no longer final."""
        if self._boson_pt is None:
            return True
        enough = EARLY_BOSON * self._boson_pt[0]
        return any(p.idAbs() in self._bosons and p.isFinal() and p.pT() > enough for p in event)

    def _has_boson(self, event: Any) -> bool:
        """Whether any copy of a boson is in the range, and so perhaps the last one."""
        if self._boson_pt is None:
            return True
        low, high = self._boson_pt
        return any(p.idAbs() in self._bosons and low < p.pT() < high for p in event)


def _finder(min_pt: float, radius: float) -> Any:
    """Pythia's own jet finder; its first use would print FastJet's banner into the user's output."""
    finder = pythia8mc.SlowJet(_ANTIKT, radius, min_pt, _ETA_MAX, _ALL_FINAL, 0)
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


def _has_jet(finder: Any, event: Any) -> bool:
    finder.analyze(event)
    return bool(finder.sizeJet() > 0)
