"""The numbers behind the pictures of scores: bands of the rejection, and fractions that pass a cut."""

import numpy as np
import pytest
from toys import curve_of, toy_models

from jetgram.evaluation.bands import EFFICIENCIES, Band, passing
from jetgram.evaluation.uncertainty import wilson


@pytest.fixture(scope="module")
def models():
    return toy_models()


def test_the_band_is_the_spread_over_seeds(models) -> None:
    curves = [curve_of(each) for each in models["simple"]]
    band = Band.of(curves)
    at = int(np.argmin(np.abs(EFFICIENCIES - 0.7)))
    rejections = [curve.rejection(EFFICIENCIES[at]).value for curve in curves]
    assert band.middle[at] == pytest.approx(np.mean(rejections))
    assert band.high[at] - band.middle[at] == pytest.approx(np.std(rejections, ddof=1))
    shown = np.isfinite(band.middle)
    assert (band.low[shown] > 0).all()
    assert (band.low[shown] <= band.middle[shown]).all()


def test_the_band_of_one_seed_is_that_of_its_background(models) -> None:
    curve = curve_of(models["gated"][0])
    band = Band.of([curve])
    at = int(np.argmin(np.abs(EFFICIENCIES - 0.7)))
    low, high = wilson(curve.fpr_at(EFFICIENCIES[at]), curve.background)
    assert (band.low[at], band.high[at]) == pytest.approx((1 / high, 1 / low))
    hidden = curve.fpr_at(EFFICIENCIES) * curve.background < 1 - 1e-12
    assert hidden.any()
    np.testing.assert_array_equal(np.isnan(band.middle), hidden)


def test_fractions_that_pass_are_those_of_the_cut(models) -> None:
    (scores,) = models["gated"]
    edges = np.array([200.0, 230.0, 1000.0])
    found = passing([scores], 1, "pt", edges, 0.4)
    cut = curve_of(scores).threshold_at(0.4)
    for i, inside in enumerate((scores.pt < 230, scores.pt >= 230)):
        weight = scores.weight * inside * (scores.label == 1)
        assert found.fraction[i] == pytest.approx(weight[scores.score >= cut].sum() / weight.sum())
        assert found.low[i] < found.fraction[i] < found.high[i]
    assert np.isnan(passing([scores], 0, "pt", np.array([0.0, 10.0]), 0.4).fraction).all()
