import os
import subprocess
import sys

import numpy as np
import pytest
import torch
from random_trees import fall_of_loss, random_schedule

from jetgram.errors import SettingsError
from jetgram.networks.cells import Gated, Simple
from jetgram.networks.classification import Binary
from jetgram.networks.gru import GRU
from jetgram.networks.initialisation import initialise
from jetgram.networks.maxout import MaxOut
from jetgram.networks.network import JetNetwork, jet_classifier
from jetgram.networks.recursive import RecursiveEmbedding


def test_paper():
    network = jet_classifier("gated", scheme="paper", seed=1)
    cell = network.embedding.cell
    for name, limit in (("W_u", 6 / 47), ("W_z", 6 / 320), ("W_r", 6 / 240)):
        largest = getattr(cell, name).abs().max().item()
        assert 0.9 * 0.1 * limit**0.5 < largest <= 0.1 * limit**0.5
    torch.testing.assert_close(cell.W_h @ cell.W_h.T, 1.21 * torch.eye(40), atol=1e-5, rtol=0)
    for layer, (inputs, outputs) in zip(network.head.layers, ((40, 40), (40, 40), (40, 1)), strict=True):
        limit = 0.1 * (6 / (inputs + outputs)) ** 0.5
        assert 0.9 * limit < layer.weight.abs().max().item() <= limit
    biases = [weight.detach() for weight in network.parameters() if weight.ndim == 1]
    assert [float(bias.sum()) for bias in biases] == [0.0] * (len(biases) - 1) + [1.0]


def test_modern_keeps_the_scale_of_the_states():
    trees = random_schedule([300] * 8, topology="desc-pt")
    network = jet_classifier("simple", hidden=100, scheme="modern", seed=2)
    with torch.no_grad():
        scale = network.embedding(trees).square().mean().sqrt().item()
    assert 0.3 < scale < 5.0
    assert network.head.layers[2].bias.item() == 0


@pytest.mark.parametrize("scheme", ["paper", "modern"])
def test_a_seed_is_a_network(scheme):
    def weights(seed: int) -> np.ndarray:
        return torch.cat(
            [w.detach().reshape(-1) for w in jet_classifier(scheme=scheme, seed=seed).parameters()]
        ).numpy()

    np.testing.assert_array_equal(weights(1), weights(1))
    assert np.any(weights(1) != weights(2))


def test_a_seed_is_the_same_network_on_any_number_of_threads():
    threads = torch.get_num_threads()
    found = []
    for count in (1, 2):
        torch.set_num_threads(count)
        found.append(jet_classifier("gated", seed=1).embedding.cell.W_h.detach().clone())
        assert torch.get_num_threads() == count
    torch.set_num_threads(threads)
    assert torch.equal(*found)


WEIGHTS = """
from jetgram.networks.network import jet_classifier
print(jet_classifier("gated", seed=1).embedding.cell.W_h.detach().numpy().tobytes().hex())
"""


@pytest.mark.parametrize("rounding", ["AUTO", "COMPATIBLE"])
def test_a_seed_is_the_same_network_on_processors_of_all_makers(rounding):
    """MKL, behind PyTorch's factorisations, has kernels of its own for each; COMPATIBLE are those of all."""
    command, environment = [sys.executable, "-c", WEIGHTS], {**os.environ, "MKL_CBWR": rounding}
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    here = jet_classifier("gated", seed=1).embedding.cell.W_h.detach().numpy()
    np.testing.assert_array_equal(np.frombuffer(bytes.fromhex(found.stdout), np.float32).reshape(here.shape), here)


def test_a_scheme_that_is_none():
    with pytest.raises(SettingsError, match="'lecun'; there are: paper, modern"):
        initialise(jet_classifier(), "lecun")


@pytest.mark.parametrize("cell", [Simple, Gated])
def test_modules_are_ready_when_they_are_built(cell):
    """Nothing is to be called before training: every weight but the biases is filled, and the loss falls."""
    torch.manual_seed(3)
    trees = random_schedule([5, 9, 1, 12] * 8)
    network = JetNetwork(RecursiveEmbedding(cell(7, 12)), Binary(12))
    assert all(weight.ndim == 1 or weight.abs().min() > 0 for weight in network.parameters())
    y = (trees.features[trees.offsets[:-1], 0] > 0).astype(float)
    assert fall_of_loss(network, trees, y, steps=60, rng=np.random.default_rng(1)) < 0.6


def test_modules_begin_as_published():
    cell, head, gru = Simple(7, 40), Binary(40), GRU(4, 6)
    torch.testing.assert_close(cell.W_h @ cell.W_h.T, 1.21 * torch.eye(40), atol=1e-5, rtol=0)
    torch.testing.assert_close(gru.W_hh @ gru.W_hh.T, 1.21 * torch.eye(6), atol=1e-5, rtol=0)
    assert head.layers[2].bias.item() == 1.0
    assert 0 < MaxOut(10, 3, 2).W.abs().max() <= (6 / 10) ** 0.5


def test_shapes_without_memory():
    with torch.device("meta"):
        network = JetNetwork(RecursiveEmbedding(Gated()), Binary(40))
    assert {weight.device.type for weight in network.parameters()} == {"meta"}
