"""Each native kernel alone, on every path of this machine, against NumPy in float64."""

import numpy as np
import pytest
from random_trees import relative

from jetgram import backend

core, _ = backend.load()
if core is None:
    pytest.skip("the native core was not built", allow_module_level=True)
kernels = core.engine_kernels
PATHS = ["portable", "avx2", "avx512"]
PATHS = PATHS[: PATHS.index(core.cpu_path()) + 1]  # each machine runs those below its best
every_path = pytest.mark.parametrize("path", PATHS)


def apply(kernel, path: str, x: np.ndarray) -> np.ndarray:
    out = np.empty_like(x)
    kernel(path, x, out)
    return out


@every_path
@pytest.mark.parametrize("rounds", [0, 1, 30])
def test_multiply_add(path, rounds):
    """Sums of s = 1 + s / 2 from 1 on, on every lane: as many multiply-adds as lanes in each round."""
    count, total = kernels.multiply_add(path, rounds)
    _, lanes = kernels.multiply_add(path, 0)
    assert count == rounds * lanes
    assert total == pytest.approx(lanes * (2 - 0.5**rounds), rel=1e-6)


@every_path
def test_exp(path):
    x = np.concatenate([np.linspace(-87, 88, 20001), [0.0, -0.0, 1e-30]]).astype(np.float32)
    np.testing.assert_allclose(apply(kernels.exp, path, x), np.exp(x.astype(np.float64)), rtol=2e-7)
    assert apply(kernels.exp, path, np.zeros(1, np.float32)) == 1.0


@every_path
def test_exp_beyond_the_range_of_floats_and_of_nan(path):
    x = np.array([-np.inf, -1e4, 1e4, np.inf, np.nan], dtype=np.float32)
    y = apply(kernels.exp, path, x)
    assert (y[:2] < 2e-38).all()
    assert (y[2:4] > 1e38).all()
    assert np.isnan(y[4])


@every_path
def test_sigmoid(path):
    x = np.concatenate([np.linspace(-30, 30, 10001), [-1e4, 1e4]]).astype(np.float32)
    expected = 1 / (1 + np.exp(-np.clip(x, -87, 87).astype(np.float64)))
    np.testing.assert_allclose(apply(kernels.sigmoid, path, x), expected, rtol=4e-7, atol=2e-38)


@every_path
@pytest.mark.parametrize("rows", [1, 2, 3, 7, 64, 129])
@pytest.mark.parametrize(
    ("inputs", "outputs"), [(1, 1), (7, 40), (40, 3), (120, 40), (33, 100), (5, 64), (16, 8), (9, 160)]
)
def test_packed_products(path, rows, inputs, outputs):
    """Packing, node product forward and backward, outer product, column sums and unpacking, at once."""
    rng = np.random.default_rng([rows, inputs, outputs])
    draw = lambda *shape: rng.normal(size=shape).astype(np.float32)  # noqa: E731
    x, W, b, dy = draw(rows, inputs), draw(outputs, inputs), draw(outputs), draw(rows, outputs)
    y, dx, gradient = np.empty_like(dy), np.empty_like(x), np.empty(W.size + b.size, np.float32)
    kernels.affine(path, x, np.concatenate([W.ravel(), b]), dy, y, dx, gradient)
    x, W, b, dy = (a.astype(np.float64) for a in (x, W, b, dy))
    assert relative(y, x @ W.T + b) < 2e-6
    assert relative(dx, dy @ W) < 2e-6
    assert relative(gradient[: W.size], (dy.T @ x).ravel()) < 2e-6
    assert relative(gradient[W.size :], dy.sum(axis=0)) < 2e-6


def update_in_numpy(z: np.ndarray, slot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    weights = np.exp(z - z.max(axis=0))
    weights /= weights.sum(axis=0)
    return weights, (weights * slot).sum(axis=0)


@every_path
@pytest.mark.parametrize("scale", [1.0, 100.0])
def test_update_gates(path, scale):
    rng = np.random.default_rng(1)
    z, slot = (scale * rng.normal(size=(4, 40))).astype(np.float32), rng.normal(size=(4, 40)).astype(np.float32)
    expected_weights, expected_state = update_in_numpy(z.astype(np.float64), slot.astype(np.float64))
    state = np.empty(40, np.float32)
    kernels.update(path, z, slot, state)
    np.testing.assert_allclose(z, expected_weights, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(z.sum(axis=0), 1.0, rtol=1e-6)
    assert relative(state, expected_state) < 1e-6


@every_path
def test_update_gates_backward(path):
    """Against the difference quotient of the forward formula in float64."""
    rng = np.random.default_rng(2)
    z, slot, slope = rng.normal(size=(4, 8)), rng.normal(size=(4, 8)), rng.normal(size=8)
    weights = update_in_numpy(z, slot)[0].astype(np.float32)
    dslot = np.empty((4, 8), np.float32)
    kernels.update_backward(path, weights, slot.astype(np.float32), slope.astype(np.float32), dslot)

    def change(part: int, unit: int, of_z: bool, epsilon: float = 1e-6) -> float:
        step = np.zeros((4, 8))
        step[part, unit] = epsilon
        up, down = (update_in_numpy(z + s * of_z, slot + s * (not of_z))[1] @ slope for s in (step, -step))
        return (up - down) / (2 * epsilon)

    index = [(part, unit) for part in range(4) for unit in range(8)]
    assert relative(weights.ravel(), [change(*i, of_z=True) for i in index]) < 1e-6
    assert relative(dslot.ravel(), [change(*i, of_z=False) for i in index]) < 1e-6


def test_a_path_that_is_none():
    with pytest.raises(ValueError, match="expected auto, avx512, avx2 or portable"):
        core.Engine("simple", 7, 40, [], "neon")
