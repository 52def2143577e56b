"""Ways to look at the same events: which particles were written, with how many digits, and how jets were found.

The hypotheses of `event_hypotheses.py` that need no generation of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.collisions.collider import INVISIBLE
from jetgram.momenta import Events

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

CENTRAL = 5.0


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
