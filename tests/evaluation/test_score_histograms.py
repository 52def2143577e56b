"""Score histograms and their errors."""

import numpy as np
import pytest

from jetgram.evaluation.score_histograms import score_edges, score_histogram
from jetgram.evaluation.scores import Scores


def toy(seed, count=400, weighted=True):
    rng = np.random.default_rng(seed)
    weight = rng.uniform(0.5, 2.0, count) if weighted else None
    score = np.clip(rng.normal(0.5, 0.2, count), 0, 1)
    label = np.arange(count) % 2
    return Scores.create({"score": score}, label, np.full(count, 270.0), np.full(count, 80.0), weight)


def test_the_fractions_of_a_class_sum_to_one_whatever_lies_outside():
    for label in (0, 1):
        found = score_histogram([toy(1)], label, np.linspace(0.3, 0.6, 7))
        assert found.fraction.sum() == pytest.approx(1)
        assert (found.error[found.fraction > 0] > 0).all()


def test_the_errors_are_those_of_many_samples():
    """Over many toys, the spread of each fraction is the error that a single one gives it."""
    edges = np.linspace(0, 1, 6)
    found = [score_histogram([toy(seed)], 1, edges) for seed in range(400)]
    spread = np.std([each.fraction for each in found], axis=0)
    error = np.mean([each.error for each in found], axis=0)
    # The total is fixed: a fraction f fluctuates by sqrt(1 - f) less than the number of entries in its bin.
    expected = error * np.sqrt(1 - np.mean([each.fraction for each in found], axis=0))
    np.testing.assert_allclose(spread, expected, rtol=0.12)


def test_seeds_that_differ_widen_the_errors():
    edges = np.linspace(0, 1, 6)
    one, other = toy(1), toy(2)
    alone, both = score_histogram([one, one], 1, edges), score_histogram([one, other], 1, edges)
    np.testing.assert_allclose(alone.error, score_histogram([one], 1, edges).error)
    spread = np.std([score_histogram([each], 1, edges).fraction for each in (one, other)], axis=0, ddof=1)
    assert (both.error >= spread).all()


def test_edges_fit_probabilities_logits_and_a_constant():
    assert score_edges([toy(1)])[[0, -1]].tolist() == [0, 1]
    pt, mass = np.full(2, 270.0), np.full(2, 80.0)
    constant = Scores.create({"score": [3.0, 3.0]}, [0, 1], pt, mass)
    assert score_edges([constant])[[0, -1]].tolist() == [2.5, 3.5]
