"""The clustering trees of many jets in one struct of arrays; also those over histories from elsewhere."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.errors import BadJetError
from jetgram.momenta import Jets
from jetgram.ragged import checked_offsets, take_rows
from jetgram.validity import require_good

ROUNDING = 1e-9  # of E, in the sums that `Trees.check` repeats


@dataclasses.dataclass(frozen=True, eq=False)
class Trees:
    r"""Binary trees over the constituents of jets: $o_k = v_{i(k)}$ at a leaf, $o_k = o_{k_L} + o_{k_R}$ above.

    A jet of N constituents has 2N - 1 nodes: nodes 0..N-1 are the leaves in the order of the constituents, N..2N-2 the
    inner nodes with children before parents, the root last. The left child $k_L$ is the one of higher pT (of equal pT:
    the lower index).

    Args:
        momenta: node momenta $o_k$, `(nodes, 4)`, `(px, py, pz, E)`.
        children: `(nodes, 2)` int32, left and right child counted within the jet; -1 at leaves.
        offsets: first node of each jet and the end, `(jets + 1,)` int64.
        topology: the name of the topology that the trees were built with.
    """

    momenta: NDArray[np.float64]
    children: NDArray[np.int32]
    offsets: NDArray[np.int64]
    topology: str = "unknown"

    def __post_init__(self) -> None:
        momenta = np.ascontiguousarray(self.momenta, dtype=np.float64)
        children = np.ascontiguousarray(self.children, dtype=np.int32)
        if momenta.ndim != 2 or momenta.shape[1] != 4 or children.shape != (len(momenta), 2):
            raise BadJetError(
                f"momenta {momenta.shape} and children {children.shape}; expected (nodes, 4) and (nodes, 2)"
            )
        offsets = checked_offsets(self.offsets, len(momenta))
        even = np.flatnonzero(np.diff(offsets) % 2 == 0)
        if len(even):
            raise BadJetError(f"tree {even[0]} has {np.diff(offsets)[even[0]]} nodes; a binary tree has an odd number")
        object.__setattr__(self, "momenta", momenta)
        object.__setattr__(self, "children", children)
        object.__setattr__(self, "offsets", offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        return f"<Trees: {len(self)} {self.topology} trees with {len(self.momenta)} nodes>"

    def __getitem__(self, index: Any) -> Trees:
        """The trees of a slice, a mask, a list of indices or a single index."""
        rows, offsets = take_rows(self.offsets, np.atleast_1d(np.arange(len(self))[index]))
        return Trees(self.momenta[rows], self.children[rows], offsets, self.topology)

    @property
    def n_leaves(self) -> NDArray[np.int64]:
        """Leaves of each tree, `(jets,)`."""
        return (np.diff(self.offsets) + 1) // 2

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Whether each node is a leaf, `(nodes,)`."""
        return self.children[:, 0] < 0

    @property
    def root(self) -> NDArray[np.int64]:
        """Row of each tree's root in `momenta`, `(jets,)`."""
        return self.offsets[1:] - 1

    @property
    def first(self) -> NDArray[np.int64]:
        """First row of the tree that each node belongs to, `(nodes,)`: `children + first[:, None]` are rows."""
        return np.repeat(self.offsets[:-1], np.diff(self.offsets))

    def levels(self) -> Iterator[NDArray[np.int64]]:
        """Rows of all roots, then of their children, and so on: one array per level, down to the deepest leaf."""
        is_leaf, first, rows = self.is_leaf, self.first, self.root
        while len(rows):
            yield rows
            inner = rows[~is_leaf[rows]]
            rows = (self.children[inner] + first[inner, None]).reshape(-1)

    @property
    def node_depth(self) -> NDArray[np.int64]:
        """Branchings between each node and the root of its tree, `(nodes,)`."""
        depth = np.zeros(len(self.momenta), dtype=np.int64)
        for level, rows in enumerate(self.levels()):
            depth[rows] = level
        return depth

    @property
    def height(self) -> NDArray[np.int64]:
        """Branchings between each node and the farthest leaf below it, `(nodes,)`."""
        height = np.zeros(len(self.momenta), dtype=np.int64)
        is_leaf, first = self.is_leaf, self.first
        for rows in reversed(list(self.levels())):
            inner = rows[~is_leaf[rows]]
            height[inner] = 1 + height[self.children[inner] + first[inner, None]].max(axis=1)
        return height

    @property
    def depth(self) -> NDArray[np.int64]:
        """Branchings between the root of each tree and its farthest leaf, `(jets,)`.

        Example:
            >>> children = np.array([[-1, -1], [-1, -1], [-1, -1], [2, 0], [1, 3], [-1, -1]], dtype=np.int32)
            >>> trees = Trees(np.ones((6, 4)), children, np.array([0, 5, 6]))
            >>> trees.depth, trees.node_depth, trees.height
            (array([2, 0]), array([2, 1, 2, 1, 0, 0]), array([0, 0, 0, 1, 2, 0]))
        """
        return np.maximum.reduceat(self.node_depth, self.offsets[:-1]) if len(self) else np.zeros(0, dtype=np.int64)

    def check(self) -> None:
        """Raise a `BadJetError` that names the first node which breaks the layout that the class describes."""
        self.check_links()
        self._require(np.isfinite(self.momenta), np.arange(len(self.momenta)), "momenta are finite")
        parents = np.flatnonzero(~self.is_leaf)
        rows = self.children[parents] + self.first[parents, None]
        left, right, both = self.momenta[rows[:, 0]], self.momenta[rows[:, 1]], self.momenta[parents]
        excess = kinematics.pt2(left) - kinematics.pt2(right)
        ordered = (excess > 0) | ((excess == 0) & (rows[:, 0] < rows[:, 1]))
        self._require(ordered, parents, "the left child has the higher pT; of equal pT, the lower index")
        summed = np.abs(left + right - both) <= ROUNDING * both[:, 3:]
        self._require(summed, parents, "a momentum is the sum of its children's")

    def check_links(self) -> None:
        """The part of `check` that needs no momenta: leaves first, parents after their children, one parent each."""
        row, first = np.arange(len(self.momenta)), self.first
        is_inner = row >= first + np.repeat(self.n_leaves, np.diff(self.offsets))
        parents, rows = row[is_inner], (self.children + first[:, None])[is_inner]
        self._require(self.children[~is_inner] == -1, row[~is_inner], "a leaf has no children")
        before = (self.children[is_inner] >= 0) & (rows < parents[:, None])
        self._require(before, parents, "children come before their parents")
        uses = np.bincount(rows.reshape(-1), minlength=len(row))
        uses[self.root] += 1
        self._require(uses == 1, row, "every node but the root has one parent")

    def _require(self, holds: NDArray[np.bool_], rows: NDArray[np.int64], rule: str) -> None:
        """Raise unless the rule holds for each of these rows."""
        if not holds.all():
            row = int(rows[np.argwhere(~holds)[0, 0]])
            tree = int(np.searchsorted(self.offsets, row, side="right")) - 1
            found = f"tree {tree}, node {row - self.offsets[tree]} with children {self.children[row].tolist()}"
            raise BadJetError(f"{found}: {rule}")


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
