"""The MaxOut network: its size, its formula on dense images, and its gradient by finite differences."""

import numpy as np
import pytest
import torch

from jetgram.inputs.images import SparseImages, read_images
from jetgram.models.settings import ModelSettings
from jetgram.networks.classification import TwoClass
from jetgram.networks.maxout import ImageEmbedding, MaxOut
from jetgram.networks.network import TrainingStep

IMAGE = ModelSettings(input="image")


@pytest.fixture(scope="module")
def images(qcd_jets):
    found = read_images(qcd_jets[:24], trim=0.05)
    return found.scaled(found.fit_scaler())


def test_the_papers_parameters():
    network = IMAGE.build(seed=0)
    sizes = [sum(weight.numel() for weight in part.parameters()) for part in (network.embedding, network.head)]
    assert sum(sizes) == 975_693
    assert sizes == [801_280 + 164_480, 8_256 + 1_625 + 52]
    assert network.head.widths == (128, 64, 25, 2)


def test_a_unit_is_the_largest_of_its_pieces():
    layer = MaxOut(inputs=3, units=2, pieces=4)
    torch.nn.init.normal_(layer.W)
    torch.nn.init.normal_(layer.b)
    x = torch.randn(5, 3)
    pieces = torch.stack([x @ layer.W[:, 2 * k : 2 * k + 2] + layer.b[2 * k : 2 * k + 2] for k in range(4)])
    torch.testing.assert_close(layer(x), pieces.max(dim=0).values)


def test_empty_pixels_are_zeros(images):
    layer = ImageEmbedding().double()
    for weight in layer.parameters():
        torch.nn.init.normal_(weight)
    everything = layer(images)
    dense = torch.from_numpy(images.dense()).double()
    torch.testing.assert_close(everything, layer.second(layer.first(dense)))
    torch.testing.assert_close(layer(images, [7, 3, 3]), everything[[7, 3, 3]])
    torch.testing.assert_close(layer(images[[7]]), everything[[7]])


def test_many_pixels_are_one_product(images, monkeypatch):
    layer = ImageEmbedding().double()
    for weight in layer.parameters():
        torch.nn.init.normal_(weight)
    few = layer(images)
    monkeypatch.setattr(torch.nn.functional, "embedding_bag", None)
    monkeypatch.setattr("jetgram.networks.maxout.DENSE", 0.0)
    torch.testing.assert_close(layer(images), few)


def test_an_image_without_pixels_is_no_nan():
    nothing = SparseImages(np.empty(0, np.int32), np.empty(0, np.float32), np.array([0, 0]))
    assert np.isfinite(IMAGE.build(seed=0).predict(nothing)).all()


def test_two_classes_give_the_softmax():
    head = TwoClass(6, (5, 4))
    x = torch.randn(7, 6)
    both = torch.relu(head.layers[1](torch.relu(head.layers[0](x))))
    both = head.layers[2](both)
    torch.testing.assert_close(torch.sigmoid(head(x)[:, 0]), torch.softmax(both, dim=1)[:, 1])
    y = torch.tensor([0, 1, 1, 0, 1, 0, 0])
    expected = torch.nn.functional.cross_entropy(both, y, reduction="none")
    torch.testing.assert_close(head.losses(head(x), y[:, None].float()), expected)


def test_the_gradient_is_that_of_the_loss(images):
    """Along random directions, in double precision; and every parameter that can matter has one."""
    network = IMAGE.build(1).double()
    step = TrainingStep(network)
    y, w = np.arange(24) % 2, np.linspace(0.5, 1.5, 24)
    step(images, None, y, w)
    gradient, values = step.parameters.gradient.clone(), step.parameters.values
    assert all((weight.grad != 0).any() for weight in network.parameters())
    generator = torch.Generator().manual_seed(1)
    for _ in range(3):
        direction = torch.randn(len(values), dtype=torch.float64, generator=generator)
        losses = []
        for sign in (1, -1):
            values.add_(direction, alpha=sign * 1e-7)
            losses.append(step(images, None, y, w))
            values.sub_(direction, alpha=sign * 1e-7)
        assert (losses[0] - losses[1]) / 2e-7 == pytest.approx(float(gradient @ direction), rel=1e-4)


def test_the_first_weights_follow_from_the_seed():
    one, same, other = (IMAGE.build(seed).embedding.first.W for seed in (1, 1, 2))
    assert torch.equal(one, same)
    assert not torch.equal(one, other)
    limit = (6 / 625) ** 0.5
    assert 0.99 * limit < one.abs().max() <= limit


def test_a_regressor_has_the_same_layers():
    network = ModelSettings(input="image", head="regressor", targets=("a", "b", "c")).build(seed=0)
    assert network.head.widths == (128, 64, 25, 3)
    assert network.head.outputs == 3
