"""Jets for PyTorch's `DataLoader`: what a loop of one's own is given is what models read."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader

import jetgram
from jetgram.errors import BadJetError
from jetgram.models.model import JetModel
from jetgram.models.settings import ModelSettings


@pytest.mark.parametrize("choices", [{}, {"topology": "kt+desc-pt"}, {"features": "lund", "topology": "ca"}])
def test_batches_give_the_embeddings_of_the_model(qcd_jets, choices):
    jets = qcd_jets[:50]
    model = JetModel.untrained(ModelSettings(hidden=5, **choices), jets, seed=1)
    data = jetgram.TorchDataset(jets, np.arange(50), model.settings, model.scaler)
    found = np.empty((50, model.network.embedding.outputs))
    for trees, numbers in DataLoader(data, batch_size=16, shuffle=True, collate_fn=data.collate):
        found[numbers.numpy()] = model.network.embedding(trees).detach().numpy()
    np.testing.assert_allclose(found, model.embed(jets), rtol=1e-5, atol=1e-6)


def test_a_head_of_ones_own_trains_the_embedding_too(qcd_jets):
    data = jetgram.TorchDataset(qcd_jets[:30], np.arange(30) % 3)
    embedding = ModelSettings(hidden=6).build(seed=1).embedding
    model = nn.Sequential(embedding, nn.Linear(6, 3))
    trees, labels = data.collate([4, 2, 17])
    nn.functional.cross_entropy(model(trees), labels).backward()
    assert labels.tolist() == [1, 2, 2]
    assert all(weight.grad is not None and torch.isfinite(weight.grad).all() for weight in model.parameters())
    assert all(weight.grad.abs().sum() > 0 for weight in embedding.parameters())


def test_the_scaler_is_fitted_to_the_jets_unless_one_is_given(qcd_jets):
    train = jetgram.TorchDataset(qcd_jets[:100], np.zeros(100))
    test = jetgram.TorchDataset(qcd_jets[100:150], np.zeros(50), scaler=train.scaler)
    np.testing.assert_allclose(np.median(train.inputs.features, axis=0), 0, atol=1e-6)
    assert test.scaler is train.scaler


def test_as_many_targets_as_jets(qcd_jets):
    with pytest.raises(BadJetError, match="found 10 jets and 9 targets; expected one each"):
        jetgram.TorchDataset(qcd_jets[:10], np.zeros(9))
