import numpy as np
import pytest
import torch

from jetgram.errors import SettingsError
from jetgram.networks.cells import CELLS, Blend, Gated, Simple, cell_named


def filled(cell: torch.nn.Module) -> torch.nn.Module:
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for weight in cell.parameters():
            weight.copy_(torch.randn(weight.shape, generator=generator))
    return cell.double()


def inputs(nodes: int, hidden: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(4)
    return tuple(torch.randn(nodes, n * hidden, generator=generator, dtype=torch.float64) for n in (2, 1))


def test_simple_is_eqn_1():
    cell = filled(Simple(3, 5))
    children, u = inputs(4, 5)
    for found, pair, local in zip(cell(children, u), children.numpy(), u.numpy(), strict=True):
        expected = cell.W_h.detach().numpy() @ np.concatenate([pair, local]) + cell.b_h.detach().numpy()
        np.testing.assert_allclose(found.detach().numpy(), np.maximum(expected, 0), atol=1e-12)


def test_gated_is_appendix_a():
    """The equations, written out for one node at a time."""
    q = 5
    cell = filled(Gated(3, q))
    children, u = inputs(4, q)
    W = {name: weight.detach().numpy() for name, weight in cell.named_parameters()}
    for found, pair, local in zip(cell(children, u), children.numpy(), u.numpy(), strict=True):
        h_L, h_R = pair[:q], pair[q:]
        r = 1 / (1 + np.exp(-(W["W_r"] @ np.concatenate([h_L, h_R, local]) + W["b_r"])))
        r_L, r_R, r_N = r[:q], r[q : 2 * q], r[2 * q :]
        candidate = np.maximum(W["W_h"] @ np.concatenate([r_L * h_L, r_R * h_R, r_N * local]) + W["b_h"], 0)
        z = np.exp(W["W_z"] @ np.concatenate([candidate, h_L, h_R, local]) + W["b_z"]).reshape(4, q)
        z_H, z_L, z_R, z_N = z / z.sum(axis=0)
        expected = z_H * candidate + z_L * h_L + z_R * h_R + z_N * local
        np.testing.assert_allclose(found.detach().numpy(), expected, atol=1e-12)


def test_gated_contains_simple():
    """With reset gates at 1 and the update gates on the candidate, it is Eqn. 1."""
    simple, gated = filled(Simple(3, 5)), filled(Gated(3, 5))
    with torch.no_grad():
        gated.W_h.copy_(simple.W_h)
        gated.b_h.copy_(simple.b_h)
        for weight in (gated.W_r, gated.W_z, gated.b_z):
            weight.zero_()
        gated.b_r.fill_(100.0)
        gated.b_z[:5] = 100.0
    torch.testing.assert_close(gated(*inputs(6, 5)), simple(*inputs(6, 5)))


def test_blend_is_its_equations():
    """Written out for one unit of one node at a time."""
    q, groups = 11, Blend.groups
    cell = filled(Blend(3, q))
    children, u = inputs(4, q)
    W, b = cell.W_h.detach().numpy(), cell.b_h.detach().numpy()
    for found, pair, local in zip(cell(children, u).detach().numpy(), children.numpy(), u.numpy(), strict=True):
        sums = W @ np.concatenate([pair, local]) + b
        for unit in range(q):
            c, left, right = np.exp(sums[q + unit % groups :: groups])
            blended = c * max(sums[unit], 0) + left * pair[unit] + right * pair[q + unit]
            assert found[unit] == pytest.approx(blended / (c + left + right), rel=1e-12)


def test_blend_can_pass_a_state_on():
    cell = filled(Blend(3, 16))
    with torch.no_grad():
        cell.W_h.zero_()
        cell.b_h[16 + Blend.groups : 16 + 2 * Blend.groups] = 100.0
    children, u = inputs(6, 16)
    torch.testing.assert_close(cell(children, u), children[:, :16])


def test_node_input():
    cell = filled(Simple(3, 5))
    x = torch.randn(7, 3, dtype=torch.float64)
    torch.testing.assert_close(cell.node_input(x), torch.relu(x @ cell.W_u.T + cell.b_u))


@pytest.mark.parametrize("name", CELLS)
def test_every_parameter_has_a_role(name):
    cell = cell_named(name)
    assert list(cell.roles) == [name for name, _ in cell.named_parameters()]
    assert cell.name == name


def test_names_and_sizes_are_checked():
    with pytest.raises(SettingsError, match="'lstm'; there are: simple, gated, blend"):
        cell_named("lstm")
    with pytest.raises(SettingsError, match="found 0 and 40"):
        Simple(features=0)
