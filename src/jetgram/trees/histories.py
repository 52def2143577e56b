"""Trees over histories from elsewhere: FastJet's, a user's, a learned one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.errors import BadJetError
from jetgram.momenta import Jets
from jetgram.trees.trees import Trees
from jetgram.validity import require_good


def trees_from_history(jets: Jets, pairs: NDArray[np.integer], topology: str = "unknown") -> Trees:
    """The trees of jets whose joins are given: momenta are summed, and the harder child goes to the left.

    Args:
        jets: jets without fault, N constituents each.
        pairs: the two nodes that each node joins, in any order, `(nodes, 2)`: -1 at the N leaves of a jet, which come
            first; then N - 1 rows with nodes counted within the jet, which all come before.
        topology: a name for the result.

    Example:
        >>> jets = Jets.from_lists([[[1.0, 0.0, 0.0, 1.0], [0.0, 2.0, 0.0, 2.0], [3.0, 0.0, 0.0, 3.0]]])
        >>> trees = trees_from_history(jets, np.array([[-1, -1], [-1, -1], [-1, -1], [0, 1], [3, 2]]))
        >>> trees.children[3:].tolist(), trees.momenta[4].tolist()
        ([[1, 0], [2, 3]], [4.0, 2.0, 0.0, 6.0])
    """
    require_good(jets)
    offsets = 2 * jets.offsets - np.arange(len(jets) + 1)
    if pairs.shape != (offsets[-1], 2):
        raise BadJetError(
            f"pairs have shape {pairs.shape}; jets with {len(jets.momenta)} momenta need ({offsets[-1]}, 2)"
        )
    trees = Trees(np.zeros((offsets[-1], 4)), pairs.astype(np.int32), offsets, topology)
    trees.check_links()
    is_leaf, first = trees.is_leaf, trees.first
    trees.momenta[is_leaf] = jets.momenta
    for rows in reversed(list(trees.levels())):
        inner = rows[~is_leaf[rows]]
        left, right = (trees.children[inner] + first[inner, None]).T
        trees.momenta[inner] = trees.momenta[left] + trees.momenta[right]
        excess = kinematics.pt2(trees.momenta[left]) - kinematics.pt2(trees.momenta[right])
        swapped = inner[(excess < 0) | ((excess == 0) & (left > right))]
        trees.children[swapped] = trees.children[swapped, ::-1]
    return trees
