import dataclasses

import pytest

from jetgram import JetTagger
from jetgram.errors import SettingsError, TrainingError
from jetgram.models.model import JetModel
from jetgram.models.recipes import TrainingSettings
from jetgram.models.settings import ModelSettings, make_settings
from jetgram.training.fine_tuning import inherited_settings, require_same_model


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
