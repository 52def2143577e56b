"""Where to draw the nodes of a tree: positions from the branching, heights from a splitting scale."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.errors import BadJetError, require_known
from jetgram.momenta import Jets
from jetgram.trees.trees import Trees

Array = NDArray[np.float64]

DECADES = 3.5  # what the axis of scales spans at most; smaller scales are drawn at its lower end
FOOT, LOW, HIGH = 0.15, 0.17, 0.95  # height of the leaves, the smallest and the largest scale, as parts of the panel
FLOOR = 1e-3  # smaller scales, those of exactly collinear pairs, are drawn here


def require_direction(jets: Jets, first: int = 0) -> None:
    """Raise a `BadJetError` for a jet without transverse momentum, which has no place in the eta-phi plane.

    Args:
        jets: that are to be drawn.
        first: the number of the first of them, for the error.
    """
    nowhere = np.flatnonzero(~(jets.pt > 0))
    if len(nowhere):
        raise BadJetError(f"jet {first + int(nowhere[0])} has pT = 0; expected jets with a direction in eta and phi")


def splitting_mass(parent: Array, left: Array, right: Array) -> Array:
    """Invariant mass of the branch in GeV; it never falls on the way to the root, whatever the topology."""
    return kinematics.mass(parent)


def splitting_kt(parent: Array, left: Array, right: Array) -> Array:
    r"""The kt scale in GeV, $\min(p_{T,L}, p_{T,R})\, \Delta R$."""
    return np.minimum(kinematics.pt(left), kinematics.pt(right)) * kinematics.delta_r(left, right)


def splitting_angle(parent: Array, left: Array, right: Array) -> Array:
    r"""The opening angle of the two children, $\Delta R$."""
    return kinematics.delta_r(left, right)


# Name -> (function of the momenta of parent, left and right child; label of the axis).
SCALES: Mapping[str, tuple[Callable[[Array, Array, Array], Array], str]] = {
    "mass": (splitting_mass, "mass of the branch [GeV]"),
    "kt": (splitting_kt, r"$k_t = \min(p_T)\,\Delta R$ of the splitting [GeV]"),
    "angle": (splitting_angle, r"opening angle $\Delta R$ of the splitting"),
}


def splitting_scales(tree: Trees, scale: str = "mass") -> Array:
    """The scale of each inner node of one tree, in the order of its nodes, `(leaves - 1,)`.

    Args:
        tree: a `Trees` of one jet.
        scale: `mass`, `kt` or `angle`.
    """
    require_known("no splitting scale", scale, SCALES)
    children = tree.children[~tree.is_leaf]
    values = SCALES[scale][0](tree.momenta[~tree.is_leaf], *(tree.momenta[children[:, side]] for side in (0, 1)))
    return np.maximum(values, FLOOR)


def horizontal_positions(children: NDArray[np.int32]) -> Array:
    """Where each node of one tree stands, `(nodes,)`: leaves at 0, 1, 2, ..., so that no two lines cross.

    A parent stands half-way between its children, and the harder branch to the left of the softer one.

    Example:
        >>> import numpy as np
        >>> horizontal_positions(np.array([[-1, -1], [-1, -1], [-1, -1], [2, 0], [1, 3]]))
        array([2.  , 0.  , 1.  , 1.5 , 0.75])
    """
    inner = np.flatnonzero(children[:, 0] >= 0)
    leaves = np.ones(len(children), dtype=np.int64)
    for node in inner:
        leaves[node] = leaves[children[node]].sum()
    x = np.zeros(len(children))  # first the leftmost leaf under each node, from the root down ...
    for node in inner[::-1]:
        left, right = children[node]
        x[left], x[right] = x[node], x[node] + leaves[left]
    for node in inner:  # ... then the middle of the children, from the leaves up
        x[node] = x[children[node]].mean()
    return x


def axis_limits(scales: Array) -> tuple[float, float]:
    """Smallest and largest scale of the axis: the range of `scales`, at least one decade and at most `DECADES`."""
    high = float(scales.max()) if len(scales) else 1.0
    low = float(scales.min()) if len(scales) else 0.1
    return float(np.clip(low, high / 10**DECADES, high / 10)), high


def scale_height(scales: Array, limits: tuple[float, float]) -> Array:
    """Height of each scale in the panel: logarithmic, from `LOW` to `HIGH`."""
    low, high = np.log(limits)
    fraction: Array = (np.log(np.clip(scales, *limits)) - low) / (high - low)
    return LOW + (HIGH - LOW) * fraction


def heights(is_leaf: NDArray[np.bool_], scales: Array, limits: tuple[float, float]) -> Array:
    """Height of each node of one tree in the panel, `(nodes,)`: leaves at `FOOT`, inner nodes at their scale."""
    y = np.full(len(is_leaf), FOOT)
    y[~is_leaf] = scale_height(scales, limits)
    return y


def axis_ticks(limits: tuple[float, float]) -> tuple[Array, Array]:
    """Scales to mark on the axis: with a number the decades and the largest scale, without the parts of the decades.

    Example:
        >>> axis_ticks((5.0, 80.0))
        (array([10., 80.]), array([10.,  5.,  6.,  7.,  8.,  9., 20., 30., 40., 50., 60., 70.]))
    """
    first, last = np.floor(np.log10(limits))
    decades = 10.0 ** np.arange(first, last + 1)
    parts = np.outer(decades, np.arange(2, 10)).reshape(-1)
    inside = [ticks[(ticks >= limits[0]) & (ticks < limits[1])] for ticks in (decades, parts)]
    labelled = np.append(inside[0][inside[0] < limits[1] / 1.5], limits[1])
    return labelled, np.concatenate(inside)
