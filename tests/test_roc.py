"""ROC curves against scikit-learn's, and against what they mean."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import roc_auc_score
from sklearn.metrics import roc_curve as sklearn_roc_curve

from jetgram.errors import EvaluationError, SettingsError
from jetgram.roc import background_rejection, roc_auc, roc_curve

EXACT = {"rtol": 1e-12, "atol": 1e-12}


@st.composite
def samples(draw):
    """Scores with many ties or none, both classes, weights that are often zero."""
    n = draw(st.integers(2, 60))
    few = st.sampled_from([0.0, 0.25, 0.5, 1.0])
    scores = draw(hnp.arrays(np.float64, n, elements=draw(st.sampled_from([few, st.floats(-1e6, 1e6)]))))
    labels = draw(hnp.arrays(np.int8, n, elements=st.integers(0, 1)))
    weights = draw(hnp.arrays(np.float64, n, elements=st.one_of(st.just(0.0), st.floats(1e-3, 1e3))))
    assume(all(weights[labels == label].sum() > 0 for label in (0, 1)))
    return scores, labels, weights


@given(samples())
def test_the_curve_is_that_of_scikit_learn(sample) -> None:
    scores, labels, weights = sample
    curve = roc_curve(scores, labels, weights)
    fpr, tpr, thresholds = sklearn_roc_curve(labels, scores, sample_weight=weights, drop_intermediate=False)
    np.testing.assert_allclose(curve.fpr, fpr, **EXACT)
    np.testing.assert_allclose(curve.tpr, tpr, **EXACT)
    np.testing.assert_array_equal(curve.thresholds, thresholds)
    np.testing.assert_allclose(curve.auc, roc_auc_score(labels, scores, sample_weight=weights), **EXACT)


@given(samples(), st.floats(0.01, 1.0))
def test_the_rejection_is_that_of_the_straight_line_through_the_points(sample, efficiency) -> None:
    scores, labels, weights = sample
    fpr, tpr, _ = sklearn_roc_curve(labels, scores, sample_weight=weights)
    assume(not np.isclose(tpr, efficiency, rtol=1e-9).any())  # there the curve may be vertical
    expected = np.interp(efficiency, tpr, fpr)
    rejection = background_rejection(scores, labels, efficiency, weights)
    assert rejection.is_bound == (expected == 0)
    if not rejection.is_bound:
        np.testing.assert_allclose(rejection.value, 1 / expected, rtol=1e-12)


@given(samples())
def test_auc_is_the_probability_that_signal_scores_higher(sample) -> None:
    scores, labels, weights = sample
    s, b = labels == 1, labels == 0
    above = (scores[s, None] > scores[b]) + 0.5 * (scores[s, None] == scores[b])
    expected = weights[s] @ above @ weights[b] / (weights[s].sum() * weights[b].sum())
    np.testing.assert_allclose(roc_auc(scores, labels, weights), expected, **EXACT)


@given(samples(), st.floats(0.01, 1.0))
def test_the_threshold_is_the_highest_that_keeps_the_efficiency(sample, efficiency) -> None:
    scores, labels, weights = sample
    threshold = roc_curve(scores, labels, weights).threshold_at(efficiency)
    share = lambda passes: weights[(labels == 1) & passes].sum() / weights[labels == 1].sum()  # noqa: E731
    assert share(scores >= threshold) >= efficiency * (1 - 1e-9)
    assert share(scores > threshold) < efficiency * (1 + 1e-9)


def test_the_smallest_rate_counts_where_the_curve_is_vertical() -> None:
    # The second background jet comes in after half of the signal, before the other half.
    curve = roc_curve([6, 5, 4, 3, 2, 1], [0, 1, 0, 0, 1, 0])
    assert curve.fpr_at(0.5) == 0.25
    np.testing.assert_allclose(curve.fpr_at([0.25, 0.5, 0.75, 1.0]), [0.25, 0.25, 0.75, 0.75])


def test_the_smallest_rate_counts_although_weights_round() -> None:
    labels = np.array([1] * 5 + [0] * 10 + [1] * 5)
    curve = roc_curve(-np.arange(20), labels, np.full(20, 0.1))  # sums of 0.1 miss a half by rounding
    assert curve.fpr_at(0.5) == 0


def test_constant_scores_reject_nothing() -> None:
    curve = roc_curve(np.full(10, 0.3), np.arange(10) % 2)
    assert curve.auc == 0.5
    np.testing.assert_allclose(curve.fpr_at([0.1, 0.5, 0.9]), [0.1, 0.5, 0.9], rtol=1e-12)


def test_no_background_that_passes_gives_a_bound() -> None:
    rejection = background_rejection([4, 3, 2, 1], [1, 1, 0, 0], 0.5)
    assert rejection.is_bound
    assert rejection.value == 2
    assert str(rejection) == "> 2"
    weighted = background_rejection([4, 3, 2, 1], [1, 1, 0, 0], 0.5, weights=[1, 1, 3, 1])
    assert weighted.value == pytest.approx(16 / 10)


@pytest.mark.parametrize(("value", "text"), [(6.789, "6.79"), (68.3, "68.3"), (174.5, "174"), (12345.6, "12,346")])
def test_a_rejection_prints_three_digits(value, text) -> None:
    from jetgram.roc import Rejection

    assert str(Rejection(value)) == text


@pytest.mark.parametrize(
    ("scores", "labels", "weights", "message"),
    [
        ([0.1, np.nan], [0, 1], None, "row 1: score is nan; expected a finite number; 1 of 2 such rows"),
        ([0.1, np.inf], [0, 1], None, "row 1: score is inf"),
        ([0.1, 0.2], [0, 2], None, "row 1: label is 2; expected 0 .background. or 1 .signal."),
        ([0.1, 0.2], [0, 1], [1, -1], "row 1: weight is -1.0"),
        ([0.1, 0.2], [1, 1], None, "no background .label 0. among 2 jets"),
        ([0.1, 0.2], [0, 0], None, "no signal .label 1. among 2 jets"),
        ([0.1, 0.2], [0, 1], [1, 0], "no signal .* or only with weight 0"),
        ([], [], None, "no signal .* among 0 jets"),
        ([0.1, 0.2], [1], None, r"shapes \(2,\), \(1,\) and \(2,\)"),
        ([[0.1, 0.2]], [[0, 1]], None, "expected one value per jet"),
    ],
)
def test_what_cannot_be_judged_is_an_error_with_its_row(scores, labels, weights, message) -> None:
    with pytest.raises(EvaluationError, match=message):
        roc_curve(scores, labels, weights)


@pytest.mark.parametrize("efficiency", [-0.1, 1.1, np.nan])
def test_an_efficiency_is_a_share(efficiency) -> None:
    with pytest.raises(SettingsError, match="between 0 and 1"):
        background_rejection([0.1, 0.9], [0, 1], efficiency)


def test_a_million_scores() -> None:
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 2, 1_000_000)
    scores = labels + rng.normal(size=len(labels))
    weights = rng.exponential(size=len(labels))
    curve = roc_curve(scores, labels, weights)
    fpr, tpr, _ = sklearn_roc_curve(labels, scores, sample_weight=weights)
    np.testing.assert_allclose(curve.auc, np.trapezoid(tpr, fpr), **EXACT)
    np.testing.assert_allclose(curve.rejection(0.5).value, 1 / np.interp(0.5, tpr, fpr), rtol=1e-12)
    assert curve.auc == pytest.approx(0.7602, abs=0.002)  # the normal distribution at 1 / sqrt(2)
