"""The clustering trees of many jets in one struct of arrays."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jetgram.errors import BadJetError


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
        nodes = len(self.momenta)
        if self.children.shape != (nodes, 2) or self.offsets[-1] != nodes:
            raise BadJetError(
                f"trees with {nodes} momenta need children of shape ({nodes}, 2) and offsets that end at {nodes}; "
                f"found {self.children.shape} and {self.offsets[-1]}"
            )
        if np.any(np.diff(self.offsets) % 2 == 0):
            jet = int(np.argmax(np.diff(self.offsets) % 2 == 0))
            raise BadJetError(f"tree {jet} has {np.diff(self.offsets)[jet]} nodes; a binary tree has an odd number")

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        return f"<Trees: {len(self)} {self.topology} trees with {len(self.momenta)} nodes>"

    def __getitem__(self, index: Any) -> Trees:
        """The trees of a slice, a mask, a list of indices or a single index."""
        chosen = np.atleast_1d(np.arange(len(self))[index])
        counts = np.diff(self.offsets)[chosen]
        offsets = np.concatenate([[0], np.cumsum(counts)])
        rows = np.repeat(self.offsets[chosen] - offsets[:-1], counts) + np.arange(offsets[-1])
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
    def depth(self) -> NDArray[np.int64]:
        """Branchings between the root of each tree and its farthest leaf, `(jets,)`.

        Example:
            >>> children = np.array([[-1, -1], [-1, -1], [-1, -1], [2, 0], [1, 3], [-1, -1]], dtype=np.int32)
            >>> Trees(np.ones((6, 4)), children, np.array([0, 5, 6])).depth
            array([2, 0])
        """
        depth = np.zeros(len(self), dtype=np.int64)
        nodes, jets = self.root, np.arange(len(self))
        while True:  # one level of all trees at a time
            inner = ~self.is_leaf[nodes]
            nodes, jets = nodes[inner], jets[inner]
            if not len(nodes):
                return depth
            depth[jets] += 1
            nodes = (self.children[nodes] + self.offsets[jets, None]).reshape(-1)
            jets = np.repeat(jets, 2)
