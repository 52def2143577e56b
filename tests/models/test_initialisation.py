import numpy as np
import pytest
import torch

from jetgram.errors import SettingsError
from jetgram.models.initialisation import initialise
from jetgram.models.network import jet_classifier


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
    from random_trees import random_schedule

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


def test_a_scheme_that_is_none():
    with pytest.raises(SettingsError, match="'lecun'; expected one of paper, modern"):
        initialise(jet_classifier(), "lecun")
