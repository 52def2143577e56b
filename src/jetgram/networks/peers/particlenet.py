r"""ParticleNet-Lite (arXiv:1902.08570), a graph network over the constituents of jets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
import torch
from torch import Tensor, nn

from jetgram.inputs.particles import ParticleSetInput, ParticleSets
from jetgram.networks.family import TorchSettings
from jetgram.networks.peers.layers import BucketedEmbedding, EdgeConv, Neighbours, mean_of_jets, padded
from jetgram.networks.recursive import Embedding

NEAREST = 7
BLOCKS = ((32, 32, 32), (64, 64, 64))
HEAD = (128,)


class ParticleGraph(BucketedEmbedding):
    r"""Edge convolutions over constituents, each with its nearest ones; the embedding is the mean of the last states.

    The first block finds neighbours by their distance in $(u, v)$, the next one by that of the states, so that the
    graph is learned.

    Args:
        features: of each constituent.
        blocks: the widths of the layers on edges of each block.
        nearest: k, the number of neighbours; all others, where a jet has fewer.

    Example:
        >>> sum(weight.numel() for weight in ParticleGraph(features=6).parameters())
        17536
    """

    def __init__(self, features: int, blocks: Sequence[Sequence[int]] = BLOCKS, nearest: int = NEAREST) -> None:
        super().__init__()
        inputs = (features, *(widths[-1] for widths in blocks))
        self.blocks = nn.ModuleList(EdgeConv(a, widths) for a, widths in zip(inputs, blocks, strict=False))
        self.nearest = nearest
        self._outputs = inputs[-1]

    @property
    def outputs(self) -> int:
        """Length of the embedding."""
        return self._outputs

    def bucket(self, jets: ParticleSets) -> Tensor:
        """The embeddings of some jets, `(jets, outputs)`."""
        like = next(self.parameters())
        places = padded(jets, like)
        coordinates, x = places.points[..., 1:], torch.from_numpy(jets.features).to(like)
        for block in self.blocks:
            x = block(x, nearest(coordinates, places.there, places.rows, self.nearest))
            coordinates = _spread(x.detach(), places.there, places.rows)
        return mean_of_jets(x, jets.offsets)


def _spread(values: Tensor, there: Tensor, rows: Tensor) -> Tensor:
    """Values of constituents `(n, columns)` at their places, `(jets, places, columns)`."""
    everywhere = values.new_zeros(there.numel(), values.shape[1])
    everywhere[rows] = values
    return everywhere.view(*there.shape, -1)


def nearest(coordinates: Tensor, there: Tensor, rows: Tensor, k: int) -> Neighbours:
    """The k nearest of each constituent in its own jet, without itself.

    Args:
        coordinates: `(jets, places, columns)`.
        there: whether a place holds a constituent, `(jets, places)`.
        rows: the place of each constituent among all, `(n,)`.
        k: how many; fewer, where a jet has fewer.

    Example:
        >>> line = torch.tensor([[[0.0], [1.0], [3.0], [0.0]]])
        >>> there = torch.tensor([[True, True, True, False]])
        >>> nearest(line, there, torch.tensor([0, 1, 2]), k=1).rows
        tensor([[1],
                [0],
                [1]])
    """
    jets, places = there.shape
    # Of |x_i - x_j|^2 the part that depends on j; in double precision, where there is one, so that the difference of
    # large numbers keeps small distances.
    x = coordinates if coordinates.device.type == "mps" else coordinates.double()
    square = (x * x).sum(dim=2).masked_fill_(~there, torch.inf)
    distance = torch.baddbmm(square[:, None], x, x.transpose(1, 2), alpha=-2)
    distance.diagonal(dim1=1, dim2=2).fill_(torch.inf)
    found = smallest(distance.view(jets * places, places), min(k, places)).index_select(0, rows)
    there_too = torch.isfinite(distance.view(-1).take(found + rows[:, None] * places))
    counts = there.sum(dim=1)
    first = (counts.cumsum(0) - counts)[rows // places]
    return Neighbours.where(found + first[:, None], there_too, coordinates)


def smallest(values: Tensor, k: int) -> Tensor:
    """Where the k smallest numbers of each row are, `(rows, k)`, in any order.

    On a CPU by numpy, whose selection takes a third of the time of `topk`.

    Example:
        >>> smallest(torch.tensor([[3.0, 1.0, 2.0], [0.0, 5.0, 4.0]]), k=1)
        tensor([[1],
                [0]])
    """
    if values.device.type != "cpu":
        return values.topk(k, dim=1, largest=False, sorted=False).indices
    return torch.from_numpy(np.argpartition(values.numpy(), k - 1, axis=1)[:, :k])


class ParticleNetSettings(TorchSettings):
    """ParticleNet-Lite: 25,985 parameters. The settings are those of `TorchSettings`."""

    reads = ParticleSetInput
    name: ClassVar[str] = "ParticleNet-Lite"
    head_widths: ClassVar[tuple[int, ...]] = HEAD

    kind: Literal["particlenet"] = "particlenet"

    def embedding(self, read: ParticleSetInput) -> Embedding:
        """What reads the jets."""
        return ParticleGraph(len(read.columns))
