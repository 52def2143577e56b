"""The window and the weights."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from jetgram.errors import EvaluationError, SettingsError
from jetgram.evaluation.scores import Scores
from jetgram.evaluation.selection import Window, flat_pt_weights, select


def make_scores(pt, mass, label, weight=None) -> Scores:
    return Scores.create({"score": np.linspace(0, 1, len(label))}, label, pt, mass, weight, source="jets.parquet")


def test_the_limits_are_those_of_the_paper() -> None:
    pt = np.array([250.0, 250.1, 299.9, 300.0, 270.0, 270.0, 270.0, 270.0])
    mass = np.array([80.0, 80.0, 80.0, 80.0, 50.0, 110.0, 49.9, 110.1])
    assert Window().contains(pt, mass).tolist() == [False, True, True, False, True, True, False, False]
    assert Window.everything().contains(pt, mass).all()


def test_a_window_says_what_it_is() -> None:
    assert str(Window()) == "250 < pT < 300 GeV, 50 <= m <= 110 GeV, flat in pT"
    assert str(Window.everything()) == "all jets"
    assert str(Window.everything(flat_pt=True)) == "flat in pT"


@pytest.mark.parametrize("limits", [(300, 250), (250, 250), (0, np.inf), (np.nan, 1)])
def test_limits_that_cannot_be(limits) -> None:
    with pytest.raises(SettingsError, match="^pt = .*expected two finite numbers"):
        Window.create(pt=limits)


@given(
    hnp.arrays(np.float64, 80, elements=st.floats(250, 300)),
    hnp.arrays(np.int8, 80, elements=st.integers(0, 1)),
    hnp.arrays(np.float64, 80, elements=st.floats(1e-3, 1e3)),
    st.integers(1, 20),
)
def test_every_filled_bin_of_a_class_weighs_the_same(pt, label, weight, bins) -> None:
    flat = flat_pt_weights(pt, label, weight, bins, (250, 300))
    for members in (label == 0, label == 1):
        assert flat[members].sum() == pytest.approx(weight[members].sum())
        sums, _ = np.histogram(pt[members], bins, (250, 300), weights=flat[members])
        filled, _ = np.histogram(pt[members], bins, (250, 300))
        if filled.any():
            np.testing.assert_allclose(sums[filled > 0], sums.sum() / np.count_nonzero(filled), rtol=1e-9)


def test_jets_keep_their_relative_weights_within_a_bin() -> None:
    flat = flat_pt_weights(np.array([251.0, 252.0, 290.0]), np.ones(3), np.array([1.0, 3.0, 8.0]), 2, (250, 300))
    np.testing.assert_allclose(flat, [1.5, 4.5, 6.0])


def test_jets_without_weight_stay_without() -> None:
    np.testing.assert_array_equal(
        flat_pt_weights(np.array([251.0, 290.0]), np.ones(2), np.array([0.0, 2.0]), 2), [0, 2]
    )
    np.testing.assert_array_equal(flat_pt_weights(np.array([251.0, 290.0]), np.ones(2), np.zeros(2), 2), [0, 0])
    assert len(flat_pt_weights(np.empty(0), np.empty(0), np.empty(0))) == 0


def test_equal_momenta_are_one_bin() -> None:
    np.testing.assert_allclose(flat_pt_weights(np.full(3, 260.0), np.ones(3), np.ones(3)), 1.0)


def test_select_cuts_and_weights() -> None:
    scores = make_scores([260, 261, 290, 270, 400, 270], [80, 80, 80, 80, 80, 20], [1, 1, 1, 0, 0, 0])
    chosen = select(scores, Window(pt_bins=2))
    assert chosen.jet.tolist() == [0, 1, 2, 3]
    np.testing.assert_allclose(chosen.weight, [0.75, 0.75, 1.5, 1.0])
    np.testing.assert_array_equal(select(scores, Window.everything()).weight, 1.0)


def test_a_window_without_a_class_is_an_error_with_the_counts() -> None:
    scores = make_scores([260, 400], [80, 80], [1, 0])
    with pytest.raises(
        EvaluationError, match="jets.parquet: no background jet with 250 < pT < 300 .* of its 2 jets 1 are"
    ):
        select(scores, Window())


def test_unlabelled_jets_cannot_be_judged() -> None:
    with pytest.raises(EvaluationError, match="jets.parquet: row 1: label is -1"):
        select(make_scores([260, 270], [80, 80], [1, -1]), Window())


def test_negative_weights_make_no_efficiency() -> None:
    scores = make_scores([260, 270], [80, 80], [1, 0])
    negative = dataclasses.replace(scores, weight=np.array([1.0, -1.0]))
    with pytest.raises(
        EvaluationError, match=r"row 1: weight is -1\.0; expected a number that is not negative.*--weight ''"
    ):
        select(negative, Window())
