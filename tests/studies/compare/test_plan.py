"""Plans: what is left, and in which order it is done."""

import dataclasses

import pytest

from jetgram.errors import DatasetError
from jetgram.studies.compare.comparison import Comparison
from jetgram.studies.compare.networks import NETWORKS
from jetgram.studies.compare.plan import costliest_then_cheapest, make_plan
from jetgram.studies.compare.record import append_numbers

from .conftest import records_of


def test_seed_1_of_all_networks_comes_before_seed_2_of_any(dataset, tmp_path):
    """In each seed the costliest first, then from the cheapest."""
    plan = make_plan(Comparison(dataset.path, tmp_path, rates=1, seeds=3))
    order = [(task.job.training.seed, task.network) for task in plan.measurements]
    assert [seed for seed, _ in order] == [seed for seed in (1, 2, 3) for _ in NETWORKS]
    for seed in (1, 2, 3):
        assert [name for each, name in order if each == seed] == [
            *("part", "modern", "simple-kt", "pfn", "efn", "lundnet", "particlenet")
        ]
    assert [task.job for task in plan.others] == [task.job for task in plan.measurements]


def finish(costs, workers=2):
    """When the last task ends, if each worker takes the next one."""
    ends = [0.0] * workers
    for cost in costs:
        ends[ends.index(min(ends))] += cost
    return max(ends)


def test_the_order_keeps_two_workers_busy():
    costs = [50, 92, 320, 360, 920, 1700, 3200]  # CPU-seconds of docs/beyond.md
    order = costliest_then_cheapest(costs, float)
    assert finish(order) <= 1.05 * finish(sorted(costs, reverse=True))
    assert finish(order * 3) <= 1.1 * sum(order * 3) / 2


def test_a_trial_as_long_as_the_training_is_the_training(dataset, tmp_path):
    comparison = Comparison(dataset.path, tmp_path, ("pfn",), seeds=2, epochs=3, trial_epochs=3)
    assert comparison.trials("pfn") == {rate: comparison.job("pfn", rate, 1) for rate in comparison.rates_of("pfn")}
    plan = make_plan(comparison)
    assert (len(plan.trials), len(plan.others), len(plan.measurements)) == (3, 1, 2)


def test_a_trial_that_was_made_elsewhere_gives_the_rate_but_no_model(small, tmp_path):
    """Trials and trainings have one epoch here: the model of seed 1 is that of a trial, but not in this folder."""
    plan = make_plan(dataclasses.replace(small, out=tmp_path, merge=(small.tried,)))
    assert [task.share for task in plan.trials] == [1, 1, 1, 1]
    assert [task.share for task in plan.others] == [0, 0, 0, 0]
    assert {task.group for task in plan.others} == {f"{r.network}-{r.rate:g}" for r in records_of(small)}
    assert all(task.minutes is not None for task in plan.others)


def test_nothing_is_left_where_all_lines_are_known(small, tmp_path):
    other = dataclasses.replace(small, out=tmp_path / "new", merge=(small.tried, small.numbers))
    plan = make_plan(other)
    assert plan.finished
    assert sum(plan.seconds.values()) == 0
    assert not other.out.exists()


def test_some_seeds_are_planned_alone(small, tmp_path):
    plan = make_plan(dataclasses.replace(small, out=tmp_path, first=2, seeds=3, merge=(small.out,)))
    left = [(task.network, task.job.training.seed) for task in plan.measurements if task.share < 1]
    assert sorted(left) == [("modern", 3), ("pfn", 3)]


def test_without_the_jets_there_is_a_plan_only_if_nothing_is_left(small, tmp_path):
    away = dataclasses.replace(small, dataset=tmp_path / "away", out=tmp_path / "new", merge=(small.out,))
    assert make_plan(away).finished
    with pytest.raises(DatasetError, match=r"away is no dataset, and 4 tasks are left that need its jets"):
        make_plan(dataclasses.replace(away, seeds=3))
    append_numbers(tmp_path / "numbers.csv", records_of(small))
    with pytest.raises(DatasetError, match="tasks are left"):  # which rate is best is not known
        make_plan(dataclasses.replace(away, merge=(tmp_path / "numbers.csv",)))
