import numpy as np
import pytest
import torch

from jetgram.errors import SettingsError
from jetgram.networks.heads import Classifier, Regressor


def test_classifier():
    head = Classifier(6, hidden=(5, 5))
    x = torch.randn(4, 6)
    W1, W2, W3 = (layer.weight for layer in head.layers)
    b1, b2, b3 = (layer.bias for layer in head.layers)
    expected = torch.relu(torch.relu(x @ W1.T + b1) @ W2.T + b2) @ W3.T + b3
    torch.testing.assert_close(head(x), expected)
    y = torch.tensor([[0.0], [1.0], [1.0], [0.0]])
    p = torch.sigmoid(expected[:, 0])
    log_loss = -(y[:, 0] * p.log() + (1 - y[:, 0]) * (1 - p).log())
    torch.testing.assert_close(head.losses(head(x), y), log_loss)


@pytest.mark.parametrize("loss", ["squared", "huber"])
def test_regressor(loss):
    head = Regressor(6, targets=3, loss=loss)
    assert head.widths == (6, 6, 6, 3)
    outputs, targets = np.array([[0.0, 2.0, 5.0]]), np.array([[0.5, 2.0, 1.0]])
    expected = {"squared": (0.25 + 0 + 16) / 3, "huber": (0.125 + 0 + 3.5) / 3}
    found = head.losses(torch.from_numpy(outputs), torch.from_numpy(targets))
    assert found.tolist() == pytest.approx([expected[loss]])


def test_settings_are_checked():
    with pytest.raises(SettingsError, match="found 'logistic'"):
        Regressor(6, loss="logistic")
    with pytest.raises(SettingsError, match="'absolute'; expected one of logistic, squared, huber"):
        Regressor(6, loss="absolute")
    with pytest.raises(SettingsError, match="found 6, 6, 6, 0"):
        Regressor(6, targets=0)
