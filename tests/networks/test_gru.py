"""The GRU: its equations one sequence at a time, and that sequences do not see each other."""

import pytest
import torch

from jetgram.errors import SettingsError
from jetgram.networks.gru import GRU
from jetgram.networks.initialisation import initialise


@pytest.fixture
def gru():
    unit = GRU(inputs=5, hidden=4).double()
    initialise(unit, seed=1)
    with torch.no_grad():
        for name, role in GRU.roles.items():
            if role == "bias":
                torch.nn.init.normal_(unit.get_parameter(name), generator=torch.Generator().manual_seed(2))
    return unit


def by_the_equations(gru, sequence):
    """Appendix B of the paper, line by line."""
    w = dict(gru.named_parameters())
    h = torch.zeros(gru.hidden, dtype=torch.float64)
    for x in sequence:
        z = torch.sigmoid(w["W_zx"] @ x + w["W_zh"] @ h + w["b_z"])
        r = torch.sigmoid(w["W_rx"] @ x + w["W_rh"] @ h + w["b_r"])
        candidate = torch.relu(w["W_hx"] @ x + w["W_hh"] @ (r * h) + w["b_h"])
        h = z * h + (1 - z) * candidate
    return h


def test_the_equations(gru):
    """Of three sequences, two begin a step earlier."""
    x = torch.randn(2 + 3 + 3, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    sequences = [x[[0, 2, 5]], x[[1, 3, 6]], x[[4, 7]]]
    expected = torch.stack([by_the_equations(gru, sequence) for sequence in sequences])
    torch.testing.assert_close(gru(x, [2, 3, 3]), expected, rtol=1e-14, atol=1e-14)


def test_gradients_are_those_of_finite_differences(gru):
    x = torch.randn(5, 5, dtype=torch.float64, requires_grad=True, generator=torch.Generator().manual_seed(4))
    weights = tuple(gru.parameters())
    assert torch.autograd.gradcheck(lambda x, *_: gru(x, [2, 3]), (x, *weights))


def test_every_weight_gets_a_gradient(gru):
    x = torch.randn(9, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(5))
    gru(x, [3, 3, 3]).sum().backward()
    assert all(weight.grad.abs().max() > 0 for weight in gru.parameters())


def test_the_published_beginning():
    """What multiplies inputs is Glorot-uniform times 0.1; what multiplies the state is orthogonal, of length 1.1."""
    unit = GRU(inputs=44, hidden=40)
    initialise(unit, "paper", seed=1)
    for name in ("W_hh", "W_zh", "W_rh"):
        weight = unit.get_parameter(name)
        torch.testing.assert_close(weight @ weight.T, 1.21 * torch.eye(40), rtol=0, atol=1e-5)
    for name in ("W_hx", "W_zx", "W_rx"):
        assert 0.09 < unit.get_parameter(name).abs().max() / (6 / 84) ** 0.5 <= 0.1
    assert all(not unit.get_parameter(name).any() for name in ("b_h", "b_z", "b_r"))


def test_sizes_are_checked():
    with pytest.raises(SettingsError, match="at least 1 input and 1 hidden unit; found 0 and 40"):
        GRU(0)
