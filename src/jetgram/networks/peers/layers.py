"""What the networks of others are built of: dense layers, sums over jets, padded jets, and convolutions over edges.

Edge convolutions (arXiv:1801.07829) are those of ParticleNet and LundNet.
"""

from __future__ import annotations

import abc
import dataclasses
import functools
import itertools
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from jetgram.inputs.particles import ParticleSets
from jetgram.networks.initialisation import Role, RoleModule
from jetgram.networks.peers.rectified import Edges, sum_of_edges
from jetgram.networks.recursive import Embedding
from jetgram.ragged import numbers_in_range


class Dense(RoleModule):
    """An affine map $W x + b$.

    Args:
        inputs: length of $x$.
        outputs: length of the result.
    """

    roles: ClassVar[dict[str, Role]] = {"W": "hidden", "b": "bias"}

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.W = self.weight("W", outputs, inputs)
        self.b = self.weight("b", outputs)

    def forward(self, x: Tensor) -> Tensor:
        """The result, `(..., outputs)`, for `(..., inputs)`."""
        return nn.functional.linear(x, self.W).add_(self.b)  # two thirds of the time of one call with the bias


class Matrix(RoleModule):
    """A linear map $W x$; the arguments are those of `Dense`."""

    roles: ClassVar[dict[str, Role]] = {"W": "hidden"}

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.W = self.weight("W", outputs, inputs)

    def forward(self, x: Tensor) -> Tensor:
        """The result, `(..., outputs)`, for `(..., inputs)`."""
        return nn.functional.linear(x, self.W)


class Rectified(nn.Sequential):
    """Layers of rectified units, one after the other.

    Args:
        widths: of the inputs, and of each layer.

    Example:
        >>> sum(weight.numel() for weight in Rectified((6, 100, 100, 128)).parameters())
        23728
    """

    def __init__(self, widths: Sequence[int]) -> None:
        layers: list[nn.Module] = []
        for inputs, outputs in itertools.pairwise(widths):
            layers += [Dense(inputs, outputs), nn.ReLU(inplace=True)]
        super().__init__(*layers)


def sum_of_jets(values: Tensor, offsets: NDArray[np.int64]) -> Tensor:
    """The sum over the rows of each jet, `(jets, columns)`, without padding; 0 for a jet without rows.

    Args:
        values: `(n, columns)`.
        offsets: first row of each jet and the end, `(jets + 1,)`.

    Example:
        >>> sum_of_jets(torch.ones(3, 2), np.array([0, 1, 1, 3]))
        tensor([[1., 1.],
                [0., 0.],
                [2., 2.]])
    """
    jets = len(offsets) - 1
    jet = torch.from_numpy(np.repeat(np.arange(jets), np.diff(offsets))).to(values.device)
    return values.new_zeros(jets, values.shape[1]).index_add(0, jet, values)


def mean_of_jets(values: Tensor, offsets: NDArray[np.int64]) -> Tensor:
    """The mean over the rows of each jet; 0 for a jet without rows. The arguments are those of `sum_of_jets`."""
    counts = torch.from_numpy(np.maximum(np.diff(offsets), 1)).to(values)
    return sum_of_jets(values, offsets) / counts[:, None]


class BucketedEmbedding(Embedding):
    """An embedding that is computed for some jets of similar size at a time.

    Jets are sorted by size and cut into buckets, from the largest: of large jets few are together, of small ones many.
    So there is little padding, and what belongs to a bucket stays in the cache. The result does not depend on which
    jets are together.
    """

    together: ClassVar[int] = 4096  # the largest load of a bucket of more than one jet

    @staticmethod
    def load(size: int) -> int:
        """What a jet with so many rows counts for: its rows."""
        return size

    @abc.abstractmethod
    def bucket(self, jets: Any) -> Tensor:
        """The embeddings of the jets of a bucket, `(jets, outputs)`."""

    def forward(self, trees: Any, jets: ArrayLike | None = None) -> Tensor:
        """The embeddings of the chosen jets (by default all), `(jets, outputs)`."""
        chosen = numbers_in_range(jets, len(trees))
        sizes = trees.counts[chosen]
        order = np.argsort(-sizes, kind="stable")
        parts = [self.bucket(trees[chosen[order[some]]]) for some in self.buckets(sizes[order])]
        if not parts:
            return next(self.parameters()).new_zeros(0, self.outputs)
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        found = torch.cat(parts)
        return found.index_select(0, torch.from_numpy(place).to(found.device))

    def buckets(self, sizes: NDArray[np.int64]) -> Iterator[slice]:
        """Where to cut jets of falling sizes into buckets, none of which is heavier than `together` with padding."""
        begin = 0
        while begin < len(sizes):
            end = begin + max(1, self.together // max(1, self.load(int(sizes[begin]))))
            yield slice(begin, end)
            begin = end


class Padded(NamedTuple):
    """Jets with as many places each as the largest has constituents.

    Args:
        features: `(jets, places, features)`; 0 where there is nothing.
        points: $(p_T, u, v)$, `(jets, places, 3)`; 0 where there is nothing.
        there: whether a place holds a constituent, `(jets, places)`.
        rows: the row of each constituent among all places, `(n,)`.
    """

    features: Tensor
    points: Tensor
    there: Tensor
    rows: Tensor


def padded(sets: ParticleSets, like: Tensor) -> Padded:
    """The jets with padding, as tensors of the type of another one."""
    places = int(sets.counts.max(initial=1))
    jet = sets.jet
    rows = jet * places + np.arange(len(jet)) - sets.offsets[jet]

    def spread(values: NDArray[Any]) -> Tensor:
        everywhere = np.zeros((len(sets) * places, values.shape[1]), dtype=values.dtype)
        everywhere[rows] = values
        return torch.from_numpy(everywhere.reshape(len(sets), places, -1)).to(like)

    there = torch.from_numpy(np.arange(places) < sets.counts[:, None]).to(like.device)
    return Padded(spread(sets.features), spread(sets.points), there, torch.from_numpy(rows).to(like.device))


@dataclasses.dataclass(frozen=True, eq=False)
class Neighbours:
    """The neighbours of each node: the edges of a graph, each from a neighbour to its node.

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

    @functools.cached_property
    def edges(self) -> Edges:
        """Those that are there, node by node."""
        node, place = torch.nonzero(self.weight, as_tuple=True)
        return Edges(node, self.rows[node, place])

    @functools.cached_property
    def share(self) -> Tensor:
        """One over the number of neighbours, `(n, 1)`; 0 for a node without."""
        return self.weight.amax(dim=1, keepdim=True)


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
        total = sum_of_edges(self.own(x), self.other(x), neighbours.edges, list(self.edges.parameters()))
        return torch.relu_(self.norm(torch.addcmul(self.shortcut(x), total, neighbours.share)))
