"""Jets without what no detector could see: ultra-soft constituents, and pairs too close to be told apart.

A network that reads logarithms of momenta and angles is infrared and collinear safe only if neither can become
arbitrarily small. Below these limits nothing is read.
"""

from __future__ import annotations

import dataclasses
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from jetgram import backend, kinematics
from jetgram.errors import SettingsError
from jetgram.momenta import Jets
from jetgram.ragged import first_largest, offsets_of
from jetgram.trees.reference import close_groups
from jetgram.validity import LARGEST, require_good

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
    if not (min_pt >= 0 and merge >= 0):
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
    found = dataclasses.replace(jets, momenta=momenta, offsets=offsets, particles=particles)
    if momenta[:, 3].max() >= LARGEST:  # the only fault that a sum of good momenta can have
        require_good(found)
    return found


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
    pieces = pairwise(jets.offsets.tolist())
    group = np.concatenate([begin + close_groups(jets.momenta[begin:end], merge) for begin, end in pieces])
    sums[:], hardest[:] = 0.0, -1
    pt2 = kinematics.pt2(jets.momenta)
    for member, lowest in enumerate(group):
        sums[lowest] += jets.momenta[member]
        if lowest != member:
            sums[lowest, 3] = max(sums[lowest, 3], kinematics.momentum(sums[lowest]))
        if lowest == member or pt2[member] > pt2[hardest[lowest]]:
            hardest[lowest] = member
    pt2 = np.where(hardest >= 0, kinematics.pt2(sums), -1.0)
    soft = pt2 < min_pt**2
    soft[first_largest(pt2, jets.offsets)] = False
    hardest[soft] = -1
    kept = np.flatnonzero(hardest >= 0)
    offsets[:] = np.searchsorted(kept, jets.offsets)
    sums[: len(kept)], hardest[: len(kept)] = sums[kept], hardest[kept]
