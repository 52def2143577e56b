import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from jetgram import backend
from jetgram.errors import BadJetError, SettingsError
from jetgram.inputs.scaler import Scaler

VALUES = arrays(np.float64, (7, 3), elements=st.floats(-1e6, 1e6, width=32))


@given(VALUES)
def test_agrees_with_scikit_learn(values):
    from sklearn.preprocessing import RobustScaler

    theirs = RobustScaler().fit(values)
    ours = Scaler.fit(values)
    np.testing.assert_allclose(ours.center, theirs.center_, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(ours.scale, theirs.scale_, rtol=1e-12)


def test_scaled_values_have_median_0_and_quartiles_1_apart():
    values = np.random.default_rng(1).gamma(2.0, 30.0, (20_001, 2))
    scaled = Scaler.fit(values).transform(values)
    low, middle, high = np.percentile(scaled, (25, 50, 75), axis=0)
    np.testing.assert_allclose(middle, 0, atol=1e-6)
    np.testing.assert_allclose(high - low, 1, rtol=1e-5)


@given(VALUES)
def test_restore_undoes_transform(values):
    scaler = Scaler.fit(values)
    np.testing.assert_allclose(scaler.restore(scaler.transform(values)), values, rtol=1e-5, atol=1)


def test_a_column_without_spread_is_only_centred():
    assert Scaler.fit(np.full((5, 1), 3.0)).transform([[3.0], [4.0]]).tolist() == [[0.0], [1.0]]


@pytest.mark.parametrize(("scaling", "spread"), [("robust", 2.0), ("standard", np.sqrt(2.0))])
def test_columns_may_have_a_least_spread_of_their_own(scaling, spread):
    values = np.arange(1.0, 6.0)[:, None] * [1.0, 1.0]
    found = Scaler.fit(values, scaling, least=[spread - 0.01, spread + 0.01])
    np.testing.assert_allclose(found.scale, [spread, 1.0])


@pytest.mark.parametrize("values", [np.empty((0, 3)), np.ones(3)])
def test_nothing_to_fit_is_an_error(values):
    with pytest.raises(BadJetError, match="one or more rows"):
        Scaler.fit(values)


@pytest.mark.parametrize(
    ("center", "scale", "message"),
    [
        ([np.nan], [1.0], "center is .nan."),
        ([0.0], [0.0], "scale is .0.0.; expected finite numbers above 0"),
        ([0.0], [np.inf], "scale is .inf."),
        ([0.0, 1.0], [1.0], "as many centres as scales"),
    ],
)
def test_impossible_scalers_are_refused(center, scale, message):
    with pytest.raises(SettingsError, match=message):
        Scaler(np.array(center), np.array(scale))


def test_standard_scaling_leaves_out_what_is_not_there():
    rng = np.random.default_rng(4)
    values = rng.normal([3.0, -20.0], [2.0, 5.0], (1000, 2))
    values[::3, 1] = np.nan
    scaler = Scaler.fit(values, "standard")
    there = ~np.isnan(values[:, 1])
    np.testing.assert_allclose(scaler.center, [values[:, 0].mean(), values[there, 1].mean()], rtol=1e-12)
    np.testing.assert_allclose(scaler.scale, [values[:, 0].std(), values[there, 1].std()], rtol=1e-12)
    scaled = scaler.transform(values)
    assert (scaled[~there, 1] == 0).all()
    np.testing.assert_allclose(scaled[there].mean(axis=0)[1], 0, atol=1e-6)


def test_standard_scaling_is_cut_off():
    scaler = Scaler.fit(np.random.default_rng(1).normal(size=(100, 1)), "standard")
    np.testing.assert_array_equal(scaler.transform([[1e9], [-1e9]]), [[6.0], [-6.0]])


def test_a_column_that_no_row_has():
    np.testing.assert_array_equal(
        Scaler.fit([[1.0, np.nan], [3.0, np.nan]], "standard").transform([[2.0, np.nan]]), [[0, 0]]
    )


def test_limits_stay_with_their_columns():
    limited, free = Scaler(np.zeros(2), np.ones(2), np.array([6.0, 3.0])), Scaler(np.zeros(1), np.ones(1))
    both = limited.join(free)
    np.testing.assert_array_equal(both.transform([[10.0, 10.0, 10.0]]), [[6.0, 3.0, 10.0]])
    np.testing.assert_array_equal(both[1:].transform([[10.0, 10.0]]), [[3.0, 10.0]])
    with pytest.raises(SettingsError, match="limit"):
        Scaler(np.zeros(2), np.ones(2), np.array([1.0, -1.0]))


@pytest.mark.parametrize("limit", [[], [6.0, 2.0, np.inf]])
@pytest.mark.parametrize("rows", [0, 1, 17, 5000])
def test_the_native_core_gives_the_same_bits(limit, rows, monkeypatch):
    rng = np.random.default_rng(1)
    values = rng.normal(size=(rows, 3)) * 10.0 ** rng.integers(-3, 4, (rows, 1))
    values[rng.random(values.shape) < 0.2] = np.nan
    scaler = Scaler([0.1, -3.0, 1e3], [0.7, 2.5, 1e-3], limit)
    native = scaler.transform(values)
    monkeypatch.setattr(backend, "load", lambda: (None, "switched off"))
    np.testing.assert_array_equal(native, scaler.transform(values))
