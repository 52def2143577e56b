"""Errors against those of repeated experiments, and the rule for failed models."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jetgram.errors import SettingsError
from jetgram.evaluation.uncertainty import Spread, bootstrap, failed
from jetgram.roc import roc_curve


def experiment(seed: int, jets: int = 4000):
    """Gaussian scores, one standard deviation apart, with weights; an exact stand-in for repeated measurements."""
    rng = np.random.default_rng([11, seed])
    labels = np.arange(jets) % 2
    return labels + rng.normal(size=jets), labels, rng.uniform(0.2, 1.8, jets)


def test_errors_are_the_spread_of_repeated_experiments() -> None:
    curves = [roc_curve(*experiment(seed)) for seed in range(200)]
    auc = np.std([curve.auc for curve in curves], ddof=1)
    rejection = np.std([[curve.rejection(e).value for e in (0.3, 0.5)] for curve in curves], axis=0, ddof=1)
    errors = [bootstrap(*experiment(seed), efficiencies=(0.3, 0.5), replicas=100) for seed in range(1000, 1006)]
    assert np.mean([e.auc for e in errors]) == pytest.approx(auc, rel=0.15)
    np.testing.assert_allclose(np.mean([e.rejection for e in errors], axis=0), rejection, rtol=0.2)


def test_the_same_seed_gives_the_same_errors() -> None:
    sample = experiment(0, 200)
    assert bootstrap(*sample, replicas=20) == bootstrap(*sample, replicas=20)
    assert bootstrap(*sample, replicas=20) != bootstrap(*sample, replicas=20, seed=1)


def test_weightless_jets_do_not_count() -> None:
    scores, labels, weights = experiment(0, 200)
    more = np.append(scores, [9.0, 9.0]), np.append(labels, [0, 1]), np.append(weights, [0.0, 0.0])
    assert bootstrap(*more, replicas=20) == bootstrap(scores, labels, weights, replicas=20)


def test_a_bound_has_no_error() -> None:
    assert bootstrap([4, 3, 2, 1], [1, 1, 0, 0], replicas=20).rejection == (None,)


def test_one_replica_has_no_spread() -> None:
    with pytest.raises(SettingsError, match="replicas = 1 have no spread"):
        bootstrap([1, 0], [1, 0], replicas=1)


def test_spread() -> None:
    assert Spread.of([1.0, 2.0, 3.0]) == Spread(2.0, 1.0, 3)
    assert Spread.of([4.0]) == Spread(4.0, None, 1)
    assert str(Spread.of([4.0])) == "4"


@pytest.mark.parametrize("worst", [0, 1, 4])
def test_thirty_models_of_which_some_failed(worst: int) -> None:
    healthy = np.linspace(66, 70, 30 - worst)
    found = failed(np.concatenate([np.full(worst, 2.0), healthy]))
    assert found[:worst].all()
    assert not found[worst:].any()


def test_the_rule_of_the_paper_by_hand() -> None:
    values = np.array([10.0] * 5 + list(np.linspace(49, 51, 20)) + [52.0, 52.5, 53.0, 60.0, 90.0])
    core = np.linspace(49, 51, 20)
    expected = np.abs(values - 50) > 3 * core.std(ddof=1)
    assert failed(values).tolist() == expected.tolist()
    assert failed(values)[-5:].tolist() == [True] * 5 == [v > 50 + 3 * core.std(ddof=1) for v in values[-5:]]


@given(st.lists(st.floats(1, 1e4), max_size=5))
def test_few_models_are_all_kept(values) -> None:
    assert not failed(values).any()


def test_the_rule_drops_one_healthy_model_in_nine() -> None:
    rng = np.random.default_rng(5)
    share = np.mean([failed(rng.normal(68, 2, 30)).mean() for _ in range(500)])
    assert 0.08 < share < 0.14
