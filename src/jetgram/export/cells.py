"""Cells as ONNX operators: the states of inner nodes from those of their children."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray
from torch import nn

from jetgram.errors import SettingsError
from jetgram.export.graph import Graph
from jetgram.networks.cells import Blend, Cell, Gated, Simple

Weights = dict[str, NDArray[Any]]


def weights_of(module: nn.Module) -> Weights:
    """The parameters of a module as arrays, by name."""
    return {name: weight.detach().cpu().numpy() for name, weight in module.named_parameters()}


def _simple(graph: Graph, cell: Cell, children: str, u: str) -> str:
    W = weights_of(cell)
    x = graph.add("Concat", children, u, axis=1)
    return str(graph.add("Relu", graph.affine(x, W["W_h"], W["b_h"])))


def _gated(graph: Graph, cell: Cell, children: str, u: str) -> str:
    W = weights_of(cell)
    rows = graph.length(u)
    x = graph.add("Concat", children, u, axis=1)
    r = graph.add("Sigmoid", graph.affine(x, W["W_r"], W["b_r"]))
    candidate = graph.add("Relu", graph.affine(graph.add("Mul", r, x), W["W_h"], W["b_h"]))
    parts = graph.add("Concat", candidate, x, axis=1)
    blocks = graph.reshape(graph.affine(parts, W["W_z"], W["b_z"]), rows, 4, cell.hidden)
    z = graph.add("Softmax", blocks, axis=1)
    weighted = graph.add("Mul", z, graph.reshape(parts, rows, 4, cell.hidden))
    return str(graph.add("ReduceSum", weighted, graph.integers(1), keepdims=0))


def _blend(graph: Graph, cell: Cell, children: str, u: str) -> str:
    W, q, groups = weights_of(cell), cell.hidden, Blend.groups
    sums = graph.affine(graph.add("Concat", children, u, axis=1), W["W_h"], W["b_h"])
    candidate, logits = graph.add("Split", sums, graph.integers(q, 3 * groups), axis=1, outputs=2)
    gates = graph.add("Softmax", graph.reshape(logits, graph.length(u), 3, groups), axis=1)
    tiled = graph.add("Tile", gates, graph.integers(1, 1, -(-q // groups)))  # unit i is of group i mod G
    gates = graph.part(tiled, graph.integers(0), graph.integers(q), axis=2)
    parts = graph.add("Concat", graph.add("Relu", candidate), children, axis=1)
    weighted = graph.add("Mul", gates, graph.reshape(parts, graph.length(u), 3, q))
    return str(graph.add("ReduceSum", weighted, graph.integers(1), keepdims=0))


_CELLS: dict[type[Cell], Callable[[Graph, Cell, str, str], str]] = {Simple: _simple, Gated: _gated, Blend: _blend}


def add_cell(graph: Graph, cell: Cell, children: str, u: str) -> str:
    """The states `(nodes, q)` of inner nodes; see `jetgram.networks.cells.Cell.forward`."""
    if type(cell) not in _CELLS:
        known = ", ".join(kind.__name__.lower() for kind in _CELLS)
        raise SettingsError(f"its cell has no ONNX form; those that have one are {known}")
    return _CELLS[type(cell)](graph, cell, children, u)
