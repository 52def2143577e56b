"""Classifiers without a network, on real jets."""

import numpy as np
import pytest

from jetgram.collisions.generate import collect, start
from jetgram.collisions.processes import W_VS_QCD
from jetgram.collisions.recipe import Recipe
from jetgram.errors import EvaluationError
from jetgram.evaluation import baselines
from jetgram.evaluation.baselines import fit_mass_tau21, mass_and_tau21, score_tau21
from jetgram.evaluation.metrics import roc_auc
from jetgram.jets.substructure import substructure, tau21
from jetgram.momenta import Jets, concatenate


@pytest.fixture(scope="module")
def jets(qcd_jets: Jets) -> Jets:
    """Jets of W bosons and of QCD, 120 of each. Signal events led by another jet would blur the numbers."""
    collider = start(W_VS_QCD, W_VS_QCD.signal, (5, 1))
    (signal,) = collect([Recipe(sample=W_VS_QCD, rows=240, match=1.0)], collider, 1, 120, (5, 0, 1))
    background = qcd_jets[(qcd_jets.pt > 200) & (qcd_jets.pt < 500)][:120]
    bare = [Jets(part.momenta, part.offsets) for part in (signal, background)]
    return concatenate(bare).with_columns(label=np.repeat([1, 0], [len(part) for part in bare]))


def test_two_prongs_are_like_signal(jets) -> None:
    scores = score_tau21(jets)
    np.testing.assert_array_equal(scores, 1 - tau21(jets))
    assert 0.7 < roc_auc(scores, jets.columns["label"]) < 0.95


def test_trees_on_mass_and_tau21_do_better(jets) -> None:
    order = np.random.default_rng(1).permutation(len(jets))
    train, test = jets[order[::2]], jets[order[1::2]]
    model = fit_mass_tau21(train, train.columns["label"])
    scores = model.score(test)
    assert scores.shape == (len(test),)
    assert ((scores >= 0) & (scores <= 1)).all()
    assert roc_auc(scores, test.columns["label"]) > 0.75
    again = fit_mass_tau21(train, train.columns["label"])
    np.testing.assert_array_equal(again.score(test), scores)


def test_chunks_change_nothing_and_are_counted(jets, monkeypatch) -> None:
    whole = mass_and_tau21(jets)
    monkeypatch.setattr(baselines, "CHUNK", 100)
    steps = []
    np.testing.assert_array_equal(mass_and_tau21(jets, advance=steps.append), whole)
    assert steps == [100, 100, 40]
    np.testing.assert_array_equal(score_tau21(jets), 1 - whole[:, 1])


def test_columns_that_are_there_are_not_measured_again(jets, monkeypatch) -> None:
    measured = jets.with_columns(**substructure(jets))
    expected = mass_and_tau21(jets)
    monkeypatch.setattr(baselines, "substructure", None)
    monkeypatch.setattr(baselines, "tau21", None)
    np.testing.assert_array_equal(mass_and_tau21(measured), expected)
    np.testing.assert_array_equal(score_tau21(measured), 1 - expected[:, 1])


def test_weights_count(jets) -> None:
    label = jets.columns["label"]
    light = fit_mass_tau21(jets, label, weights=np.where(label == 1, 0.1, 1.0)).score(jets)
    assert light.mean() < 0.8 * fit_mass_tau21(jets, label).score(jets).mean()


@pytest.mark.parametrize("labels", [np.ones(240), np.arange(240), np.ones(3)])
def test_labels_that_cannot_be_learnt(jets, labels) -> None:
    with pytest.raises(EvaluationError, match="expected one label a jet, some 0 .background. and some 1 .signal."):
        fit_mass_tau21(jets, labels)


def test_no_jets_have_no_scores(jets) -> None:
    assert score_tau21(jets[:0]).shape == (0,)
    assert mass_and_tau21(jets[:0]).shape == (0, 2)
    assert fit_mass_tau21(jets, jets.columns["label"]).score(jets[:0]).shape == (0,)
