"""Jets without what no detector could see: ultra-soft constituents, and pairs too close to be told apart.

A network that reads logarithms of momenta and angles is infrared and collinear safe only if neither can become
arbitrarily small. Below these limits nothing is read.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from jetgram import backend, kinematics
from jetgram.errors import SettingsError
from jetgram.momenta import Jets
from jetgram.ragged import first_largest, offsets_of
from jetgram.trees.topologies import build_trees
from jetgram.validity import require_good

Array = NDArray[np.float64]

MIN_PT = 0.1  # GeV
MERGE = 1e-3  # in rapidity and azimuth


def clean(jets: Jets, min_pt: float = MIN_PT, merge: float = MERGE, checked: bool = False) -> Jets:
    r"""The jets without constituents below `min_pt`, and with those closer than `merge` added up.

    First constituents are joined as Cambridge/Aachen with the radius `merge` joins massless momenta: the nearest first,
    until all are farther apart in rapidity and azimuth. Their sums have the particle columns of their hardest member.
    Then the soft ones go; the hardest always stays. In this order a collinear splitting is undone, however soft its
    parts are.

    Args:
        jets: as they were found.
        min_pt: GeV; 0 keeps all.
        merge: 0 merges nothing.
        checked: the jets are known to be without fault.

    Example:
        >>> from jetgram.kinematics import from_ptetaphim
        >>> constituents = from_ptetaphim([50.0, 40.0, 30.0, 0.01], [0.0, 0.3, 0.3, 0.1], [0.0, 0.1, 0.1005, 0.2])
        >>> kinematics.pt(clean(Jets.from_lists([constituents])).momenta).round(3)
        array([50., 70.])
    """
    if min_pt < 0 or merge < 0:
        raise SettingsError(f"min_pt = {min_pt}, merge = {merge}; expected neither below 0")
    if not len(jets):
        return jets
    if not checked:
        require_good(jets)
    sums, hardest = np.empty_like(jets.momenta), np.empty(len(jets.momenta), dtype=np.int64)
    offsets = np.empty_like(jets.offsets)
    core = backend.native_core()
    if core is None:
        _reference(jets, min_pt, merge, sums, hardest, offsets)
    else:
        core.clean(jets.momenta, jets.offsets, min_pt, merge, backend.threads(), sums, hardest, offsets)
    momenta, kept = sums[: offsets[-1]], hardest[: offsets[-1]]
    particles = {name: values[kept] for name, values in jets.particles.items()}
    return dataclasses.replace(jets, momenta=momenta, offsets=offsets, particles=particles)


def keep_hardest(jets: Jets, count: int) -> Jets:
    """The jets with at most `count` constituents, those of largest pT, in the order in which they were.

    Example:
        >>> jets = Jets(np.array([[1.0, 0, 0, 1], [3.0, 0, 0, 3], [2.0, 0, 0, 2], [5.0, 0, 0, 5]]), np.array([0, 3, 4]))
        >>> keep_hardest(jets, 2).momenta[:, 0]
        array([3., 2., 5.])
    """
    order = np.lexsort((-kinematics.pt(jets.momenta), jets.group))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order)) - jets.offsets[jets.group[order]]
    kept = rank < count
    particles = {name: values[kept] for name, values in jets.particles.items()}
    offsets = offsets_of(np.minimum(jets.multiplicity, count))
    return dataclasses.replace(jets, momenta=jets.momenta[kept], offsets=offsets, particles=particles)


def _reference(
    jets: Jets, min_pt: float, merge: float, sums: Array, hardest: NDArray[np.int64], offsets: NDArray[np.int64]
) -> None:
    """What the native core does: sums of groups in the order of their lowest index, and their hardest member."""
    group = _groups(jets, merge)
    sums[:], hardest[:] = 0.0, -1
    pt = kinematics.pt(jets.momenta)
    for member, lowest in enumerate(group):
        sums[lowest] += jets.momenta[member]
        if lowest != member:
            sums[lowest, 3] = max(sums[lowest, 3], kinematics.momentum(sums[lowest]))
        if lowest == member or pt[member] > pt[hardest[lowest]]:
            hardest[lowest] = member
    pt = np.where(hardest >= 0, kinematics.pt(sums), -1.0)
    soft = pt < min_pt
    soft[first_largest(pt, jets.offsets)] = False
    hardest[soft] = -1
    kept = np.flatnonzero(hardest >= 0)
    offsets[:] = np.searchsorted(kept, jets.offsets)
    sums[: len(kept)], hardest[: len(kept)] = sums[kept], hardest[kept]


def _groups(jets: Jets, distance: float) -> NDArray[np.int64]:
    """Of each constituent the lowest number among those that it is joined with.

    The same nodes as in the Cambridge/Aachen tree without a radius, as long as all below are closer than the distance.
    """
    massless = jets.momenta.copy()
    massless[:, 3] = kinematics.momentum(massless)
    trees = build_trees(Jets(massless, jets.offsets), "ca")
    y, phi = kinematics.rapidity(trees.momenta), kinematics.phi(trees.momenta)
    joined = trees.is_leaf.copy()
    lowest = np.zeros(len(y), dtype=np.int64)
    lowest[trees.is_leaf] = np.arange(len(massless))
    owner, first = np.arange(len(y)), trees.first
    for node in np.flatnonzero(~trees.is_leaf):
        left, right = trees.children[node] + first[node]
        close = np.hypot(y[left] - y[right], kinematics.delta_phi(phi[left], phi[right])) < distance
        joined[node] = close and joined[left] and joined[right]
        lowest[node] = min(lowest[left], lowest[right])
    for node in np.flatnonzero(~trees.is_leaf)[::-1]:
        for child in trees.children[node] + first[node]:
            owner[child] = owner[node] if joined[node] else child
    return lowest[owner[trees.is_leaf]]
