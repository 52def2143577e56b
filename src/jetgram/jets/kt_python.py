"""Subjets in Python, for where there is no compiler: the same labels as from native/subjets.cpp."""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.ragged import Offsets

Array = NDArray[np.float64]
Labels = NDArray[np.int32]

BEAM = -1  # no neighbour within the radius


def find_subjets(momenta: Array, offsets: Offsets, radius: float, labels: Labels) -> None:
    """Write the number of its kt subjet for each momentum: 0 the hardest in its jet, and so on."""
    for begin, end in itertools.pairwise(offsets):
        labels[begin:end] = _label_one(momenta[begin:end], radius * radius)


def _label_one(momenta: Array, radius2: float) -> Labels:
    """Labels of one jet: subjets in the order they are found, sorted by pT."""
    labels = np.empty(len(momenta), dtype=np.int32)
    found = _Slots(momenta, radius2).cluster()
    found.sort(key=lambda subjet: -subjet[0])
    for rank, (_, members) in enumerate(found):
        labels[members] = rank
    return labels


class _Slots:
    """The active momenta of one jet; native/subjets.hpp says how equal distances are settled."""

    def __init__(self, momenta: Array, radius2: float) -> None:
        self.radius2 = radius2
        self.momentum = momenta.copy()
        self.members = [[i] for i in range(len(momenta))]
        self.rapidity = np.empty(len(momenta))
        self.phi = np.empty(len(momenta))
        self.pt2 = np.empty(len(momenta))
        self.distance = np.full(len(momenta), radius2)
        self.neighbour = np.full(len(momenta), BEAM)
        self.used = 0
        for slot in range(len(momenta)):
            self.rapidity[slot], self.phi[slot], self.pt2[slot] = kinematics.place(self.momentum[slot])
            self._link(slot, self._distances(slot))
            self.used += 1

    def cluster(self) -> list[tuple[float, list[int]]]:
        """Squared pT and members of each subjet, in the order they are found."""
        subjets = []
        while self.used:
            found = int(self._dij().argmin())
            neighbour = int(self.neighbour[found])
            if neighbour == BEAM:
                subjets.append((float(self.pt2[found]), self.members[found]))
                self._vacate(found)
            else:
                self._join(min(found, neighbour), max(found, neighbour))
        return subjets

    def _distances(self, slot: int) -> Array:
        """Squared distances of a slot's momentum to all active ones; infinite to itself."""
        longitudinal = self.rapidity[: self.used] - self.rapidity[slot]
        difference = np.abs(self.phi[: self.used] - self.phi[slot])
        transverse = np.minimum(difference, 2 * math.pi - difference)
        distances: Array = transverse * transverse + longitudinal * longitudinal
        distances[slot : slot + 1] = np.inf
        return distances

    def _dij(self) -> Array:
        """Smallest distance of each active momentum, to its neighbour or to the beam, times the squared radius."""
        pt2, neighbour = self.pt2[: self.used], self.neighbour[: self.used]
        scale = np.where(neighbour == BEAM, pt2, np.minimum(pt2, self.pt2[neighbour]))
        dij: Array = self.distance[: self.used] * scale
        return dij

    def _nearest(self, slot: int, distances: Array) -> None:
        """Set a slot's neighbour."""
        nearest = int(distances.argmin()) if len(distances) else BEAM
        within = nearest != BEAM and distances[nearest] < self.radius2
        self.distance[slot] = distances[nearest] if within else self.radius2
        self.neighbour[slot] = nearest if within else BEAM

    def _link(self, slot: int, distances: Array) -> None:
        """Offer a slot to all others as their neighbour, and find its own."""
        nearer = (distances < self.distance[: self.used]).nonzero()[0]
        self.distance[nearer] = distances[nearer]
        self.neighbour[nearer] = slot
        self._nearest(slot, distances)

    def _vacate(self, slot: int) -> None:
        """Fill a slot with the last momentum."""
        self.used -= 1
        last = self.used
        for column in (self.momentum, self.rapidity, self.phi, self.pt2, self.distance, self.neighbour):
            column[slot] = column[last]
        self.members[slot] = self.members[last]
        self.neighbour[: self.used][self.neighbour[: self.used] == last] = slot

    def _join(self, low: int, high: int) -> None:
        """Put the sum of two momenta into the lower slot."""
        self.momentum[low] += self.momentum[high]
        self.members[low] = self.members[low] + self.members[high]
        neighbour = self.neighbour[: self.used]
        lost = (neighbour == low) | (neighbour == high)
        neighbour[lost] = low
        lost[high] = lost[-1]
        self._vacate(high)
        self.rapidity[low], self.phi[low], self.pt2[low] = kinematics.place(self.momentum[low])
        distances = self._distances(low)
        rescan = (lost[: self.used] & (distances >= self.distance[: self.used])).nonzero()[0].tolist()
        self._link(low, distances)
        for slot in rescan:
            if slot != low:
                self._nearest(slot, self._distances(slot))
