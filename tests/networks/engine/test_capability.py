"""The native engine stands in for stock modules only: whatever else a network computes, its numbers are PyTorch's."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from random_trees import random_network, random_schedule
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_hook
from torch.nn.utils import parametrize

from jetgram import backend
from jetgram.errors import SettingsError
from jetgram.networks.cells import Simple
from jetgram.networks.classification import Binary
from jetgram.networks.engine.capability import choose_engine, kernel_of, obstacle
from jetgram.networks.network import JetNetwork, TrainingStep
from jetgram.networks.recursive import RecursiveEmbedding
from jetgram.networks.regression import Regression

pytestmark = pytest.mark.skipif(backend.native_core() is None, reason="the native core was not built")

TARGETS = [0.0, 1.0, 0.0, 1.0]


class Halved(Simple):
    """The stock cell with other numbers."""

    def forward(self, children: Tensor, u: Tensor) -> Tensor:
        return 0.5 * super().forward(children, u)


class OtherInput(Simple):
    """The stock cell with another local information."""

    def node_input(self, features: Tensor) -> Tensor:
        return 0.5 * super().node_input(features)


class Steeper(Binary):
    """The stock head with other outputs."""

    def forward(self, embedding: Tensor) -> Tensor:
        return 2 * super().forward(embedding)


class OtherLoss(Binary):
    """The stock head with another loss."""

    def losses(self, outputs: Tensor, targets: Tensor) -> Tensor:
        return 3 * super().losses(outputs, targets)


class Shifted(RecursiveEmbedding):
    """The stock embedding, moved."""

    def forward(self, trees, jets=None) -> Tensor:
        return super().forward(trees, jets) + 1


class Doubled(nn.Module):
    """A parametrization."""

    def forward(self, weight: Tensor) -> Tensor:
        return 2 * weight


def double(module: nn.Module, inputs: object, outputs: Tensor) -> Tensor:
    return 2 * outputs


def replace_cell(network: JetNetwork, kind: type[Simple]) -> None:
    cell = kind(7, 12)
    cell.load_state_dict(network.embedding.cell.state_dict())
    network.embedding.cell = cell


def replace_head(network: JetNetwork, kind: type[Binary]) -> None:
    head = kind(12)
    head.load_state_dict(network.head.state_dict())
    network.head = head


def replace_embedding(network: JetNetwork) -> None:
    network.embedding = Shifted(network.embedding.cell, network.embedding.engine)


def replace_layers(network: JetNetwork) -> None:
    """Another width between two layers, so that the head's own sizes are out of date."""
    network.head.layers[0], network.head.layers[1] = nn.Linear(12, 5), nn.Linear(5, 12)


def own_forward(network: JetNetwork) -> None:
    stock = network.head.forward
    network.head.forward = lambda embedding: 2 * stock(embedding)


def own_input(network: JetNetwork) -> None:
    stock = network.embedding.cell.node_input
    network.embedding.cell.node_input = lambda features: 0.5 * stock(features)


CHANGES: dict[str, tuple[Callable[[JetNetwork], object], str]] = {
    "a cell with its own forward": (lambda net: replace_cell(net, Halved), "Halved has no native kernels"),
    "a cell with its own input": (lambda net: replace_cell(net, OtherInput), "OtherInput has no native kernels"),
    "a head with its own forward": (lambda net: replace_head(net, Steeper), "Steeper has no native kernels"),
    "an embedding with its own forward": (replace_embedding, "Shifted has no native kernels"),
    "a forward of one head": (own_forward, "this Binary has a forward of its own"),
    "an input of one cell": (own_input, "this Simple has a node_input of its own"),
    "a hook of the cell": (lambda net: net.embedding.cell.register_forward_hook(double), "this Simple has hooks"),
    "a hook of the head": (lambda net: net.head.register_forward_hook(double), "this Binary has hooks"),
    "a hook of a layer": (lambda net: net.head.layers[1].register_forward_hook(double), "this Linear has hooks"),
    "a hook before a layer": (
        lambda net: net.head.layers[1].register_forward_pre_hook(lambda _, inputs: (2 * inputs[0],)),
        "this Linear has hooks",
    ),
    "a hook of the network": (lambda net: net.register_forward_hook(double), "this JetNetwork has hooks"),
    "a parametrized layer": (
        lambda net: parametrize.register_parametrization(net.head.layers[0], "weight", Doubled()),
        "ParametrizedLinear has no native kernels",
    ),
    "a parametrized cell": (
        lambda net: parametrize.register_parametrization(net.embedding.cell, "W_h", Doubled()),
        "ParametrizedSimple has no native kernels",
    ),
    "a layer of another kind": (
        lambda net: net.head.layers.__setitem__(0, nn.Sequential(net.head.layers[0], nn.Tanh())),
        "Sequential has no native kernels",
    ),
    "layers of other widths": (replace_layers, "a layer was replaced; found weights of shapes"),
}


def reference(network: JetNetwork, trees) -> tuple[np.ndarray, float]:
    """What PyTorch alone gives: outputs, and the loss of a step."""
    network.embedding.engine = "torch"
    return network.predict(trees), TrainingStep(network)(trees, None, TARGETS)


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_not_stock_runs_in_pytorch(change):
    trees, apply = random_schedule([4, 1, 9, 6]), CHANGES[change][0]
    network = random_network(hidden=12)
    stock = network.predict(trees)
    assert network.engine(trees) == "native"
    apply(network)
    assert network.engine(trees) == "torch"
    found, loss = network.predict(trees), TrainingStep(network)(trees, None, TARGETS)
    expected, expected_loss = reference(network, trees)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    assert loss == pytest.approx(expected_loss, rel=1e-5)
    assert np.abs(found - stock).max() > 1e-3, "the change is one of numbers"


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_not_stock_is_an_error_where_the_native_engine_is_asked_for(change):
    trees, (apply, reason) = random_schedule([4, 1, 9, 6]), CHANGES[change]
    network = random_network(hidden=12, engine="native")
    apply(network)
    for call in (lambda: network.predict(trees), lambda: TrainingStep(network), lambda: network.engine(trees)):
        with pytest.raises(SettingsError, match=f"the native engine cannot work here: {reason}"):
            call()


def test_a_loss_of_its_own():
    """Scores are the stock ones; the loss and its gradient are not."""
    trees, network = random_schedule([4, 1, 9, 6]), random_network(hidden=12)
    steps = [TrainingStep(network)]
    losses = [steps[0](trees, None, TARGETS)]
    gradient = steps[0].parameters.gradient.clone()
    replace_head(network, OtherLoss)
    steps.append(TrainingStep(network))
    losses.append(steps[1](trees, None, TARGETS))
    assert losses[1] == pytest.approx(3 * losses[0], rel=1e-5)
    torch.testing.assert_close(steps[1].parameters.gradient, 3 * gradient, rtol=1e-4, atol=1e-6)


def test_a_loss_of_one_head():
    trees, network = random_schedule([4, 1, 9, 6]), random_network(hidden=12)
    stock = TrainingStep(network)(trees, None, TARGETS)
    losses = network.head.losses
    network.head.losses = lambda outputs, targets: 3 * losses(outputs, targets)
    assert TrainingStep(network)(trees, None, TARGETS) == pytest.approx(3 * stock, rel=1e-5)


@pytest.mark.parametrize("engine", ["auto", "native"])
def test_a_hook_of_a_weight(engine):
    """It changes the gradient, as one that clips or masks it does."""
    trees, network = random_schedule([4, 1, 9, 6]), random_network(hidden=12, engine=engine)
    step = TrainingStep(network)
    network.head.layers[0].weight.register_hook(torch.zeros_like)
    if engine == "native":
        with pytest.raises(SettingsError, match="cannot go on: weight of this Linear has hooks"):
            step(trees, None, TARGETS)
    else:
        step(trees, None, TARGETS)
        assert not network.head.layers[0].weight.grad.any()
        assert network.head.layers[1].weight.grad.any()


def test_a_hook_of_every_module():
    network, trees = random_network(hidden=12), random_schedule([4, 1, 9, 6])
    seen = []
    handle = register_module_forward_hook(lambda module, *_: seen.append(type(module)))
    try:
        assert network.engine(trees) == "torch"
        network.predict(trees)
    finally:
        handle.remove()
    assert {JetNetwork, RecursiveEmbedding, Binary} <= set(seen)
    assert network.engine(trees) == "native"


@pytest.mark.parametrize("engine", ["auto", "native"])
def test_a_hook_during_training_is_called_or_an_error(engine):
    network, trees = random_network(hidden=12, engine=engine), random_schedule([4, 1, 9, 6])
    step = TrainingStep(network)
    before = step(trees, None, TARGETS)
    network.head.register_forward_hook(double)
    if engine == "native":
        with pytest.raises(SettingsError, match="cannot go on: this Binary has hooks"):
            step(trees, None, TARGETS)
    else:
        assert abs(step(trees, None, TARGETS) - before) > 1e-3


def test_weights_that_are_not_to_be_trained_stay():
    network, trees = random_network(hidden=12), random_schedule([4, 1, 9, 6])
    network.embedding.requires_grad_(False)
    step = TrainingStep(network)
    step(trees, None, TARGETS)
    assert not any(weight.grad.any() for weight in network.embedding.parameters())
    assert all(layer.weight.grad.any() for layer in network.head.layers)
    network.embedding.engine = "native"
    with pytest.raises(SettingsError, match=r"trains all weights; embedding\.cell\.W_u is not to be trained"):
        TrainingStep(network)


def test_a_subclass_may_declare_a_kernel():
    """One that computes the same, and says so."""

    class Named(Simple):
        kernel = "simple"

    assert kernel_of(Named()) == "simple"
    assert choose_engine(Named(), "native") == "native"
    assert kernel_of(Regression(3)) == kernel_of(Binary(3)) == "layers"
    assert obstacle(Simple()) == ""
