"""Mass sculpting: none by scores that know nothing of the mass, and the divergence that one can compute by others."""

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

from jetgram.evaluation.scores import Scores
from jetgram.evaluation.sculpting import inverse_text, jensen_shannon, mass_sculpting, sculpting_rows


def toys(seed: int, knows: float, jets: int = 8000) -> Scores:
    """Uniform masses; the score is the mass itself, or a random number, or between."""
    rng = np.random.default_rng(seed)
    mass = rng.uniform(50, 110, jets)
    score = knows * (mass - 50) / 60 + (1 - knows) * rng.random(jets)
    weight = rng.uniform(0.5, 1.5, jets)
    return Scores.create({"score": score}, np.arange(jets) % 2, np.full(jets, 270.0), mass, weight)


def test_the_divergence_is_scipys() -> None:
    rng = np.random.default_rng(1)
    p, q = rng.random((2, 5, 12))
    np.testing.assert_allclose(jensen_shannon(p, q), jensenshannon(p, q, base=2, axis=1) ** 2, rtol=1e-10)


def test_a_score_without_the_mass_reaches_the_limit() -> None:
    found = [mass_sculpting(toys(seed, knows=0.0)) for seed in range(60)]
    mean = np.mean([1 / each.inverse for each in found])
    limit = np.mean([1 / each.limit for each in found])
    assert mean == pytest.approx(limit, rel=4 * np.sqrt(2 / 19 / 60))  # chi2 with 19 degrees of freedom, 60 times


def test_a_cut_on_the_mass_has_the_divergence_of_halves() -> None:
    """Half of a uniform distribution against all of it: JSD = (3/2 log2(4/3) ... ) = 0.311 bits."""
    p, q = np.repeat([1.0, 0.0], 10), np.ones(20)
    expected = 1 / float(jensen_shannon(p, q))
    found = mass_sculpting(toys(1, knows=1.0, jets=40_000), replicas=100)
    assert found.inverse == pytest.approx(expected, rel=0.02)
    assert found.limit > 100 * found.inverse
    assert np.isclose(sum(found.after), 1)


def test_the_error_is_the_spread_over_samples() -> None:
    found = [mass_sculpting(toys(seed, knows=0.3), replicas=50, seed=seed) for seed in range(40)]
    assert np.mean([each.error for each in found]) == pytest.approx(np.std([each.inverse for each in found]), rel=0.35)


@pytest.mark.parametrize("weight", [1.0, 0.1])
def test_equal_distributions_are_a_bound(weight) -> None:
    """A JSD of 0, or of rounding: 1/JSD is as far as it can be measured, not 1e307."""
    label = np.repeat([1, 0], 200)
    score = np.where(label == 1, 1.0, np.tile([1.0, 1.0, 0.0, 0.0], 100))
    mass, weights = np.tile([60.0, 80.0], 200), np.where(score == 1.0, weight, 0.3)
    scores = Scores.create({"score": score}, label, np.full(400, 270.0), mass, weights)
    found = mass_sculpting(scores, replicas=20)
    assert found.is_bound
    assert found.error is None
    assert found.inverse == found.limit
    assert 1 < found.limit < 2000
    assert not mass_sculpting(toys(1, knows=0.0), replicas=20).is_bound
    assert inverse_text([found]) == f"> {found.limit:.3g}"
    assert inverse_text([mass_sculpting(toys(1, knows=0.0))], ",.1f")[0].isdigit()


def test_jets_that_fail_with_most_of_the_weight_leave_a_limit() -> None:
    scores = toys(1, knows=0.3)
    heavy = np.where((scores.label == 0) & (scores.score == scores.score[scores.label == 0].min()), 1e9, scores.weight)
    found = mass_sculpting(Scores.create(scores.outputs, scores.label, scores.pt, scores.mass, heavy))
    assert 1 < found.limit < 1e6


def test_it_says_nothing_where_there_is_nothing_to_say() -> None:
    perfect = Scores.create({"score": [1.0, 0.0, 0.1]}, [1, 0, 0], [270.0] * 3, [80.0, 60.0, 70.0])
    assert mass_sculpting(perfect) is None
    one_mass = Scores.create({"score": [0.5, 0.5, 0.5]}, [1, 0, 0], [270.0] * 3, [80.0] * 3)
    assert mass_sculpting(one_mass) is None
    assert len(sculpting_rows([("a", None, None)])) == 1
