"""Reports on one and on many score files."""

import dataclasses

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from toys import toy_scores

from jetgram.errors import EvaluationError, SettingsError
from jetgram.evaluation.evaluate import by_model, evaluate
from jetgram.evaluation.selection import Window, select
from jetgram.evaluation.uncertainty import bootstrap
from jetgram.roc import background_rejection


def test_one_file_in_the_window() -> None:
    scores = toy_scores()
    report = evaluate([scores], efficiencies=(0.3, 0.5), replicas=20)
    chosen = select(scores, Window())
    (seed,), (model,) = report.seeds, report.models
    assert seed.auc == pytest.approx(roc_auc_score(chosen.label, chosen.score, sample_weight=chosen.weight), abs=1e-12)
    assert [each.value for each in seed.rejection] == [
        background_rejection(chosen.score, chosen.label, e, chosen.weight).value for e in (0.3, 0.5)
    ]
    assert seed.errors == bootstrap(chosen.score, chosen.label, chosen.weight, (0.3, 0.5), replicas=20)
    assert (seed.signal, seed.background) == tuple(np.count_nonzero(chosen.label == label) for label in (1, 0))
    assert (model.auc.mean, model.auc.deviation, model.seeds, model.dropped) == (seed.auc, None, 1, 0)
    assert model.errors == seed.errors
    assert report.same_jets


def test_everything_counts_outside_the_window() -> None:
    scores = toy_scores()
    (seed,) = evaluate([scores], Window.everything(), replicas=0).seeds
    assert seed.auc == pytest.approx(roc_auc_score(scores.label, scores.score, sample_weight=scores.weight), abs=1e-12)
    assert seed.errors is None


@pytest.mark.parametrize("efficiency", [0.0, 1.0, -0.5, float("nan")])
def test_an_efficiency_lies_between_none_and_all(efficiency) -> None:
    with pytest.raises(SettingsError, match="above 0 and below 1"):
        evaluate([toy_scores()], efficiencies=(efficiency,), replicas=0)


@pytest.mark.parametrize(
    ("samples", "window"),
    [
        ((None,), Window()),
        (("w-vs-qcd", "w-vs-qcd"), Window()),
        (("",), Window.everything()),
        (("my-card",), Window.everything()),
        (("w-vs-qcd", ""), Window.everything()),
    ],
)
def test_the_papers_window_is_the_default_for_its_samples_only(samples, window) -> None:
    scores = [
        dataclasses.replace(toy, provenance=toy.provenance.model_copy(update={"sample": sample, "model": str(number)}))
        for number, (toy, sample) in enumerate(zip([toy_scores()] * 2, samples, strict=False))
    ]
    assert evaluate(scores, replicas=0).window == window


def test_seeds_of_a_model_are_one_entry() -> None:
    scores = [toy_scores("a", 0), toy_scores("b", 1, distance=0.5), toy_scores("a", 2), toy_scores("a", 3)]
    report = evaluate(scores, replicas=0)
    assert [model.model for model in report.models] == ["a", "b"]
    assert [seed.source for seed in report.seeds] == [each.source for each in scores]
    aucs = [report.seeds[i].auc for i in (0, 2, 3)]
    assert report.models[0].auc.mean == pytest.approx(np.mean(aucs))
    assert report.models[0].auc.deviation == pytest.approx(np.std(aucs, ddof=1))
    assert report.models[0].errors is None


def test_errors_are_averaged_over_seeds() -> None:
    scores = [toy_scores("a", seed) for seed in range(3)]
    report = evaluate(scores, replicas=20)
    errors = [seed.errors for seed in report.seeds]
    assert report.models[0].errors.auc == pytest.approx(np.mean([each.auc for each in errors]))
    assert report.models[0].errors.rejection[0] == pytest.approx(np.mean([each.rejection[0] for each in errors]))


def test_a_failed_training_is_dropped_and_counted() -> None:
    scores = [toy_scores("a", seed, jets=6000) for seed in range(11)]
    scores.insert(4, toy_scores("a", 99, jets=6000, distance=0))
    scores.append(toy_scores("b", 0, distance=0))  # alone, and not failed
    report = evaluate(scores, Window.everything(), replicas=0)
    assert report.seeds[4].dropped
    assert not report.seeds[-1].dropped
    model = report.models[0]
    assert model.seeds == 12
    assert model.dropped == sum(seed.dropped for seed in report.seeds)
    assert model.auc.mean == pytest.approx(np.mean([s.auc for s in report.seeds[:-1] if not s.dropped]))


def test_a_bound_is_passed_on() -> None:
    report = evaluate([toy_scores(distance=50)], replicas=20)
    assert report.models[0].is_bound == (True,)
    assert report.models[0].errors.rejection == (None,)


def test_progress_is_told() -> None:
    steps = []
    evaluate([toy_scores("a", seed) for seed in range(3)], replicas=0, advance=steps.append)
    assert steps == [1, 1, 1]


def test_a_file_without_a_model_name_is_a_model_of_its_own() -> None:
    groups = by_model([dataclasses.replace(toy_scores("", 1), source=f"runs/{name}.parquet") for name in "xy"])
    assert list(groups) == ["x", "y"]


def test_seeds_must_be_of_one_dataset() -> None:
    with pytest.raises(
        EvaluationError, match="a-1.parquet and a-0.parquet, both of model 'a', are of different datasets"
    ):
        evaluate([toy_scores("a", 0, dataset_digest="1"), toy_scores("a", 1, dataset_digest="2")])
    models = [toy_scores("a", 0, dataset_digest="1"), toy_scores("b", 0, dataset_digest="2")]
    assert not evaluate(models, replicas=0).same_jets


def test_seeds_must_be_of_one_split() -> None:
    with pytest.raises(EvaluationError, match="both of model 'a', are of different splits: 'train' and 'test'"):
        evaluate([toy_scores("a", 0, split="test"), toy_scores("a", 1, split="train")])
    models = [toy_scores("a", 0, split="test"), toy_scores("b", 0, split="train")]
    assert not evaluate(models, replicas=0).same_jets


def test_a_training_counts_once() -> None:
    with pytest.raises(EvaluationError, match="a-1.parquet and a-0.parquet are scores of the same training"):
        evaluate([toy_scores("a", 0, model_digest="1"), toy_scores("a", 1, model_digest="1")])


def test_seeds_must_be_of_one_training() -> None:
    message = "a-2.parquet and a-1.parquet, both of model 'a', are of trainings with different settings or jets"
    old, *others = toy_scores("a", 0), toy_scores("a", 1, training="1"), toy_scores("a", 2, training="2")
    with pytest.raises(EvaluationError, match=f"{message}.*--name"):
        evaluate([old, *others])
    assert evaluate([old, others[0], toy_scores("a", 3, training="1")], replicas=0).models[0].seeds == 3
    assert len(evaluate([others[0], others[1].named("b")], replicas=0).models) == 2


def test_a_seed_counts_once() -> None:
    """Files that do not tell their training are told apart by their seeds."""
    scores = [dataclasses.replace(toy_scores("a", 3, model_digest=name), source=name) for name in "xy"]
    with pytest.raises(EvaluationError, match=r"y and x, both of model 'a', are of two trainings with seed 3.*--name"):
        evaluate(scores)


def test_nothing_to_judge() -> None:
    with pytest.raises(EvaluationError, match="no scores"):
        evaluate([])
    regression = dataclasses.replace(toy_scores(), outputs={"mass_regressed": np.ones(2000)})
    with pytest.raises(EvaluationError, match="toy-0.parquet has no scores of a classifier; it has: mass_regressed"):
        evaluate([regression])


def test_selecting_twice_is_selecting_once() -> None:
    once = select(toy_scores(), Window())
    np.testing.assert_allclose(select(once, Window()).weight, once.weight, rtol=1e-12)
