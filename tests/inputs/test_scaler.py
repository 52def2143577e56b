import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

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
