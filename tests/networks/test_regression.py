import numpy as np
import pytest
import torch

from jetgram.errors import SettingsError, TrainingError
from jetgram.inputs.scaler import Scaler
from jetgram.networks.regression import Regression

TARGETS = np.array([[1.0, 10.0], [2.0, 30.0], [3.0, 20.0], [4.0, 50.0], [5.0, np.nan]])


@pytest.mark.parametrize("loss", ["squared", "huber"])
def test_losses(loss):
    head = Regression(6, targets=("a", "b", "c"), loss=loss)
    assert head.widths == (6, 6, 6, 3)
    outputs, targets = np.array([[0.0, 2.0, 5.0]]), np.array([[0.5, 2.0, 1.0]])
    expected = {"squared": (0.25 + 0 + 16) / 3, "huber": (0.125 + 0 + 3.5) / 3}
    found = head.losses(torch.from_numpy(outputs), torch.from_numpy(targets))
    assert found.tolist() == pytest.approx([expected[loss]])


def test_answers_undo_what_is_done_to_targets():
    head = Regression(6, targets=("mass", "pt"))
    assert head.names == ("mass", "pt")
    head.learn_targets(TARGETS, training=np.arange(3), validation=np.array([3]))
    assert head.scaler.center.tolist() == [2.0, 20.0]
    scaled = head.network_targets(TARGETS)
    assert np.median(scaled[:3], axis=0).tolist() == [0.0, 0.0]
    np.testing.assert_allclose(head.answers(scaled)[:4], TARGETS[:4], rtol=1e-6)
    assert np.isfinite(scaled).all()
    assert head.metrics(scaled, scaled, np.ones(5)) == {}


def test_there_are_no_classes():
    with pytest.raises(TrainingError, match="class_weight is given, but numbers are learned"):
        Regression(6).class_numbers(TARGETS)


def test_a_scaler_of_other_targets_is_refused():
    head = Regression(6, targets=("mass", "pt"))
    for scaler in (None, Scaler(np.zeros(3), np.ones(3))):
        with pytest.raises(SettingsError, match="scaled targets; expected mass, pt"):
            head.set_scaler(scaler)
