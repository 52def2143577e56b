"""From events to what a network reads of them, before scaling: jets are found, and each is read as a jet."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.errors import BadJetError
from jetgram.inputs.sequences import EventSchedule, require_jets
from jetgram.jets.clustering import find_jets
from jetgram.jets.found import jets_by_number, numbers_column
from jetgram.models.inputs import read_jets
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Events, Jets
from jetgram.ragged import Offsets, offsets_of
from jetgram.validity import require_good

Array = NDArray[np.float64]

ALGORITHM = "antikt"


def read_events(events: Events, settings: ModelSettings, first_event: int = 0) -> EventSchedule:
    """The sequences of the events, with the trees of their jets if the network reads them, unscaled.

    Args:
        events: visible particles, or towers.
        settings: of a model of events.
        first_event: the number of the first event, when `events` is a batch out of more.

    Example:
        >>> from jetgram.kinematics import from_ptetaphim
        >>> particles = from_ptetaphim([50.0, 20.0, 30.0, 2.0], [0.0, 0.1, 2.5, 2.4], [0.1, 0.2, 3.2, 3.1])
        >>> found = read_events(Events(particles, np.array([0, 4])), ModelSettings(event="jets", hardest=2))
        >>> found.momenta.round(1), found.trees
        (array([[ 0.1,  0. , 69.9,  4.5],
               [-3.1,  2.5, 32. ,  1.1]], dtype=float32), <Schedule: 2 trees with 6 nodes of 7 features>)
    """
    require_good(events, "event")
    if settings.event == "particles":
        rows, offsets = hardest_particles(events, settings.hardest)
        return EventSchedule(jet_columns(events.momenta[rows], offsets, first_event), offsets)
    jets, offsets = find_event_jets(events, settings, first_event)
    momenta = jet_columns(jets.total, offsets, first_event)
    trees = read_jets(jets, settings) if settings.event == "jets" else None
    return EventSchedule(momenta, offsets, trees)


def find_event_jets(events: Events, settings: ModelSettings, first_event: int = 0) -> tuple[Jets, Offsets]:
    """The jets that a model reads, by falling pT in each event, and the offsets of the events among them."""
    hardest = None if settings.hardest == "all" else settings.hardest
    particles = {name: events.particles[name] for name in settings.particle_columns if name in events.particles}
    bare = Events(events.momenta, events.offsets, particles=particles)
    numbers = events.particles.get(numbers_column(ALGORITHM, settings.radius))
    if numbers is None:
        jets = find_jets(bare, settings.radius, ALGORITHM, hardest, settings.min_pt)
    else:
        jets = jets_by_number(bare, numbers, hardest, settings.min_pt)
    offsets = offsets_of(np.bincount(jets.columns["event"], minlength=len(events)))
    require_jets(offsets, first_event)
    return Jets(jets.momenta, jets.offsets, particles=jets.particles), offsets


def hardest_particles(events: Events, hardest: int | str) -> tuple[NDArray[np.int64], Offsets]:
    """Rows of the hardest particles of each event by falling pT, and their offsets."""
    order = np.lexsort((-kinematics.pt(events.momenta), events.group))
    if hardest == "all":
        return order, events.offsets
    rank = np.arange(len(order)) - events.offsets[events.group]
    return order[rank < int(hardest)], offsets_of(np.minimum(events.multiplicity, int(hardest)))


def jet_columns(momenta: Array, offsets: Offsets, first_event: int) -> NDArray[np.float32]:
    r"""$(\phi, \eta, p_T, m)$ in single precision; momenta that are too large for it are an error."""
    functions = (kinematics.phi, kinematics.eta, kinematics.pt, kinematics.mass)
    with np.errstate(over="ignore"):
        columns = np.stack([function(momenta) for function in functions], axis=1).astype(np.float32)
    bad = ~np.isfinite(columns).all(axis=1)
    if bad.any():
        row = int(np.argmax(bad))
        event = first_event + int(np.searchsorted(offsets, row, side="right")) - 1
        raise BadJetError(f"event {event}: its momenta are too large for single precision: {momenta[row].tolist()}")
    return columns
