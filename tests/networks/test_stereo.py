import numpy as np
import pytest
import torch

from jetgram.errors import BadJetError
from jetgram.models.settings import ModelSettings
from jetgram.networks.engine import native_engine
from jetgram.networks.network import TrainingStep

STEREO = ModelSettings(topology="kt+desc-pt", hidden=6)


@pytest.fixture(scope="module")
def trees(qcd_jets):
    both = STEREO.read(qcd_jets[:24]).inputs
    return both.scaled(both.fit_scaler())


def test_the_embedding_is_that_of_both_trees_side_by_side(trees):
    network = STEREO.build(1)
    left, right = network.embedding.parts
    together = network.embedding(trees, [3, 1])
    assert torch.equal(together[:, :6], left(trees, [3, 1]))
    assert torch.equal(together[:, 6:], right(trees.others[0], [3, 1]))
    assert network.predict(trees).shape == (24, 1)


def test_the_embeddings_run_natively(trees, monkeypatch):
    calls = []
    embed = native_engine.embed
    monkeypatch.setattr(native_engine, "embed", lambda *arguments: calls.append(1) or embed(*arguments))
    STEREO.build(seed=0).predict(trees)
    assert len(calls) == 2


@pytest.mark.parametrize("cell", ["simple", "gated", "blend"])
def test_gradients_are_those_of_the_torch_engine(trees, cell):
    gradients = []
    for engine in ("native", "torch"):
        settings = STEREO.changed(engine=engine, cell=cell)
        step = TrainingStep(settings.build(2))
        step(trees, np.arange(24), np.arange(24) % 2)
        gradients.append(step.parameters.gradient)
    assert gradients[0].abs().max() > 0
    torch.testing.assert_close(*gradients, rtol=1e-4, atol=1e-6)


def test_one_tree_is_not_enough(trees):
    with pytest.raises(BadJetError, match="reads 2 trees of each jet; found 1"):
        STEREO.build(seed=0)(trees.others[0])
