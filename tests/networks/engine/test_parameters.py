import copy

import numpy as np
import pytest
import torch
from torch import nn

from jetgram import backend
from jetgram.errors import SettingsError
from jetgram.networks.engine.parameters import Adam, FlatParameters


def gradients(steps: int, size: int) -> torch.Tensor:
    return torch.randn(steps, size, generator=torch.Generator().manual_seed(1)) ** 3


def network() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(5, 4), nn.ReLU(), nn.Linear(4, 3, bias=False))


def test_modules_are_views_of_the_vector():
    module = network()
    before = [weight.detach().clone() for weight in module.parameters()]
    flat = FlatParameters(module)
    assert flat.values.shape == (5 * 4 + 4 + 4 * 3,)
    for weight, old in zip(module.parameters(), before, strict=True):
        assert torch.equal(weight, old)
    module(torch.ones(2, 5)).sum().backward()
    gathered = torch.cat([weight.grad.reshape(-1) for weight in module.parameters()])
    assert flat.gradient.any()
    assert torch.equal(flat.gradient, gathered)
    flat.values.zero_()
    assert not any(weight.any() for weight in module.parameters())


@pytest.mark.parametrize("core", ["native", "reference"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_adam_is_the_one_of_torch(core, dtype, monkeypatch):
    if core == "reference":
        monkeypatch.setattr(backend, "native_core", lambda: None)
    flat = FlatParameters(network().to(dtype))
    expected = nn.Parameter(flat.values.clone())
    ours, theirs = Adam(flat, rate=0.01), torch.optim.Adam([expected], lr=0.01)
    for gradient in gradients(50, len(flat.values)):
        flat.gradient.copy_(gradient)
        expected.grad = gradient.to(dtype)
        ours.step()
        theirs.step()
    assert (flat.values - expected).abs().max() < (1e-12 if dtype == torch.float64 else 2e-6)


def test_a_restored_state_goes_on_bit_for_bit():
    flat = FlatParameters(network())
    adam, all_gradients = Adam(flat), gradients(20, len(flat.values))
    for step, gradient in enumerate(all_gradients):
        if step == 10:
            values, state = flat.values.clone(), adam.state()
        flat.gradient.copy_(gradient)
        adam.step()
    other = FlatParameters(network())
    other.values.copy_(values)
    resumed = Adam(other)
    resumed.load_state(state)
    for gradient in all_gradients[10:]:
        other.gradient.copy_(gradient)
        resumed.step()
    assert torch.equal(other.values, flat.values)
    assert resumed.steps == 20


def test_a_state_of_another_size_is_refused():
    adam = Adam(FlatParameters(network()))
    with pytest.raises(SettingsError, match=r"shape \(3,\); expected \(36,\)"):
        adam.load_state({"mean": torch.zeros(3), "square": torch.zeros(3), "steps": torch.tensor(1)})
    assert np.isclose(adam.mean.abs().sum(), 0)


@pytest.mark.parametrize("clip", [None, 0.5])
def test_weight_decay_and_clipping_are_those_of_torch(clip):
    torch.manual_seed(2)
    module = torch.nn.Linear(5, 3)
    twin = copy.deepcopy(module)
    ours = Adam(FlatParameters(module), rate=0.01, weight_decay=0.3, clip=clip)
    groups = [{"params": [twin.weight], "weight_decay": 0.3}, {"params": [twin.bias], "weight_decay": 0.0}]
    theirs = torch.optim.AdamW(groups, lr=0.01)
    for step in range(30):
        x = torch.randn(7, 5)
        for network in (module, twin):
            network.zero_grad(set_to_none=False)
            (network(x) ** 2).sum().mul(0.001 * 1.4**step).backward()  # short gradients first, then long ones
        if clip is not None:
            torch.nn.utils.clip_grad_norm_(twin.parameters(), clip)
        ours.step()
        theirs.step()
        torch.testing.assert_close(module.weight, twin.weight, rtol=1e-5, atol=1e-6)
        torch.testing.assert_close(module.bias, twin.bias, rtol=1e-5, atol=1e-6)


def test_a_frozen_matrix_does_not_decay():
    """Its gradient is zero, so that decay is all that could change it."""
    module = network()
    module[0].requires_grad_(False)
    before = copy.deepcopy(module)
    adam = Adam(FlatParameters(module), rate=0.1, weight_decay=0.5)
    for _ in range(3):
        module(torch.ones(2, 5)).sum().backward()
        adam.step()
    assert torch.equal(module[0].weight, before[0].weight)
    assert torch.equal(module[0].bias, before[0].bias)
    assert not torch.equal(module[2].weight, before[2].weight)
