import numpy as np
import pytest
import torch
from random_trees import random_network, random_schedule
from torch import Tensor

from jetgram import backend
from jetgram.errors import SettingsError
from jetgram.networks.cells import Cell, Simple
from jetgram.networks.engine.capability import choose_engine
from jetgram.networks.network import TrainingStep

core, _ = backend.load()


class Average(Cell):
    """A cell that the native engine does not know."""

    name = "average"

    def forward(self, children: Tensor, u: Tensor) -> Tensor:
        return (children.view(len(u), 2, -1).sum(dim=1) + u) / 3


def test_a_new_cell_is_one_class():
    trees = random_schedule([1, 4, 9])
    network = random_network()
    network.embedding.cell = Average()
    torch.nn.init.normal_(network.embedding.cell.W_u)
    assert network.engine(trees) == "torch"
    assert np.isfinite(network.predict(trees)).all()
    step = TrainingStep(network)
    step(trees, None, [0.0, 1.0, 0.0])
    assert network.embedding.cell.W_u.grad.any()


@pytest.mark.skipif(core is None, reason="the native core was not built")
def test_the_native_engine_is_the_default_where_it_can_work():
    trees = random_schedule([3])
    double_trees = random_schedule([3], dtype=np.float64)
    assert choose_engine(Simple()) == "native"
    assert choose_engine(Simple(), "torch") == "torch"
    assert choose_engine(Simple(), "auto", double_trees) == "torch"
    assert choose_engine(Simple().double(), "auto", trees) == "torch"
    assert choose_engine(Average()) == "torch"
    for cell, schedule, reason in (
        (Simple(), double_trees, "features in float32; found float64"),
        (Simple().double(), trees, "weights in float32 on the CPU; found torch.float64"),
        (Average(), trees, "Average has no native kernels"),
    ):
        with pytest.raises(SettingsError, match=reason):
            choose_engine(cell, "native", schedule)


def test_without_the_native_core(monkeypatch):
    monkeypatch.setattr(backend, "native_core", lambda: None)
    trees = random_schedule([3, 1, 6])
    network = random_network()
    assert network.engine(trees) == "torch"
    TrainingStep(network)(trees, None, [0.0, 1.0, 0.0])
    with pytest.raises(SettingsError, match="the native core is missing"):
        choose_engine(Simple(), "native")


def test_an_engine_that_is_none():
    with pytest.raises(SettingsError, match="'cuda'; there are: auto, native, torch"):
        choose_engine(Simple(), "cuda")


def test_the_torch_engine_works_on_another_device():
    """The meta device computes shapes only, and refuses any mixture with the CPU."""
    network = random_network("gated", engine="torch").to("meta")
    assert network(random_schedule([1, 4, 9])).shape == (3, 1)
