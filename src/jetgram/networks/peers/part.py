r"""The Particle Transformer (arXiv:2202.03772), in a small form."""

from __future__ import annotations

from typing import ClassVar, Literal

import torch
from torch import Tensor, nn

from jetgram.inputs.particles import ParticleSetInput, ParticleSets
from jetgram.networks.family import TorchSettings
from jetgram.networks.initialisation import Role, RoleModule
from jetgram.networks.peers.layers import BucketedEmbedding, Dense, Matrix, padded
from jetgram.networks.peers.rectified import two_layers
from jetgram.networks.recursive import Embedding

WIDTH = 64  # published: 128
LAYERS = 2  # published: 8, and two of the token
HEADS = 4  # published: 8
PAIR_WIDTH = 16  # published: 64, three times
HEAD = (64,)
ANGLE = 1e-3  # no two clean constituents are closer
FARTHEST = -1e9  # the logit of what is not there
# What is subtracted from, and divides, ln Delta, ln kT, ln z, ln m^2 of pairs: about their mean and spread.
PAIR_CENTER, PAIR_SCALE = (-1.0, -0.5, -1.7, 0.0), (0.9, 1.4, 0.9, 2.5)


def pair_features(points: Tensor) -> Tensor:
    r"""$\ln \Delta$, $\ln k_T$, $\ln z$ and $\ln m^2$ of all pairs, about standardised, `(4, jets, places, places)`.

    $\Delta$ is the distance in $(u, v)$, $k_T = \min(p_{T,i}, p_{T,j}) \Delta$,
    $z = \min(p_{T,i}, p_{T,j}) / (p_{T,i} + p_{T,j})$ and $m^2 = p_{T,i} \, p_{T,j} \, \Delta^2$, as for massless
    constituents at small angles.

    Args:
        points: $(p_T, u, v)$, `(jets, places, 3)`.
    """
    pt, u, v = (points[..., i].contiguous() for i in range(3))
    pt = pt.clamp(min=ANGLE)
    log = pt.log()
    angle, kt, z, mass = pairs = points.new_empty(4, *pt.shape, pt.shape[1])
    torch.sub(u[:, :, None], u[:, None], out=kt).square_()  # for a moment, in memory that is there
    torch.sub(v[:, :, None], v[:, None], out=z).square_()
    torch.add(kt, z, out=angle).clamp_(min=ANGLE**2).log_().mul_(0.5)
    softer = torch.minimum(log[:, :, None], log[:, None])
    torch.add(pt[:, :, None], pt[:, None], out=z).log_()
    torch.sub(softer, z, out=z)
    torch.add(softer, angle, out=kt)
    torch.add(log[:, :, None], log[:, None], out=mass).add_(angle, alpha=2)
    for values, center, scale in zip(pairs, PAIR_CENTER, PAIR_SCALE, strict=True):
        values.sub_(center).mul_(1 / scale)
    return pairs


class PairBias(nn.Module):
    """The bias of each pair of constituents in each head: one layer of rectified units, and a linear map.

    Pairs are columns here, not rows: there are many, of few numbers each.

    Args:
        heads: how many.
    """

    def __init__(self, heads: int) -> None:
        super().__init__()
        self.first, self.last = Dense(4, PAIR_WIDTH), Matrix(PAIR_WIDTH, heads)

    def forward(self, points: Tensor) -> Tensor:
        """The bias `(jets, heads, places, places)` for points `(jets, places, 3)`."""
        jets, places, _ = points.shape
        found = two_layers(pair_features(points).flatten(1), self.first.W, self.first.b, self.last.W)
        return found.view(-1, jets, places, places).transpose(0, 1)


class Attention(nn.Module):
    r"""Attention with a bias of pairs: $\mathrm{softmax}(Q K^T / \sqrt{d} + U) V$, in several heads.

    Args:
        width: of the states.
        heads: how many.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.value, self.out = (Dense(width, width) for _ in range(3))
        self.key = Matrix(width, width)  # the softmax would not see a bias

    def forward(self, x: Tensor, seen: Tensor, bias: Tensor) -> Tensor:
        """The result `(jets, places, width)`.

        Args:
            x: who asks, `(jets, places, width)`.
            seen: who is asked, `(jets, others, width)`.
            bias: of pairs, `(jets, heads or 1, places or 1, others)`.
        """
        scale = (x.shape[2] // self.heads) ** -0.5
        query, key, value = (
            self._split(part) for part in (self.query(x).mul_(scale), self.key(seen), self.value(seen))
        )
        bias = bias.transpose(0, 1).expand(self.heads, -1, x.shape[1], -1).flatten(0, 1)
        found = torch.softmax(torch.baddbmm(bias, query, key.transpose(1, 2)), dim=2) @ value
        mixed: Tensor = self.out(found.view(self.heads, *x.shape[:2], -1).permute(1, 2, 0, 3).flatten(2))
        return mixed

    def _split(self, x: Tensor) -> Tensor:
        """`(heads * jets, places, width / heads)`."""
        jets, places, width = x.shape
        return x.view(jets, places, self.heads, width // self.heads).permute(2, 0, 1, 3).flatten(0, 1)


class Block(nn.Module):
    """Attention and two dense layers, each with norms before and after and a shortcut around it (NormFormer).

    Args:
        width: of the states.
        heads: of the attention.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.attention = Attention(width, heads)
        self.wide, self.narrow = Dense(width, 2 * width), Dense(2 * width, width)
        self.norms = nn.ModuleList(nn.LayerNorm(size) for size in (width, width, width, 2 * width))

    def forward(self, x: Tensor, seen: Tensor, bias: Tensor) -> Tensor:
        """The new states; the arguments are those of `Attention`."""
        before, after, second, last = self.norms
        asking = before(x)
        x = x + after(self.attention(asking, asking if seen is x else before(seen), bias))
        change: Tensor = self.narrow(last(nn.functional.gelu(self.wide(second(x)))))
        return x + change


class ParticleTransformer(BucketedEmbedding, RoleModule):
    r"""Attention between all constituents, with a learned bias for each pair, and a token that collects them.

    The bias $U_{ij}$ of each head is a small network of $\ln \Delta$, $\ln k_T$, $\ln z$ and $\ln m^2$ of the pair,
    the same for all blocks. In the last block the class token asks all constituents and itself; what it becomes is the
    embedding.

    Args:
        features: of each constituent.
        width: of the states.
        layers: blocks before that of the token.
        heads: of each attention.

    Example:
        >>> sum(weight.numel() for weight in ParticleTransformer(features=6).parameters())
        106448
    """

    roles: ClassVar[dict[str, Role]] = {"token": "hidden"}
    together = 100_000  # pairs

    @staticmethod
    def load(size: int) -> int:
        """The pairs of a jet."""
        return size * size

    def __init__(self, features: int, width: int = WIDTH, layers: int = LAYERS, heads: int = HEADS) -> None:
        super().__init__()
        self.token = self.weight("token", 1, width)
        self.embed = nn.Sequential(Dense(features, width), nn.GELU(), nn.LayerNorm(width), Dense(width, width))
        self.pairs = PairBias(heads)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.last = Block(width, heads)
        self.norm = nn.LayerNorm(width)

    @property
    def outputs(self) -> int:
        """Length of the embedding."""
        return self.token.shape[1]

    def bucket(self, jets: ParticleSets) -> Tensor:
        """The embeddings of some jets, `(jets, outputs)`."""
        places = padded(jets, self.token)
        absent = torch.where(places.there, 0.0, FARTHEST).to(self.token)[:, None, None, :]
        bias = self.pairs(places.points).add_(absent)
        x = self.embed(places.features)
        for block in self.blocks:
            x = block(x, x, bias)
        token = self.token.expand(len(jets), 1, -1)
        absent = torch.cat([torch.zeros_like(absent[..., :1]), absent], dim=-1)
        found: Tensor = self.norm(self.last(token, torch.cat([token, x], dim=1), absent))
        return found[:, 0]


class ParTSettings(TorchSettings):
    """A small Particle Transformer: 110,673 parameters. The settings are those of `TorchSettings`."""

    reads = ParticleSetInput
    name: ClassVar[str] = "ParT"
    head_widths: ClassVar[tuple[int, ...]] = HEAD

    kind: Literal["part"] = "part"

    def embedding(self, read: ParticleSetInput) -> Embedding:
        """What reads the jets."""
        return ParticleTransformer(len(read.columns))
