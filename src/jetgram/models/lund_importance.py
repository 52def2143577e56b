r"""Where on the Lund plane the nodes are that matter for the score.

A branching of an inner node into the children L and R, R the softer one, lies at

$$ x = \ln 1/\Delta_{LR} , \qquad y = \ln k_T / \mathrm{GeV} , \qquad k_T = p_{T,R} \, \Delta_{LR} , $$

as in `jetgram.trees.lund`. Soft wide-angle radiation is at the lower left, collinear splittings are at the right. The
hardest lie on the upper edge $z = 1/2$, which falls from upper left to lower right with slope -1. Below
$k_T \approx 1$ GeV is hadronisation.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from jetgram.joining import chunks
from jetgram.models.importance import Importance, node_importance
from jetgram.models.model import JetModel
from jetgram.momenta import Jets
from jetgram.trees.lund import LUND_FEATURES, lund_features
from jetgram.trees.trees import Trees

Array = NDArray[np.float64]

X_EDGES = np.linspace(-1.0, 7.0, 25)  # ln 1/Delta: from beyond the diameter of the paper's jets to a thousandth of it
Y_EDGES = np.linspace(-6.0, 5.0, 23)  # ln kT/GeV: from 2.5 MeV to 150 GeV
BATCH = 200  # jets of one gradient

_LN_DELTA, _LN_KT = (LUND_FEATURES.index(f"inner: {name}") for name in ("ln Delta_LR", "ln kT"))


@dataclasses.dataclass(frozen=True, eq=False)
class LundImportance:
    """Branchings of many jets and their importance, in cells of the Lund plane.

    Args:
        jets: how many jets were added up.
        branchings: in each cell, `(x cells, y cells)`; those beyond the edges are in the outermost cells.
        importance: the sum of theirs in each cell.
    """

    jets: int
    branchings: Array
    importance: Array

    @classmethod
    def empty(cls) -> LundImportance:
        """Of no jets."""
        shape = len(X_EDGES) - 1, len(Y_EDGES) - 1
        return cls(0, np.zeros(shape), np.zeros(shape))

    def __add__(self, other: LundImportance) -> LundImportance:
        """Of the jets of both."""
        return LundImportance(
            self.jets + other.jets, self.branchings + other.branchings, self.importance + other.importance
        )

    def mean(self, at_least: int = 1) -> Array:
        """The mean importance of the branchings in each cell; NaN in cells with fewer than `at_least`."""
        filled = self.branchings >= max(at_least, 1)
        means = np.full(filled.shape, np.nan)
        means[filled] = self.importance[filled] / self.branchings[filled]
        return means


def lund_coordinates(trees: Trees) -> tuple[Array, Array]:
    r"""$\ln 1/\Delta$ and $\ln k_T/\mathrm{GeV}$ of each node, `(nodes,)` each; NaN at leaves.

    Example:
        >>> from jetgram.kinematics import from_ptetaphim
        >>> from jetgram.trees.topologies import build_trees
        >>> pair = Jets.from_lists([from_ptetaphim([30.0, 10.0], [0.0, 0.5], [1.0, 1.0])])
        >>> x, y = lund_coordinates(build_trees(pair, "ca"))  # ln 2 and ln 5
        >>> x.round(3), y.round(3)
        (array([  nan,   nan, 0.693]), array([  nan,   nan, 1.609]))
    """
    features = lund_features(trees)
    return -features[:, _LN_DELTA], features[:, _LN_KT]


def is_primary(trees: Trees) -> NDArray[np.bool_]:
    """Whether each node is on the way from the root along the harder children: the primary Lund plane, `(nodes,)`."""
    primary = np.zeros(len(trees.momenta), dtype=np.bool_)
    is_leaf, first, rows = trees.is_leaf, trees.first, trees.root
    while len(rows):
        primary[rows] = True
        inner = rows[~is_leaf[rows]]
        rows = trees.children[inner, 0] + first[inner]
    return primary


def on_lund_plane(found: Importance, primary: bool = False) -> LundImportance:
    """Add up the importance of branchings in the cells of the Lund plane.

    Args:
        found: trees with the importance of their nodes.
        primary: only branchings along the harder child, from the root on.
    """
    trees = found.trees
    chosen = ~trees.is_leaf
    if primary:
        chosen &= is_primary(trees)
    x, y = (
        np.clip(values[chosen], edges[0], edges[-1])
        for values, edges in zip(lund_coordinates(trees), (X_EDGES, Y_EDGES), strict=True)
    )
    sums = [np.histogram2d(x, y, (X_EDGES, Y_EDGES), weights=weights)[0] for weights in (None, found.values[chosen])]
    return LundImportance(len(trees), sums[0], sums[1])


@dataclasses.dataclass(frozen=True, eq=False)
class LundMaps:
    """The Lund planes of the same jets: of all branchings, and of the primary ones."""

    everything: LundImportance
    primary: LundImportance


def lund_importance(model: JetModel, jets: Jets, first_jet: int = 0) -> LundMaps:
    """The importance of branchings on the Lund plane, summed over jets, e.g. of one class.

    Args:
        model: of one topology.
        jets: as they were found.
        first_jet: the number of the first jet, when `jets` is a batch out of more; for messages.

    Example:
        >>> from jetgram.kinematics import from_ptetaphim
        >>> from jetgram.models.settings import ModelSettings
        >>> jets = Jets.from_lists([from_ptetaphim([50.0, 40.0, 1.0], [0.0, 0.3, 0.2], [0.0, 0.1, 0.1])])
        >>> found = lund_importance(JetModel.untrained(ModelSettings(), jets), jets)
        >>> found.everything.jets, float(found.everything.branchings.sum())
        (1, 2.0)
    """
    everything = primary = LundImportance.empty()
    for first, some in chunks(jets, BATCH):
        if len(some):
            nodes = node_importance(model, some, first_jet + first)
            everything += on_lund_plane(nodes)
            primary += on_lund_plane(nodes, primary=True)
    return LundMaps(everything, primary)
