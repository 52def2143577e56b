r"""LundNet (arXiv:2012.08526), a graph network over the declusterings of jets, in a small form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from jetgram.inputs.declusterings import DeclusteringInput
from jetgram.inputs.schedule import Schedule
from jetgram.networks.family import TorchSettings
from jetgram.networks.peers.layers import BucketedEmbedding, EdgeConv, Neighbours, Rectified, mean_of_jets
from jetgram.networks.recursive import Embedding
from jetgram.ragged import offsets_of

BLOCKS = (32, 64, 64)  # published: 32, 32, 64, 64, 128, 128
FUSION = 128  # published: 384
HEAD = (64,)  # published: 256


class LundGraph(BucketedEmbedding):
    r"""Edge convolutions over declusterings, whose neighbours are mother and daughters in the Cambridge/Aachen tree.

    The states of all blocks side by side go through one layer, and their mean over all declusterings is the embedding.
    A jet of one constituent has no declustering; its embedding is 0.

    Args:
        features: of each declustering.
        widths: of the blocks, each with two layers on edges.
        fusion: length of the embedding.

    Example:
        >>> sum(weight.numel() for weight in LundGraph(features=5).parameters())
        49536
    """

    together = 16_384  # nothing is padded: large buckets save calls

    def __init__(self, features: int, widths: Sequence[int] = BLOCKS, fusion: int = FUSION) -> None:
        super().__init__()
        inputs = (features, *widths)
        self.blocks = nn.ModuleList(EdgeConv(a, (b, b)) for a, b in zip(inputs, widths, strict=False))
        self.fusion = Rectified((sum(widths), fusion))
        self._outputs = fusion

    @property
    def outputs(self) -> int:
        """Length of the embedding."""
        return self._outputs

    def bucket(self, jets: Schedule) -> Tensor:
        """The embeddings of some jets, `(jets, outputs)`."""
        x = torch.from_numpy(jets.features[jets.inner]).to(next(self.parameters()))
        rows, offsets = relatives(jets)
        found = torch.from_numpy(rows).to(x.device)
        neighbours = Neighbours.where(found, found >= 0, x)
        states = []
        for block in self.blocks:
            x = block(x, neighbours)
            states.append(x)
        return mean_of_jets(self.fusion(torch.cat(states, dim=1)), offsets)


def relatives(trees: Schedule) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Mother and daughters of each declustering, `(n, 3)`, -1 for none; and the offsets of jets, `(jets + 1,)`.

    The children of the i-th inner row of a tree are its rows 2i + 1 and 2i + 2: so the mother of its row r is the inner
    row number (r - 1) // 2.

    Example:
        A root, and an inner node to its right:

        >>> inner = np.array([True, False, True, False, False])
        >>> relatives(Schedule(np.zeros((5, 1), np.float32), inner, np.array([0, 5])))
        (array([[-1, -1,  1],
               [ 0, -1, -1]]), array([0, 2]))
    """
    before = offsets_of(trees.inner)
    offsets = before[trees.offsets]
    row = np.flatnonzero(trees.inner)
    jet = np.repeat(np.arange(len(trees)), np.diff(offsets))
    place = row - trees.offsets[jet]  # within the tree
    found = np.full((len(row), 3), -1)
    has_mother = np.flatnonzero(place > 0)
    mother = offsets[jet[has_mother]] + (place[has_mother] - 1) // 2
    found[has_mother, 0] = mother
    found[mother, 1 + (place[has_mother] - 1) % 2] = has_mother
    return found, offsets


class LundNetSettings(TorchSettings):
    """A small LundNet: 57,857 parameters. The settings are those of `TorchSettings`."""

    reads = DeclusteringInput
    name: ClassVar[str] = "LundNet"
    head_widths: ClassVar[tuple[int, ...]] = HEAD

    kind: Literal["lundnet"] = "lundnet"

    def embedding(self, read: DeclusteringInput) -> Embedding:
        """What reads the jets."""
        return LundGraph(len(read.columns))
