"""The card of a model for people: what it says is so, and follows from `model.json` alone."""

import re

import numpy as np
import pytest

import jetgram
from jetgram.models.card import read_card
from jetgram.models.card_page import PAGE, card_page, runs_in_cpp
from jetgram.models.model import JetModel
from jetgram.models.settings import ModelSettings
from jetgram.models.store import load_model, save_model


@pytest.fixture(scope="module")
def trained(tmp_path_factory, qcd_jets):
    folder = tmp_path_factory.mktemp("trained") / "model"
    labels = np.array(["qcd|gluon", "W", "top"])[np.argsort(np.argsort(qcd_jets.mass)) * 3 // len(qcd_jets)]
    tagger = jetgram.JetTagger(hidden=8, epochs=2, trim=0.05, classes=("qcd|gluon", "W", "top"))
    tagger.fit(qcd_jets, labels).save(folder)
    return folder


def test_the_page_says_what_the_model_is(trained, qcd_jets):
    page, model = (trained / PAGE).read_text(), load_model(trained)
    assert page.startswith("# simple kt\n")
    parameters = sum(weight.numel() for weight in model.network.parameters())
    for said in (
        f"{parameters:,} parameters",
        "less than 0.05 of the jet's pT",
        "p, eta, phi, E, E/E_jet, pT, theta",
        r"| classes | W, top against qcd\|gluon |",
        f"| jets | {len(qcd_jets)} |",
        model.record["data"]["digest"],
        model.record["digest"],
        f"| validation auc | {model.record['metrics']['validation_auc']:.4g} |",
        "tagger.outputs(jets)",
    ):
        assert said in page


def test_the_page_follows_from_the_card(trained):
    assert (trained / PAGE).read_text() == card_page(read_card(trained))


def test_the_python_lines_of_the_page_give_the_scores(trained, qcd_jets, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    jetgram.save("jets.parquet", qcd_jets, {"source": "this test"})
    (tmp_path / "model").symlink_to(trained)
    names: dict = {}
    exec(re.search("```python\n(.*?)```", (trained / PAGE).read_text(), re.DOTALL)[1], names)
    np.testing.assert_array_equal(names["scores"], load_model(trained).predict(qcd_jets))


def test_a_page_that_is_edited_or_lost_does_the_model_no_harm(trained, tmp_path, qcd_jets):
    model = load_model(trained)
    save_model(tmp_path, model)
    (tmp_path / PAGE).write_text("mine")
    assert load_model(tmp_path).record["digest"] == model.record["digest"]
    (tmp_path / PAGE).unlink()
    np.testing.assert_array_equal(load_model(tmp_path).predict(qcd_jets), model.predict(qcd_jets))


def test_a_training_that_did_not_end_says_so(qcd_jets, tmp_path):
    model = JetModel.untrained(ModelSettings(hidden=4), qcd_jets)
    save_model(tmp_path, model)
    assert "not those of a training" in (tmp_path / PAGE).read_text()
    stopped = {"validation_loss": 0.5, "stopped": "the loss of step 3 is nan"}
    save_model(tmp_path, JetModel(model.settings, model.network, model.scaler, {"metrics": stopped}))
    assert "did not end: the loss of step 3 is nan" in (tmp_path / PAGE).read_text()


@pytest.mark.parametrize("settings", [{"input": "image"}, {"event": "jets"}, {"features": "paper+charge"}])
def test_models_that_cpp_does_not_read_say_so(settings, qcd_jets, qcd_events, tmp_path):
    chosen = ModelSettings(**settings)
    rows = qcd_events[:5] if chosen.rows == "events" else qcd_jets[:5]
    charge = {"charge": np.ones(len(rows.momenta))}
    save_model(tmp_path, JetModel.untrained(chosen, type(rows)(rows.momenta, rows.offsets, particles=charge)))
    page = (tmp_path / PAGE).read_text()
    assert not runs_in_cpp(chosen)
    assert "```cpp" not in page
    assert "C++ library does not read such a model" in page
