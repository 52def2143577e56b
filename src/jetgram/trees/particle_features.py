r"""Node features from any column of particles, carried up the tree by a rule.

A column $x_i$ of the constituents becomes one feature of each node $k$ with the leaves $L(k)$ below it:

| written | at node $k$ |
|---|---|
| `sum:x` | $\sum_{i \in L(k)} x_i$ |
| `mean:x` | $\sum_{i \in L(k)} p_{Ti}\, x_i / \sum_{i \in L(k)} p_{Ti}$ |
| `onehot:pdgid` | one per class $c$ in `PDG_CLASSES`: the fraction of the scalar pT that particles of the class carry |
| `onehot:x:N` | the same for the classes 0, ..., N - 1 of any column of integers |
| `x` | `sum:x` for the charge, which adds up; `mean:x` for all others (an impact parameter, a PUPPI weight) |

A leaf has its particle's own value; one-hot, it is 1 in its class and 0 elsewhere. Means and fractions of a node stay
the same when a particle below it splits collinearly, and nearly so when a soft one is added; sums need not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics, pdg
from jetgram.errors import BadJetError, SettingsError
from jetgram.trees.trees import Trees

Array = NDArray[np.float64]
Particles = Mapping[str, NDArray[Any]]

PDG_CLASSES = ("photon", "electron", "muon", "charged hadron", "neutral hadron")
ADDITIVE = ("charge",)
MOST_CLASSES = 100
_FUNDAMENTAL = {22: 0, 11: 1, 13: 2}
_CHARGED_HADRON, _NEUTRAL_HADRON = 3, 4


class ColumnFeature(NamedTuple):
    """Features from one column of particles.

    Args:
        names: of the features.
        column: of the particles.
        compute: the features `(nodes, names)` from trees and the column.
    """

    names: tuple[str, ...]
    column: str
    compute: Callable[[Trees, NDArray[Any]], Array]


def parse_feature(text: str) -> ColumnFeature:
    """The features that are meant by `charge`, `sum:x`, `mean:x`, `onehot:pdgid` or `onehot:x:N`.

    Example:
        >>> parse_feature("onehot:pdgid").names
        ('photon', 'electron', 'muon', 'charged hadron', 'neutral hadron')
        >>> parse_feature("charge").names, parse_feature("d0").names
        (('sum of charge',), ('mean of d0',))
    """
    rule, _, column = text.partition(":")
    if not column:
        rule, column = ("sum" if text in ADDITIVE else "mean"), text
    if rule == "onehot":
        return _one_hot(text, *column.partition(":")[::2])
    if rule not in ("sum", "mean") or not column or ":" in column:
        raise SettingsError(f"found {text!r} among the features; expected a column, sum:x, mean:x or onehot:x")
    compute = _sum if rule == "sum" else _mean
    return ColumnFeature(
        (f"{rule} of {column}",), column, lambda trees, values: compute(trees, _numbers(values, column))
    )


def sum_leaves(trees: Trees, values: Array) -> Array:
    """The sums over the leaves below each node, `(nodes, k)`, of values of the leaves in their order, `(leaves, k)`.

    Example:
        >>> children = np.array([[-1, -1], [-1, -1], [0, 1]], dtype=np.int32)
        >>> sum_leaves(Trees(np.ones((3, 4)), children, np.array([0, 3])), np.array([[1.0], [5.0]]))[:, 0]
        array([1., 5., 6.])
    """
    sums = np.empty((len(trees.momenta), values.shape[1]))
    sums[trees.is_leaf] = values
    leaves, starts = trees.n_leaves, trees.offsets[:-1]
    order = np.argsort(-leaves, kind="stable")
    # Children stand before parents: the n-th inner node of all trees at once, of those that have so many.
    having = np.searchsorted(-leaves[order], -np.arange(1, leaves.max(initial=1)), side="left")
    for number, count in enumerate(having.tolist()):
        some = order[:count]
        rows = starts[some] + leaves[some] + number
        left, right = (trees.children[rows] + starts[some, None]).T
        sums[rows] = sums[left] + sums[right]
    return sums


def pdg_classes(pdgid: NDArray[Any]) -> NDArray[np.int64]:
    """The class of each particle: its number in `PDG_CLASSES`, or -1 for id 0 and for what no detector sees.

    Example:
        >>> pdg_classes(np.array([22, -211, 130, 13, 12]))
        array([ 0,  3,  4,  2, -1])
    """
    ids = np.abs(_numbers(pdgid, "pdgid")).astype(np.int64)
    hadron = np.where(pdg.charge(ids) == 0, _NEUTRAL_HADRON, _CHARGED_HADRON)
    classes = np.where(pdg.is_hadron(ids), hadron, -1)
    for size, number in _FUNDAMENTAL.items():
        classes[ids == size] = number
    return classes


def _one_hot(text: str, column: str, count: str) -> ColumnFeature:
    if column == "pdgid" and not count:
        return ColumnFeature(
            PDG_CLASSES, column, lambda trees, values: _fractions(trees, pdg_classes(values), len(PDG_CLASSES))
        )
    if not column or not count.isdecimal() or not 2 <= int(count) <= MOST_CLASSES:
        raise SettingsError(
            f"found {text!r} among the features; expected onehot:pdgid, or onehot:x:N for N classes of x"
        )
    number = int(count)

    def compute(trees: Trees, values: NDArray[Any]) -> Array:
        classes = _numbers(values, column)
        strange = ~np.isin(classes, np.arange(number))
        if strange.any():
            raise BadJetError(f"a particle has {column} = {classes[strange][0]:g}; expected an integer below {number}")
        return _fractions(trees, classes.astype(np.int64), number)

    return ColumnFeature(tuple(f"{column} {each}" for each in range(number)), column, compute)


def _sum(trees: Trees, values: Array) -> Array:
    return sum_leaves(trees, values[:, None])


def _mean(trees: Trees, values: Array) -> Array:
    return _weighted(trees, values[:, None])


def _fractions(trees: Trees, classes: NDArray[np.int64], count: int) -> Array:
    return _weighted(trees, (classes[:, None] == np.arange(count)).astype(np.float64))


def _weighted(trees: Trees, values: Array) -> Array:
    """The means with weights pT, `(nodes, k)`; a leaf has its own values, bit for bit."""
    pt = np.maximum(kinematics.pt(trees.momenta[trees.is_leaf]), np.finfo(np.float64).tiny)[:, None]
    sums = sum_leaves(trees, np.concatenate([values * pt, pt], axis=1))
    means: Array = sums[:, :-1] / sums[:, -1:]
    means[trees.is_leaf] = values
    return means


def _numbers(values: NDArray[Any], column: str) -> Array:
    """A column as finite numbers `(leaves,)`."""
    if values.ndim != 1 or values.dtype.kind not in "biuf":
        raise BadJetError(f"{column} has shape {values.shape} and type {values.dtype}; expected a number per particle")
    numbers = values.astype(np.float64)
    bad = ~np.isfinite(numbers)
    if bad.any():
        found = f"{column} of particles is {numbers[bad][0]} {np.count_nonzero(bad):,} times in {len(numbers):,}"
        raise BadJetError(f"{found}; expected finite numbers: set those to 0, or leave {column} out of the features")
    return numbers
