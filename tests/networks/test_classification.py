import numpy as np
import pytest
import torch

from jetgram.errors import SettingsError, TrainingError
from jetgram.inputs.scaler import Scaler
from jetgram.networks.classification import Binary, MultiClass, probability
from jetgram.roc import roc_auc

THREE = ("qcd", "w", "top")


def numbers(*labels: float) -> np.ndarray:
    return np.array(labels)[:, None]


def test_the_loss_of_two_classes():
    head = Binary(6)
    outputs, y = torch.randn(4, 1), torch.tensor([[0.0], [1.0], [1.0], [0.0]])
    p = torch.sigmoid(outputs[:, 0])
    log_loss = -(y[:, 0] * p.log() + (1 - y[:, 0]) * (1 - p).log())
    torch.testing.assert_close(head.losses(outputs, y), log_loss)
    np.testing.assert_allclose(head.answers(outputs.numpy())[:, 0], p, rtol=1e-6)


def test_probability_is_stable_and_exact_at_the_ends():
    assert probability(np.array([-1e4, -1.0, 0.0, 1.0, 1e4])).round(6).tolist() == [0.0, 0.268941, 0.5, 0.731059, 1.0]


def test_the_loss_of_several_classes_is_the_cross_entropy():
    head = MultiClass(6, THREE)
    outputs, number = torch.randn(5, 3, dtype=torch.float64), np.array([0, 2, 1, 2, 0])
    y = torch.as_tensor(head.network_targets(number[:, None].astype(float)))
    expected = torch.nn.functional.cross_entropy(outputs, torch.from_numpy(number), reduction="none")
    torch.testing.assert_close(head.losses(outputs, y.double()), expected)
    np.testing.assert_allclose(head.answers(outputs.numpy()), torch.softmax(outputs, dim=1), rtol=1e-12)


def test_softmax_is_stable_and_exact_at_the_ends():
    found = MultiClass(6, THREE).answers(np.array([[1e4, 0.0, -1e4], [0.0, 0.0, 0.0]], dtype=np.float32))
    np.testing.assert_array_equal(found, [[1, 0, 0], [1 / 3] * 3])


def test_metrics():
    rng = np.random.default_rng(1)
    weights, binary = rng.uniform(0.5, 2, 60).astype(np.float32), Binary(6)
    outputs, y = rng.normal(size=(60, 1)), rng.integers(0, 2, (60, 1)).astype(np.float32)
    assert binary.metrics(outputs, y, weights) == {"auc": roc_auc(outputs[:, 0], y[:, 0], weights)}
    head, outputs = MultiClass(6, THREE), rng.normal(size=(60, 3))
    y = head.network_targets(rng.integers(0, 3, (60, 1)).astype(float))
    found = head.metrics(outputs, y, weights)
    p = torch.softmax(torch.from_numpy(outputs), dim=1).numpy()
    assert found["auc"] == pytest.approx(np.mean([roc_auc(p[:, c], y[:, c], weights) for c in range(3)]))
    right = outputs.argmax(axis=1) == y.argmax(axis=1)
    assert found["accuracy"] == pytest.approx((weights * right).sum() / weights.sum(), rel=1e-6)


@pytest.mark.parametrize(
    ("head", "targets", "message"),
    [
        (Binary(6), [0, 1, 2, 1], r"label is 2.0 for a jet; expected 0 \(background\) or 1 \(signal\)"),
        (Binary(6), [1, 1, 1, 1], "no background among the 4 jets: label is never 0$"),
        (Binary(6), [0, 1, 1, 1], "no background among the 2 validation jets: label is never 0; another split_seed"),
        (Binary(6), [1, 1, 0, 1], "no background among the 2 training jets: label is never 0; another split_seed"),
        (MultiClass(6, THREE, target="kind"), [0, 1, 3, 1], r"kind is 3.0 for a jet; expected 0 \('qcd'\) or 1"),
        (MultiClass(6, THREE), [0, 1, 0, 1], "no 'top' among the 4 jets: label is never 2"),
    ],
)
def test_targets_that_cannot_be_learned(head, targets, message):
    with pytest.raises(TrainingError, match=message):
        head.learn_targets(numbers(*map(float, targets)), np.arange(2), np.arange(2, 4))


def test_settings_are_checked():
    with pytest.raises(SettingsError, match="2 classes; found 3"):
        Binary(6, classes=THREE)
    with pytest.raises(SettingsError, match="a, b, a are not all different"):
        MultiClass(6, "aba")
    with pytest.raises(SettingsError, match="targets of this Binary are not scaled"):
        Binary(6).set_scaler(Scaler(np.zeros(1), np.ones(1)))
