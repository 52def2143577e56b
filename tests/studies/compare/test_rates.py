"""Which rates are tried, and that a comparison goes on trying until the best one is enclosed."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jetgram.studies.compare.comparison import Comparison
from jetgram.studies.compare.known import collect
from jetgram.studies.compare.rates import all_rates, rate_at, rates_to_try

from .conftest import run, trials_of

MIDDLE = 0.001


def climb(count, loss_of):
    """The rates and their losses when all that is asked for is tried."""
    losses = {}
    while missing := [rate for rate in rates_to_try(MIDDLE, count, losses) if rate not in losses]:
        losses |= {rate: loss_of(rate) for rate in missing}
    return losses


@given(st.floats(-30, 5), st.integers(3, 9))
def test_the_best_of_a_valley_is_found_and_enclosed(log_best, count):
    """With a single minimum anywhere, unless it lies beyond all rates that may be tried."""
    losses = climb(count, lambda rate: abs(math.log(rate) - log_best))
    tried, best = sorted(losses), min(losses, key=losses.get)
    ends = {all_rates(MIDDLE)[0], all_rates(MIDDLE)[-1]}
    assert best not in {tried[0], tried[-1]} - ends
    assert best == min(all_rates(MIDDLE), key=lambda rate: abs(math.log(rate) - log_best))
    assert tried == all_rates(MIDDLE)[all_rates(MIDDLE).index(tried[0]) :][: len(tried)]  # none is left out


@pytest.mark.parametrize("count", [1, 2])
def test_fewer_than_three_cannot_enclose_and_stay_as_they_are(count):
    assert len(climb(count, lambda rate: rate)) == count


def test_rates_that_break_off_ask_for_no_more():
    assert len(climb(3, lambda rate: math.inf)) == 3
    losses = climb(3, lambda rate: math.inf if rate > MIDDLE else 1 - rate)  # 0.003 breaks off
    assert sorted(losses) == [0.00033, 0.001, 0.003]


def test_no_rate_is_larger_than_one_or_farther_than_four_steps():
    assert max(all_rates(0.5)) == 0.5
    assert rates_to_try(0.5, 3, {0.17: 0.3, 0.5: 0.2, 1.5: math.inf}) == [0.17, 0.5, 1.5]
    assert sorted(climb(3, lambda rate: rate)) == [rate_at(MIDDLE, step) for step in range(-4, 2)]


def test_a_comparison_tries_on_until_the_best_is_enclosed(dataset, tmp_path):
    comparison = Comparison(dataset.path, tmp_path / "out", ("pfn",), epochs=1)
    assert run(comparison) == []
    losses = {trial.rate: trial.validation_loss for trial in trials_of(comparison)}
    assert sorted(losses) == comparison.rates_of("pfn", losses)
    best = collect(comparison).best_rate("pfn")
    assert losses[best] == min(losses.values())
    enclosed = best not in (min(losses), max(losses))
    assert enclosed or best in (all_rates(0.001)[0], all_rates(0.001)[-1])
    assert len(losses) > 3  # with one epoch of 150 jets, the larger the better
