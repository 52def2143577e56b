"""Stereo: the embeddings of several trees over the same jet, side by side."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from jetgram.errors import BadJetError
from jetgram.inputs.schedule import Schedule
from jetgram.networks.recursive import Embedding, RecursiveEmbedding


class StereoEmbedding(Embedding):
    r"""One recursive embedding a topology, concatenated: $h = [h^{(1)}(t_j^{(1)}), h^{(2)}(t_j^{(2)}), \dots]$.

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
