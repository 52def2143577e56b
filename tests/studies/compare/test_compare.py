"""A tiny comparison, really made: rates tried, networks trained, test jets scored, costs measured."""

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import numpy as np
import pytest
from typer.testing import CliRunner

from jetgram.cli import app
from jetgram.errors import DatasetError, SettingsError
from jetgram.models.card import CARD
from jetgram.momenta import Jets
from jetgram.storage.dataset import Dataset, save
from jetgram.studies.compare.comparison import FIRST_SEED, NETWORKS, Comparison, choose_networks, trial_loss
from jetgram.studies.compare.record import SCORES, append_record, known_records
from jetgram.studies.compare.results import PAGE, PLOT, TABLE, judge, write_results
from jetgram.studies.compare.run import make_plan, run_comparison
from jetgram.studies.run import ProgressDisplays
from jetgram.training.ensemble import EnsembleWatcher, train_alone

SILENT = ProgressDisplays(
    lambda what, total, unit, done: nullcontext(lambda count: None), lambda epochs: nullcontext(EnsembleWatcher())
)


def run(comparison):
    with ThreadPoolExecutor(1) as executor, comparison.occupied():
        return run_comparison(comparison, executor, SILENT)


@pytest.fixture(scope="module")
def dataset(qcd_jets, tmp_path_factory):
    """Three hundred jets, the harder half of which is signal; the second half of them to test."""
    pt = qcd_jets.pt[:300]
    label = (pt > np.median(pt)).astype(np.int8)
    jets = Jets(qcd_jets.momenta, qcd_jets.offsets)[:300].with_columns(label=label)
    folder = tmp_path_factory.mktemp("data") / "jets"
    save(folder, {"train": jets[:150], "test": jets[150:]}, {"source": "tests"})
    return Dataset(folder)


@pytest.fixture(scope="module")
def small(dataset, tmp_path_factory):
    """Two networks of two seeds, with two rates tried, finished."""
    out = tmp_path_factory.mktemp("comparison")
    comparison = Comparison(dataset.path, out, ("modern", "pfn"), rates=2, seeds=2, epochs=1)
    assert run(comparison) == []
    return comparison


def test_the_rate_is_that_with_the_smallest_validation_loss(small):
    for network in small.networks:
        losses = {rate: trial_loss(small.job(network, rate, FIRST_SEED).out) for rate in small.rates_of(network)}
        assert losses[small.best_rate(network)] == min(losses.values())
        assert {record.rate for record in known_records(small.numbers) if record.network == network} == {
            small.best_rate(network)
        }


def test_every_network_and_seed_is_a_line(small, dataset):
    records = known_records(small.numbers)
    assert sorted((record.network, record.seed) for record in records) == [
        ("modern", 1),
        ("modern", 2),
        ("pfn", 1),
        ("pfn", 2),
    ]
    for record in records:
        assert record.parameters == {"modern": 9113, "pfn": 46829}[record.network]
        assert record.cpu_seconds > 0
        assert record.network_jets_per_second > record.jets_per_second > 100
        assert dataset.digest.startswith(record.dataset)


def test_only_the_best_rate_has_seen_the_test_jets(small):
    best = {small.job(network, small.best_rate(network), 1).out for network in small.networks}
    assert {file.parent for file in small.out.glob(f"models/*/seed-001/{SCORES}")} == best


def test_what_is_done_is_not_done_again(small):
    assert make_plan(small).finished
    assert not small.prepared.exists()
    before = {file: file.stat().st_mtime_ns for file in small.out.rglob("*") if file.is_file()}
    assert run(small) == []
    now = {file: file.stat().st_mtime_ns for file in small.out.rglob("*") if file.is_file()}
    assert {file for file in now if now[file] != before.get(file)} <= {small.out / "comparison.json"}


def test_a_lost_line_is_measured_again_without_training(small):
    lines = small.numbers.read_text().splitlines(keepends=True)
    small.numbers.write_text("".join(lines[:-1]))
    cards = {file: file.stat().st_mtime_ns for file in small.out.rglob(CARD)}
    assert not make_plan(small).finished
    assert run(small) == []
    assert len(known_records(small.numbers)) == 4
    assert {file: file.stat().st_mtime_ns for file in small.out.rglob(CARD)} == cards


def test_ratios_are_paired_and_the_best_comes_first(small):
    best, other = judge(small)
    assert best.ratio is None
    assert other.ratio is not None
    assert 0 < other.ratio.value < 1.5
    assert best.spread("r50").mean >= other.spread("r50").mean
    files = write_results(small, [best, other])
    assert [file.name for file in files] == [TABLE, PAGE, PLOT]
    table = files[0].read_text()
    assert table.count("\n| ") == 3
    assert f"| {best.network} |" in table
    assert "<img" in files[1].read_text()


def test_lines_of_other_settings_do_not_count(small):
    (record, *_) = known_records(small.numbers)
    append_record(small.numbers, record.model_copy(update={"settings": "0" * 16, "auc": 1.0}))
    assert all(each.auc < 1 for line in judge(small) for each in line.records)


def test_a_folder_is_that_of_one_comparison(small):
    with pytest.raises(SettingsError, match="choose another folder"):
        dataclasses.replace(small, epochs=2).require_own()
    dataclasses.replace(small, seeds=5, rates=3).require_own()


def test_a_rate_that_failed_is_not_chosen_and_does_not_stop_the_others(small):
    more = dataclasses.replace(small, rates=3)
    failed = more.job("pfn", more.rates_of("pfn")[-1], FIRST_SEED).out
    assert more.best_rate("pfn") is None  # one is to be tried
    assert more.best_rate("pfn", [failed]) == small.best_rate("pfn")


def test_rates_are_tried_in_short_trainings_and_every_seed_is_trained_in_full(dataset, tmp_path):
    """Stopped after the trials, it goes on without them."""
    comparison = Comparison(dataset.path, tmp_path / "out", ("modern",), rates=2, seeds=1, epochs=5)
    trials = comparison.trials("modern")
    assert [job.training.epochs for job in trials.values()] == [2, 2]
    assert [
        job.training.epochs for job in dataclasses.replace(comparison, trial_epochs=3).trials("modern").values()
    ] == [3, 3]
    for job in trials.values():
        train_alone(job)
    plan = make_plan(comparison)
    assert [task.share for task in plan.trials] == [1, 1]
    assert [task.share for task in plan.others] == [0]
    assert all(task.minutes == pytest.approx(5 / 2 * plan.trials[0].minutes) for task in plan.others)
    before = {job.out: (job.out / CARD).stat().st_mtime_ns for job in trials.values()}
    assert run(comparison) == []
    assert {folder: (folder / CARD).stat().st_mtime_ns for folder in before} == before
    (record,) = known_records(comparison.numbers)
    assert record.epochs == 5
    assert record.rate == min(trials, key=lambda rate: trial_loss(trials[rate].out))
    assert {file.parent for file in comparison.out.rglob(SCORES)} == {comparison.job("modern", record.rate, 1).out}
    assert make_plan(comparison).finished


def test_a_trial_as_long_as_the_training_is_the_training(dataset, tmp_path):
    comparison = Comparison(dataset.path, tmp_path, ("pfn",), seeds=2, epochs=3, trial_epochs=3)
    assert comparison.trials("pfn") == {rate: comparison.job("pfn", rate, 1) for rate in comparison.rates_of("pfn")}
    plan = make_plan(comparison)
    assert (len(plan.trials), len(plan.others), len(plan.measurements)) == (3, 1, 2)


def test_a_single_rate_is_not_tried(dataset, tmp_path):
    comparison = Comparison(dataset.path, tmp_path, ("pfn",), rates=1)
    assert comparison.trials("pfn") == {}
    assert comparison.best_rate("pfn") == 0.001


@pytest.mark.parametrize(("rates", "expected"), [(1, [0.001]), (3, [0.00033, 0.001, 0.003]), (2, [0.00033, 0.001])])
def test_rates_lie_around_that_of_the_recipe(tmp_path, rates, expected):
    assert Comparison(tmp_path, tmp_path, rates=rates).rates_of("pfn") == expected


def test_a_dataset_without_test_jets_is_an_error_before_anything_is_trained(dataset, tmp_path):
    save(tmp_path / "jets", {"train": dataset.read("train")}, {"source": "tests"})
    with pytest.raises(DatasetError, match=r"has no split 'test'; it has: train"):
        make_plan(Comparison(tmp_path / "jets", tmp_path / "out", ("modern",)))


def test_an_unknown_network_is_told_who_there_is():
    with pytest.raises(SettingsError, match="no network matches 'pfm'; there are: modern, simple-kt, pfn"):
        choose_networks(["pfm"])


def test_the_command(dataset, tmp_path):
    """All networks, each with one epoch; and the plan before."""
    arguments = ["compare", str(dataset.path), "--out", str(tmp_path / "out"), "--rates", "1", "--epochs", "1"]
    planned = CliRunner().invoke(app, [*arguments, "--plan"])
    assert planned.exit_code == 0
    assert "part-0.001" in planned.output
    assert "0 of 0 to try rates, 0 of 7 to train" in planned.output
    result = CliRunner().invoke(app, [*arguments, "--workers", "1"])
    assert result.exit_code == 0, result.output
    for name in NETWORKS:
        assert f"\n{name} " in result.output
    assert len(known_records(tmp_path / "out" / "comparison.csv")) == len(NETWORKS)
