"""What is read of the states: the root's, those of its children, or the mean of all, by both engines."""

import numpy as np
import pytest
import torch
from random_trees import (
    assert_agrees_with_float64,
    double,
    loss_and_gradient,
    random_network,
    random_schedule,
    relative,
)

from jetgram import backend
from jetgram.inputs.schedule import Schedule
from jetgram.networks.cells import CELLS
from jetgram.networks.network import TrainingStep
from jetgram.ragged import offsets_of

core, _ = backend.load()
needs_native = pytest.mark.skipif(core is None, reason="the native core was not built")
every_cell = pytest.mark.parametrize("cell", CELLS)
both_readouts = pytest.mark.parametrize("readout", ["children", "mean"])
every_engine = pytest.mark.parametrize("engine", ["torch", pytest.param("native", marks=needs_native)])

LEAVES = [1, 2, 61, 3, 1, 17, 4, 40, 5, 33, 9, 2, 80, 7, 1, 25, 12, 6, 50]


def children_of(cell, engine="native", readout="children", **sizes):
    return random_network(cell, engine=engine, readout=readout, **sizes)


def branches(trees: Schedule, side: int) -> Schedule:
    """The left (0) or right (1) branch of every tree as a tree of its own; a tree of one leaf stays what it is."""
    rows, lengths = [], []
    for begin, end in zip(trees.offsets[:-1], trees.offsets[1:], strict=True):
        found = [begin + 1 + side if end - begin > 1 else begin]
        inner_before = offsets_of(trees.inner[begin:end])
        for row in found:  # grows while it is read: breadth first
            if trees.inner[row]:
                left = begin + 2 * inner_before[row - begin] + 1
                found += [left, left + 1]
        rows += found
        lengths.append(len(found))
    return Schedule(trees.features[rows], trees.inner[rows], offsets_of(np.array(lengths)))


@every_cell
@every_engine
@pytest.mark.parametrize("topology", ["kt", "desc-pt"])
def test_the_children_are_the_roots_of_their_branches(cell, engine, topology):
    trees = random_schedule(LEAVES, topology=topology)
    found = children_of(cell, engine).embedding(trees).detach()
    alone = random_network(cell, engine=engine).embedding  # the same cell: weights follow from the hidden size
    expected = torch.cat([alone(branches(trees, side)) for side in (0, 1)], dim=1).detach()
    assert found.shape == (len(LEAVES), 80)
    assert relative(found, expected) < 1e-6


@both_readouts
@needs_native
@every_cell
@pytest.mark.parametrize("hidden", [1, 3, 8, 37, 40])
def test_the_native_engine_agrees_with_float64(cell, readout, hidden):
    assert_agrees_with_float64(children_of(cell, hidden=hidden, readout=readout), random_schedule(LEAVES))


@both_readouts
@every_cell
def test_gradients_are_those_of_the_difference_quotient(cell, readout):
    network, trees = double(children_of(cell, "torch", hidden=4, readout=readout), random_schedule([5, 1, 8, 2]))
    _, gradient = loss_and_gradient(network, trees)
    direction = torch.from_numpy(np.random.default_rng(3).normal(size=len(gradient)))
    step, losses = TrainingStep(network), []
    for epsilon in (1e-6, -2e-6):
        step.parameters.values.add_(direction, alpha=epsilon)
        losses.append(step(trees, None, np.arange(4) % 2))
    step.parameters.values.add_(direction, alpha=1e-6)
    step(trees, None, np.arange(4) % 2)
    slope = float(direction @ step.parameters.gradient)
    assert (losses[0] - losses[1]) / 2e-6 == pytest.approx(slope, rel=1e-5)


@both_readouts
@every_cell
@every_engine
def test_a_jet_of_one_particle_is_twice_its_leaf(cell, readout, engine):
    trees = random_schedule([1, 1, 1])
    network = children_of(cell, engine, readout=readout)
    leaf = network.embedding.cell.node_input(torch.from_numpy(trees.features)).detach()
    assert relative(network.embedding(trees).detach(), torch.cat([leaf, leaf], dim=1)) < 1e-6
    _, gradient = loss_and_gradient(network, trees)
    assert relative(gradient, loss_and_gradient(*double(network, trees))[1]) < 1e-5
    assert network.embedding.cell.W_u.grad.abs().max() > 0


@every_cell
@every_engine
@pytest.mark.parametrize("topology", ["kt", "desc-pt"])
def test_the_mean_is_that_of_every_node_as_a_root(cell, engine, topology):
    trees = random_schedule([1, 2, 9, 5], topology=topology)
    found = children_of(cell, engine, readout="mean").embedding(trees).detach()
    alone = random_network(cell, engine=engine).embedding
    torch.testing.assert_close(found[:, :40], alone(trees).detach())
    for jet in range(len(trees)):
        level, states = [trees[jet]], []
        while level:
            states += [alone(tree).detach() for tree in level]
            level = [branches(tree, side) for tree in level if len(tree.inner) > 1 for side in (0, 1)]
        assert len(states) == len(trees[jet].inner)
        assert relative(found[jet, 40:], torch.cat(states).mean(dim=0)) < 1e-6


@every_cell
@every_engine
def test_the_roots_own_momentum_is_not_read(cell, engine):
    trees = random_schedule([2, 7, 30])
    network = children_of(cell, engine)
    before = network.predict(trees)
    trees.features[trees.offsets[:-1]] = 5.0
    np.testing.assert_array_equal(network.predict(trees), before)
    trees.features[trees.offsets[:-1] + 1] += 0.1
    assert (network.predict(trees) != before).all()


@both_readouts
@every_cell
@every_engine
def test_every_parameter_gets_a_gradient(cell, readout, engine):
    network = children_of(cell, engine, readout=readout)
    loss_and_gradient(network, random_schedule(LEAVES))
    for name, weight in network.named_parameters():
        assert weight.grad.abs().max() > 0, name


@both_readouts
@needs_native
@every_cell
def test_embeddings_take_part_in_larger_graphs(cell, readout):
    trees, gradients = random_schedule(LEAVES), []
    for engine in ("native", "torch"):
        network = children_of(cell, engine, hidden=9, readout=readout)
        found = network.embedding(trees)
        (found @ torch.linspace(-1, 1, found.shape[1])).tanh().sum().backward()
        gradients.append(torch.cat([weight.grad.reshape(-1) for weight in network.embedding.parameters()]))
    assert relative(gradients[0], gradients[1]) < 1e-5


@both_readouts
@needs_native
@every_cell
def test_threads_do_not_change_a_bit(cell, readout, monkeypatch):
    trees = random_schedule(np.random.default_rng(1).integers(1, 20, 100).tolist())
    results = []
    for threads in (1, 2, 5):
        monkeypatch.setattr(backend, "threads", lambda threads=threads: threads)
        network = children_of(cell, hidden=9, readout=readout)
        results.append((*loss_and_gradient(network, trees), network.predict(trees)))
    for other in results[1:]:
        for found, expected in zip(other, results[0], strict=True):
            np.testing.assert_array_equal(found, expected)


@both_readouts
@needs_native
def test_the_portable_path_agrees(readout):
    trees, network = random_schedule(LEAVES), children_of("gated", hidden=37, readout=readout)
    flat = torch.cat([weight.detach().reshape(-1) for weight in network.parameters()]).numpy()
    y, w, chosen = np.ones((len(LEAVES), 1), np.float32), np.ones(len(LEAVES), np.float32), np.arange(len(LEAVES))
    results = []
    for path in ("portable", "auto"):
        engine = core.Engine("gated", 7, 37, list(network.head.widths), path, readout=readout)
        gradient = np.empty_like(flat)
        engine.step(flat, trees.features, trees.inner, trees.offsets, chosen, y, w, "logistic", 1, gradient)
        results.append(gradient)
    assert relative(*results) < 1e-5


@both_readouts
@needs_native
def test_a_chain_of_ten_thousand_leaves(readout):
    trees = random_schedule([10_000, 1, 3], features=2, topology="desc-pt")
    network = children_of("simple", features=2, hidden=3, readout=readout)
    with torch.no_grad():
        network.embedding.cell.W_h.mul_(0.5)  # so that states do not grow from level to level
    _, gradient = loss_and_gradient(network, trees)
    assert relative(gradient, loss_and_gradient(*double(network, trees))[1]) < 1e-4


@both_readouts
@every_engine
def test_an_empty_batch(readout, engine):
    network = children_of("simple", engine, readout=readout)
    assert network.embedding(random_schedule([3, 4]), []).shape == (0, 80)
    assert network.predict(random_schedule([3, 4]), []).shape == (0, 1)


@needs_native
def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="no native readout is called 'leaves'; expected root, children or mean"):
        core.Engine("simple", 7, 40, [40, 40, 40, 1], readout="leaves")
    with pytest.raises(ValueError, match="begin with that of the embedding"):
        core.Engine("simple", 7, 40, [40, 40, 40, 1], readout="children")
