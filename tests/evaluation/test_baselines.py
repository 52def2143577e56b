"""Classifiers without a network, on real jets."""

import numpy as np
import pytest

from jetgram.collisions.generate import find_rows, start
from jetgram.collisions.processes import W_VS_QCD
from jetgram.collisions.settings import GenerationSettings
from jetgram.errors import EvaluationError
from jetgram.evaluation import baselines
from jetgram.evaluation.baselines import OBSERVABLES, fit_mass_tau21, measure, score_observables, score_tau21
from jetgram.evaluation.selection import Window
from jetgram.jets.subjets import trim
from jetgram.jets.substructure import substructure, tau21
from jetgram.joining import concatenate
from jetgram.momenta import Jets
from jetgram.roc import roc_auc
from jetgram.storage.dataset import save


@pytest.fixture(scope="module")
def jets(qcd_jets: Jets) -> Jets:
    """Jets of W bosons and of QCD, 120 of each. Signal events led by another jet would blur the numbers."""
    recipe = GenerationSettings(sample=W_VS_QCD, rows=240, match=1.0)
    collider = start(recipe, 1, (5, 1))
    (signal,) = find_rows([recipe], collider, 1, 120, (5, 0, 1))
    background = qcd_jets[(qcd_jets.pt > 200) & (qcd_jets.pt < 500)][:120]
    bare = [Jets(part.momenta, part.offsets) for part in (signal, background)]
    return concatenate(bare).with_columns(label=np.repeat([1, 0], [len(part) for part in bare]))


EVERYTHING = Window.everything()


def test_two_prongs_are_like_signal(jets) -> None:
    scores = score_tau21(jets)
    np.testing.assert_array_equal(scores, 1 - tau21(trim(jets)))
    assert 0.7 < roc_auc(scores, jets.columns["label"]) < 0.95


def test_trees_on_mass_and_tau21_do_better(jets) -> None:
    order = np.random.default_rng(1).permutation(len(jets))
    train, test = jets[order[::2]], jets[order[1::2]]
    model = fit_mass_tau21(train, train.columns["label"], window=EVERYTHING)
    scores = model.score(test)
    assert scores.shape == (len(test),)
    assert ((scores >= 0) & (scores <= 1)).all()
    assert roc_auc(scores, test.columns["label"]) > 0.75
    again = fit_mass_tau21(train, train.columns["label"], window=EVERYTHING)
    np.testing.assert_array_equal(again.score(test), scores)


def test_trees_learn_inside_the_window_alone(jets) -> None:
    window = Window(pt=(220.0, 320.0), mass=(40.0, 120.0))
    trimmed, label = trim(jets), jets.columns["label"]
    inside = window.contains(trimmed.pt, trimmed.mass)
    assert 40 < np.count_nonzero(inside) < len(jets)
    model = fit_mass_tau21(jets, label, window=window)
    flipped = fit_mass_tau21(jets, np.where(inside, label, 1 - label), window=window)  # of jets outside
    np.testing.assert_array_equal(flipped.score(jets), model.score(jets))
    (leaf,) = {tree.min_samples_leaf for tree in model.trees.estimators_}
    assert leaf == -(-np.count_nonzero(inside) // 20)
    assert len(model.trees.estimators_) == 1000


def test_chunks_change_nothing_and_are_counted(jets, monkeypatch) -> None:
    whole = measure(jets)
    monkeypatch.setattr(baselines, "CHUNK", 100)
    steps = []
    pieces = measure(jets, advance=steps.append)
    assert steps == [100, 100, 40]
    for name in ("trimmed_pt", "trimmed_mass", "tau21"):
        np.testing.assert_array_equal(pieces.columns[name], whole.columns[name])


def test_columns_that_are_there_are_not_measured_again(jets, monkeypatch) -> None:
    measured = jets.with_columns(**substructure(jets))
    expected = score_tau21(jets)
    monkeypatch.setattr(baselines, "substructure", None)
    assert measure(measured) is measured
    np.testing.assert_array_equal(score_tau21(measured), expected)


def test_weights_count(jets) -> None:
    label = jets.columns["label"]
    light = fit_mass_tau21(jets, label, weights=np.where(label == 1, 0.1, 1.0), window=EVERYTHING).score(jets)
    assert light.mean() < 0.8 * fit_mass_tau21(jets, label, window=EVERYTHING).score(jets).mean()


def test_weights_of_a_dataset_count(jets, tmp_path) -> None:
    light = jets.with_columns(weight=np.where(jets.columns["label"] == 1, 0.1, 1.0))
    mean = {}
    for name, train in (("without", jets), ("with", light)):
        dataset = save(tmp_path / name, {"train": train, "test": train}, {"source": "test"})
        mean[name] = score_observables(dataset, ["mass + tau21"], EVERYTHING)["mass + tau21"].score.mean()
    assert mean["with"] < 0.8 * mean["without"]


def test_other_classes_are_none_of_both(jets, tmp_path) -> None:
    other = np.arange(len(jets)) % 3 == 0
    label = np.where(other, 2, jets.columns["label"])
    dataset = save(tmp_path / "all", dict.fromkeys(("train", "test"), jets.with_columns(label=label)), {})
    both = save(tmp_path / "both", {"train": jets[~other], "test": jets}, {})
    found, expected = (score_observables(each, window=EVERYTHING) for each in (dataset, both))
    for name in OBSERVABLES:
        np.testing.assert_array_equal(found[name].score, expected[name].score)
        np.testing.assert_array_equal(found[name].label, np.where(other, -1, jets.columns["label"]))


@pytest.mark.parametrize("labels", [np.arange(240), np.ones(3)])
def test_labels_that_cannot_be_learnt(jets, labels) -> None:
    with pytest.raises(EvaluationError, match="expected one label per jet, some 0 .background. and some 1 .signal."):
        fit_mass_tau21(jets, labels)


def test_a_window_without_one_of_the_classes_is_named(jets) -> None:
    found = r"of 240 training jets 240 signal and 0 background jets have, trimmed, all jets; expected some of both"
    with pytest.raises(EvaluationError, match=found):
        fit_mass_tau21(jets, np.ones(240), window=EVERYTHING)
    with pytest.raises(EvaluationError, match=r"0 signal and 0 background jets have, trimmed, 5000 < pT < 6000 GeV"):
        fit_mass_tau21(jets, jets.columns["label"], window=Window(pt=(5000.0, 6000.0)))


def test_no_jets_have_no_scores(jets) -> None:
    assert score_tau21(jets[:0]).shape == (0,)
    assert fit_mass_tau21(jets, jets.columns["label"], window=EVERYTHING).score(jets[:0]).shape == (0,)
