"""A comparison from its first trial to its table."""

import dataclasses
import json

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from jetgram.cli import app
from jetgram.cli.study_output import parse_seeds
from jetgram.errors import DatasetError, EvaluationError, SettingsError
from jetgram.models.card import CARD, read_card
from jetgram.momenta import Events
from jetgram.storage.dataset import save
from jetgram.studies import belonging, digests
from jetgram.studies.compare.comparison import FIRST_SEED, Comparison
from jetgram.studies.compare.known import collect
from jetgram.studies.compare.measure import SCORES, measure, require_judgeable
from jetgram.studies.compare.networks import NETWORKS, choose_networks, title_of
from jetgram.studies.compare.plan import make_plan
from jetgram.studies.compare.record import ENSEMBLE, read_numbers
from jetgram.training.ensemble import train_alone

from .conftest import files_of, records_of, run, trials_of


def test_the_rate_is_that_with_the_smallest_validation_loss(small):
    known = collect(small)
    for network in small.networks:
        losses = {
            rate: read_card(small.job(network, rate, FIRST_SEED).out).metrics["validation_loss"]
            for rate in small.rates_of(network)
        }
        assert losses[known.best_rate(network)] == min(losses.values())
        assert {record.rate for record in records_of(small) if record.network == network} == {known.best_rate(network)}
        assert {trial.rate: trial.validation_loss for trial in trials_of(small) if trial.network == network} == {
            rate: pytest.approx(loss, abs=1e-6) for rate, loss in losses.items()
        }


def test_every_network_and_seed_is_a_line(small, dataset):
    records = records_of(small)
    assert sorted((record.network, str(record.seed), record.members) for record in records) == [
        *[("modern", "1", ""), ("modern", "2", ""), ("modern", ENSEMBLE, "1 2")],
        *[("pfn", "1", ""), ("pfn", "2", ""), ("pfn", ENSEMBLE, "1 2")],
    ]
    for record in records:
        assert record.parameters == {"modern": 9113, "pfn": 46829}[record.network] * record.trainings
        assert record.cpu_seconds > 0
        assert record.network_jets_per_second > record.jets_per_second > 100
        assert dataset.digest.startswith(record.dataset)
        assert (record.sample, record.training_jets) == ("jets", 150)


def test_only_the_best_rate_has_seen_the_test_jets(small):
    known = collect(small)
    best = {small.job(network, known.best_rate(network), 1).out for network in small.networks}
    assert {file.parent for file in small.out.glob(f"models/*/seed-001/{SCORES}")} == best


def test_what_is_done_is_not_done_again(copy):
    assert make_plan(copy).finished
    assert not copy.prepared.exists()
    before = files_of(copy.out)
    assert run(copy) == []
    now = files_of(copy.out)
    assert {file for file in now if now[file] != before.get(file)} <= {copy.out / "comparison.json"}


@pytest.mark.parametrize("lost", ["modern,1,", "pfn,2,", "pfn,ensemble,"])
def test_a_lost_line_is_measured_again_without_training(copy, lost):
    before = records_of(copy)
    lines = copy.numbers.read_text().splitlines(keepends=True)
    copy.numbers.write_text("".join(line for line in lines if not line.startswith(lost)))
    copy.tried.unlink()  # what is lost of trials is in their folders too
    cards = {file: file.stat().st_mtime_ns for file in copy.out.rglob(CARD)}
    assert make_plan(copy).finished == (ENSEMBLE in lost)
    assert run(copy) == []
    numbers = {record.identity: record.numbers for record in before}
    assert {record.identity: record.numbers for record in records_of(copy)} == numbers
    assert len(trials_of(copy)) == 4
    assert {file: file.stat().st_mtime_ns for file in copy.out.rglob(CARD)} == cards


def test_a_folder_is_that_of_one_comparison(small):
    with pytest.raises(SettingsError, match="choose another folder"):
        dataclasses.replace(small, epochs=2).require_own()
    dataclasses.replace(small, seeds=5, rates=3).require_own()


def test_a_folder_that_was_begun_without_the_jets_goes_on_with_them(small, tmp_path):
    """The name of the dataset was misspelt, or its lines were merged where the jets are not."""
    command = ["compare", str(tmp_path / "away"), "--out", str(tmp_path / "new"), "--only", "modern", "--epochs", "1"]
    assert isinstance(CliRunner().invoke(app, command).exception, DatasetError)
    command[1] = str(small.dataset)
    planned = CliRunner().invoke(app, [*command, "--plan"])
    assert planned.exit_code == 0, planned.output
    there = dataclasses.replace(small, out=tmp_path / "new")
    with there.occupied():
        there.note()
    assert "dataset" in json.loads((there.out / "comparison.json").read_bytes())
    with pytest.raises(SettingsError, match="choose another folder"):
        dataclasses.replace(there, epochs=2).require_own()


@pytest.mark.parametrize("wrong", ["train", "test", "label"])
def test_a_folder_is_not_bound_to_jets_that_cannot_be_compared(dataset, tmp_path, wrong):
    """Without a split, or without signal to judge: the same folder is free for the right jets."""
    jets = {"train": dataset.read("train"), "test": dataset.read("test")}
    if wrong == "label":
        jets["test"] = jets["test"].with_columns(label=np.zeros(len(jets["test"]), np.int8))
    else:
        del jets[wrong]
    save(tmp_path / "wrong", jets, {"source": "tests"})
    command = ["compare", str(tmp_path / "wrong"), "--out", str(tmp_path / "out"), "--only", "modern", "--epochs", "1"]
    failed = CliRunner().invoke(app, [*command, "--workers", "1"])
    assert isinstance(failed.exception, (DatasetError, EvaluationError))
    Comparison(dataset.path, tmp_path / "out", ("modern",), epochs=1).require_own()


def test_scores_and_folders_are_of_one_revision(copy, monkeypatch):
    """The same settings give other numbers now: old ones do not get a new digest."""
    record = records_of(copy)[0]
    job = copy.job(record.network, record.rate, record.seed)
    for module in (digests, belonging):
        monkeypatch.setattr(module, "REVISION", 2)
    with pytest.raises(EvaluationError, match=r"scores.parquet holds scores of other settings.*remove it"):
        measure(job, record.network)
    with pytest.raises(SettingsError, match="copy holds models and scores of revision 1.*choose another folder"):
        copy.require_own()


def test_models_of_another_recipe_are_no_trials(copy, monkeypatch):
    settings, lines = Comparison.settings, records_of(copy)

    def clipped(self, *given):
        model, training = settings(self, *given)
        return model, training.model_copy(update={"clip": 0.5})

    monkeypatch.setattr(Comparison, "settings", clipped)
    assert collect(copy).trials == {}
    assert max(task.share for task in make_plan(copy).trials) < 1
    failures = run(copy)
    assert len(failures) == 4
    assert all("holds a model with other settings" in each for each in failures)
    assert records_of(copy) == lines
    assert len(trials_of(copy)) == 4


def test_a_rate_that_failed_is_not_chosen_and_does_not_stop_the_others(small):
    more = dataclasses.replace(small, rates=3)
    failed = [job.out for rate, job in more.possible_trials("pfn").items() if rate not in small.rates_of("pfn")]
    assert collect(more).best_rate("pfn") is None  # some are to be tried
    assert collect(more).best_rate("pfn", failed) == collect(small).best_rate("pfn")


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
    (record,) = records_of(comparison)
    assert record.epochs == 5
    losses = {trial.rate: trial.validation_loss for trial in trials_of(comparison)}
    assert record.rate == min(losses, key=losses.__getitem__)
    assert {file.parent for file in comparison.out.rglob(SCORES)} == {comparison.job("modern", record.rate, 1).out}
    assert make_plan(comparison).finished


def test_a_single_rate_is_not_tried(dataset, tmp_path):
    comparison = Comparison(dataset.path, tmp_path, ("pfn",), rates=1)
    assert comparison.trials("pfn") == {}
    assert collect(comparison).best_rate("pfn") == 0.001


@pytest.mark.parametrize(("rates", "expected"), [(1, [0.001]), (3, [0.00033, 0.001, 0.003]), (2, [0.00033, 0.001])])
def test_rates_lie_around_that_of_the_recipe(tmp_path, rates, expected):
    assert Comparison(tmp_path, tmp_path, rates=rates).rates_of("pfn") == expected


def test_a_dataset_without_test_jets_is_an_error_before_anything_is_trained(dataset, tmp_path):
    save(tmp_path / "jets", {"train": dataset.read("train")}, {"source": "tests"})
    with pytest.raises(DatasetError, match=r"has no split 'test'; it has: train"):
        make_plan(Comparison(tmp_path / "jets", tmp_path / "out", ("modern",)))


def test_whole_events_are_not_compared(qcd_jets, tmp_path):
    events = Events(qcd_jets.momenta, qcd_jets.offsets)[:20].with_columns(label=np.arange(20) % 2)
    stored = save(tmp_path / "events", {"train": events, "test": events}, {"source": "tests"})
    with pytest.raises(DatasetError, match="events holds events; expected a dataset of jets"):
        require_judgeable(stored)


@pytest.mark.parametrize("text", ["-3", "0", "3-1", "1-", "-", ""])
def test_what_is_no_range_of_seeds_is_an_error(text):
    with pytest.raises(typer.BadParameter, match="expected a number from 1, or a first and a last seed"):
        parse_seeds(text)


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
        assert f"\n{title_of(name)} " in result.output
    assert len(read_numbers(tmp_path / "out" / "comparison.csv")) == len(NETWORKS)
