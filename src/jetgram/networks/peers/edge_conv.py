"""Convolutions over the edges of graphs (arXiv:1801.07829), as ParticleNet and LundNet use them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from jetgram.networks.peers.layers import Dense, Matrix, Rectified


class Neighbours(NamedTuple):
    """The neighbours of each node.

    Args:
        rows: their rows among all nodes, `(n, k)`; any row where there is none.
        weight: one over their number, `(n, k)`; 0 where there is none.
    """

    rows: Tensor
    weight: Tensor

    @classmethod
    def where(cls, rows: Tensor, there: Tensor, like: Tensor) -> Neighbours:
        """Those that are there, `(n, k)` both, with weights of the type of another tensor."""
        weight = there.to(like.dtype)
        rows = torch.where(there, rows, torch.arange(len(rows), device=rows.device)[:, None])
        return cls(rows, weight / weight.sum(dim=1, keepdim=True).clamp(min=1))


class EdgeConv(nn.Module):
    r"""One block: $x_i' = \sigma(N(\frac{1}{|N_i|} \sum_{j \in N_i} h(x_i, x_j - x_i) + S x_i))$.

    $h$ has layers of rectified units. Its first one is linear before its rectifier, so that
    $W [x_i, x_j - x_i] = A x_i + B x_j$ is computed for nodes instead of edges. $S$ is an affine shortcut. $N$ is the
    layer norm of the sum; as published it is a batch norm after each layer, with which a score would depend on other
    jets of the training.

    Args:
        inputs: length of $x$.
        widths: of the layers of $h$; the last one is that of $x'$.
    """

    def __init__(self, inputs: int, widths: Sequence[int]) -> None:
        super().__init__()
        first, last = widths[0], widths[-1]
        self.own, self.other = Dense(inputs, first), Matrix(inputs, first)
        self.edges = Rectified(widths)
        self.shortcut = Dense(inputs, last)
        self.norm = nn.LayerNorm(last)

    def forward(self, x: Tensor, neighbours: Neighbours) -> Tensor:
        """The new states `(n, outputs)` of nodes `(n, inputs)`."""
        message = torch.relu(self.own(x)[:, None] + self.other(x)[neighbours.rows])
        message = torch.bmm(neighbours.weight[:, None], self.edges(message))[:, 0]
        return torch.relu(self.norm(message + self.shortcut(x)))
