"""The embedding of events: jets as sentences, events as paragraphs."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from numpy.typing import ArrayLike
from torch import Tensor

from jetgram import backend
from jetgram.errors import BadJetError, SettingsError
from jetgram.inputs.sequences import COLUMNS, EventSchedule
from jetgram.networks.engine import native_engine
from jetgram.networks.engine.dispatch import EngineName
from jetgram.networks.engine.native_engine import Fused
from jetgram.networks.engine.native_events import FusedEvents
from jetgram.networks.gru import GRU
from jetgram.networks.recursive import Embedding, RecursiveEmbedding


class EventEmbedding(Embedding):
    r"""Section 3.2 of arXiv:1702.00748: a GRU over the jets of an event, softest first.

    It reads $x_j = [v(t_j), h_1^\mathrm{jet}(t_j)]$, the momentum $(\phi, \eta, p_T, m)$ of each jet as it was found
    beside its embedding, which is one and the same function for all jets; both are trained together. Without an
    embedding of jets it reads $v(t_j)$ alone, or, given particles in the place of jets, their momenta $v_i$.

    Args:
        jets: the embedding of jets; None for none.
        hidden: $r$, the length of the GRU's states.
        engine: `native`, `torch`, or `auto`.

    Example:
        >>> from jetgram.networks.cells import Simple
        >>> from jetgram.networks.recursive import RecursiveEmbedding
        >>> embedding = EventEmbedding(RecursiveEmbedding(Simple(features=7, hidden=40)), hidden=40)
        >>> sum(weight.numel() for weight in embedding.parameters())
        15360
    """

    def __init__(self, jets: Embedding | None, hidden: int = 40, engine: EngineName = "auto") -> None:
        super().__init__()
        self.jets = jets
        self.engine: EngineName = engine
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
        return states[torch.from_numpy(steps.place)]

    def fused(self, head: Sequence[int], trees: EventSchedule | None = None) -> Fused | None:
        """The native twin of a network with this embedding and a head of these widths, where it can work.

        With stereo embeddings of jets there is none; the native engine runs their parts.
        """
        stereo = not (self.jets is None or isinstance(self.jets, RecursiveEmbedding))
        if stereo or self.engine == "torch":
            return None
        obstacle = self._obstacle(trees)
        if obstacle and self.engine == "native":
            raise SettingsError(f"the native engine cannot work here: {obstacle}")
        if obstacle:
            return None
        if isinstance(self.jets, RecursiveEmbedding):
            return FusedEvents(self.jets.cell, self.gru.hidden, head, self.jets.readout)
        return FusedEvents(None, self.gru.hidden, head)

    def _obstacle(self, trees: EventSchedule | None) -> str:
        """Why the native engine cannot work for this embedding (on these events); empty if it can."""
        if isinstance(self.jets, RecursiveEmbedding):
            return native_engine.obstacle(self.jets.cell, trees.trees if trees is not None else None)
        weight = self.gru.get_parameter("W_hx")
        if weight.device.type != "cpu" or weight.dtype != torch.float32:
            return f"it needs weights in float32 on the CPU; found {weight.dtype} on {weight.device}"
        return "" if backend.native_core() is not None else f"the native core is missing ({backend.load()[1]})"
