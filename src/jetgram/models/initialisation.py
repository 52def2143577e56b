r"""How weights begin: as published, or as is usual today.

Published (the code behind arXiv:1702.00748): everything Glorot-uniform times 0.1, the head too, but what multiplies a
state again and again, $W_h$ and the recurrent weights of a GRU: these have orthogonal rows of length 1.1. Biases are 0,
but that of the classifier's output 1. MaxOut units are He-uniform, and the head behind them is Glorot-uniform, as
networks on jet images are.

Modern: He-normal before rectifiers (arXiv:1502.01852), which keeps the scale of the states from level to level;
Glorot-uniform before gates and outputs; orthogonal where a state is multiplied again and again; biases 0.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Literal

import torch
from torch import Tensor, nn

from jetgram.errors import SettingsError
from jetgram.models.cells import Cell
from jetgram.models.gru import GRU
from jetgram.models.heads import Head
from jetgram.models.maxout import MaxOut

Scheme = Literal["paper", "modern"]
SCHEMES: tuple[Scheme, ...] = ("paper", "modern")
USUAL_SCHEME: Scheme = "paper"  # trains the simple cell better, and the gated one as well within the spread of seeds
Filler = Callable[[Tensor, torch.Generator], Tensor]


def glorot(weight: Tensor, generator: torch.Generator, scale: float = 1.0) -> Tensor:
    r"""Uniform in $\pm s \sqrt{6 / (n_{in} + n_{out})}$."""
    return nn.init.xavier_uniform_(weight, scale, generator)


def orthogonal(weight: Tensor, generator: torch.Generator, scale: float = 1.0) -> Tensor:
    """Orthogonal rows of length `scale`.

    On one thread: the factorisation rounds differently on several, and a seed must be the same network everywhere.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return nn.init.orthogonal_(weight, scale, generator)
    finally:
        torch.set_num_threads(threads)


def he_pieces(weight: Tensor, generator: torch.Generator) -> Tensor:
    r"""Uniform in $\pm \sqrt{6 / n_{in}}$, for weights with a row an input."""
    return nn.init.kaiming_uniform_(weight, mode="fan_out", nonlinearity="relu", generator=generator)


def he(weight: Tensor, generator: torch.Generator) -> Tensor:
    r"""Normal with variance $2 / n_{in}$: the mean square is kept through the rectifier that follows."""
    return nn.init.kaiming_normal_(weight, nonlinearity="relu", generator=generator)


# For each role of a weight, how it is filled; "hidden" and "output" are the layers of a head.
_FILLERS: dict[Scheme, dict[str, Filler]] = {
    "paper": {
        "input": functools.partial(glorot, scale=0.1),
        "recursion": functools.partial(orthogonal, scale=1.1),
        "state": functools.partial(orthogonal, scale=1.1),
        "gate": functools.partial(glorot, scale=0.1),
        "pieces": he_pieces,
        "hidden": glorot,
        "output": glorot,
    },
    "modern": {
        "input": he,
        "recursion": he,
        "state": orthogonal,
        "gate": glorot,
        "pieces": he_pieces,
        "hidden": he,
        "output": glorot,
    },
}


def initialise(module: nn.Module, scheme: Scheme = USUAL_SCHEME, seed: int = 0) -> None:
    """Fill the weights of all cells, GRUs, MaxOut units and heads in a module; the same seed gives the same weights.

    Example:
        >>> from jetgram.models.heads import Classifier
        >>> head = Classifier(40)
        >>> initialise(head, "paper", seed=1)
        >>> head.layers[2].bias.item(), head.layers[0].weight.abs().max().item() <= 0.1 * (6 / 80) ** 0.5
        (1.0, True)
    """
    if scheme not in SCHEMES:
        raise SettingsError(f"no initialisation is called {scheme!r}; expected one of {', '.join(SCHEMES)}")
    generator = torch.Generator().manual_seed(seed)
    for part in module.modules():
        if isinstance(part, (Cell, GRU, MaxOut)):
            _fill_roles(part, scheme, generator)
        elif isinstance(part, Head):
            _fill_head(part, scheme, generator)


def _fill_roles(cell: Cell | GRU | MaxOut, scheme: Scheme, generator: torch.Generator) -> None:
    for name, role in cell.roles.items():
        weight = cell.get_parameter(name)
        if role == "bias":
            nn.init.zeros_(weight)
        else:
            _FILLERS[scheme][role](weight, generator)


def _fill_head(head: Head, scheme: Scheme, generator: torch.Generator) -> None:
    *hidden, output = (layer for layer in head.layers if isinstance(layer, nn.Linear))
    for layer in (*hidden, output):
        _FILLERS[scheme]["output" if layer is output else "hidden"](layer.weight, generator)
        nn.init.zeros_(layer.bias)
    if scheme == "paper":
        nn.init.constant_(output.bias, head.output_bias)
        with torch.no_grad():
            for layer in (*hidden, output):
                layer.weight *= head.weight_scale
