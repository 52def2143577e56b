"""What made which jet: truth particles out of Pythia's record, and the one nearest to each jet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.collisions.processes import Process, Truth
from jetgram.momenta import Events, Jets
from jetgram.ragged import Offsets, Ragged, offsets_of

Array = NDArray[np.float64]
Record = Mapping[str, NDArray[Any]]

TOP, W, GLUON = 6, 24, 21
QUARKS = (1, 2, 3, 4, 5)
HARD_PROCESS = (3, 4)  # rows of the incoming partons in Pythia's record, mothers of all that comes out


def bosons(record: Record, offsets: Offsets, process: Process) -> Ragged:
    """The last copy of each boson of the process in each event, rows `(px, py, pz, E, PDG id)`."""
    return _particles(record, offsets, _last_copies(record, offsets, process.bosons))


def partons(record: Record, offsets: Offsets, process: Process) -> Ragged:
    """The quarks and gluons that come out of the hard process, rows `(px, py, pz, E, PDG id)`."""
    hard = (record["mother1"] == HARD_PROCESS[0]) & (record["mother2"] == HARD_PROCESS[1])
    return _particles(record, offsets, np.flatnonzero(hard & np.isin(np.abs(record["id"]), (*QUARKS, GLUON))))


def tops(record: Record, offsets: Offsets, process: Process) -> Ragged:
    """The top quarks that decay to three quarks: last copy, quark next to the W, quarks of the W; rows of 4 x 4."""
    top, w = (_last_copies(record, offsets, (particle,)) for particle in (TOP, W))
    event = _event_of(offsets)
    charge = 2 * event + (record["id"] > 0)  # a top has its W's sign
    row = np.full(2 * (len(offsets) - 1), -1)
    row[charge[top]] = np.arange(len(top))
    quark = np.flatnonzero(np.isin(np.abs(record["id"]), QUARKS))
    mother = offsets[event[quark]] + record["mother1"][quark]
    prongs = np.concatenate([np.flatnonzero(np.isin(mother, parent)) for parent in (top, w)])
    of_top = row[charge[mother[prongs]]]
    prongs, of_top = prongs[of_top >= 0], of_top[of_top >= 0]
    order = np.argsort(of_top, kind="stable")
    complete = np.bincount(of_top, minlength=len(top)) == 3
    chosen = quark[prongs[order][complete[of_top[order]]]].reshape(-1, 3)
    momenta = record["p4"][np.concatenate([top[complete, None], chosen], axis=1)]
    return Ragged(momenta.reshape(-1, 16), offsets_of(np.bincount(event[top[complete]], minlength=len(offsets) - 1)))


# What is kept of each event, by the truth of a sample: name of the ragged rows, and how they are found.
KEPT: Mapping[Truth, tuple[str, Callable[[Record, Offsets, Process], Ragged]]] = {
    "boson": ("bosons", bosons),
    "top": ("tops", tops),
    "parton": ("partons", partons),
}

MATCHED = 1.0  # a jet whose boson is nearer than this, the jet radius, is truth-matched


def add_truth(jets: Jets, events: Events) -> Jets:
    r"""The jets with the nearest truth particle of their event: boson, top or parton, whichever was kept.

    Columns: `boson` `(px, py, pz, E)` and `boson_dr`, its distance $\sqrt{\Delta\eta^2 + \Delta\phi^2}$ to the jet;
    NaN where the event has none. The same for `top`, with `prong_dr`, the largest distance of the three partons of its
    decay; and for `parton`, with `parton_id`, its PDG id.

    Args:
        jets: jets with the column `event`.
        events: the events they were found in, with the ragged rows of `KEPT`.
    """
    for name, (rows, _) in KEPT.items():
        if rows in events.ragged:
            found = _nearest(jets, events.ragged[rows][jets.columns["event"]])
            jets = jets.with_columns(**{name: found[:, :4], f"{name}_dr": kinematics.delta_r(found[:, :4], jets.total)})
            if name == "top":
                prongs = kinematics.delta_r(found[:, 4:].reshape(-1, 3, 4), jets.total[:, None])
                jets = jets.with_columns(prong_dr=prongs.max(axis=1))
            elif name == "parton":
                jets = jets.with_columns(parton_id=np.nan_to_num(found[:, 4]).astype(np.int32))
    return jets


def is_wanted(jets: Jets, process: Process) -> NDArray[np.bool_]:
    """Whether the truth of each jet is what its process asks for."""
    wanted = np.ones(len(jets), dtype=np.bool_)
    if process.top_within is not None:
        for name in ("top_dr", "prong_dr"):
            wanted &= jets.columns[name] < process.top_within
    if process.partons:
        wanted &= np.isin(np.abs(jets.columns["parton_id"]), process.partons)
    return wanted


def _nearest(jets: Jets, candidates: Ragged) -> Array:
    """The row of the particle nearest to each jet, `(jets, k)`; NaN where there is none."""
    jet = np.repeat(np.arange(len(jets)), candidates.counts)
    distance = kinematics.delta_r(candidates.values[:, :4], jets.total[jet])
    nearest = _first_of_each(jet, distance)
    found = np.full((len(jets), candidates.values.shape[1]), np.nan)
    found[jet[nearest]] = candidates.values[nearest]
    return found


def matched_fraction(distance: Array) -> float | None:
    """The fraction of the jets with a truth particle that are truth-matched; None where there is none.

    Example:
        >>> matched_fraction(np.array([0.1, np.nan, 1.5, 0.2, 0.3]))
        0.75
    """
    known = distance[np.isfinite(distance)]
    return float(np.mean(known < MATCHED)) if len(known) else None


def _first_of_each(group: NDArray[np.int64], value: Array) -> NDArray[np.int64]:
    """Row with the smallest value in each group."""
    order = np.lexsort((value, group))
    first = np.ones(len(order), dtype=bool)
    first[1:] = group[order[1:]] != group[order[:-1]]
    return order[first]


def _last_copies(record: Record, offsets: Offsets, ids: tuple[int, ...]) -> NDArray[np.int64]:
    """Rows of the last copies of particles and antiparticles: those that are no mother of another copy."""
    event, pdgid = _event_of(offsets), record["id"]
    found = np.flatnonzero(np.isin(np.abs(pdgid), ids))
    mother = offsets[event[found]] + record["mother1"][found]
    return np.setdiff1d(found, mother[pdgid[mother] == pdgid[found]])


def _particles(record: Record, offsets: Offsets, rows: NDArray[np.int64]) -> Ragged:
    """Momenta and PDG ids of some rows of the record, event by event."""
    values = np.concatenate([record["p4"][rows], record["id"][rows, None]], axis=1)
    return Ragged(values, offsets_of(np.bincount(_event_of(offsets)[rows], minlength=len(offsets) - 1)))


def _event_of(offsets: Offsets) -> NDArray[np.int64]:
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
