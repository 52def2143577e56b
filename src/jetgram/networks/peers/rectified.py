r"""Rectified layers on edges and on pairs: in chunks that stay in the cache, forth and back.

LundNet, ParticleNet and, for pairs, ParT spend much of their time here. Layer by layer over all rows, PyTorch would
carry every intermediate result to main memory and back several times.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

CHUNK = 1 << 16  # numbers of the widest layer of a chunk


class Edges(NamedTuple):
    """What the rows are made of, and where they go: from a neighbour to a node each.

    Args:
        node: of each row, rising, `(rows,)`.
        neighbour: of each row, `(rows,)`.
    """

    node: Tensor
    neighbour: Tensor


def sum_of_edges(own: Tensor, other: Tensor, edges: Edges, layers: Sequence[Tensor]) -> Tensor:
    r"""$s_i = \sum_{j \in N_i} h(\sigma(a_i + b_j))$, with $h$ of layers of rectified units, `(nodes, outputs)`.

    Args:
        own: $a$ of each node, `(nodes, columns)`.
        other: $b$ of each node, `(nodes, columns)`.
        edges: the pairs $(i, j)$.
        layers: matrix and bias of each layer of $h$, one after the other.

    Example:
        >>> a, b, one, zero = torch.zeros(3, 1), torch.tensor([[1.0], [2.0], [-3.0]]), torch.ones(1, 1), torch.zeros(1)
        >>> edges = Edges(torch.tensor([0, 0, 1]), torch.tensor([1, 2, 0]))
        >>> sum_of_edges(a, b, edges, [one, zero]).tolist()
        [[2.0], [1.0], [0.0]]
    """
    found: Tensor = _SumOfEdges.apply(  # type: ignore[no-untyped-call]
        own, other, edges, torch.is_grad_enabled(), *layers
    )
    return found


class _SumOfEdges(torch.autograd.Function):
    """See `sum_of_edges`; without `keep`, what only gradients need is not kept."""

    @staticmethod
    def forward(ctx: Any, own: Tensor, other: Tensor, edges: Edges, keep: bool, *layers: Tensor) -> Tensor:
        widths = [own.shape[1], *(bias.shape[0] for bias in layers[1::2])]
        rows = len(edges.node)
        some = _chunk(widths)
        states = [own.new_empty(rows if keep else min(rows, some), width) for width in widths]
        total = own.new_zeros(len(own), widths[-1])
        for chunk in _chunks(rows, some):
            first, *others = (state[chunk] if keep else state[: chunk.stop - chunk.start] for state in states)
            torch.index_select(other, 0, edges.neighbour[chunk], out=first)
            first.add_(own.index_select(0, edges.node[chunk])).relu_()
            _forward(first, others, layers)
            total.index_add_(0, edges.node[chunk], others[-1] if others else first)
        ctx.edges, ctx.some = edges, some
        ctx.save_for_backward(own, other, *layers, *states)
        return total

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor | None, ...]:
        (slope,), edges = slopes, ctx.edges
        own, other, *rest = ctx.saved_tensors
        layers, states = rest[: len(rest) * 2 // 3], rest[len(rest) * 2 // 3 :]
        of_own, of_other = torch.zeros_like(own), torch.zeros_like(other)
        of_layers = [torch.zeros_like(layer) for layer in layers]
        for chunk in _chunks(len(edges.node), ctx.some):
            found = slope.index_select(0, edges.node[chunk])
            found = _backward(found, [state[chunk] for state in states], layers, of_layers)
            of_own.index_add_(0, edges.node[chunk], found)
            of_other.index_add_(0, edges.neighbour[chunk], found)
        return of_own, of_other, None, None, *of_layers


def two_layers(x: Tensor, first: Tensor, bias: Tensor, last: Tensor) -> Tensor:
    r"""$W_2 \sigma(W_1 x + b)$ for columns $x$, which have no gradient, `(outputs, columns)`.

    The rectified units, many more than there are numbers before and after, are not kept: to compute them again takes
    less time than to carry them to memory and back.

    Args:
        x: `(inputs, columns)`.
        first: $W_1$, `(units, inputs)`.
        bias: $b$, `(units,)`.
        last: $W_2$, `(outputs, units)`.

    Example:
        >>> two_layers(torch.tensor([[1.0, -2.0]]), torch.ones(1, 1), torch.zeros(1), torch.tensor([[3.0]]))
        tensor([[3., 0.]])
    """
    found: Tensor = _TwoLayers.apply(x, first, bias[:, None], last)  # type: ignore[no-untyped-call]
    return found


class _TwoLayers(torch.autograd.Function):
    """See `two_layers`."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, first: Tensor, bias: Tensor, last: Tensor) -> Tensor:
        ctx.save_for_backward(x, first, bias, last)
        parts = torch.split(x, _chunk(first.shape[:1]), dim=1)
        return torch.cat([last @ _rectified(part, first, bias) for part in parts], dim=1)

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor | None, ...]:
        x, first, bias, last = ctx.saved_tensors
        of_first, of_bias, of_last = (torch.zeros_like(weight) for weight in (first, bias, last))
        some = _chunk(first.shape[:1])
        for part, slope in zip(torch.split(x, some, dim=1), torch.split(slopes[0], some, dim=1), strict=True):
            hidden = _rectified(part, first, bias)
            of_last.addmm_(slope, hidden.T)
            of_hidden = torch.ops.aten.threshold_backward(last.T @ slope, hidden, 0)
            of_first.addmm_(of_hidden, part.T)
            of_bias.add_(of_hidden.sum(dim=1, keepdim=True))
        return None, of_first, of_bias, of_last


def _rectified(x: Tensor, matrix: Tensor, bias: Tensor) -> Tensor:
    return torch.mm(matrix, x).add_(bias).relu_()


def _chunk(widths: Sequence[int]) -> int:
    """Rows of a chunk."""
    return max(1, CHUNK // max(widths))


def _chunks(rows: int, some: int) -> Iterator[slice]:
    return (slice(begin, min(begin + some, rows)) for begin in range(0, rows, some))


def _forward(x: Tensor, states: Sequence[Tensor], layers: Sequence[Tensor]) -> None:
    """Fill the states after each layer."""
    for state, matrix, bias in zip(states, layers[::2], layers[1::2], strict=True):
        x = (
            torch.mm(x, matrix.T, out=state).add_(bias).relu_()
        )  # faster than addmm, which begins with a copy of the bias


def _backward(slope: Tensor, states: Sequence[Tensor], layers: Sequence[Tensor], of_layers: Sequence[Tensor]) -> Tensor:
    """The slope with respect to the rows before their rectifier; those of layers are added to `of_layers`."""
    slope = torch.ops.aten.threshold_backward(slope, states[-1], 0)
    for number in reversed(range(len(layers) // 2)):
        of_layers[2 * number].addmm_(slope.T, states[number])
        of_layers[2 * number + 1].add_(slope.sum(dim=0))
        slope = torch.ops.aten.threshold_backward(slope @ layers[2 * number], states[number], 0)
    return slope
