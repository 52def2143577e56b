"""Layers in chunks: the same numbers and gradients as edge by edge, and as all pairs at once."""

import pytest
import torch

from jetgram.networks.peers import rectified
from jetgram.networks.peers.rectified import Edges, sum_of_edges, two_layers

NODES, COLUMNS, WIDTHS = 6, 3, (4, 5)


@pytest.fixture
def values():
    """Values of nodes and the layers, in double precision, with gradients."""
    generator = torch.Generator().manual_seed(1)
    shapes = [(NODES, COLUMNS), (NODES, COLUMNS)]
    for inputs, outputs in zip((COLUMNS, *WIDTHS), WIDTHS, strict=False):
        shapes += [(outputs, inputs), (outputs,)]
    return [torch.randn(shape, dtype=torch.float64, generator=generator).requires_grad_() for shape in shapes]


@pytest.fixture
def edges():
    """Eleven edges; the node in the middle has none."""
    return Edges(torch.tensor([0, 0, 1, 1, 1, 3, 4, 4, 5, 5, 5]), torch.tensor([1, 2, 0, 5, 5, 3, 0, 2, 1, 4, 3]))


def edge_by_edge(own, other, edges, layers):
    total = [torch.zeros(WIDTHS[-1], dtype=torch.float64) for _ in range(NODES)]
    for node, neighbour in zip(*map(torch.Tensor.tolist, edges), strict=True):
        x = torch.relu(own[node] + other[neighbour])
        for matrix, bias in zip(layers[::2], layers[1::2], strict=True):
            x = torch.relu(matrix @ x + bias)
        total[node] = total[node] + x
    return torch.stack(total)


@pytest.mark.parametrize("chunk", [1, 12, 1 << 16])
def test_sums_and_gradients_are_those_of_single_edges(values, edges, chunk, monkeypatch):
    """Whatever the size of chunks: one edge, three, all."""
    monkeypatch.setattr(rectified, "CHUNK", chunk)
    own, other, *layers = values
    slopes = torch.arange(NODES * WIDTHS[-1], dtype=torch.float64).view(NODES, -1)
    found, expected = sum_of_edges(own, other, edges, layers), edge_by_edge(own, other, edges, layers)
    torch.testing.assert_close(found, expected)
    assert (found > 0).any(dim=0).sum() >= 2  # not all units are dead
    for ours, theirs in zip(
        torch.autograd.grad(found, values, slopes), torch.autograd.grad(expected, values, slopes), strict=True
    ):
        torch.testing.assert_close(ours, theirs)


def test_without_gradients_the_sums_are_the_same(values, edges, monkeypatch):
    own, other, *layers = values
    expected = sum_of_edges(own, other, edges, layers)
    monkeypatch.setattr(rectified, "CHUNK", 12)
    with torch.no_grad():
        torch.testing.assert_close(sum_of_edges(own, other, edges, layers), expected.detach())


def test_without_edges_sums_and_gradients_are_0(values):
    own, other, *layers = values
    none = torch.zeros(0, dtype=torch.int64)
    found = sum_of_edges(own, other, Edges(none, none), layers)
    assert not found.any()
    found.sum().backward()
    assert all(not value.grad.any() for value in values)


@pytest.mark.parametrize("chunk", [1, 15, 1 << 16])
def test_two_layers_and_their_gradients_are_those_of_all_columns_at_once(chunk, monkeypatch):
    monkeypatch.setattr(rectified, "CHUNK", chunk)
    generator = torch.Generator().manual_seed(1)
    x, *weights = (
        torch.randn(shape, dtype=torch.float64, generator=generator) for shape in ((4, 11), (5, 4), (5,), (2, 5))
    )
    first, bias, last = (weight.requires_grad_() for weight in weights)
    found, expected = two_layers(x, first, bias, last), last @ torch.relu(first @ x + bias[:, None])
    torch.testing.assert_close(found, expected)
    slopes = torch.arange(22, dtype=torch.float64).view(2, 11)
    for ours, theirs in zip(
        torch.autograd.grad(found, weights, slopes), torch.autograd.grad(expected, weights, slopes), strict=True
    ):
        torch.testing.assert_close(ours, theirs)
