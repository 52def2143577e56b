"""Stereo: the embeddings of several trees over the same jet, side by side."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from jetgram.engine.dispatch import EngineName
from jetgram.engine.schedule import Schedule
from jetgram.errors import BadJetError
from jetgram.models.embedding import RecursiveEmbedding
from jetgram.models.heads import Head
from jetgram.models.network import JetNetwork


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


class StereoEmbedding(nn.Module):
    r"""One recursive embedding a topology, concatenated: $h = [h^{(1)}(t_j^{(1)}), h^{(2)}(t_j^{(2)}), \dots]$.

    Args:
        parts: the embeddings, each with weights of its own.
    """

    def __init__(self, parts: Sequence[RecursiveEmbedding]) -> None:
        super().__init__()
        self.parts = nn.ModuleList(parts)
        self.outputs = sum(part.outputs for part in parts)

    def forward(self, trees: Schedule, jets: ArrayLike | None = None) -> Tensor:
        """The embeddings of the chosen jets (by default all), `(jets, outputs)`."""
        found = views(trees)
        if len(found) != len(self.parts):
            raise BadJetError(f"this network reads {len(self.parts)} trees of each jet; found {len(found)}")
        return torch.cat([part(view, jets) for part, view in zip(self.parts, found, strict=True)], dim=1)


class StereoNetwork(JetNetwork):
    """A network whose embedding is that of several trees; the embeddings still run on the native engine.

    Example:
        >>> from jetgram.models.cells import Simple
        >>> from jetgram.models.heads import Classifier
        >>> embedding = StereoEmbedding([RecursiveEmbedding(Simple()), RecursiveEmbedding(Simple())])
        >>> sum(weight.numel() for weight in StereoNetwork(embedding, Classifier(embedding.outputs)).parameters())
        23361
    """

    def __init__(self, embedding: StereoEmbedding, head: Head) -> None:
        super().__init__(embedding, head)  # type: ignore[arg-type]

    def engine(self, trees: Schedule | None = None) -> EngineName:
        """`torch`: only the embeddings have native kernels, what stands around them has not."""
        return "torch"
