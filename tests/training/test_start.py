import contextlib
import re

import numpy as np
import pytest
import torch
from torch import nn

from jetgram import backend
from jetgram.errors import EvaluationError, SettingsError, TrainingError
from jetgram.models.recipes import TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.networks.cells import CELLS, Simple
from jetgram.networks.classification import Binary, MultiClass
from jetgram.networks.heads import LOSSES, Loss
from jetgram.networks.regression import Regression
from jetgram.training import start
from jetgram.training.prepare import Preparation, prepare_dataset, prepare_jets
from jetgram.training.start import jet_weights, set_up

MODEL, TRAINING = ModelSettings(hidden=4), TrainingSettings(validation=60)


def prepared_with(jets, targets, weights=None):
    targets = np.asarray(targets, dtype=np.float64).reshape(len(jets), -1)
    return prepare_jets(jets, targets, np.ones(len(jets)) if weights is None else np.asarray(weights), MODEL)


def test_the_scaler_is_fitted_to_the_training_jets_alone(labelled_jets):
    setup = set_up(prepared_with(labelled_jets, labelled_jets.columns["label"]), MODEL, TRAINING)
    aside = start.split_jets(np.ones(len(labelled_jets), dtype=bool), 60, 0)[1]
    others = np.delete(np.arange(len(labelled_jets)), aside)
    np.testing.assert_array_equal(
        setup.model.scaler.center, MODEL.read(labelled_jets[others]).inputs.fit_scaler().center
    )
    assert len(setup.validation.trees) == 60
    assert len(setup.feed) == len(labelled_jets) - 60


def test_the_scaler_takes_a_bounded_number_of_jets(labelled_jets, monkeypatch):
    prepared = prepared_with(labelled_jets, labelled_jets.columns["label"])
    monkeypatch.setattr(start, "SCALER_JETS", 100)
    some, again = (set_up(prepared, MODEL, TRAINING).model.scaler for _ in range(2))
    monkeypatch.setattr(start, "SCALER_JETS", 10_000)
    everything = set_up(prepared, MODEL, TRAINING).model.scaler
    np.testing.assert_array_equal(some.center, again.center)
    np.testing.assert_allclose(some.center, everything.center, atol=0.2 * everything.scale.max())
    assert not np.array_equal(some.center, everything.center)


def test_regression_targets_are_scaled_and_missing_ones_left_out(dataset, labelled_jets):
    settings = ModelSettings(head="regressor", targets=("hard", "jet_pt"))
    setup = set_up(prepare_dataset(Preparation(dataset, "train", settings)), settings, TRAINING)
    hard = labelled_jets.columns["label"] == 1
    assert setup.unusable == (~hard).sum()
    assert len(setup.feed) + len(setup.validation.trees) == hard.sum()
    middle = np.median(setup.model.network.head.answers(setup.validation.targets), axis=0)
    np.testing.assert_allclose(
        middle, np.median(np.stack([labelled_jets.columns["hard"], labelled_jets.pt])[:, hard], 1), rtol=0.2
    )


def test_weights_are_one_on_average_and_balance_the_classes(labelled_jets):
    label, head = (np.arange(len(labelled_jets)) % 4 == 0).astype(float), Binary(4)
    own = labelled_jets.columns["importance"]
    prepared = prepared_with(labelled_jets, label, own)
    jets = np.arange(0, len(label), 3)
    plain = jet_weights(prepared, jets, TrainingSettings(), head)
    np.testing.assert_allclose(plain, own / own[jets].mean(), rtol=1e-6)
    balanced = jet_weights(prepared, jets, TrainingSettings(class_weight="balanced"), head)
    assert balanced[jets].mean() == pytest.approx(1)
    assert balanced[jets][label[jets] == 1].sum() == pytest.approx(balanced[jets][label[jets] == 0].sum(), rel=1e-5)
    tripled = jet_weights(prepared, jets, TrainingSettings(class_weight=(1, 3)), head)
    np.testing.assert_allclose(tripled / plain / (tripled[1] / plain[1]), np.where(label == 1, 3, 1), rtol=1e-5)


@pytest.mark.parametrize(
    ("targets", "weights", "message"),
    [
        ([0, 1, 2, 0, 1], [1, 1, 1, 1, 1], "label is 2.0 for a jet; expected 0"),
        ([1, 1, 1, 1, 1], [1, 1, 1, 1, 1], "no background among the 100 jets: label is never 0"),
        ([0, 0, 0, 0, 0], [1, 1, 1, 1, 1], "no signal among the 100 jets"),
        ([0, 1, 0, 1, 0], [1, 1, -1, 1, 1], "jet 2 has the weight -1.0"),
        ([0, 1, 0, 1, 0], [1, np.nan, 1, 1, 1], "jet 1 has the weight nan"),
        ([np.nan] * 5, [1] * 5, "0 jets are too few"),
    ],
)
def test_what_cannot_be_trained_with_is_refused(labelled_jets, targets, weights, message):
    prepared = prepared_with(labelled_jets[:100], np.tile(targets, 20), np.tile(weights, 20).astype(float))
    with pytest.raises(TrainingError, match=message):
        set_up(prepared, MODEL, TRAINING)


def test_classes_are_balanced_however_many(labelled_jets):
    label = np.minimum(np.arange(len(labelled_jets)) % 5, 2)
    prepared, jets = prepared_with(labelled_jets, label), np.arange(0, len(label), 2)
    head = MultiClass(4, ("qcd", "w", "top"))
    found = jet_weights(prepared, jets, TrainingSettings(class_weight="balanced"), head)[jets]
    sums = [found[label[jets] == number].sum() for number in range(3)]
    np.testing.assert_allclose(sums, sums[0], rtol=1e-5)
    tripled = jet_weights(prepared, jets, TrainingSettings(class_weight=(1, 1, 3)), head)
    np.testing.assert_allclose(tripled / tripled[0], np.where(label == 2, 3, 1), rtol=1e-5)
    with pytest.raises(TrainingError, match="class_weight has 2 weights; expected one for each of 3 classes"):
        jet_weights(prepared, jets, TrainingSettings(class_weight=(1, 3)), head)
    with pytest.raises(TrainingError, match="numbers are learned, not classes"):
        jet_weights(prepared, jets, TrainingSettings(class_weight="balanced"), Regression(4))


def test_weights_that_are_all_zero_are_refused(labelled_jets):
    prepared = prepared_with(labelled_jets, labelled_jets.columns["label"], np.zeros(len(labelled_jets)))
    with pytest.raises(TrainingError, match="all weights of the .* training jets are 0"):
        set_up(prepared, MODEL, TRAINING)


@pytest.mark.parametrize(("jets", "what"), [(slice(None), "training"), (slice(100), "validation")])
def test_a_class_without_weight_is_refused(labelled_jets, jets, what):
    label, aside = labelled_jets.columns["label"], np.arange(100)
    weights = np.ones(len(label))
    weights[jets] = np.where(label[jets] == 1, 0.0, 1.0)
    prepared = prepared_with(labelled_jets, label, weights)
    with pytest.raises(TrainingError, match=f"all {what} jets that are signal have the weight 0"):
        set_up(prepared, MODEL, TRAINING, kept_aside=aside)


def test_validation_jets_without_targets_are_refused(labelled_jets):
    label = labelled_jets.columns["label"].astype(float)
    label[:50] = np.nan
    with pytest.raises(TrainingError, match="no validation jet has a target"):
        set_up(prepared_with(labelled_jets, label), MODEL, TRAINING, kept_aside=np.arange(50))


def test_without_jets_there_is_no_training(labelled_jets):
    with pytest.raises(TrainingError, match="nothing to train with"):
        prepare_jets(labelled_jets[:0], np.empty((0, 1)), np.empty(0), MODEL)


def test_validation_jets_without_weight_after_planing_are_refused(labelled_jets):
    """All signal among them is heavier than any background of the training."""
    label, aside = np.arange(len(labelled_jets)) % 2.0, np.arange(60)
    mass = np.random.default_rng(1).uniform(50, 60, len(label))
    mass[(np.arange(len(label)) < 260) & (label == 1)] = 90.0  # of the training too, so that there are such bins
    with pytest.raises(TrainingError, match="all planed validation jets that are signal have the weight 0"):
        set_up(
            prepared_with(labelled_jets, label),
            MODEL,
            TrainingSettings(validation=60, planing=True),
            kept_aside=aside,
            mass=mass,
        )


@pytest.mark.parametrize("core", ["native", "reference"])
@pytest.mark.parametrize("value", [1e25, -1e39, np.finfo(float).max], ids=str)
@pytest.mark.parametrize("aside", [True, False])
def test_a_target_whose_loss_overflows_is_named(labelled_jets, value, aside, core, monkeypatch):
    if core == "reference":
        monkeypatch.setattr(backend, "load", lambda: (None, "missing"))
    settings = ModelSettings(hidden=4, head="regressor", targets="mass")
    targets, kept_aside = labelled_jets.mass.copy(), np.arange(60)
    targets[7 if aside else 70] = value
    prepared = prepared_with(labelled_jets, targets)
    message = rf"jet {7 if aside else 70} has mass = {re.escape(f'{value:.4g}')}; expected numbers near .* \(median "
    with pytest.raises(TrainingError, match=message):
        set_up(prepared, settings, TRAINING, kept_aside=kept_aside)
    prepared.targets[7 if aside else 70] = np.nan
    assert set_up(prepared, settings, TRAINING, kept_aside=kept_aside).unusable == 1


def test_a_validation_loss_that_is_no_number_is_an_error(labelled_jets, monkeypatch):
    monkeypatch.setitem(LOSSES, "broken", Loss(lambda outputs, targets: (outputs / 0)[:, 0], "logit"))
    settings = ModelSettings(hidden=4, loss="broken")
    setup = set_up(prepared_with(labelled_jets, labelled_jets.columns["label"]), settings, TRAINING)
    with pytest.raises(EvaluationError, match="the loss of a validation jet is -?inf"):
        setup.validation.judge(setup.model.network)


class Normed(Simple):
    """Normalised over the batch."""

    def __init__(self, features=7, hidden=40):
        super().__init__(features, hidden)
        self.norm = nn.BatchNorm1d(hidden, track_running_stats=False)


class Counting(Simple):
    """With a number that is no weight."""

    def __init__(self, features=7, hidden=40, persistent=True):
        super().__init__(features, hidden)
        self.register_buffer("count", torch.zeros(1), persistent)


class Constant(Counting):
    """With a number that stays as it is."""

    def __init__(self, features=7, hidden=40):
        super().__init__(features, hidden, persistent=False)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (Normed, "embedding.cell.norm is a BatchNorm1d, .*; use nn.LayerNorm"),
        (Counting, "embedding.cell.count is a buffer, and checkpoints hold parameters alone; .*persistent=False"),
        (Constant, None),
    ],
)
def test_a_cell_with_more_than_weights_is_refused(labelled_jets, monkeypatch, cell, message):
    monkeypatch.setitem(CELLS, "mine", cell)
    prepared = prepared_with(labelled_jets, labelled_jets.columns["label"])
    with pytest.raises(SettingsError, match=message) if message else contextlib.nullcontext():
        set_up(prepared, ModelSettings(hidden=4, cell="mine"), TRAINING)
