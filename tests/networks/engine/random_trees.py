"""Trees of any shape with random features, and networks with random weights that use every path through the cells."""

import numpy as np
import torch

from jetgram.inputs.representation import Representation
from jetgram.inputs.schedule import Schedule
from jetgram.kinematics import from_ptetaphim
from jetgram.momenta import Jets
from jetgram.networks.cells import cell_named
from jetgram.networks.classification import Binary
from jetgram.networks.engine.parameters import Adam
from jetgram.networks.heads import Head
from jetgram.networks.network import JetNetwork, TrainingStep
from jetgram.networks.recursive import RecursiveEmbedding
from jetgram.trees.topologies import build_trees
from jetgram.trees.trees import Trees


def random_jets(leaves: list[int], seed: int = 0) -> Jets:
    """Jets with these numbers of particles."""
    rng = np.random.default_rng(seed)
    return Jets.from_lists([from_ptetaphim(rng.exponential(5.0, n), *rng.normal(0.0, 0.5, (2, n))) for n in leaves])


def random_trees(leaves: list[int], topology: str = "kt", seed: int = 0) -> Trees:
    """Trees with these numbers of leaves."""
    return build_trees(random_jets(leaves, seed), topology, seed)


def random_schedule(
    leaves: list[int], features: int = 7, topology: str = "kt", dtype: type[np.floating] = np.float32, seed: int = 0
) -> Schedule:
    """Trees with normally distributed features."""
    trees = random_trees(leaves, topology, seed)
    values = np.random.default_rng([seed, 1]).normal(size=(len(trees.momenta), features))
    return Schedule.from_trees(trees, values, dtype)


def random_network(
    cell: str = "simple",
    features: int = 7,
    hidden: int = 40,
    head: Head | None = None,
    engine: str = "auto",
    readout: str = "root",
) -> JetNetwork:
    """A network whose weights, biases too, are all different from zero and keep the states at scale one."""
    embedding = RecursiveEmbedding(cell_named(cell, features, hidden), engine, readout)
    network = JetNetwork(embedding, head if head is not None else Binary(embedding.outputs))
    generator = torch.Generator().manual_seed(hidden)
    with torch.no_grad():
        for weight in network.parameters():
            scale = (2 / weight.shape[-1]) ** 0.5 if weight.ndim == 2 else 0.1
            weight.copy_(scale * torch.randn(weight.shape, generator=generator))
    return network


def loss_and_gradient(network: JetNetwork, trees: Schedule, jets=None, seed: int = 0) -> tuple[float, np.ndarray]:
    count = len(trees.jets(jets))
    rng = np.random.default_rng([seed, 2])
    targets = rng.integers(0, 2, (count, network.head.widths[-1])).astype(np.float64)
    step = TrainingStep(network)
    loss = step(trees, jets, targets, rng.uniform(0.5, 2.0, count))
    return loss, step.parameters.gradient.numpy().copy()


def double(network: JetNetwork, trees: Schedule) -> tuple[JetNetwork, Schedule]:
    """The same in float64, for the torch engine."""
    network.embedding.engine = "torch"
    return network.double(), Schedule(trees.features.astype(np.float64), trees.inner, trees.offsets)


def assert_agrees_with_float64(network: JetNetwork, trees: Schedule) -> None:
    """Loss, gradient, embeddings and outputs of a native network are those of the torch engine in float64."""
    loss, gradient = loss_and_gradient(network, trees)
    embeddings, outputs = network.embedding(trees).detach().numpy(), network.predict(trees)
    network, trees = double(network, trees)
    expected_loss, expected_gradient = loss_and_gradient(network, trees)
    assert abs(loss - expected_loss) < 1e-5 * abs(expected_loss)
    assert relative(gradient, expected_gradient) < 1e-5
    assert relative(embeddings, network.embedding(trees).detach()) < 1e-5
    assert relative(outputs, network.predict(trees)) < 1e-5


def fall_of_loss(
    network: JetNetwork, inputs: Representation, y: np.ndarray, steps: int, rng: np.random.Generator
) -> float:
    """The loss after some steps of Adam, each with half of the jets or events, by the loss before."""
    step = TrainingStep(network)
    adam = Adam(step.parameters, rate=0.01)
    first = step(inputs, None, y)
    for _ in range(steps):
        some = rng.permutation(len(y))[: len(y) // 2]
        step(inputs, some, y[some])
        adam.step()
    return step(inputs, None, y) / first


def relative(found: object, expected: object) -> float:
    """The largest deviation, by the scale of what is expected."""
    expected = np.asarray(expected, dtype=np.float64)
    return float(np.abs(np.asarray(found, dtype=np.float64) - expected).max() / np.abs(expected).max())
