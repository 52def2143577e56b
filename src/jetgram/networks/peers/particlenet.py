r"""ParticleNet-Lite (arXiv:1902.08570), a graph network over the constituents of jets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

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
    # Not by products of matrices: their rounding would depend on the other jets.
    distance = torch.cdist(coordinates, coordinates, compute_mode="donot_use_mm_for_euclid_dist")
    distance.masked_fill_(~there[:, None, :], torch.inf)
    distance.diagonal(dim1=1, dim2=2).fill_(torch.inf)
    found = distance.topk(min(k, places), dim=2, largest=False)
    counts = there.sum(dim=1)
    first = counts.cumsum(0) - counts
    flat = (found.indices + first[:, None, None]).view(jets * places, -1)[rows]
    return Neighbours.where(flat, torch.isfinite(found.values).view(jets * places, -1)[rows], coordinates)


class ParticleNetSettings(TorchSettings):
    """ParticleNet-Lite: 25,985 parameters. The settings are those of `TorchSettings`."""

    reads = ParticleSetInput
    name: ClassVar[str] = "ParticleNet-Lite"
    head_widths: ClassVar[tuple[int, ...]] = HEAD

    kind: Literal["particlenet"] = "particlenet"

    def embedding(self, read: ParticleSetInput) -> Embedding:
        """What reads the jets."""
        return ParticleGraph(len(read.columns))
