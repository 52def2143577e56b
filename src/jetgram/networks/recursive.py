"""The embedding of trees as a PyTorch module."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any, ClassVar

from numpy.typing import ArrayLike
from torch import Tensor, nn

from jetgram.errors import SettingsError
from jetgram.inputs.schedule import Schedule
from jetgram.networks import forks as forks  # registers what a forked child does first
from jetgram.networks.cells import Cell
from jetgram.networks.engine.dispatch import EngineName, embed
from jetgram.networks.engine.native_engine import Fused, FusedNetwork
from jetgram.networks.engine.readout import READOUTS, Readout


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
        readout: which states are the embedding, `root` or `children`; see `jetgram.networks.engine.readout`.

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
        return READOUTS[self.readout] * self.cell.hidden

    def forward(self, trees: Schedule, jets: ArrayLike | None = None) -> Tensor:
        """The embeddings of the chosen trees (by default all), `(jets, outputs)`."""
        return embed(self.cell, trees, jets, self.engine, self.readout)

    def fused(self, head: Sequence[int]) -> Fused:
        """The native twin of a network with this embedding and a head of these widths."""
        return FusedNetwork(self.cell, head, self.readout)
