"""Subjets: the constituents of a jet clustered again, with kt and a smaller radius; trimming drops the soft ones."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
from numpy.typing import NDArray

from jetgram.backend import native_core, threads
from jetgram.errors import SettingsError
from jetgram.momenta import Jets
from jetgram.ragged import offsets_of
from jetgram.trees.reference import kt_subjets
from jetgram.validity import require_good

SUBJET_RADIUS = 0.3
LARGEST_RADIUS = 1e6

Labels = NDArray[np.int32]


def find_subjets(jets: Jets, radius: float = SUBJET_RADIUS) -> Labels:
    r"""The number of its subjet for each constituent: 0 for the hardest subjet of its jet, 1 for the next, ...

    Inclusive kt clustering: the smallest of $d_{ij} = \min(p_{Ti}^2, p_{Tj}^2) \Delta R_{ij}^2 / R^2$ and
    $d_{iB} = p_{Ti}^2$ joins two momenta or makes one a subjet, until none is left.

    Args:
        jets: with n constituents in all.
        radius: $R$.

    Returns:
        Labels of shape `(n,)`, int32.

    Example:
        >>> import numpy as np
        >>> from jetgram.kinematics import from_ptetaphim
        >>> momenta = from_ptetaphim([5.0, 20.0, 30.0], [0.5, 0.0, 0.1], [0.0, 0.0, 0.1])
        >>> find_subjets(Jets(momenta, np.array([0, 3])))
        array([1, 0, 0], dtype=int32)
    """
    if not 0 < radius < LARGEST_RADIUS:
        raise SettingsError(f"radius = {radius}; expected a positive number below {LARGEST_RADIUS:g}")
    require_good(jets)
    labels = np.empty(len(jets.momenta), dtype=np.int32)
    native = native_core()
    if native is None:
        for begin, end in itertools.pairwise(jets.offsets):
            labels[begin:end] = kt_subjets(jets.momenta[begin:end], radius)
    else:
        native.find_subjets(jets.momenta, jets.offsets, radius, labels, threads())
    return labels


def trim(jets: Jets, fraction: float = 0.05, radius: float = SUBJET_RADIUS) -> Jets:
    """The jets without their subjets that have less than `fraction` of the jet's pT (arXiv:0912.1342).

    The hardest subjet is always kept, so that no jet gets empty.

    Example:
        >>> import numpy as np
        >>> from jetgram.kinematics import from_ptetaphim
        >>> momenta = from_ptetaphim([100.0, 4.0, 30.0], [0.5, 0.0, -0.5], [0.0, 0.0, 0.1])
        >>> trim(Jets(momenta, np.array([0, 3]))).multiplicity
        array([2])
    """
    require_as_found(jets)
    return drop_soft_subjets(jets, find_subjets(jets, radius), fraction)[0]


def require_as_found(jets: Jets) -> None:
    """Raise a `SettingsError` for jets in their own frame: their subjets are no longer those of the detector."""
    if jets.preprocessed is not None:
        raise SettingsError("found jets that were preprocessed; expected jets as they were found")


def drop_soft_subjets(jets: Jets, labels: Labels, fraction: float) -> tuple[Jets, Labels]:
    """The jets and labels without subjets that have less than `fraction` of their jet's pT; never the hardest."""
    if not 0 <= fraction < 1:
        raise SettingsError(f"trimming fraction {fraction}; expected at least 0 and below 1")
    kept = np.empty(len(labels), dtype=np.bool_)
    native = native_core()
    if native is None:
        kept[:] = _hard_subjets(jets, labels, fraction)
    else:
        native.keep_hard_subjets(jets.momenta, jets.offsets, labels, fraction * jets.pt, threads(), kept)
    return keep(jets, kept), labels[kept]


def _hard_subjets(jets: Jets, labels: Labels, fraction: float) -> NDArray[np.bool_]:
    """Which constituents trimming keeps, without the native core."""
    subjets = offsets_of(np.maximum.reduceat(labels, jets.offsets[:-1]) + 1 if len(jets) else labels)
    which = subjets[jets.group] + labels
    px, py = (np.bincount(which, weights=jets.momenta[:, axis], minlength=subjets[-1]) for axis in (0, 1))
    soft = np.hypot(px, py) < fraction * np.repeat(jets.pt, np.diff(subjets))
    kept: NDArray[np.bool_] = ~soft[which] | (labels == 0)
    return kept


def keep(jets: Jets, kept: NDArray[np.bool_]) -> Jets:
    """The jets with some of their constituents only."""
    offsets = np.concatenate([[0], np.cumsum(kept)])[jets.offsets]
    particles = {name: value[kept] for name, value in jets.particles.items()}
    return dataclasses.replace(jets, momenta=jets.momenta[kept], offsets=offsets, particles=particles)
