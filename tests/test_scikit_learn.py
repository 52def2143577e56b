"""Taggers and regressors are estimators of scikit-learn: cloned, searched, validated and piped as they are."""

import numpy as np
import pytest
import sklearn
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.validation import check_is_fitted

from jetgram.errors import BadJetError, DatasetError, DiscardedWeightsWarning, SettingsError, TrainingError
from jetgram.jets.preprocess import preprocess
from jetgram.models.recipes import RECIPES
from jetgram.momenta import Jets
from jetgram.roc import roc_auc
from jetgram.tagger import EventTagger, JetRegressor, JetTagger

QUICK = {"recipe": "paper", "hidden": 6, "epochs": 4, "batch": 16, "rate": 0.02}
LONGER = {**QUICK, "hidden": 8, "epochs": 12, "rate": 0.01}


@pytest.fixture(scope="module")
def label(qcd_jets):
    return (qcd_jets.pt > np.median(qcd_jets.pt)).astype(int)


@pytest.fixture(scope="module")
def tagger(qcd_jets, label):
    return JetTagger(seed=3, **QUICK).fit(qcd_jets[:300], label[:300])


@pytest.mark.parametrize(
    "estimator",
    [
        JetTagger(),
        JetTagger("kt+desc-pt", lr=0.1, class_weight=(1.0, 2.0)),
        JetTagger(input="image", epochs=3),
        JetTagger(classes=("qcd", "w", "top")),
        JetRegressor(targets=("mass", "pt"), loss="huber"),
        EventTagger(hardest=5, event="jet-momenta"),
        EventTagger(recipe="modern", event="particles"),
        JetTagger(recipe="modern", hidden=16, topology="kt"),
    ],
    ids=repr,
)
def test_a_clone_has_the_same_settings(estimator):
    copy = clone(estimator)
    assert type(copy) is type(estimator)
    assert (copy.settings, copy.training) == (estimator.settings, estimator.training)
    assert copy.get_params() == estimator.get_params()
    assert repr(copy) == repr(estimator)


def test_parameters_are_read_and_changed():
    tagger = JetTagger("ca", learning_rate=0.01)
    parameters = tagger.get_params()
    assert (parameters["topology"], parameters["learning_rate"], parameters["batch"]) == ("ca", 0.01, 64)
    assert "hardest" not in parameters
    assert tagger.set_params(rate=0.1, cell="gated") is tagger
    assert (tagger.training.rate, tagger.settings.network.cell, tagger.settings.input.topology) == (0.1, "gated", "ca")
    assert clone(tagger).set_params(input="image", cell="simple", topology="kt").settings.title == "MaxOut"
    with pytest.raises(SettingsError, match="there is no setting 'epoch'; did you mean 'epochs'"):
        tagger.set_params(epoch=3)
    with pytest.raises(ValueError, match="gatd"):
        tagger.set_params(cell="gatd")
    assert tagger.settings.network.cell == "gated"


@pytest.mark.parametrize(
    "settings", [{"input": "image", "trim": None}, {"features": "lund", "preprocess": True}], ids=str
)
def test_a_choice_that_is_a_default_elsewhere_is_kept(settings, qcd_jets, label, tmp_path):
    tagger = JetTagger(**settings, epochs=1)
    said = tagger.settings.dump()
    assert settings.items() <= said.items()
    assert clone(tagger).settings.dump() == said
    tagger.fit(qcd_jets, label).save(tmp_path / "tagger")
    assert JetTagger.load(tmp_path / "tagger").settings.dump() == said


def test_a_recipe_is_a_parameter():
    modern = clone(JetTagger(recipe="paper", epochs=3)).set_params(recipe="modern")
    assert modern.settings == JetTagger().settings == JetTagger(recipe="modern").settings
    assert (modern.settings.network.cell, modern.settings.input.topology, modern.training.epochs) == ("blend", "ca", 3)
    assert modern.get_params()["batch"] == 256
    assert clone(modern).set_params(recipe="paper").settings == JetTagger("kt", "simple").settings


def test_what_was_chosen_stays_with_another_recipe():
    """Also what is the default of a recipe, if it was given; not what `get_params` says of defaults."""
    for copy in (JetTagger, lambda **chosen: clone(JetTagger(**chosen))):
        tagger = copy(recipe="modern", epochs=12, topology="ca").set_params(recipe="paper")
        assert (tagger.training.epochs, tagger.settings.input.topology) == (12, "ca")
        assert tagger.settings == JetTagger(recipe="paper", topology="ca").settings
    again = JetTagger(**JetTagger(recipe="modern").get_params())
    assert again.set_params(recipe="paper").training == JetTagger(recipe="paper").training


@pytest.mark.parametrize("recipe", RECIPES)
def test_parameters_can_be_given_back(recipe):
    tagger = JetTagger(recipe=recipe)
    same = tagger.set_params(**tagger.get_params())
    assert repr(same) == repr(JetTagger(recipe=recipe))
    assert repr(same.set_params(recipe="pfn")) == repr(JetTagger(recipe="pfn"))


def test_a_clone_keeps_what_it_asks_for():
    with sklearn.config_context(enable_metadata_routing=True):
        asking = JetTagger().set_fit_request(sample_weight=True)
        assert clone(asking).get_metadata_routing().fit.requests["sample_weight"] is True


def test_arrays_are_settings():
    tagger = JetTagger(classes=np.array(["qcd", "w"]), class_weight=np.array([1.0, 2.0]))
    assert tagger.settings.head.labels == ("qcd", "w")
    assert clone(tagger).training.class_weight == (1.0, 2.0)


def test_validation_jets_have_what_is_read(qcd_jets, label):
    bare = Jets(qcd_jets.momenta, qcd_jets.offsets)
    tagger = JetTagger(features="paper+pdgid", **QUICK)
    with pytest.raises(BadJetError, match="reads the pdgid of particles, and these have none"):
        tagger.fit(qcd_jets, label, validation=(bare[:50], label[:50]))
    with pytest.raises(BadJetError, match="augment = soft, but these jets have no soft particles"):
        JetTagger(augment="soft", **QUICK).fit(bare, label)


def test_what_scikit_learn_asks_for(tagger, qcd_jets, label):
    assert is_classifier(tagger)
    assert is_regressor(JetRegressor())
    check_is_fitted(tagger)
    right = tagger.predict(qcd_jets[300:]) == label[300:]
    assert tagger.score(qcd_jets[300:], label[300:]) == pytest.approx(right.mean())
    weight = np.arange(len(right)) + 1.0
    assert tagger.score(qcd_jets[300:], label[300:], weight) == pytest.approx(np.average(right, weights=weight))
    assert tagger.score(qcd_jets[300:], np.eye(2)[label[300:]]) == pytest.approx(right.mean())


def test_jets_are_split_like_arrays(qcd_jets, label):
    training, test, y_training, y_test = train_test_split(qcd_jets, label, test_size=0.25, random_state=1)
    assert (len(training), len(test)) == (300, 100)
    pt = np.median(qcd_jets.pt)
    np.testing.assert_array_equal(y_training, training.pt > pt)
    np.testing.assert_array_equal(y_test, test.pt > pt)


def test_cross_validation(qcd_jets, label):
    scores = cross_val_score(JetTagger(**LONGER), qcd_jets, label, cv=3, scoring="roc_auc")
    assert scores.shape == (3,)
    assert scores.min() > 0.8


def test_grid_search_takes_the_better_setting(qcd_jets, label):
    choices = {"rate": [1e-9, 0.01], "topology": ["kt"]}
    search = GridSearchCV(JetTagger(**LONGER), choices, cv=2, scoring="roc_auc").fit(qcd_jets, label)
    assert search.best_params_ == {"rate": 0.01, "topology": "kt"}
    assert search.best_estimator_.training.rate == 0.01
    assert search.predict_proba(qcd_jets[:5]).shape == (5, 2)


def test_a_pipeline(tagger, qcd_jets, label):
    pipeline = Pipeline([("frame", FunctionTransformer(preprocess)), ("tagger", JetTagger(seed=3, **QUICK))])
    pipeline.fit(qcd_jets[:300], label[:300])
    np.testing.assert_array_equal(pipeline.predict_proba(qcd_jets), tagger.predict_proba(qcd_jets))
    assert clone(pipeline.set_params(tagger__hidden=9)).named_steps["tagger"].settings.network.hidden == 9


def test_fit_does_not_change_parameters(qcd_jets, label):
    """The classes of one sample are not those of the next."""
    tagger = JetTagger(**{**QUICK, "epochs": 1})
    before = tagger.get_params()
    tagger.fit(qcd_jets, np.array(["qcd", "w"])[label])
    assert tagger.get_params() == before
    assert tagger.classes_.tolist() == ["qcd", "w"]
    tagger.fit(qcd_jets, label)
    assert tagger.classes_.tolist() == [0, 1]


def test_training_goes_on_from_a_model(tagger, qcd_jets, label, tmp_path):
    """With a rate of next to nothing, the scores are those of the model it began with."""
    tagger.save(tmp_path / "tagger")
    still = {**QUICK, "epochs": 1, "rate": 1e-12, "seed": 8}
    expected = tagger.predict_proba(qcd_jets)
    for start in (tagger, tagger.model, tmp_path / "tagger", str(tmp_path / "tagger")):
        other = JetTagger(**still).fit(qcd_jets[100:], label[100:], start_from=start)
        np.testing.assert_allclose(other.predict_proba(qcd_jets), expected, atol=1e-6)
    np.testing.assert_array_equal(tagger.predict_proba(qcd_jets), expected)
    longer = JetTagger(seed=3, **QUICK).fit(qcd_jets[:300], label[:300], start_from=tagger)
    assert longer.history[0]["loss"] < tagger.history[0]["loss"]
    with pytest.raises(TrainingError, match=r"has cell = 'simple'; this training has 'gated'"):
        JetTagger(cell="gated", **still).fit(qcd_jets, label, start_from=tagger)
    with pytest.raises(TrainingError, match="has classes = None"):
        JetTagger(**still).fit(qcd_jets, np.array(["a", "b"])[label], start_from=tagger)


def test_a_regressor_goes_on_in_the_same_units(qcd_jets):
    first = JetRegressor(**QUICK).fit(qcd_jets, qcd_jets.pt)
    second = JetRegressor(**{**QUICK, "epochs": 1, "rate": 1e-12}).fit(qcd_jets, 2 * qcd_jets.pt, start_from=first)
    np.testing.assert_allclose(second.predict(qcd_jets), first.predict(qcd_jets), rtol=1e-5)


def test_weights_that_would_be_lost_are_spoken_of(tagger, qcd_jets, label, tmp_path):
    tagger.save(tmp_path / "tagger")
    loaded = JetTagger.load(tmp_path / "tagger").set_params(epochs=1)
    with pytest.warns(DiscardedWeightsWarning, match="start_from"):
        loaded.fit(qcd_jets, label)
    loaded = JetTagger.load(tmp_path / "tagger").set_params(epochs=1)
    loaded.fit(qcd_jets, label, start_from=loaded)


def test_a_verbose_fit_prints_a_line_per_epoch(qcd_jets, label, capsys):
    tagger = JetTagger(**QUICK).fit(qcd_jets, label, verbose=True)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert f"AUC {tagger.history[-1]['validation_auc']:.4f}" in lines[-1]
    JetTagger(**{**QUICK, "epochs": 1}).fit(qcd_jets, label)
    assert capsys.readouterr().out == ""


def test_the_column_of_weights_is_used(qcd_jets, label):
    weight = np.random.default_rng(1).uniform(0, 1, len(label))
    quick = {**QUICK, "epochs": 2}
    by_column = JetTagger(weight="w", **quick).fit(qcd_jets.with_columns(w=weight), label)
    by_hand = JetTagger(**quick).fit(qcd_jets, label, weight)
    np.testing.assert_array_equal(by_column.predict_proba(qcd_jets), by_hand.predict_proba(qcd_jets))
    with pytest.raises(DatasetError, match="no column 'w'"):
        JetTagger(weight="w", **quick).fit(qcd_jets, label)
    with pytest.raises(SettingsError, match="found sample_weight and the setting weight = 'w'; leave one out"):
        JetTagger(weight="w", **quick).fit(qcd_jets.with_columns(w=weight), label, weight)


def test_scores_of_a_search_are_those_of_the_jets_left_out(qcd_jets, label):
    """The rows that scikit-learn takes are whole jets, with their columns."""
    seen = {}

    def auc(estimator, jets, y):
        seen[len(seen)] = jets.columns["number"]
        return roc_auc(estimator.predict_proba(jets)[:, 1], y)

    numbered = qcd_jets.with_columns(number=np.arange(len(qcd_jets)))
    cross_val_score(JetTagger(**{**QUICK, "epochs": 1}), numbered, label, cv=2, scoring=auc)
    assert sorted(np.concatenate(list(seen.values()))) == list(range(len(qcd_jets)))
