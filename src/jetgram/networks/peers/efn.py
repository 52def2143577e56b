r"""Energy Flow Networks (arXiv:1810.05165)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import torch
from torch import Tensor

from jetgram.inputs.particles import ParticleSetInput, ParticleSets
from jetgram.networks.family import TorchSettings
from jetgram.networks.peers.layers import BucketedEmbedding, Rectified, sum_of_jets
from jetgram.networks.peers.pfn import PHI, F
from jetgram.networks.recursive import Embedding
from jetgram.trees.lund import LEAF_FEATURES

DIRECTION = [LEAF_FEATURES.index(name) for name in ("u", "v")]


class EnergyFlowEmbedding(BucketedEmbedding):
    r"""A sum over constituents with their momentum fractions: $\mathcal{O} = \sum_i z_i \Phi(u_i, v_i)$.

    $z_i = p_{T,i} / \sum_j p_{T,j}$. $\Phi$ reads directions alone, so that $\mathcal{O}$ is linear in momenta: a soft
    constituent adds nothing, and two parallel ones are the same as their sum. What it gives is infrared and collinear
    safe whatever the weights are.

    Args:
        widths: of the layers of $\Phi$.

    Example:
        >>> sum(weight.numel() for weight in EnergyFlowEmbedding().parameters())
        23328
    """

    def __init__(self, widths: Sequence[int] = PHI) -> None:
        super().__init__()
        self.phi = Rectified((2, *widths))
        self._outputs = widths[-1]

    @property
    def outputs(self) -> int:
        """Length of the embedding."""
        return self._outputs

    def bucket(self, jets: ParticleSets) -> Tensor:
        """The embeddings of some jets, `(jets, outputs)`."""
        like = next(self.parameters())
        pt = torch.from_numpy(jets.points[:, :1]).to(like)
        direction = torch.from_numpy(jets.features[:, DIRECTION]).to(like)
        total = sum_of_jets(pt, jets.offsets)
        return sum_of_jets(pt * self.phi(direction), jets.offsets) / total.clamp(min=torch.finfo(total.dtype).tiny)


class EfnSettings(TorchSettings):
    """An Energy Flow Network: 46,429 parameters. The settings are those of `TorchSettings`."""

    reads = ParticleSetInput
    name: ClassVar[str] = "EFN"
    head_widths: ClassVar[tuple[int, ...]] = F

    kind: Literal["efn"] = "efn"

    def embedding(self, read: ParticleSetInput) -> Embedding:
        """What reads the jets."""
        return EnergyFlowEmbedding()
