import dataclasses
import shutil

import pytest

from jetgram import JetTagger
from jetgram.errors import EvaluationError, SettingsError, TrainingError
from jetgram.evaluation.evaluate import evaluate
from jetgram.evaluation.predict import predict_dataset
from jetgram.evaluation.selection import Window
from jetgram.models.card_page import PAGE
from jetgram.models.ensemble import Ensemble
from jetgram.models.model import JetModel
from jetgram.models.recipes import TrainingSettings
from jetgram.models.settings import ModelSettings, make_settings
from jetgram.models.store import load_model, save_model
from jetgram.training.fine_tuning import inherited_settings, require_same_model
from jetgram.training.job import Job
from jetgram.training.train import train
from jetgram.training.watching import Watcher


@pytest.fixture
def student(labelled_jets):
    """A model with the record of a training with a teacher, untrained."""
    settings, training = make_settings(recipe="student", seed=4, weight="heavy", augment="collinear1", split_seed=2)
    return dataclasses.replace(JetModel.untrained(settings, labelled_jets), record={"training": training.dump()})


def test_all_but_seed_and_teacher_is_taken_over(student):
    settings, training = make_settings(**inherited_settings(student))
    assert settings == student.settings
    recorded = TrainingSettings(**student.record["training"])
    assert training == recorded.model_copy(update={"seed": 0, "teacher_weight": 0.5})


def test_a_recipe_gives_its_training_alone(student):
    settings, training = make_settings(**inherited_settings(student, "pfn"))
    assert settings == student.settings
    assert training == make_settings(recipe="pfn")[1]
    with pytest.raises(SettingsError, match="no recipe 'pnf'; did you mean 'pfn'"):
        inherited_settings(student, "pnf")


def test_a_model_that_was_never_trained_has_no_training_settings(labelled_jets):
    model = JetModel.untrained(ModelSettings(topology="ca"), labelled_jets)
    assert make_settings(**inherited_settings(model)) == (model.settings, TrainingSettings())


def test_a_column_of_weights_can_be_left_out(student):
    assert make_settings(**{**inherited_settings(student), "weight": ""})[1].weight is None


def test_what_is_read_is_compared_first(labelled_jets):
    start = JetModel.untrained(ModelSettings(cell="gated", engine="torch"), labelled_jets)
    require_same_model(ModelSettings(cell="gated", initialisation="uniform"), start)
    with pytest.raises(TrainingError, match="has input = 'constituents'; this training has 'image'"):
        require_same_model(ModelSettings(input="image"), start)


def test_nothing_is_prepared_for_weights_that_do_not_fit(labelled_jets, monkeypatch):
    start = JetModel.untrained(ModelSettings(hidden=5), labelled_jets)
    monkeypatch.setattr("jetgram.estimator.prepare_jets", lambda *_, **__: pytest.fail("jets were prepared"))
    with pytest.raises(TrainingError, match="has hidden = 5; this training has 6"):
        JetTagger("kt", hidden=6).fit(labelled_jets, labelled_jets.columns["label"], start_from=start)


@pytest.fixture
def fresh(dataset, tmp_path):
    """A training from random weights."""
    settings, training = make_settings(topology="kt", hidden=5, epochs=1, validation=60, seed=1)
    return Job(dataset.path, tmp_path / "fresh", settings, training)


@pytest.fixture
def goes_on(fresh):
    """A training with the same settings and another seed that begins with the model of the first."""
    train(fresh)
    settings, training = make_settings(**{**inherited_settings(load_model(fresh.out)), "seed": 2})
    out = fresh.out.with_name("goes-on")
    return dataclasses.replace(fresh, model=settings, training=training, out=out, start_from=fresh.out)


def test_the_card_names_the_model_that_a_training_began_with(fresh, goes_on):
    train(goes_on)
    first, second = (load_model(job.out) for job in (fresh, goes_on))
    assert second.record["data"]["start_from"] == first.digest
    assert f"| the model it began with | {first.digest} |" in (goes_on.out / PAGE).read_text()
    assert "start_from" not in first.record["data"]


def test_a_model_that_went_on_is_no_seed_of_the_one_that_it_began_with(fresh, goes_on, dataset):
    train(goes_on)
    scores = [predict_dataset(load_model(job.out), dataset, "train") for job in (fresh, goes_on)]
    assert scores[0].model == scores[1].model
    with pytest.raises(EvaluationError, match="different settings or jets, not of two seeds"):
        evaluate(scores, Window.everything())


def test_a_training_ends_without_the_models_that_it_began_with_and_learned_from(goes_on):
    """Its checkpoint holds all that it needs; what is to be said of them is known before the first epoch."""

    class Thief(Watcher):
        def epoch(self, record, best):
            shutil.rmtree(goes_on.start_from)

    taught = dataclasses.replace(goes_on, teacher=str(goes_on.start_from))
    digest, fingerprint = load_model(goes_on.start_from).digest, taught.fingerprint
    data = train(taught, watcher=Thief()).record["data"]
    assert (data["start_from"], data["teacher"], data["fingerprint"]) == (digest, [digest], fingerprint)


def test_the_card_of_an_estimator_names_them_too(labelled_jets, tmp_path):
    label, settings = labelled_jets.columns["label"], {"hidden": 5, "epochs": 1}
    first = JetTagger("kt", **settings).fit(labelled_jets, label)
    digest = save_model(tmp_path / "first", first.model)
    both = Ensemble((load_model(tmp_path / "first"), first.model))
    second = JetTagger("kt", **settings).fit(labelled_jets, label, start_from=tmp_path / "first", teacher=both)
    assert second.model.record["data"]["start_from"] == digest
    assert second.model.record["data"]["teacher"] == [digest, ""]
    second.save(tmp_path / "second")
    assert f"| its teachers | {digest}, a model in memory |" in (tmp_path / "second" / PAGE).read_text()
