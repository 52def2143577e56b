import numpy as np
import pytest
import torch

from jetgram.errors import SettingsError
from jetgram.inputs.schedule import Schedule
from jetgram.jets.images import jet_images
from jetgram.models.importance import node_importance
from jetgram.models.model import JetModel
from jetgram.models.settings import ModelSettings


@pytest.fixture(params=["simple", "gated"])
def model(request, qcd_jets):
    return JetModel.untrained(ModelSettings(cell=request.param, hidden=5), qcd_jets, seed=3)


def test_the_root_matters_as_its_embedding_does(model, qcd_jets):
    jets = qcd_jets[:6]
    found = node_importance(model, jets)
    embeddings = model.network.embedding(model.read(jets)).detach().requires_grad_()
    (gradient,) = torch.autograd.grad(model.network.head(embeddings).sum(), embeddings)
    np.testing.assert_allclose(found.values[found.trees.root], gradient.norm(dim=1), rtol=1e-4)


def test_a_leaf_matters_as_finite_differences_say(model, qcd_jets):
    """A leaf's state is relu(W_u v + b_u): in double precision, moving b_u of one leaf alone moves its state."""
    jets = qcd_jets[:1]
    found = node_importance(model, jets)
    trees, features = next(model.settings.tree_input.trees(jets))
    network, leaf = model.network.double(), int(np.argmax(found.values * trees.is_leaf))
    schedule = Schedule.from_trees(trees, features).scaled(model.scaler)
    row = int(np.flatnonzero((schedule.features == scaled(model, features[leaf])).all(axis=1))[0])
    shifts = torch.zeros(10, len(schedule.inner), 5, dtype=torch.float64)
    shifts[range(5), row, range(5)], shifts[range(5, 10), row, range(5)] = 1e-6, -1e-6
    from jetgram.networks.engine import torch_engine

    outputs = [network.head(torch_engine.embed(network.embedding.cell, schedule, shift=s)).item() for s in shifts]
    slopes = (np.array(outputs[:5]) - np.array(outputs[5:])) / 2e-6
    assert found.values[leaf] == pytest.approx(np.linalg.norm(slopes), rel=1e-3)


def test_a_root_that_is_not_read_does_not_matter(qcd_jets):
    model = JetModel.untrained(ModelSettings(readout="children", hidden=5), qcd_jets, seed=3)
    found = node_importance(model, qcd_jets[:6])
    embeddings = model.network.embedding(model.read(qcd_jets[:6])).detach().requires_grad_()
    (gradient,) = torch.autograd.grad(model.network.head(embeddings).sum(), embeddings)
    root = found.trees.root
    left, right = (found.trees.children[root] + found.trees.offsets[:-1, None]).T
    assert not found.values[root].any()
    np.testing.assert_allclose(found.values[left], gradient[:, :5].norm(dim=1), rtol=1e-4)
    np.testing.assert_allclose(found.values[right], gradient[:, 5:].norm(dim=1), rtol=1e-4)


def scaled(model, features):
    return model.scaler.transform(features[None])[0]


def test_each_jet_stands_alone(model, qcd_jets):
    together = node_importance(model, qcd_jets[:4])
    for jet in range(4):
        alone = node_importance(model, qcd_jets[[jet]])
        np.testing.assert_array_equal(together[jet].trees.children, alone.trees.children)
        np.testing.assert_allclose(together[jet].values, alone.values, rtol=1e-4, atol=1e-9)


def test_a_stereo_model_has_no_single_tree(qcd_jets):
    model = JetModel.untrained(ModelSettings(topology="kt+antikt", hidden=5), qcd_jets)
    with pytest.raises(SettingsError, match="one tree"):
        node_importance(model, qcd_jets)


def test_a_network_on_images_has_no_tree(qcd_jets):
    model = JetModel.untrained(ModelSettings(input="image"), qcd_jets)
    with pytest.raises(SettingsError, match="this model reads images"):
        node_importance(model, qcd_jets)


def test_pixels_and_other_topologies_are_drawn_as_they_are_read(qcd_jets):
    model = JetModel.untrained(ModelSettings(input="pixels", hidden=5), qcd_jets).with_topology("ca")
    found = node_importance(model, qcd_jets[:3])
    assert found.trees.topology == "ca"
    assert found.trees.is_leaf.sum() == len(jet_images(qcd_jets[:3]).to_jets().momenta)
