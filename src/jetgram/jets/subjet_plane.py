"""Trimmed jets in the plane of eta and phi, seen from their leading subjet: where both chains of images begin."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.jets.subjets import drop_soft_subjets, find_subjets, require_as_found
from jetgram.momenta import Jets
from jetgram.ragged import sum_groups

Array = NDArray[np.float64]
Plane = NDArray[np.complex128]  # positions as eta + i phi: a turn is a product

SUBJETS = 3


@dataclasses.dataclass(frozen=True, eq=False)
class SubjetPlane:
    """Jets after trimming, with the leading subjet of each at the origin.

    Args:
        jets: trimmed, with n constituents in all.
        place: of the constituents, `(n,)`.
        second: place of the second subjet, `(jets,)`; 0 where there is none.
        third: that of the third.
    """

    jets: Jets
    place: Plane
    second: Plane
    third: Plane


def subjet_plane(jets: Jets, trim: float) -> SubjetPlane:
    """The jets without kt subjets (R = 0.3) below `trim` of the jet's pT, seen from the leading subjet."""
    require_as_found(jets)
    jets, labels = drop_soft_subjets(jets, find_subjets(jets), trim)
    momenta = np.zeros((SUBJETS, len(jets), 4))
    leading = labels < SUBJETS
    np.add.at(momenta, (labels[leading], jets.group[leading]), jets.momenta[leading])
    first, *others = momenta
    second, third = (np.where(other[:, 3] > 0, _seen_from(first, other), 0) for other in others)
    return SubjetPlane(jets, _seen_from(first[jets.group], jets.momenta), second, third)


def principal_axis(place: Plane, weight: Array, jets: Jets) -> Plane:
    r"""Direction `(jets,)` in which the weight of each jet spreads most, towards the side that has more of it.

    With positions z this is the root of their second moment, $\sqrt{\sum_i w_i (z_i - \bar z)^2}$.
    """
    total = np.maximum(sum_groups(weight, jets.offsets), np.finfo(np.float64).tiny)
    mean = _sums(weight * place, jets) / total
    direction = np.sqrt(_sums(weight * (place - mean[jets.group]) ** 2, jets))
    return np.where((direction.conj() * mean).real < 0, -direction, direction)


def turn_below(direction: Plane) -> Plane:
    r"""The factors $-i \bar d / |d|$ that turn each direction d straight below the origin; 1 without a direction."""
    size = np.abs(direction)
    turn: Plane = np.divide(-1j * direction.conj(), size, out=np.ones_like(direction), where=size > 0)
    return turn


def _seen_from(p: Array, q: Array) -> Plane:
    """Position of q in the plane, with p at the origin."""
    phi = kinematics.delta_phi(kinematics.phi(q), kinematics.phi(p))
    return np.asarray(kinematics.eta(q) - kinematics.eta(p) + 1j * phi, dtype=np.complex128)


def _sums(values: Plane, jets: Jets) -> Plane:
    """Sum over the constituents of each jet."""
    return sum_groups(values.real, jets.offsets) + 1j * sum_groups(values.imag, jets.offsets)
