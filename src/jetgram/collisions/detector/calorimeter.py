r"""Towers: what a calorimeter with cells, resolution and thresholds makes of an event.

As in Delphes' `Calorimeter`: the energies of all particles that meet a cell are added, separately for their shares in
ECAL and HCAL; each sum $E$ is smeared log-normally with $\sigma(E)$ at the centre of the cell; and it is set to zero if
it is below the minimum or if, with the smeared energy, $E < 2\,\sigma(E)$. A tower is massless.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from jetgram import kinematics, pdg
from jetgram.collisions.detector import species
from jetgram.collisions.detector.card import ATLAS, DetectorCard
from jetgram.collisions.detector.cells import Grid, Indices, add_up
from jetgram.collisions.detector.components import Calorimeter, log_normal
from jetgram.collisions.detector.field import calorimeter_face
from jetgram.errors import BadJetError
from jetgram.kinematics import Array
from jetgram.momenta import Events
from jetgram.validity import require_good

Seed = int | Sequence[int]


class Deposits(NamedTuple):
    """Where each particle of `n` meets the calorimeter and what it leaves there."""

    charge: Array  # (n,)
    eta: Array  # (n,)
    phi: Array  # (n,)
    share: Array  # (n, 2): of its energy, seen by ECAL and HCAL
    energy: Array  # (n, 2): seen by ECAL and HCAL


def deposits(events: Events, card: DetectorCard) -> Deposits:
    """Bend every particle to the calorimeter face and share out its energy; nothing here is random."""
    if "pdgid" not in events.particles:
        raise BadJetError("the detector needs the PDG id of each particle: there is no particle column 'pdgid'")
    require_good(events, "event", allow_empty=True)
    pdgid = events.particles["pdgid"]
    charge = pdg.charge(pdgid)
    eta, phi = calorimeter_face(events.momenta, charge, card.solenoid)
    share = species.fractions(pdgid, card)
    return Deposits(charge, eta, phi, share, share * events.momenta[:, 3:])


def sigma(calorimeter: Calorimeter, eta: Array, energy: Array) -> Array:
    r"""Energy resolution $\sqrt{c^2 E^2 + s^2 E + n^2}$ in the region of each `eta`; zero beyond the last region.

    Example:
        >>> sigma(ATLAS.hcal, np.array([0.0, -2.0]), np.array([100.0, 100.0])).round(3)
        array([6.224, 8.651])
    """
    ends = [region.eta_max for region in calorimeter.resolution]
    rows = [(region.constant, region.stochastic, region.noise) for region in calorimeter.resolution]
    constant, stochastic, noise = np.array([*rows, (0.0, 0.0, 0.0)])[np.searchsorted(ends, np.abs(eta))].T
    spread: Array = np.sqrt((constant * energy) ** 2 + stochastic**2 * energy + noise**2)
    return spread


def measure(calorimeter: Calorimeter, eta: Array, energy: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """What `calorimeter` reads in cells with these true energies (zero below threshold), and its sigma.

    Args:
        calorimeter: its resolution and thresholds.
        eta: centres of the cells, shape `(cells,)`.
        energy: true energies, shape `(cells,)`.
        rng: source of the smearing.
    """
    read = np.zeros_like(energy)
    hit = np.flatnonzero(energy)
    read[hit] = log_normal(energy[hit], sigma(calorimeter, eta[hit], energy[hit]), rng)
    spread = sigma(calorimeter, eta, read)
    lost = (read < calorimeter.energy_min) | (read < calorimeter.significance_min * spread)
    return np.where(lost, 0.0, read), spread


def cell_momenta(grid: Grid, cell: Indices, energy: Array, card: DetectorCard, rng: np.random.Generator) -> Array:
    """Massless momenta `(n, 4)` of cells `(n,)` with these energies `(n,)`."""
    eta, phi = grid.scatter(cell, rng) if card.smear_position else grid.centre(cell)
    return kinematics.from_ptetaphim(energy / np.cosh(eta), eta, phi)


def towers(events: Events, seed: Seed, card: DetectorCard = ATLAS) -> Events:
    """Calorimeter towers of each event: the cells of the HCAL, with the energies of ECAL and HCAL added.

    Args:
        events: visible stable particles, with their PDG ids in `particles["pdgid"]`.
        seed: the result depends on the events, the card and this number only.
        card: the detector.

    Returns:
        As many events (some may be empty) with the same columns; their momenta are the towers, with the fraction of the
        ECAL in `particles["ecal_fraction"]`.

    Example:
        >>> photon = kinematics.from_ptetaphim([100.0], 0.55, 0.0)
        >>> seen = towers(Events(photon, np.array([0, 1]), particles={"pdgid": np.array([22])}), seed=1)
        >>> seen, seen.particles["ecal_fraction"]
        (<Events: 1 with 1 momenta>, array([1.]))
    """
    rng = np.random.default_rng(seed)
    grid = Grid(card.hcal)
    left = deposits(events, card)
    hits = add_up(grid, events.group, left.eta, left.phi, left.energy)
    eta, _ = grid.centre(hits.cell)
    ecal, _ = measure(card.ecal, eta, hits.sums[:, 0], rng)
    hcal, _ = measure(card.hcal, eta, hits.sums[:, 1], rng)
    energy = ecal + hcal
    lit = np.flatnonzero(energy)
    momenta = cell_momenta(grid, hits.cell[lit], energy[lit], card, rng)
    offsets = np.searchsorted(hits.event[lit], np.arange(len(events) + 1))
    return Events(momenta, offsets, events.columns, {"ecal_fraction": ecal[lit] / energy[lit]}, events.ragged)
