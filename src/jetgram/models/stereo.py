"""Stereo: the embeddings of several trees over the same jet, side by side."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from jetgram.engine.schedule import Schedule
from jetgram.errors import BadJetError
from jetgram.models.embedding import Embedding, RecursiveEmbedding


@dataclasses.dataclass(frozen=True, eq=False)
class StereoSchedule(Schedule):
    """The trees of one topology, and with them those of other topologies over the same jets.

    Args:
        others: the schedules of the other topologies, as long as this one.
    """

    others: tuple[Schedule, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        for other in self.others:
            if len(other) != len(self):
                raise BadJetError(f"stereo trees belong to the same jets; found {len(self)} and {len(other)} trees")

    @classmethod
    def of(cls, views: Sequence[Schedule]) -> Schedule:
        """One schedule of all views: of one alone, itself."""
        first, *others = views
        return cls(first.features, first.inner, first.offsets, tuple(others)) if others else first

    def __getitem__(self, index: Any) -> Schedule:
        """The jets of a slice, a mask, a list of indices or a single index."""
        return StereoSchedule.of([Schedule.__getitem__(self, index), *(other[index] for other in self.others)])


def views(trees: Schedule) -> tuple[Schedule, ...]:
    """The schedules of all topologies; the first one is the stereo schedule itself."""
    return (trees, *trees.others) if isinstance(trees, StereoSchedule) else (trees,)


class StereoEmbedding(Embedding):
    r"""One recursive embedding a topology, concatenated: $h = [h^{(1)}(t_j^{(1)}), h^{(2)}(t_j^{(2)}), \dots]$.

    Args:
        parts: the embeddings, each with weights of its own.

    Example:
        >>> from jetgram.models.cells import Simple
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
        found = views(trees)
        if len(found) != len(self.parts):
            raise BadJetError(f"this network reads {len(self.parts)} trees of each jet; found {len(found)}")
        return torch.cat([part(view, jets) for part, view in zip(self.parts, found, strict=True)], dim=1)
