r"""Particle Flow Networks (arXiv:1810.05165)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import torch
from torch import Tensor

from jetgram.inputs.particles import ParticleSetInput, ParticleSets
from jetgram.networks.family import TorchSettings
from jetgram.networks.peers.layers import BucketedEmbedding, Rectified, sum_of_jets
from jetgram.networks.recursive import Embedding

PHI = (100, 100, 128)  # units of the layers on each constituent, two of them as published, the last one half as wide
F = (100, 100)  # units of the layers behind the sum
TYPICAL = 10.0  # brings the sum over some 50 constituents to the scale of one unit


class ParticleFlow(BucketedEmbedding):
    r"""A sum over constituents, $\mathcal{O} = \frac{1}{10} \sum_i \Phi(x_i)$, which the head reads: $F(\mathcal{O})$.

    $\Phi$ has three layers of rectified units. Any function of a set is of this form, if $\Phi$ is wide enough.

    Args:
        features: of each constituent.
        widths: of the layers of $\Phi$.

    Example:
        >>> sum(weight.numel() for weight in ParticleFlow(features=6).parameters())
        23728
    """

    def __init__(self, features: int, widths: Sequence[int] = PHI) -> None:
        super().__init__()
        self.phi = Rectified((features, *widths))
        self._outputs = widths[-1]

    @property
    def outputs(self) -> int:
        """Length of the embedding."""
        return self._outputs

    def bucket(self, jets: ParticleSets) -> Tensor:
        """The embeddings of some jets, `(jets, outputs)`."""
        x = torch.from_numpy(jets.features).to(next(self.parameters()))
        return sum_of_jets(self.phi(x), jets.offsets) / TYPICAL


class PfnSettings(TorchSettings):
    """A Particle Flow Network: 46,829 parameters. The settings are those of `TorchSettings`."""

    reads = ParticleSetInput
    name: ClassVar[str] = "PFN"
    head_widths: ClassVar[tuple[int, ...]] = F

    kind: Literal["pfn"] = "pfn"

    def embedding(self, read: ParticleSetInput) -> Embedding:
        """What reads the jets."""
        return ParticleFlow(len(read.columns))
