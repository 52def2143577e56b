import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jetgram.collisions.detector.components import log_normal


@pytest.mark.parametrize(("mean", "sigma"), [(100.0, 6.0), (3.0, 2.3), (1.0, 1.0)])
def test_mean_and_spread_are_those_asked_for(mean, sigma):
    draws = log_normal(np.full(200_000, mean), np.full(200_000, sigma), np.random.default_rng(2))
    assert draws.mean() == pytest.approx(mean, abs=4 * sigma / np.sqrt(len(draws)))
    assert draws.std() == pytest.approx(sigma, rel=0.03)


def test_logarithms_are_normal():
    logs = np.log(log_normal(np.full(100_000, 5.0), np.full(100_000, 4.0), np.random.default_rng(3)))
    z = (logs - logs.mean()) / logs.std()
    assert (z**3).mean() == pytest.approx(0.0, abs=0.04)
    assert (z**4).mean() == pytest.approx(3.0, abs=0.1)


def test_without_spread_nothing_changes():
    mean = np.array([0.0, 1e-300, 0.1, 7.0, 1e150])
    assert np.array_equal(log_normal(mean, np.zeros(5), np.random.default_rng(1)), mean)


@given(st.floats(0, 1e150), st.floats(0, 1e150), st.integers(0, 1000))
def test_draws_are_never_negative(mean, sigma, seed):
    draw = log_normal(np.array([mean]), np.array([sigma]), np.random.default_rng(seed))[0]
    assert 0 <= draw < np.inf
