"""The embedding of trees as a PyTorch module: of one tree per jet, or of several side by side (stereo)."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any, ClassVar

import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from jetgram.errors import BadJetError, SettingsError
from jetgram.inputs.schedule import Schedule
from jetgram.networks import device as device  # registers what a forked child does first
from jetgram.networks.cells import READOUTS, Cell, Readout
from jetgram.networks.engine import native_engine, torch_engine
from jetgram.networks.engine.capability import EngineName, choose_engine
from jetgram.networks.engine.native_engine import Fused, FusedNetwork


class Embedding(nn.Module, abc.ABC):
    """What a head reads: one vector per jet (or event), of the same length for all.

    `engine` is that of a network with this embedding as a whole. Where it is `torch`, the native engine may still run
    parts of the embedding.
    """

    engine: EngineName = "torch"

    @property
    @abc.abstractmethod
    def outputs(self) -> int:
        """Length of the embedding."""

    @abc.abstractmethod
    def forward(self, trees: Any, jets: ArrayLike | None = None) -> Tensor:
        """The embeddings of the chosen jets (by default all), `(jets, outputs)`; each embedding has its own inputs."""

    def fused(self, head: Sequence[int]) -> Fused:
        """The native twin of a network with this embedding and a head of these widths."""
        raise SettingsError(f"a network with a {type(self).__name__} has no native twin")


class RecursiveEmbedding(Embedding):
    r"""Embeds binary trees of any shape and size into vectors of one length, $t_j \mapsto h_1(t_j) \in \mathbb{R}^q$.

    With the readout `children` it is $t_j \mapsto [h_L(t_j), h_R(t_j)] \in \mathbb{R}^{2q}$, the states of the root's
    two children, or twice that of a tree's only particle.

    Args:
        cell: the recursive activation.
        engine: `native`, `torch`, or `auto`: the native one where it can work.
        readout: which states are the embedding: `root`, `children` or `mean`; see `jetgram.networks.cells`.

    Example:
        >>> import numpy as np
        >>> from jetgram.networks.cells import Simple
        >>> features, inner = np.ones((4, 7), dtype=np.float32), np.array([True, False, False, False])
        >>> trees = Schedule(features, inner, offsets=np.array([0, 3, 4]))
        >>> RecursiveEmbedding(Simple(features=7, hidden=40))(trees).shape
        torch.Size([2, 40])
        >>> RecursiveEmbedding(Simple(features=7, hidden=40), readout="children")(trees).shape
        torch.Size([2, 80])
    """

    kernel: ClassVar[str] = "trees"

    def __init__(self, cell: Cell, engine: EngineName = "auto", readout: Readout = "root") -> None:
        super().__init__()
        self.cell = cell
        self.engine = engine
        self.readout: Readout = readout

    @property
    def outputs(self) -> int:
        """Length of the embedding."""
        return READOUTS[self.readout].states * self.cell.hidden

    def forward(self, trees: Schedule, jets: ArrayLike | None = None) -> Tensor:
        """The embeddings of the chosen trees (by default all), `(jets, outputs)`."""
        if choose_engine(self.cell, self.engine, trees) == "native":
            return native_engine.embed(self.cell, trees, jets, self.readout)
        return torch_engine.embed(self.cell, trees, jets, readout=self.readout)

    def fused(self, head: Sequence[int]) -> Fused:
        """The native twin of a network with this embedding and a head of these widths."""
        return FusedNetwork(self.cell, head, self.readout)


class StereoEmbedding(Embedding):
    r"""One recursive embedding per topology, concatenated: $h = [h^{(1)}(t_j^{(1)}), h^{(2)}(t_j^{(2)}), \dots]$.

    Args:
        parts: the embeddings, each with weights of its own.

    Example:
        >>> from jetgram.networks.cells import Simple
        >>> StereoEmbedding([RecursiveEmbedding(Simple(hidden=40)), RecursiveEmbedding(Simple(hidden=40))]).outputs
        80
    """

    def __init__(self, parts: Sequence[RecursiveEmbedding]) -> None:
        super().__init__()
        self.parts = nn.ModuleList(parts)
        self._outputs = sum(part.outputs for part in parts)

    @property
    def outputs(self) -> int:
        """Length of all embeddings together."""
        return self._outputs

    def forward(self, trees: Schedule, jets: ArrayLike | None = None) -> Tensor:
        """The embeddings of the chosen jets (by default all), `(jets, outputs)`."""
        found = trees.views
        if len(found) != len(self.parts):
            raise BadJetError(f"this network reads {len(self.parts)} trees of each jet; found {len(found)}")
        return torch.cat([part(view, jets) for part, view in zip(self.parts, found, strict=True)], dim=1)
