import dataclasses

import numpy as np
import pytest

from jetgram.errors import EvaluationError, SuspiciousJetsWarning
from jetgram.evaluation.classes import binary_scores, class_labels
from jetgram.evaluation.evaluate import evaluate
from jetgram.evaluation.scores import Provenance, Scores
from jetgram.evaluation.selection import Window
from jetgram.roc import roc_curve

CLASSES = ("qcd", "w", "top")


@pytest.fixture(scope="module")
def scores():
    rng = np.random.default_rng(2)
    label = rng.integers(0, 3, 6000)
    logits = rng.normal(size=(6000, 3)) + 1.5 * np.eye(3)[label]
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    columns = {f"score_{name}": p[:, number] for number, name in enumerate(CLASSES)}
    weight = rng.uniform(0.5, 2, 6000)
    given = Provenance(model="three", seed=1, model_digest="abc")
    return Scores.create(columns, label, np.full(6000, 270.0), np.full(6000, 80.0), weight, provenance=given)


def test_each_class_against_the_background_and_the_rest(scores):
    """AUC and R are those of the likelihood ratio, computed from the probabilities."""
    report = evaluate([scores], Window.everything(), efficiencies=(0.5, 0.8), replicas=0)
    found = {result.model: result for result in report.seeds}
    assert list(found) == [f"three: {pair}" for pair in ("w vs qcd", "top vs qcd", *(f"{c} vs rest" for c in CLASSES))]
    p, background = scores.outputs, scores.outputs["score_qcd"]
    for number, name in enumerate(CLASSES[1:], start=1):
        both = (scores.label == number) | (scores.label == 0)
        ratio = p[f"score_{name}"] / background
        curve = roc_curve(ratio[both], scores.label[both] == number, scores.weight[both])
        result = found[f"three: {name} vs qcd"]
        assert result.auc == pytest.approx(curve.auc, abs=1e-12)
        assert [r.value for r in result.rejection] == pytest.approx([curve.rejection(e).value for e in (0.5, 0.8)])
        assert (result.signal, result.background) == tuple((scores.label == c).sum() for c in (number, 0))
    for number, name in enumerate(CLASSES):
        rest = roc_curve(p[f"score_{name}"], scores.label == number, scores.weight)
        assert found[f"three: {name} vs rest"].auc == pytest.approx(rest.auc, abs=1e-12)


def test_two_classes_stay_as_they_are():
    scores = Scores.create({"score": [0.1, 0.9]}, [0, 1], [270.0] * 2, [80.0] * 2)
    assert class_labels(scores) == ()
    assert binary_scores(scores) == [scores]


def test_seeds_are_averaged_class_by_class(scores):
    other = scores.provenance.model_copy(update={"seed": 2, "model_digest": "def"})
    seeds = [scores, Scores(scores.outputs, *scores.columns.values(), provenance=other)]
    report = evaluate(seeds, Window.everything(), replicas=0)
    assert len(report.models) == 5
    assert {model.seeds for model in report.models} == {2}


def test_jets_of_unknown_classes_are_left_out_and_counted(scores):
    """As `predict` writes them for classes that the model has not learned: -1."""
    label = np.where(np.arange(len(scores)) % 4 == 0, -1, scores.label).astype(np.int8)
    some = dataclasses.replace(scores, label=label, source="some.parquet")
    with pytest.warns(SuspiciousJetsWarning, match="some.parquet: 1500 of 6000 jets are of no class that the model"):
        found = evaluate([some], Window.everything(), replicas=0)
    expected = evaluate([scores[label >= 0]], Window.everything(), replicas=0)
    assert [seed.auc for seed in found.seeds] == [seed.auc for seed in expected.seeds]
    with pytest.warns(SuspiciousJetsWarning, match="1500 of 6000"):
        (pair,) = binary_scores(dataclasses.replace(some, outputs={"score": scores.outputs["score_w"]}))
    assert set(pair.label) == {0, 1, 2}


def test_jets_without_any_label_are_not_judged(scores):
    unknown = dataclasses.replace(scores, label=np.full(len(scores), -1, np.int8))
    with pytest.raises(EvaluationError, match="label is -1"):
        evaluate([unknown], Window.everything(), replicas=0)


def test_labels_without_a_score_are_an_error(scores):
    fewer = {name: values for name, values in scores.outputs.items() if name != "score_top"}
    columns = {name: values for name, values in scores.columns.items() if name != "jet"}
    with pytest.raises(EvaluationError, match="the label of a jet is 2; expected one below 2: qcd, w"):
        binary_scores(Scores.create(fewer, **columns))


def test_one_score_for_more_classes_than_two(scores):
    one = dataclasses.replace(scores, outputs={"score": scores.outputs["score_w"]}, source="w.parquet").named("w")
    found = r"w\.parquet: the jets are of the classes 0, 1, 2, but there is one score, of w; expected 0 \(background\)"
    with pytest.raises(EvaluationError, match=found):
        evaluate([one], Window.everything(), replicas=0)
    with pytest.warns(SuspiciousJetsWarning, match="of no class that the model knows"):
        evaluate([dataclasses.replace(one, label=np.where(one.label > 1, -1, one.label))], replicas=0)
