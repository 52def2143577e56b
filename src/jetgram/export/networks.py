"""Embeddings and heads as ONNX operators."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from torch import nn

from jetgram.errors import SettingsError
from jetgram.export.cells import add_cell, weights_of
from jetgram.export.graph import Graph, carried_names
from jetgram.networks.classification import TwoClass
from jetgram.networks.gru import GRU
from jetgram.networks.heads import Head, Link
from jetgram.networks.maxout import ImageEmbedding, MaxOut
from jetgram.networks.recursive import RecursiveEmbedding


def add_trees(graph: Graph, embedding: RecursiveEmbedding, features: str, inner: str, levels: str, name: str) -> str:
    """The embeddings of trees, `(jets, outputs)`: level by level, the deepest first.

    Args:
        graph: what it is added to.
        embedding: with its weights.
        features: scaled, of the nodes level by level, `(nodes, features)`.
        inner: whether each is an inner node, `(nodes,)`.
        levels: the number of nodes of each level, `(levels,)`.
        name: of the loop.
    """
    cell, q = embedding.cell, embedding.cell.hidden
    W = weights_of(cell)
    u = graph.add("Relu", graph.affine(features, W["W_u"], W["b_u"]))
    ends = graph.add("CumSum", levels, graph.integer(0))
    begins = graph.add("Sub", ends, levels)
    count = graph.add("Squeeze", graph.length(levels))
    stays = 1 if embedding.readout == "children" else 0  # levels that the loop leaves out: the roots

    body, index = Graph(graph), name
    states, *pooled = carried_names(index, 3 if embedding.readout == "mean" else 1)
    number = body.add("Sub", body.add("Sub", count, body.integer(1)), index)
    begin, end = (body.add("Unsqueeze", body.add("Gather", at, number), body.integers(0)) for at in (begins, ends))
    local, mask = body.part(u, begin, end), body.part(inner, begin, end)
    rows = body.add("Transpose", body.add("NonZero", mask), perm=[1, 0])
    nodes = body.length(rows)
    picked = body.add("GatherND", local, rows)
    found = add_cell(body, cell, body.reshape(states, nodes, 2 * q), picked)
    updated = [body.add("ScatterND", local, rows, found)]
    if pooled:
        column = body.add("Concat", body.length(local), body.integers(1), axis=0)
        ones = body.add("Expand", body.constant([[1.0]]), column)
        for below, leaf, own, width in ((pooled[0], local, found, q), (pooled[1], ones, body.constant(1.0), 1)):
            both = body.add("ReduceSum", body.reshape(below, nodes, 2, width), body.integers(1), keepdims=0)
            updated.append(body.add("ScatterND", leaf, rows, body.add("Add", own, both)))

    empty = [graph.constant(np.zeros((0, q)))]
    if pooled:
        empty += [graph.constant(np.zeros((0, q))), graph.constant(np.zeros((0, 1)))]
    turns = graph.add("Sub", count, graph.integer(stays))
    last = graph.loop(turns, body, index, empty, updated)
    if embedding.readout == "root":
        return str(last[0])
    if embedding.readout == "mean":
        return str(graph.add("Concat", last[0], graph.add("Div", last[1], last[2]), axis=1))
    first = graph.part(ends, graph.integers(0), graph.integers(1))
    roots = graph.part(u, graph.integers(0), first)
    rows = graph.add("Transpose", graph.add("NonZero", graph.part(inner, graph.integers(0), first)), perm=[1, 0])
    twice = graph.add("Concat", roots, roots, axis=1)
    return str(graph.add("ScatterND", twice, rows, graph.reshape(last[0], graph.length(rows), 2 * q)))


def add_gru(graph: Graph, gru: GRU, x: str, order: str) -> str:
    """The last states of sequences, `(events, hidden)`.

    Args:
        graph: what it is added to.
        gru: with its weights.
        x: what is read of every jet, `(jets, inputs)`.
        order: the jet that each event reads at each step, `(events, steps)`; -1 for none.
    """
    W = weights_of(gru)
    index = "step"
    body = Graph(graph)
    (h,) = carried_names(index, 1)
    jet = body.add("Gather", order, index, axis=1)
    taken = body.add("Gather", x, body.add("Max", jet, body.integer(0)), axis=0)
    zeros = np.zeros(gru.hidden, dtype=np.float32)

    def sums(gate: str, state: str) -> str:
        from_x = body.affine(taken, W[f"W_{gate}x"], W[f"b_{gate}"])
        return str(body.add("Add", from_x, body.affine(state, W[f"W_{gate}h"], zeros)))

    z, r = body.add("Sigmoid", sums("z", h)), body.add("Sigmoid", sums("r", h))
    candidate = body.add("Relu", sums("h", body.add("Mul", r, h)))
    change = body.add("Mul", z, body.add("Sub", h, candidate))
    there = body.add("Unsqueeze", body.add("GreaterOrEqual", jet, body.integer(0)), body.integers(1))
    updated = body.add("Where", there, body.add("Add", candidate, change), h)
    shape = graph.add("Concat", graph.length(order), graph.integers(gru.hidden), axis=0)
    start = graph.add("Expand", graph.constant([[0.0]]), shape)
    steps = graph.add("Squeeze", graph.add("Shape", order, start=1, end=2))
    (last,) = graph.loop(steps, body, index, [start], [updated])
    return last


def add_image(graph: Graph, embedding: ImageEmbedding, pixels: str) -> str:
    """The embeddings of images, `(jets, 128)`, from all their pixels, `(jets, 625)`."""
    for layer in (embedding.first, embedding.second):
        pixels = _maxout(graph, layer, pixels)
    return pixels


def _maxout(graph: Graph, layer: MaxOut, x: str) -> str:
    W = weights_of(layer)
    maps = graph.add("Add", graph.add("MatMul", x, graph.constant(W["W"])), graph.constant(W["b"]))
    pieces = graph.reshape(maps, graph.length(x), layer.pieces, layer.units)
    return str(graph.add("ReduceMax", pieces, axes=[1], keepdims=0))


def add_head(graph: Graph, head: Head, embedding: str) -> str:
    """The answers of a head: probabilities, or numbers in their own units, `(jets, outputs)`."""
    *rectified, last = (layer for layer in head.layers if isinstance(layer, nn.Linear))
    x = embedding
    for layer in rectified:
        x = graph.add("Relu", _linear(graph, layer, x))
    x = _linear(graph, last, x)
    if isinstance(head, TwoClass):
        both = graph.add("Split", x, graph.integers(1, 1), axis=1, outputs=2)
        x = graph.add("Sub", both[1], both[0])
    link = vars(type(head)).get("link")  # a subclass may compute something else, and says which link it has itself
    if link is None:
        raise SettingsError("its head has no ONNX form: its class declares no link")
    return _LINKS[link](graph, head, x)


def _scaled(graph: Graph, head: Head, x: str) -> str:
    """The numbers in their own units."""
    assert head.scaler is not None
    scaled = graph.add("Mul", x, graph.constant(head.scaler.scale))
    return str(graph.add("Add", scaled, graph.constant(head.scaler.center)))


_LINKS: Mapping[Link, Callable[[Graph, Head, str], str]] = {
    "sigmoid": lambda graph, head, x: str(graph.add("Sigmoid", x)),
    "softmax": lambda graph, head, x: str(graph.add("Softmax", x, axis=1)),
    "scale": _scaled,
}


def _linear(graph: Graph, layer: nn.Linear, x: str) -> str:
    W = weights_of(layer)
    return graph.affine(x, W["weight"], W["bias"])
