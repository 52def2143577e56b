"""What the networks read at each node of a tree: the seven features of arXiv:1702.00748, and others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jetgram import backend, kinematics
from jetgram.errors import BadJetError, SettingsError, require_known
from jetgram.trees.lund import LUND_FEATURES, lund_features
from jetgram.trees.particle_features import parse_feature
from jetgram.trees.trees import Trees

FEATURES = ("p", "eta", "phi", "E", "E/E_jet", "pT", "theta")
CLASSES = ("charged hadron +", "charged hadron -", "photon", "neutral hadron")  # of energy flow; `pclass` counts them


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


def class_features(trees: Trees, pclass: NDArray[Any]) -> NDArray[np.float64]:
    """One column per class of particles, `(nodes, 4)`: 1 at the leaves of that class, 0 at all other nodes.

    Args:
        trees: over constituents with a class.
        pclass: the class of each constituent, in their order: its number in `CLASSES`.

    Example:
        >>> children = np.array([[-1, -1], [-1, -1], [0, 1]], dtype=np.int32)
        >>> class_features(Trees(np.ones((3, 4)), children, np.array([0, 3])), np.array([2, 0]))
        array([[0., 0., 1., 0.],
               [1., 0., 0., 0.],
               [0., 0., 0., 0.]])
    """
    strange = ~np.isin(pclass, np.arange(len(CLASSES)))
    if strange.any():
        wanted = ", ".join(f"{number} ({name})" for number, name in enumerate(CLASSES))
        raise BadJetError(f"a particle has the class {pclass[strange][0]}; expected one of {wanted}")
    features = np.zeros((len(trees.momenta), len(CLASSES)))
    features[np.flatnonzero(trees.is_leaf), np.asarray(pclass, dtype=np.int64)] = 1.0
    return features


class FeatureSet(NamedTuple):
    """What is read at each node.

    Args:
        names: of the columns.
        compute: the columns `(nodes, names)` from trees and from what belongs to their leaves, by name.
        particles: the names in question: columns that the constituents must have.
        preprocess: whether jets are turned into the frame of their subjets first, unless something else is asked for.
        clean: whether soft and close constituents are left out or merged first; see `jetgram.clean`.
        scaling: how the columns are scaled; see `jetgram.inputs.scaler`.
        kernel: its name in the native core; None where only `compute` knows it.
    """

    names: tuple[str, ...]
    compute: Callable[[Trees, Mapping[str, NDArray[Any]]], NDArray[np.float64]]
    particles: tuple[str, ...] = ()
    preprocess: bool = True
    clean: bool = False
    scaling: Literal["robust", "standard"] = "robust"
    kernel: str | None = None


def _with_classes(trees: Trees, particles: Mapping[str, NDArray[Any]]) -> NDArray[np.float64]:
    return np.concatenate([node_features(trees), class_features(trees, particles["pclass"])], axis=1)


FEATURE_SETS = {
    "paper": FeatureSet(FEATURES, lambda trees, particles: node_features(trees), kernel="paper"),
    "paper+pclass": FeatureSet((*FEATURES, *CLASSES), _with_classes, particles=("pclass",)),
    "lund": FeatureSet(
        LUND_FEATURES,
        lambda trees, particles: lund_features(trees),
        preprocess=False,
        clean=True,
        scaling="standard",
        kernel="lund",
    ),
}


def find_features(name: str) -> FeatureSet:
    """The set of a name in `FEATURE_SETS`, or of such a name with columns of particles joined to it by `+`.

    Example:
        >>> find_features("paper+charge+mean:d0").names[6:]
        ('theta', 'sum of charge', 'mean of d0')
        >>> find_features("papr+charge")
        Traceback (most recent call last):
        jetgram.errors.SettingsError: no set of features 'papr'; did you mean 'paper'?
    """
    parts = [part.strip() for part in name.split("+")]
    # `paper+pclass` is the name of a set itself: the longest one counts.
    used = next((n for n in range(len(parts), 0, -1) if "+".join(parts[:n]) in FEATURE_SETS), 1)
    first, others = "+".join(parts[:used]), parts[used:]
    require_known("no set of features", first, FEATURE_SETS)
    base, columns = FEATURE_SETS[first], [parse_feature(text) for text in others]
    if not columns:
        return base
    names = (*base.names, *(each for column in columns for each in column.names))
    twice = next((each for each in names if names.count(each) > 1), None)
    if twice is not None:
        raise SettingsError(f"the features {name} have {twice!r} twice")

    def compute(trees: Trees, particles: Mapping[str, NDArray[Any]]) -> NDArray[np.float64]:
        more = [column.compute(trees, particles[column.column]) for column in columns]
        return np.concatenate([base.compute(trees, particles), *more], axis=1)

    needed = tuple(dict.fromkeys([*base.particles, *(column.column for column in columns)]))
    return base._replace(names=names, compute=compute, particles=needed, kernel=None)
