"""Which boson made which jet."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.momenta import Events, Jets


def add_truth(jets: Jets, events: Events) -> Jets:
    r"""The jets with the nearest truth boson of their event.

    Columns: `boson` `(px, py, pz, E)` and `boson_dr`, its distance $\sqrt{\Delta\eta^2 + \Delta\phi^2}$ to the jet;
    NaN where the event has no boson.

    Args:
        jets: jets with the column `event`.
        events: the events they were found in, with the ragged rows `bosons`.
    """
    bosons = events.ragged["bosons"][jets.columns["event"]]
    jet = np.repeat(np.arange(len(jets)), bosons.counts)
    distance = kinematics.delta_r(bosons.values[:, :4], jets.total[jet])
    nearest = _first_of_each(jet, distance)
    boson = np.full((len(jets), 4), np.nan)
    boson_dr = np.full(len(jets), np.nan)
    boson[jet[nearest]] = bosons.values[nearest, :4]
    boson_dr[jet[nearest]] = distance[nearest]
    return jets.with_columns(boson=boson, boson_dr=boson_dr)


def _first_of_each(group: NDArray[np.int64], value: NDArray[np.float64]) -> NDArray[np.int64]:
    """Row with the smallest value in each group."""
    order = np.lexsort((value, group))
    first = np.ones(len(order), dtype=bool)
    first[1:] = group[order[1:]] != group[order[:-1]]
    return order[first]
