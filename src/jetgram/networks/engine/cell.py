"""What the engines ask of a cell; `jetgram.networks.cells.Cell` is the base class to derive from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from torch import Tensor, nn


class Cell(Protocol):
    """A recursive activation: how the state of a node follows from those of its children."""

    @property
    def name(self) -> str:
        """The name by which the native engine finds its kernels."""
        ...

    @property
    def features(self) -> int:
        """Numbers that the cell reads at each node."""
        ...

    @property
    def hidden(self) -> int:
        """Length q of the states."""
        ...

    def node_input(self, features: Tensor) -> Tensor:
        """The local information u of nodes, `(nodes, q)`, from their features."""
        ...

    def __call__(self, children: Tensor, u: Tensor) -> Tensor:
        """The states `(nodes, q)` of inner nodes from those of their children, `(nodes, 2 q)`, and their u."""
        ...

    def parameters(self) -> Iterator[nn.Parameter]:
        """The weights in the order of the flat vector."""
        ...
