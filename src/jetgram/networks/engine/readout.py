r"""What of the nodes' states the network above reads: the embedding of a tree.

`root`
    $h_1$, the state of the root, as in arXiv:1702.00748.
`children`
    $[h_L, h_R]$, the states of the root's two children, the harder one first: the last recombination is left to the
    network above, and the root's own momentum is not read. A tree of one particle has no children; both are the state
    of its leaf.
`mean`
    $[h_1, \frac1n \sum_k h_k]$, the state of the root and the mean of the states of all $n$ nodes, leaves among them:
    what lies deep in a tree reaches the network above without passing all nodes on the way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Readout = Literal["root", "children", "mean"]

# How many states an embedding is.
READOUTS: Mapping[Readout, int] = {"root": 1, "children": 2, "mean": 2}
