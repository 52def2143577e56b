import numpy as np
import pytest
import torch

from jetgram.errors import BadJetError, SettingsError
from jetgram.models import model as module
from jetgram.models.model import JetModel
from jetgram.models.settings import ModelSettings


@pytest.fixture(scope="module")
def model(qcd_jets):
    return JetModel.untrained(ModelSettings(topology="random"), qcd_jets, seed=1)


def test_probabilities_do_not_depend_on_the_chunks(model, qcd_jets, monkeypatch):
    whole = model.predict(qcd_jets)
    monkeypatch.setattr(module, "CHUNK", 37)
    np.testing.assert_array_equal(model.predict(qcd_jets), whole)
    np.testing.assert_array_equal(model.predict(qcd_jets[50:]), whole[50:])
    alone = np.concatenate([model.predict(qcd_jets[[jet]]) for jet in range(20)])
    np.testing.assert_array_equal(alone, whole[:20])
    assert whole.shape == (len(qcd_jets), 1)
    assert ((whole > 0) & (whole < 1)).all()


def test_the_head_of_the_embedding_is_the_logit(model, qcd_jets):
    embedding = torch.as_tensor(model.embed(qcd_jets[:9]), dtype=torch.float32)
    logit = model.network.head(embedding).detach().numpy()
    np.testing.assert_allclose(model.network.head.answers(logit), model.predict(qcd_jets[:9]), rtol=1e-5)


def test_no_jets_give_no_scores(model, qcd_jets):
    assert model.predict(qcd_jets[:0]).shape == (0, 1)
    assert model.embed(qcd_jets[:0]).shape == (0, 40)


def test_a_score_is_never_nan(qcd_jets):
    model = JetModel.untrained(ModelSettings(), qcd_jets)
    with torch.no_grad():
        model.network.head.layers[2].bias.fill_(torch.inf)
    with pytest.raises(BadJetError, match="jet 5, pT = .* constituents: the network's numbers overflow"):
        model.predict(qcd_jets[:3], first_jet=5)


@pytest.mark.parametrize(("trained", "read"), [("kt", "antikt"), ("kt", "random"), ("kt+ca", "antikt+ca")])
def test_weights_of_one_topology_read_another(qcd_jets, trained, read):
    model = JetModel.untrained(ModelSettings(topology=trained, hidden=5), qcd_jets, seed=1)
    moved = model.with_topology(read)
    by_hand = JetModel(ModelSettings(topology=read, hidden=5), model.network, model.scaler)
    np.testing.assert_array_equal(moved.predict(qcd_jets), by_hand.predict(qcd_jets))
    assert not np.array_equal(moved.predict(qcd_jets), model.predict(qcd_jets))
    assert (moved.title, moved.settings) == (f"simple {trained} on {read} trees", model.settings)
    back = moved.with_topology(trained)
    assert back.title == f"simple {trained}"
    np.testing.assert_array_equal(back.predict(qcd_jets), model.predict(qcd_jets))


@pytest.mark.parametrize(("trained", "read"), [(None, 0.05), (0.05, None)])
def test_weights_of_trimmed_jets_read_others(qcd_jets, trained, read):
    model = JetModel.untrained(ModelSettings(trim=trained, hidden=5), qcd_jets, seed=1)
    moved = model.with_trim(read)
    by_hand = JetModel(ModelSettings(trim=read, hidden=5), model.network, model.scaler)
    np.testing.assert_array_equal(moved.predict(qcd_jets), by_hand.predict(qcd_jets))
    assert not np.array_equal(moved.predict(qcd_jets), model.predict(qcd_jets))
    assert moved.title == f"simple kt on {'untrimmed' if read is None else 'trimmed'} jets"
    assert moved.with_topology("ca").with_trim(trained).title == "simple kt on ca trees"
    assert moved.with_trim(trained).other == {}
    with pytest.raises(SettingsError, match="trim = 1.5"):
        model.with_trim(1.5)


@pytest.mark.parametrize(
    ("settings", "topology", "message"),
    [
        ({}, "kt+antikt", "this model reads as many trees as kt has"),
        ({}, "anti-kt", "did you mean 'antikt'"),
        ({"input": "image"}, "antikt", "found topology with input = image"),
        ({"event": "particles"}, "antikt", "this model reads no trees"),
    ],
)
def test_other_trees_must_fit_the_model(qcd_jets, qcd_events, settings, topology, message):
    rows = qcd_events if "event" in settings else qcd_jets
    model = JetModel.untrained(ModelSettings(**settings), rows)
    with pytest.raises(SettingsError, match=message):
        model.with_topology(topology)
