import pytest
import torch

from jetgram.errors import SettingsError
from jetgram.networks.classification import Binary
from jetgram.networks.regression import Regression


def test_two_rectified_layers_and_a_linear_output():
    head = Binary(6, hidden=(5, 5))
    x = torch.randn(4, 6)
    W1, W2, W3 = (layer.weight for layer in head.layers)
    b1, b2, b3 = (layer.bias for layer in head.layers)
    expected = torch.relu(torch.relu(x @ W1.T + b1) @ W2.T + b2) @ W3.T + b3
    torch.testing.assert_close(head(x), expected)


def test_settings_are_checked():
    with pytest.raises(SettingsError, match="found 'logistic'"):
        Regression(6, loss="logistic")
    with pytest.raises(SettingsError, match="'absolute'; there are: logistic, softmax, squared, huber"):
        Regression(6, loss="absolute")
    with pytest.raises(SettingsError, match="found 6, 6, 6, 0"):
        Regression(6, targets=())
