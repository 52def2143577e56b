"""Calibration: perfect scores have none of its error, and a known distortion has the error that one can compute."""

import dataclasses

import numpy as np
import pytest
from toys import toy_scores

from jetgram.errors import EvaluationError, SettingsError
from jetgram.evaluation.calibration import calibration, calibration_of
from jetgram.evaluation.classes import binary_scores
from jetgram.evaluation.scores import Scores


def toys(seed: int, jets: int = 4000):
    rng = np.random.default_rng(seed)
    p = rng.beta(0.5, 0.7, jets)  # most scores near 0 and 1, as a tagger's are
    return p, rng.random(jets) < p, rng


def test_perfect_scores_have_no_error_beyond_their_fluctuations() -> None:
    pulls = []
    for seed in range(60):
        p, signal, rng = toys(seed)
        found = calibration(p, signal, rng.uniform(0.2, 2.0, len(p)))
        pulls.append((found.ece - found.floor) / found.error)
    assert abs(np.mean(pulls)) < 0.2
    assert np.max(np.abs(pulls)) < 3


def test_the_error_is_the_spread_over_samples() -> None:
    found = []
    for seed in range(80):
        p, signal, rng = toys(seed)
        found.append(calibration(p**2, signal, rng.uniform(0.2, 2.0, len(p))))
    spread = np.std([each.ece for each in found], ddof=1)
    assert np.mean([each.error for each in found]) == pytest.approx(spread, rel=0.3)


@pytest.mark.parametrize("bins", [1, 7, 15])
def test_a_square_has_the_error_of_the_integral(bins) -> None:
    """Uniform p and scores p^2 give int |p - p^2| dp = 1/6, in any bins, as the gap never changes its sign."""
    rng = np.random.default_rng(3)
    p = rng.random(200_000)
    found = calibration(p**2, rng.random(200_000) < p, bins=bins)
    assert found.ece == pytest.approx(1 / 6, abs=4 * found.error)
    assert found.error < 0.002


def test_weights_count_as_so_many_jets() -> None:
    p, signal, rng = toys(1, 500)
    times = rng.integers(1, 4, 500)
    weighted, repeated = calibration(p, signal, times), calibration(np.repeat(p, times), np.repeat(signal, times))
    assert weighted.ece == pytest.approx(repeated.ece)
    for one, other in zip(weighted.bins, repeated.bins, strict=True):
        assert dataclasses.astuple(one)[:4] == pytest.approx(dataclasses.astuple(other)[:4])
        assert one.low < other.low < other.high < one.high, "weights are worth fewer jets than they count"


def test_the_ends_are_in_the_outermost_bins() -> None:
    found = calibration([0.0, 1.0, 1.0], [0, 1, 1])
    assert [(each.number, each.fraction) for each in found.bins] == [
        (0, pytest.approx(1 / 3)),
        (14, pytest.approx(2 / 3)),
    ]
    assert (found.ece, found.error, found.floor) == (0, 0, 0)


def test_several_classes_are_calibrated_one_by_one() -> None:
    rng = np.random.default_rng(2)
    p = rng.dirichlet([0.5, 0.5, 0.5], 6000)
    label = (p.cumsum(axis=1) < rng.random((6000, 1))).sum(axis=1)
    columns = {f"score_{name}": p[:, number] for number, name in enumerate("abc")}
    scores = Scores.create(columns, label, pt=np.ones(6000), mass=np.ones(6000))
    for each in map(calibration_of, binary_scores(scores)):
        assert each.ece - each.floor < 3 * each.error


def test_only_probabilities_are_calibrated() -> None:
    assert calibration_of(toy_scores()) is None
    with pytest.raises(EvaluationError, match="found scores from 0.5 to 2"):
        calibration([0.5, 2.0], [0, 1])
    with pytest.raises(SettingsError, match="found 0"):
        calibration([0.5, 0.6], [0, 1], bins=0)
