"""What the networks read at each node of a tree: the seven features of arXiv:1702.00748."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jetgram import backend, kinematics
from jetgram.trees.trees import Trees

FEATURES = ("p", "eta", "phi", "E", "E/E_jet", "pT", "theta")


def node_features(trees: Trees) -> NDArray[np.float64]:
    r"""The seven features $(|p|, \eta, \phi, E, E / E_{jet}, p_T, \theta)$ of each node, `(nodes, 7)`.

    Energies are in GeV, angles in radians, and $E_{jet}$ is the energy of the tree's root. All are finite for every
    legal tree: along the beam $|\eta|$ is `kinematics.ETA_MAX`. Scaling is left to the model.

    Example:
        >>> children = np.array([[-1, -1], [-1, -1], [0, 1]], dtype=np.int32)
        >>> momenta = np.array([[3.0, 0.0, 4.0, 5.0], [0.0, 3.0, -4.0, 5.0], [3.0, 3.0, 0.0, 10.0]])
        >>> node_features(Trees(momenta, children, np.array([0, 3]))).round(3)
        array([[ 5.   ,  1.099,  0.   ,  5.   ,  0.5  ,  3.   ,  0.644],
               [ 5.   , -1.099,  1.571,  5.   ,  0.5  ,  3.   ,  2.498],
               [ 4.243,  0.   ,  0.785, 10.   ,  1.   ,  4.243,  1.571]])
    """
    core = backend.native_core()
    if core is None:
        return _reference(trees)
    features = np.empty((len(trees.momenta), len(FEATURES)))
    core.node_features(trees.momenta, trees.offsets, backend.threads(), features)
    return features


def _reference(trees: Trees) -> NDArray[np.float64]:
    """The features with the formulas of `kinematics`: the native core's are equal but for rounding."""
    p = trees.momenta
    energy = p[:, 3]
    columns = (
        kinematics.momentum(p),
        kinematics.eta(p),
        kinematics.phi(p),
        energy,
        energy / np.repeat(energy[trees.root], np.diff(trees.offsets)),
        kinematics.pt(p),
        kinematics.theta(p),
    )
    return np.stack(columns, axis=1)


class FeatureSet(NamedTuple):
    """What is read at each node: the names of the columns, and how they follow from trees."""

    names: tuple[str, ...]
    compute: Callable[[Trees], NDArray[np.float64]]


FEATURE_SETS = {"paper": FeatureSet(FEATURES, node_features)}
