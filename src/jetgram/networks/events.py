"""The embedding of events: jets as sentences, events as paragraphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import torch
from numpy.typing import ArrayLike
from torch import Tensor

from jetgram.errors import BadJetError
from jetgram.inputs.sequences import COLUMNS, EventSchedule
from jetgram.networks.engine.capability import EngineName
from jetgram.networks.engine.native_engine import Fused, FusedEvents
from jetgram.networks.gru import GRU
from jetgram.networks.recursive import Embedding, RecursiveEmbedding


class EventEmbedding(Embedding):
    r"""Section 3.2 of arXiv:1702.00748: a GRU over the jets of an event, softest first.

    It reads $x_j = [v(t_j), h_1^\mathrm{jet}(t_j)]$, the momentum $(\phi, \eta, p_T, m)$ of each jet as it was found
    next to its embedding, which is one and the same function for all jets; both are trained together. Without an
    embedding of jets it reads $v(t_j)$ alone, or, given particles in the position of jets, their momenta $v_i$.

    Args:
        jets: the embedding of jets; None for none.
        hidden: $r$, the length of the GRU's states.
        engine: `native`, `torch`, or `auto`; of embeddings of several trees the native engine runs the parts.

    Example:
        >>> from jetgram.networks.cells import Simple
        >>> from jetgram.networks.recursive import RecursiveEmbedding
        >>> embedding = EventEmbedding(RecursiveEmbedding(Simple(features=7, hidden=40)), hidden=40)
        >>> sum(weight.numel() for weight in embedding.parameters())
        15360
    """

    kernel: ClassVar[str] = "events"

    def __init__(self, jets: Embedding | None, hidden: int = 40, engine: EngineName = "auto") -> None:
        super().__init__()
        self.jets = jets
        self.engine = engine if jets is None or isinstance(jets, RecursiveEmbedding) else "torch"
        self.gru = GRU(len(COLUMNS) + (jets.outputs if jets is not None else 0), hidden)

    @property
    def outputs(self) -> int:
        """Length of the GRU's states."""
        return self.gru.hidden

    def forward(self, trees: EventSchedule, jets: ArrayLike | None = None) -> Tensor:
        """The embeddings of the chosen events (by default all), `(events, hidden)`."""
        steps = trees.steps(jets)
        weight = self.gru.get_parameter("W_hx")
        x = torch.from_numpy(trees.momenta.take(steps.jets, axis=0)).to(weight)
        if self.jets is not None:
            if trees.trees is None:
                raise BadJetError("this network reads the trees of jets; these events have none")
            x = torch.cat([x, self.jets(trees.trees, steps.jets)], dim=1)
        states: Tensor = self.gru(x, steps.counts)
        return states[torch.from_numpy(steps.position)]

    def fused(self, head: Sequence[int]) -> Fused:
        """The native twin of a network with this embedding and a head of these widths."""
        if isinstance(self.jets, RecursiveEmbedding):
            return FusedEvents(self.jets.cell, self.gru.hidden, head, self.jets.readout)
        return FusedEvents(None, self.gru.hidden, head)
