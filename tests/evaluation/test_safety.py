"""Infrared and collinear safety: of an observable that is safe, of one that is not, and of a network."""

import dataclasses

import numpy as np
import pytest

from jetgram.errors import DatasetError, EvaluationError, SettingsError
from jetgram.evaluation.predict import predict_dataset
from jetgram.evaluation.safety import SCENARIOS, SEED, possible_scenarios, safety, score_perturbed, shifts
from jetgram.evaluation.safety_report import safety_report
from jetgram.evaluation.scores import Scores
from jetgram.evaluation.selection import Window
from jetgram.jets.perturb import perturb
from jetgram.jets.preprocess import preprocess
from jetgram.models.model import JetModel
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Events, Jets
from jetgram.roc import SCORE
from jetgram.storage.dataset import save

EVERYTHING = Window.everything()


@pytest.fixture(scope="module")
def dataset(qcd_jets, tmp_path_factory):
    label = (qcd_jets.multiplicity > np.median(qcd_jets.multiplicity)).astype(np.int8)
    return save(tmp_path_factory.mktemp("safety") / "jets", qcd_jets.with_columns(label=label), {"source": "tests"})


def pt(jets: Jets) -> np.ndarray:
    return jets.pt


def multiplicity(jets: Jets) -> np.ndarray:
    return jets.multiplicity.astype(float)


def scores_of(scorer, dataset):
    return {scenario: score_perturbed(scorer, dataset, scenario, "train") for scenario in SCENARIOS}


def test_a_safe_observable_does_not_move(dataset):
    scores = scores_of(pt, dataset)
    lines = {line.scenario: line for line in safety(scores, EVERYTHING, replicas=0)}
    assert list(lines) == list(SCENARIOS)
    for name, line in lines.items():
        assert line.large_shift < (0.01 if name == "soft" else 1e-9)
        assert line.auc_change == pytest.approx(0, abs=1e-3)


def test_a_scorer_with_the_wrong_sign_is_judged(dataset):
    """It gives every signal jet less than any background jet: the AUC is 0, and no change is relative to that."""
    report = safety_report(lambda jets: -jets.columns["label"], dataset, None, EVERYTHING, "train", "wrong", 0)
    assert {(line.result.auc, line.auc_change) for line in report.lines} == {(0.0, None)}
    assert [row.split()[:2] for row in str(report).splitlines()[2:4]] == [
        ["nominal", "0.0000"],
        ["collinear1", "0.0000"],
    ]


def test_an_unsafe_observable_moves_by_what_was_added(dataset):
    scores = scores_of(multiplicity, dataset)
    for name, expected in (("collinear1", 1), ("collinear10-max", 10)):
        assert np.array_equal(shifts(scores["nominal"], scores[name], EVERYTHING), np.full(len(scores[name]), expected))
    assert (shifts(scores["nominal"], scores["soft"], EVERYTHING) >= 0).all()
    assert safety(scores, EVERYTHING, replicas=0)[2].mean_shift == 10


def test_a_network_is_scored_as_by_predict(dataset, qcd_jets):
    model = JetModel.untrained(ModelSettings(), qcd_jets)
    nominal = score_perturbed(model, dataset, "nominal", "train", "net")
    assert np.array_equal(nominal.score, predict_dataset(model, dataset, "train", name="net").score)
    changed = score_perturbed(model, dataset, "collinear10", "train", "net")
    again = score_perturbed(model, dataset, "collinear10", "train", "net")
    assert np.array_equal(changed.score, again.score)
    assert not np.array_equal(changed.score, nominal.score)
    np.testing.assert_allclose(changed.pt, preprocess(perturb(qcd_jets, "collinear10", SEED)).pt, rtol=1e-12)
    assert not np.array_equal(changed.pt, nominal.pt)


def test_each_scenario_has_the_window_of_its_own_jets(dataset):
    """A function reads jets as they are; the shifts are those of the jets that were in the window before."""
    window = Window(pt=(200.0, 300.0), mass=(0.0, 60.0), flat_pt=False)
    scores = scores_of(multiplicity, dataset)
    jets = dataset.read("train")
    soft = perturb(jets, "soft")
    np.testing.assert_allclose(scores["soft"].pt, soft.pt, rtol=1e-12)
    np.testing.assert_allclose(scores["soft"].mass, soft.mass, rtol=1e-9)
    for line in safety(scores, window, replicas=0):
        inside = window.contains(scores[line.scenario].pt, scores[line.scenario].mass)
        assert line.result.signal + line.result.background == np.count_nonzero(inside)
        shift = shifts(scores["nominal"], scores[line.scenario], window)
        assert len(shift) == np.count_nonzero(window.contains(jets.pt, jets.mass))


def test_mistakes_say_what_was_found(dataset):
    with pytest.raises(SettingsError, match="no scenario 'hard'; there are: nominal, collinear1"):
        score_perturbed(pt, dataset, "hard", "train")
    with pytest.raises(EvaluationError, match=r"shape \(\); expected"):
        score_perturbed(lambda jets: 1.0, dataset, "nominal", "train")
    with pytest.raises(EvaluationError, match="expected those of the nominal jets"):
        safety({"soft": score_perturbed(pt, dataset, "soft", "train")})
    scores = score_perturbed(pt, dataset, "nominal", "train")
    with pytest.raises(EvaluationError, match="different jets"):
        shifts(scores, scores[:5])


@pytest.fixture(scope="module")
def events(qcd_events, tmp_path_factory):
    few = qcd_events[:20]
    label = {"label": (np.arange(len(few)) % 2).astype(np.int8)}
    return save(tmp_path_factory.mktemp("safety") / "events", Events(few.momenta, few.offsets, label), {}, "test")


def test_events_are_not_changed_silently(events, qcd_events):
    model = JetModel.untrained(ModelSettings(event="jets", hidden=5, state=5), qcd_events[:20])
    told = []
    for scenario in SCENARIOS[1:]:
        with pytest.raises(DatasetError, match=r"holds events, but soft .* into jets; take a dataset of jets"):
            score_perturbed(model, events, scenario, advance=told.append)
    with pytest.raises(DatasetError, match="holds events, but"):
        score_perturbed(multiplicity, events)
    assert told == []
    assert len(score_perturbed(model, events)) == 20  # as they are, events can be scored


def test_soft_particles_cannot_be_put_into_jets_that_came_without(dataset, events, qcd_jets, tmp_path):
    assert possible_scenarios(dataset, "train") == SCENARIOS
    own = save(tmp_path / "own", Jets(qcd_jets.momenta, qcd_jets.offsets), {}, "test")
    assert possible_scenarios(own) == SCENARIOS[:-1]
    assert SCENARIOS[-1] == "soft"
    with pytest.raises(DatasetError, match="holds events, but"):
        possible_scenarios(events)


def test_a_change_between_bounds_is_not_told():
    """Of two bounds it would be that of the numbers of jets."""
    label = np.repeat([1, 0], 20)
    score = label * 0.5 + 0.25
    ones = np.ones(40)
    half = Scores({SCORE: score}, label.astype(np.int8), 500 * ones, 80 * ones, ones, np.arange(40))
    worse = dataclasses.replace(half, outputs={SCORE: np.where(np.arange(40) == 39, 0.9, score)})
    lines = {line.scenario: line for line in safety({"nominal": half, "soft": worse}, EVERYTHING, replicas=0)}
    assert lines["nominal"].result.rejection[0].is_bound
    assert lines["soft"].rejection_change is None
