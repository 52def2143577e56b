"""The whole network: its size, what it does not depend on, and that training trains."""

import numpy as np
import pytest
from random_trees import fall_of_loss, random_schedule, random_trees, relative

from jetgram.inputs.schedule import Schedule
from jetgram.networks.network import TrainingStep, jet_classifier
from jetgram.trees.trees import Trees


@pytest.mark.parametrize(("cell", "parameters"), [("simple", 8481), ("gated", 48761)])
def test_the_published_number_of_parameters(cell, parameters):
    assert sum(weight.numel() for weight in jet_classifier(cell).parameters()) == parameters


def renumbered(trees: Trees, seed: int) -> tuple[Trees, np.ndarray]:
    """The same trees with the leaves in another order, and the new node of each old one."""
    rng = np.random.default_rng(seed)
    new = np.arange(len(trees.momenta))
    for first, leaves in zip(trees.offsets[:-1], trees.n_leaves, strict=True):
        new[first : first + leaves] = first + rng.permutation(leaves)
    momenta, children = np.empty_like(trees.momenta), np.full_like(trees.children, -1)
    momenta[new] = trees.momenta
    inner = ~trees.is_leaf
    rows = new[trees.children[inner] + trees.first[inner, None]] - trees.first[inner, None]
    children[new[inner]] = rows
    return Trees(momenta, children, trees.offsets), new


@pytest.mark.parametrize("cell", ["simple", "gated", "blend"])
@pytest.mark.parametrize("engine", ["auto", "torch"])
def test_renumbering_nodes_changes_nothing(cell, engine):
    trees = random_trees([1, 7, 30, 12])
    features = np.random.default_rng(0).normal(size=(len(trees.momenta), 7))
    other, new = renumbered(trees, seed=1)
    moved = np.empty_like(features)
    moved[new] = features
    network = jet_classifier(cell, engine=engine)
    found = network.predict(Schedule.from_trees(other, moved))
    np.testing.assert_array_equal(found, network.predict(Schedule.from_trees(trees, features)))


@pytest.mark.parametrize("cell", ["simple", "gated", "blend"])
@pytest.mark.parametrize("engine", ["auto", "torch"])
def test_training_learns_what_can_be_learnt(cell, engine):
    """Large trees against small ones: from chance to nearly perfect in a few steps."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 128)
    trees = random_schedule(np.where(y, 12, 4).tolist(), features=3)
    network = jet_classifier(cell, features=3, hidden=8, seed=1, engine=engine)
    assert fall_of_loss(network, trees, y, steps=200, rng=rng) < 0.3  # it begins small, as published
    assert np.mean((network.predict(trees)[:, 0] > 0) == y) > 0.95


def test_weights_count_jets():
    """A jet with weight 2 counts as much as the same jet twice."""
    trees = random_schedule([4, 6, 9])
    step = TrainingStep(jet_classifier(seed=1))
    weighted = step(trees, [0, 1], [1.0, 0.0], weights=[2.0, 1.0]) * 2
    gradient = step.parameters.gradient.clone() * 2
    repeated = step(trees, [0, 0, 1], [1.0, 1.0, 0.0]) * 3
    assert weighted == pytest.approx(repeated, rel=1e-6)
    assert relative(gradient, step.parameters.gradient * 3) < 1e-5
