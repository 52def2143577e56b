r"""Jets as their Cambridge/Aachen declusterings: the nodes of a graph whose edges are the tree."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from jetgram.inputs.representation import CleanInput
from jetgram.inputs.schedule import Schedule
from jetgram.momenta import Jets
from jetgram.trees.lund import LUND_FEATURES, lund_features
from jetgram.trees.topologies import build_trees
from jetgram.trees.trees import Trees

Array = NDArray[np.float64]

OF_NODES = ("ln kT", "ln Delta_LR", "ln z", "ln m")
COLUMNS = (*OF_NODES, "psi")


class DeclusteringInput(CleanInput):
    r"""The declusterings of jets, as LundNet reads them (arXiv:2012.08526): $\ln k_T, \ln \Delta, \ln z, \ln m, \psi$.

    Jets are cleaned first (`jetgram.clean`) and reclustered with Cambridge/Aachen. A declustering is an inner node
    of the tree; its variables are those of `jetgram.trees.lund`, and $\psi$ is the azimuth of the softer child around
    the harder one, in the plane $(u, v)$. Leaves have none of them (NaN; 0 after scaling).

    Example:
        >>> from jetgram.kinematics import from_ptetaphim
        >>> jets = Jets.from_lists([from_ptetaphim([30.0, 10.0], [0.0, 0.4], [1.0, 1.0])])
        >>> DeclusteringInput().read(jets).inputs.features.round(2)
        array([[ 1.39, -0.92, -1.39,  1.94,  0.  ],
               [  nan,   nan,   nan,   nan,   nan],
               [  nan,   nan,   nan,   nan,   nan]], dtype=float32)
    """

    representation = Schedule

    kind: Literal["declusterings"] = "declusterings"

    @property
    def columns(self) -> tuple[str, ...]:
        """The Lund variables."""
        return COLUMNS

    def flat(self) -> dict[str, Any]:
        """What decides the declusterings."""
        return {"input": self.kind}

    def _of_clean(self, jets: Jets) -> Schedule:
        trees = build_trees(jets, "ca")
        return Schedule.from_trees(trees, declustering_features(trees))


def declustering_features(trees: Trees) -> Array:
    """The variables of each node, `(nodes, 5)`; NaN at leaves. Shapes and names are those of `COLUMNS`."""
    lund = lund_features(trees)
    inner = np.flatnonzero(~trees.is_leaf)
    left, right = (trees.children[inner] + trees.first[inner, None]).T
    u, v = (_of_any_node(lund, trees, name) for name in ("u", "v"))
    found = np.full((len(lund), len(COLUMNS)), np.nan)
    for column, name in enumerate(OF_NODES):
        found[:, column] = lund[:, LUND_FEATURES.index(f"inner: {name}")]
    found[inner, -1] = np.arctan2(v[right] - v[left], u[right] - u[left])
    return found


def _of_any_node(lund: Array, trees: Trees, name: str) -> Array:
    """A column that leaves and inner nodes both have."""
    leaf, inner = (lund[:, LUND_FEATURES.index(f"{kind}: {name}")] for kind in ("leaf", "inner"))
    return np.where(trees.is_leaf, leaf, inner)
