r"""Energy flow: tracks for the charged particles, and calorimeter cells for what the tracks leave over.

After Delphes' `SimpleCalorimeter`. Tracks stay as they are. In each cell of the ECAL and, separately, of the HCAL, the
excess of the calorimeter's reading E over the energies of the tracks that point at it,

$$ E_\mathrm{neutral} = E - \sum_t f_t E_t, $$

with $f_t$ that calorimeter's fraction for the track's species, becomes a photon (ECAL) or a neutral hadron (HCAL) if it
is above the calorimeter's minimum and above twice $\sqrt{\sigma^2(E) + \sum_t (f_t E_t\,\sigma_t)^2}$, $\sigma_t$
the track's relative resolution. So no energy counts twice. (Delphes also scales the tracks of a cell without an excess
towards the calorimeter's reading; here they are left alone.)
"""

from __future__ import annotations

import enum

import numpy as np

from jetgram.collisions.detector.calorimeter import Deposits, Seed, cell_momenta, deposits, measure
from jetgram.collisions.detector.card import ATLAS, DetectorCard
from jetgram.collisions.detector.cells import Grid, Hits, Indices, add_up
from jetgram.collisions.detector.components import Calorimeter
from jetgram.collisions.detector.tracks import Tracks, find_tracks
from jetgram.kinematics import Array
from jetgram.momenta import Events

ROUNDING = 1e-9  # an excess below this fraction of the reading is what sums in floating point leave


class ParticleClass(enum.IntEnum):
    """Classes of energy-flow particles, the values of `particles["pclass"]`.

    A track tells its charge and no more: electrons and muons count as charged hadrons of their charge.
    """

    CHARGED_HADRON_PLUS = 0
    CHARGED_HADRON_MINUS = 1
    PHOTON = 2
    NEUTRAL_HADRON = 3


NEUTRAL = (ParticleClass.PHOTON, ParticleClass.NEUTRAL_HADRON)  # what an excess in the ECAL, in the HCAL is called


def pflow(events: Events, seed: Seed, card: DetectorCard = ATLAS) -> Events:
    """Energy-flow particles of each event: tracks, photons, neutral hadrons.

    Args:
        events: visible stable particles, with their PDG ids in `particles["pdgid"]`.
        seed: the result depends on the events, the card and this number only.
        card: the detector.

    Returns:
        As many events (some may be empty) with the same columns; each holds its tracks, then its photons, then its
        neutral hadrons, with their `ParticleClass` in `particles["pclass"]` (int8).

    Example:
        >>> from jetgram import kinematics
        >>> pair = kinematics.from_ptetaphim([100.0, 50.0], 0.55, [0.0, 1.0])
        >>> seen = pflow(Events(pair, np.array([0, 2]), particles={"pdgid": np.array([13, 22])}), seed=1)
        >>> seen.particles["pclass"]
        array([1, 2], dtype=int8)
    """
    rng = np.random.default_rng(seed)
    left = deposits(events, card)
    tracks = find_tracks(events, left.charge, card, rng)
    positive = left.charge[tracks.particle] > 0
    charged = np.where(positive, ParticleClass.CHARGED_HADRON_PLUS, ParticleClass.CHARGED_HADRON_MINUS)
    parts = [(events.group[tracks.particle], tracks.momenta, charged)]
    for layer, (calorimeter, kind) in enumerate(zip((card.ecal, card.hcal), NEUTRAL, strict=True)):
        grid = Grid(calorimeter)
        hits = _cell_sums(grid, events, left, tracks, layer)
        energy = _excess(calorimeter, grid, hits, rng)
        lit = np.flatnonzero(energy)
        momenta = cell_momenta(grid, hits.cell[lit], energy[lit], card, rng)
        parts.append((hits.event[lit], momenta, np.full(len(lit), kind)))
    return _assemble(events, parts)


def _cell_sums(grid: Grid, events: Events, left: Deposits, tracks: Tracks, layer: int) -> Hits:
    """Sums in the cells of calorimeter `layer`: true energy, energy of the tracks, and that energy's variance."""
    source = tracks.particle
    values = np.zeros((len(left.energy), 3))
    values[:, 0] = left.energy[:, layer]
    values[source, 1] = left.share[source, layer] * tracks.momenta[:, 3]
    values[source, 2] = (values[source, 1] * tracks.resolution) ** 2
    touched = np.flatnonzero(left.energy[:, layer])
    return add_up(grid, events.group[touched], left.eta[touched], left.phi[touched], values[touched])


def _excess(calorimeter: Calorimeter, grid: Grid, hits: Hits, rng: np.random.Generator) -> Array:
    """What the calorimeter reads in each cell beyond its tracks, shape `(hits,)`; zero if not significant."""
    energy, tracked, variance = hits.sums.T
    eta, _ = grid.centre(hits.cell)
    read, spread = measure(calorimeter, eta, energy, rng)
    excess = read - tracked
    enough = np.maximum(calorimeter.energy_min, ROUNDING * read)
    significant = excess > calorimeter.significance_min * np.sqrt(spread**2 + variance)
    return np.where((excess > enough) & significant, excess, 0.0)


def _assemble(events: Events, parts: list[tuple[Indices, Array, Indices]]) -> Events:
    """One collection out of parts (event, momenta, class), each event's particles in the order of the parts."""
    event, momenta, pclass = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(event, kind="stable")
    offsets = np.searchsorted(event[order], np.arange(len(events) + 1))
    particles = {"pclass": pclass[order].astype(np.int8)}
    return Events(momenta[order], offsets, events.columns, particles, events.ragged)
