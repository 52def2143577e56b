import numpy as np
import pytest
import torch

from jetgram.errors import BadJetError
from jetgram.models import model as module
from jetgram.models.model import JetModel, probability
from jetgram.models.settings import ModelSettings


@pytest.fixture(scope="module")
def model(qcd_jets):
    return JetModel.untrained(ModelSettings(topology="random"), qcd_jets, seed=1)


def test_probabilities_do_not_depend_on_the_chunks(model, qcd_jets, monkeypatch):
    whole = model.predict(qcd_jets)
    monkeypatch.setattr(module, "CHUNK", 37)
    np.testing.assert_array_equal(model.predict(qcd_jets), whole)
    np.testing.assert_array_equal(model.predict(qcd_jets[50:], first_jet=50), whole[50:])
    assert whole.shape == (len(qcd_jets), 1)
    assert ((whole > 0) & (whole < 1)).all()


def test_the_head_of_the_embedding_is_the_logit(model, qcd_jets):
    embedding = torch.as_tensor(model.embed(qcd_jets[:9]), dtype=torch.float32)
    logit = model.network.head(embedding).detach().numpy()
    np.testing.assert_allclose(probability(logit), model.predict(qcd_jets[:9]), rtol=1e-5)


def test_no_jets_give_no_scores(model, qcd_jets):
    assert model.predict(qcd_jets[:0]).shape == (0, 1)
    assert model.embed(qcd_jets[:0]).shape == (0, 40)


def test_probability_is_stable_and_exact_at_the_ends():
    assert probability(np.array([-1e4, -1.0, 0.0, 1.0, 1e4])).round(6).tolist() == [0.0, 0.268941, 0.5, 0.731059, 1.0]


def test_a_score_is_never_nan(qcd_jets):
    model = JetModel.untrained(ModelSettings(), qcd_jets)
    with torch.no_grad():
        model.network.head.layers[2].bias.fill_(torch.inf)
    with pytest.raises(BadJetError, match="jet 5, pT = .* constituents: the network's numbers overflow"):
        model.predict(qcd_jets[:3], first_jet=5)
