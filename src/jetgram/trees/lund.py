r"""Lund features: what a network reads of a node on logarithmic scales.

Leaves and inner nodes have columns of their own. A column that a node does not have is NaN here and 0 after scaling, so
that one input matrix holds the weights of both kinds side by side, each multiplied with its own columns only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jetgram import backend, kinematics
from jetgram.trees.trees import Trees

Array = NDArray[np.float64]

LEAF_FEATURES = ("ln pT", "ln pT/pT_jet", "ln Delta", "u", "v", "ln E")
INNER_FEATURES = ("ln pT", "ln pT/pT_jet", "ln Delta_LR", "ln z", "ln kT", "ln m", "u", "v")
LUND_FEATURES = (
    *(f"leaf: {name}" for name in LEAF_FEATURES),
    *(f"inner: {name}" for name in INNER_FEATURES),
    "leaf",
)

ANGLE, MASS, Z, MOMENTUM, RATIO = 1e-3, 1e-2, 1e-5, 1e-3, 1e-6  # below, logarithms are cut off; GeV where it applies
FARTHEST = 2.0  # |u| and |v| are cut off
MOST = 1e6  # pT in units of the jet's is cut off: momenta of a jet may cancel
TINY = np.finfo(np.float64).tiny  # instead of the pT of what flies along the beam


def lund_features(trees: Trees) -> Array:
    r"""The features of each node, `(nodes, 15)`: six of leaves, eight of inner nodes, and 1 at leaves for their bias.

    A leaf has $\ln p_T$, $\ln p_T / p_{T,jet}$, $\ln \Delta$ to the jet's axis, $u$, $v$ and $\ln E$. An inner node
    has $\ln p_T$, $\ln p_T / p_{T,jet}$, $\ln \Delta_{LR}$ between its children, $\ln z$ with
    $z = p_{T,R} / (p_{T,L} + p_{T,R})$, $\ln k_T$ with $k_T = p_{T,R} \Delta_{LR}$, $\ln m$, $u$ and $v$. Distances are
    in $(y, \phi)$. $(u, v)$ is the direction relative to the jet, turned so that in the branching with the
    largest $k_T$ of the tree the softer child lies along $+u$ of the harder one, and reflected so that the leaves have
    $\sum p_T \, v \sqrt{u^2 + v^2} \ge 0$.

    Nothing here depends on the jet's direction or orientation: there is nothing to preprocess.

    Args:
        trees: over jets as they were found; `jetgram.clean` makes the logarithms safe.

    Example:
        >>> from jetgram import Jets, build_trees
        >>> from jetgram.kinematics import from_ptetaphim
        >>> pair = Jets.from_lists([from_ptetaphim([30.0, 10.0], [0.0, 0.4], [1.0, 1.0])])
        >>> features = lund_features(build_trees(pair, "ca"))
        >>> features[0, :6].round(2)  # the harder leaf
        array([ 3.4 , -0.29, -2.29, -0.1 ,  0.  ,  3.4 ])
        >>> features[2, 6:14].round(2)  # the root
        array([ 3.69,  0.  , -0.92, -1.39,  1.39,  1.94,  0.  ,  0.  ])
    """
    core = backend.native_core()
    if core is None:
        return _reference(trees)
    features = np.empty((len(trees.momenta), len(LUND_FEATURES)))
    core.lund_features(trees.momenta, trees.children, trees.offsets, backend.threads(), features)
    return features


def _reference(trees: Trees) -> Array:
    """The features in plain Python: the native core's are equal but for rounding."""
    p, leaf = trees.momenta, trees.is_leaf
    y, phi, pt2 = kinematics.places(p)
    pt, energy = np.sqrt(pt2), p[:, 3]
    root = np.repeat(trees.root, np.diff(trees.offsets))
    with np.errstate(over="ignore"):
        fraction = _log(np.minimum(pt / np.maximum(pt[root], TINY), MOST), RATIO)
    u, v = _plane(trees, pt, y - y[root], _turn(phi, phi[root]), _axis(trees, pt, y, phi))
    distance = _log(np.hypot(u, v), ANGLE)
    u, v = np.clip(u, -FARTHEST, FARTHEST), np.clip(v, -FARTHEST, FARTHEST)

    features = np.full((len(p), len(LUND_FEATURES)), np.nan)
    of_leaf = (_log(pt, MOMENTUM), fraction, distance, u, v, _log(energy, MOMENTUM))
    features[leaf, : len(LEAF_FEATURES)] = np.stack(of_leaf, axis=1)[leaf]
    inner = ~leaf
    left, right = (trees.children[inner] + trees.first[inner, None]).T
    opening = np.maximum(np.hypot(y[left] - y[right], _turn(phi[left], phi[right])), ANGLE)
    of_inner = (
        _log(pt[inner], MOMENTUM),
        fraction[inner],
        np.log(opening),
        _log(pt[right] / np.maximum(pt[left] + pt[right], TINY), Z),
        _log(pt[right] * opening, RATIO),
        _log(kinematics.mass(p[inner]), MASS),
        u[inner],
        v[inner],
    )
    features[inner, len(LEAF_FEATURES) : -1] = np.stack(of_inner, axis=1)
    features[:, -1] = leaf
    return features


def _plane(trees: Trees, pt: Array, y: Array, phi: Array, axis: tuple[Array, Array]) -> tuple[Array, Array]:
    """(u, v) of each node from its rapidity and azimuth relative to its jet."""
    nodes = np.diff(trees.offsets)
    cos, sin = (np.repeat(part, nodes) for part in axis)
    u, v = cos * y + sin * phi, cos * phi - sin * y
    jet = np.repeat(np.arange(len(trees)), nodes)
    leaf = trees.is_leaf
    skew = np.bincount(jet[leaf], (pt * v * np.sqrt(u * u + v * v))[leaf], minlength=len(trees))
    return u, v * np.where(skew < 0, -1.0, 1.0)[jet]


def _axis(trees: Trees, pt: Array, y: Array, phi: Array) -> tuple[Array, Array]:
    """Cosine and sine of the direction from the harder to the softer child of each tree's branching of largest kT."""
    inner = np.flatnonzero(~trees.is_leaf)
    left, right = (trees.children[inner] + trees.first[inner, None]).T
    y, phi = y[right] - y[left], _turn(phi[right], phi[left])
    jet = np.searchsorted(trees.offsets, inner, side="right") - 1
    order = np.lexsort((pt[right] ** 2 * (y**2 + phi**2), jet))
    last = np.searchsorted(jet[order], np.arange(len(trees)), side="right") - 1  # of each jet: the largest kT
    cos, sin = np.ones(len(trees)), np.zeros(len(trees))
    branched = np.diff(trees.offsets) > 1
    hardest = order[last[branched]]
    distance = np.hypot(y[hardest], phi[hardest])
    apart = np.where(distance > 0, distance, 1.0)
    cos[branched] = np.where(distance > 0, y[hardest] / apart, 1.0)
    sin[branched] = phi[hardest] / apart
    return cos, sin


def _turn(phi: Array, other: Array) -> Array:
    r"""Difference of azimuths in $[0, 2\pi)$, within $[-\pi, \pi)$; at the ends as the native core rounds it."""
    turn = phi - other
    return np.where(turn < np.pi, np.where(turn < -np.pi, turn + 2 * np.pi, turn), turn - 2 * np.pi)


def _log(values: Array, floor: float) -> Array:
    found: Array = np.log(np.maximum(values, floor))
    return found
