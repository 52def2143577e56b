r"""How weights begin: as published, or as is common today. Modules fill their own weights when they are built.

Published (the code behind arXiv:1702.00748): everything Glorot-uniform times 0.1, the head too, but what multiplies a
state again and again, $W_h$ and the recurrent weights of a GRU: these have orthogonal rows of length 1.1. Biases are 0,
but that of the classifier's output 1. MaxOut units are He-uniform, and the head behind them is Glorot-uniform, as
networks on jet images are.

Modern: He-normal before rectifiers (arXiv:1502.01852), which keeps the scale of the states from level to level;
Glorot-uniform before gates and outputs; orthogonal where a state is multiplied again and again; biases 0.

Uniform: everything uniform within one over the root of its inputs, biases 0: near PyTorch's own default.
"""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable, Sequence
from typing import ClassVar, Literal

import torch
from torch import Tensor, nn

from jetgram.errors import require_known

Role = Literal["input", "recursion", "mixing", "state", "gate", "pieces", "hidden", "output", "bias"]
Scheme = Literal["paper", "modern", "uniform"]
SCHEMES: tuple[Scheme, ...] = ("paper", "modern", "uniform")
DEFAULT_SCHEME: Scheme = "paper"  # trains the simple cell better, and the gated one as well within the spread of seeds
Generator = torch.Generator | None  # None is PyTorch's own
Filler = Callable[[Tensor, Generator], Tensor]


def glorot(weight: Tensor, generator: Generator, scale: float = 1.0) -> Tensor:
    r"""Uniform in $\pm s \sqrt{6 / (n_{in} + n_{out})}$."""
    return nn.init.xavier_uniform_(weight, scale, generator)


def orthogonal(weight: Tensor, generator: Generator, scale: float = 1.0) -> Tensor:
    """Orthogonal rows of length `scale`, made of the numbers that PyTorch's `orthogonal_` draws.

    A seed must be the same network everywhere. In single precision the factorisation rounds differently on several
    threads, and on processors of another maker; what differs in double precision is lost when the weights are rounded.
    """
    wide = weight.shape[0] < weight.shape[1]
    drawn = torch.empty_like(weight).normal_(generator=generator).double()
    rows, triangle = torch.linalg.qr(drawn.T if wide else drawn)
    rows *= triangle.diagonal().sign()
    with torch.no_grad():
        return weight.copy_(scale * (rows.T if wide else rows))


def he_pieces(weight: Tensor, generator: Generator) -> Tensor:
    r"""Uniform in $\pm \sqrt{6 / n_{in}}$, for weights with one row per input."""
    return nn.init.kaiming_uniform_(weight, mode="fan_out", nonlinearity="relu", generator=generator)


def he(weight: Tensor, generator: Generator) -> Tensor:
    r"""Normal with variance $2 / n_{in}$: the mean square is kept through the rectifier that follows."""
    return nn.init.kaiming_normal_(weight, nonlinearity="relu", generator=generator)


def uniform(weight: Tensor, generator: Generator) -> Tensor:
    r"""Uniform in $\pm 1 / \sqrt{n_{in}}$, as PyTorch fills its layers."""
    bound = weight.shape[1] ** -0.5
    return nn.init.uniform_(weight, -bound, bound, generator)


# For each role of a weight, how it is filled; "hidden" and "output" are the layers of a head.
_FILLERS: dict[Scheme, dict[Role, Filler]] = {
    "paper": {
        "input": functools.partial(glorot, scale=0.1),
        "mixing": uniform,
        "recursion": functools.partial(orthogonal, scale=1.1),
        "state": functools.partial(orthogonal, scale=1.1),
        "gate": functools.partial(glorot, scale=0.1),
        "pieces": he_pieces,
        "hidden": glorot,
        "output": glorot,
    },
    "modern": {
        "input": he,
        "mixing": uniform,
        "recursion": he,
        "state": orthogonal,
        "gate": glorot,
        "pieces": he_pieces,
        "hidden": he,
        "output": glorot,
    },
    "uniform": {
        "input": uniform,
        "mixing": uniform,
        "recursion": uniform,
        "state": uniform,
        "gate": uniform,
        "pieces": he_pieces,
        "hidden": uniform,
        "output": uniform,
    },
}


class Initialised(nn.Module, abc.ABC):
    """A module that fills its own weights: when it is built with PyTorch's generator, by `initialise` with a seed."""

    @abc.abstractmethod
    def fill(self, scheme: Scheme = DEFAULT_SCHEME, generator: Generator = None) -> None:
        """Fill the weights of this module, without those of modules inside it that fill themselves."""


class RoleModule(Initialised):
    """A module whose weights have roles, from which their first values follow.

    Example:
        >>> class Mixing(RoleModule):
        ...     roles = {"W": "recursion", "b": "bias"}
        ...
        ...     def __init__(self, hidden: int) -> None:
        ...         super().__init__()
        ...         self.W = self.weight("W", hidden, 2 * hidden)
        ...         self.b = self.weight("b", hidden)
        >>> mixing = Mixing(3)
        >>> mixing.W.detach().norm(dim=1).numpy().round(3), mixing.b.tolist()
        (array([1.1, 1.1, 1.1], dtype=float32), [0.0, 0.0, 0.0])
    """

    roles: ClassVar[dict[str, Role]]  # in the order of the flat vector of weights

    def weight(self, name: str, *shape: int) -> nn.Parameter:
        """A parameter of this shape, filled as its role asks."""
        parameter = nn.Parameter(torch.empty(shape))
        _fill(parameter, self.roles[name], DEFAULT_SCHEME, None)
        return parameter

    def fill(self, scheme: Scheme = DEFAULT_SCHEME, generator: Generator = None) -> None:
        """Fill all weights, in the order of their roles."""
        for name, role in self.roles.items():
            _fill(self.get_parameter(name), role, scheme, generator)


def initialise(module: nn.Module, scheme: Scheme = DEFAULT_SCHEME, seed: int = 0) -> None:
    """Fill the weights of all cells, GRUs, MaxOut units and heads in a module; the same seed gives the same weights.

    Example:
        >>> from jetgram.networks.classification import Binary
        >>> head = Binary(40)
        >>> initialise(head, "paper", seed=1)
        >>> head.layers[2].bias.item(), head.layers[0].weight.abs().max().item() <= 0.1 * (6 / 80) ** 0.5
        (1.0, True)
    """
    require_known("no initialisation", scheme, SCHEMES)
    generator = torch.Generator().manual_seed(seed)
    for part in module.modules():
        if isinstance(part, Initialised):
            part.fill(scheme, generator)


def fill_layers(
    layers: Sequence[nn.Linear], scheme: Scheme, generator: Generator, weight_scale: float, output_bias: float
) -> None:
    """Fill the layers of a head, the last of which is its output.

    Args:
        layers: from the embedding to the outputs.
        scheme: how.
        generator: of random numbers.
        weight_scale: a factor of all weights, in the paper's scheme.
        output_bias: of the last layer, in the paper's scheme.
    """
    *_, output = layers
    for layer in layers:
        _fill(layer.weight, "output" if layer is output else "hidden", scheme, generator)
        _fill(layer.bias, "bias", scheme, generator)
    if scheme == "paper":
        nn.init.constant_(output.bias, output_bias)
        with torch.no_grad():
            for layer in layers:
                layer.weight *= weight_scale


def _fill(weight: Tensor, role: Role, scheme: Scheme, generator: Generator) -> None:
    if weight.is_meta:  # a shape without numbers
        return
    if role == "bias":
        nn.init.zeros_(weight)
    else:
        _FILLERS[scheme][role](weight, generator)
