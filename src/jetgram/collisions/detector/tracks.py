r"""Tracks: which charged particles the tracker finds, and how well it measures them.

The efficiency and the resolution depend on the particle's own transverse momentum and pseudorapidity. The transverse
momentum is smeared log-normally with $\sigma(p_T)/p_T$, at most 1; direction and mass stay. As in Delphes' `Efficiency`
and `MomentumSmearing`, except that these take the pseudorapidity on the calorimeter face, which is noticeably another
one only for particles that curl (pT below 0.35 GeV).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jetgram import kinematics
from jetgram.collisions.detector import species
from jetgram.collisions.detector.card import DetectorCard
from jetgram.collisions.detector.cells import Indices
from jetgram.collisions.detector.components import TrackEfficiency, Tracking, TrackResolution, log_normal
from jetgram.kinematics import Array
from jetgram.momenta import Events


class Tracks(NamedTuple):
    """Tracks, in the order of the particles that made them."""

    particle: Indices  # (tracks,): row of the particle in the events
    momenta: Array  # (tracks, 4)
    resolution: Array  # (tracks,): sigma(pT) / pT


def efficiency(table: TrackEfficiency, pt: Array, eta: Array) -> Array:
    """Probability of a track for each particle.

    Example:
        >>> from jetgram.collisions.detector.card import ATLAS
        >>> table = ATLAS.charged_hadrons.efficiency
        >>> efficiency(table, np.array([0.05, 0.5, 5.0, 5.0, 5.0]), np.array([0.0, 1.0, -1.0, 2.0, 3.0]))
        array([0.  , 0.7 , 0.95, 0.85, 0.  ])
    """
    values = np.zeros((len(table.eta_max) + 1, len(table.pt_min) + 1))  # zero in front and beyond
    values[:-1, 1:] = table.values
    probability: Array = values[np.searchsorted(table.eta_max, np.abs(eta)), np.searchsorted(table.pt_min, pt)]
    return probability


def resolution(regions: tuple[TrackResolution, ...], pt: Array, eta: Array) -> Array:
    r"""Relative resolution $\min(1, \sqrt{c^2 + (k\,p_T)^2})$ of each track's pT; zero beyond the last region.

    Example:
        >>> from jetgram.collisions.detector.card import ATLAS
        >>> resolution(ATLAS.charged_hadrons.resolution, np.array([1.0, 100.0]), np.array([0.0, 2.0])).round(4)
        array([0.06 , 0.3982])
    """
    rows = [(region.constant, region.slope) for region in regions]
    region = np.searchsorted([region.eta_max for region in regions], np.abs(eta))
    constant, slope = np.array([*rows, (0.0, 0.0)])[region].T
    relative: Array = np.minimum(1.0, np.hypot(constant, slope * pt))
    return relative


def find_tracks(events: Events, charge: Array, card: DetectorCard, rng: np.random.Generator) -> Tracks:
    """Tracks of the charged particles: found with their efficiency, smeared with their resolution."""
    charged = np.flatnonzero(charge)
    momenta = events.momenta[charged]
    kind = np.abs(events.particles["pdgid"][charged])
    pt, eta = kinematics.pt(momenta), kinematics.eta(momenta)
    chance, spread = np.zeros(len(charged)), np.zeros(len(charged))
    for rows, tracking in _kinds(kind, card):
        chance[rows] = efficiency(tracking.efficiency, pt[rows], eta[rows])
        spread[rows] = resolution(tracking.resolution, pt[rows], eta[rows])
    found = np.flatnonzero(rng.random(len(charged)) < chance)
    smeared = log_normal(pt[found], spread[found] * pt[found], rng)
    return Tracks(charged[found], rescale(momenta[found], smeared / pt[found]), spread[found])


def rescale(momenta: Array, factor: Array) -> Array:
    """Momenta `(n, 4)` made longer by `factor` at the same mass; bit for bit the same where the factor is 1."""
    longer = momenta.copy()
    longer[:, :3] *= factor[:, None]
    growth = (factor**2 - 1) * kinematics.momentum(momenta) ** 2
    longer[:, 3] = np.where(factor == 1, momenta[:, 3], np.sqrt(np.maximum(0.0, momenta[:, 3] ** 2 + growth)))
    return longer


def _kinds(kind: Indices, card: DetectorCard) -> list[tuple[Indices, Tracking]]:
    """Rows of electrons, muons and everything else, each with its tracking."""
    electron, muon = kind == species.ELECTRON, kind == species.MUON
    return [
        (np.flatnonzero(electron), card.electrons),
        (np.flatnonzero(muon), card.muons),
        (np.flatnonzero(~electron & ~muon), card.charged_hadrons),
    ]
