"""Comparisons in several pieces: merged, they give the tables of one that was made in one piece."""

import csv
import dataclasses
import math

import numpy as np
import pytest
from typer.testing import CliRunner

from jetgram.cli import app
from jetgram.errors import DatasetError, EvaluationError
from jetgram.storage.dataset import Dataset, save
from jetgram.studies import refusals as reasons
from jetgram.studies.compare.comparison import Comparison, job_digest
from jetgram.studies.compare.known import collect, merge_lines
from jetgram.studies.compare.pages import write_results
from jetgram.studies.compare.plan import make_plan
from jetgram.studies.compare.record import append_numbers, append_trials
from jetgram.studies.compare.results import judge

from .conftest import files_of, records_of, run, trials_of

COSTS = ("cpu_seconds", "teacher_cpu_seconds", "network_jets_per_second", "jets_per_second")
OTHER = "0123456789abcdef"


def pieces(small, folder):
    """Two folders with every other line each, and one line in both."""
    for number, name in enumerate(("first", "second")):
        (folder / name).mkdir()
        append_numbers(folder / name / "comparison.csv", [*records_of(small)[number::2], records_of(small)[0]])
        append_trials(folder / name / "trials.csv", trials_of(small)[number::2])
    return folder / "first", folder / "second"


def merged_without_jets(small, tmp_path, *files):
    """A new folder on a machine that has never seen the dataset."""
    return dataclasses.replace(small, dataset=tmp_path / "away", out=tmp_path / "new", merge=files)


def test_merged_lines_give_table_page_and_plot_bit_for_bit(small, tmp_path):
    other = merged_without_jets(small, tmp_path, *pieces(small, tmp_path))
    with other.occupied():
        assert merge_lines(other).refused == ()
    (tmp_path / "whole").mkdir()
    for one, another in zip(
        write_results(tmp_path / "whole", judge(small)), write_results(other.out, judge(other)), strict=True
    ):
        assert one.read_bytes() == another.read_bytes()
    alone = dataclasses.replace(other, merge=())  # the folder remembers what was merged
    assert make_plan(alone).finished
    assert judge(alone) == judge(small)


def test_two_machines_find_what_one_finds(small, tmp_path):
    """One tries all rates and trains seed 1; the other is given the rates, and trains seed 2."""
    one = dataclasses.replace(small, out=tmp_path / "one", seeds=1)
    assert run(one) == []
    two = dataclasses.replace(small, out=tmp_path / "two", first=2, merge=(one.tried,))
    assert run(two) == []
    assert not (two.out / "trials").exists()
    assert {folder.name for folder in two.out.glob("models/*/*")} == {"seed-002"}
    whole = merged_without_jets(small, tmp_path, one.numbers, two.out)
    found, expected = judge(whole), [line for line in judge(small) if not line.is_ensemble]
    assert [line.network for line in found] == [line.network for line in expected]
    for line, other in zip(found, expected, strict=True):
        assert [record.numbers for record in line.records] == [record.numbers for record in other.records]
        assert (line.ratio, line.difference) == (other.ratio, other.difference)


def test_only_what_is_missing_is_trained(small, tmp_path):
    lost = next(record for record in records_of(small) if (record.network, record.seed) == ("modern", 2))
    append_numbers(tmp_path / "comparison.csv", [record for record in records_of(small) if record != lost])
    other = dataclasses.replace(small, out=tmp_path / "new", merge=(small.tried, tmp_path / "comparison.csv"))
    left = [task for task in make_plan(other).trainings if task.share < 1]
    assert [(task.job.training.seed, task.job.training.rate) for task in left] == [(2, lost.rate)]
    assert run(other) == []
    assert [file.parent.name for file in other.out.rglob("model.json")] == ["seed-002"]
    made = next(record for record in records_of(other) if record.identity == lost.identity)
    assert made.numbers == lost.numbers
    assert {line.network for line in judge(other)} == {"modern", "pfn"}


def test_a_trial_that_broke_off_is_a_line_and_its_rate_is_not_chosen(small, tmp_path):
    broken = [trial.model_copy(update={"validation_loss": math.inf}) for trial in trials_of(small)]
    append_trials(tmp_path / "trials.csv", [broken[0], *trials_of(small)[1:]])
    known = collect(merged_without_jets(small, tmp_path, tmp_path / "trials.csv"))
    network = broken[0].network
    assert known.trials[broken[0].identity].validation_loss == math.inf
    assert known.best_rate(network) == next(t.rate for t in trials_of(small)[1:] if t.network == network)


REFUSALS = [
    ({"network": "pfm"}, reasons.NO_ROW, "found 'pfm', which this version of jetgram does not have"),
    ({"settings": OTHER}, reasons.OTHER_SETTINGS, f"found settings {OTHER}, expected "),
    ({"rate": 0.07}, reasons.OTHER_SETTINGS, "model, training, rate or epochs"),
    ({"rate": 7.0}, reasons.OTHER_SETTINGS, "rate = 7.0"),
    ({"recipe": OTHER}, reasons.OTHER_PROVENANCE, f"found provenance {OTHER}, expected "),
    ({"dataset": OTHER}, reasons.OTHER_DATASET, f"found dataset {OTHER}, expected "),
    ({"validation_loss": 0.5}, reasons.CONTRADICTION, " says "),
]
OF_NUMBERS = ({"auc": 0.5}, reasons.CONTRADICTION, "found AUC 0.500000, R50 ")


@pytest.mark.parametrize(
    ("kind", "changes", "reason", "details"),
    [*[(kind, *each) for kind in ("numbers", "trials") for each in REFUSALS], ("numbers", *OF_NUMBERS)],
)
@pytest.mark.parametrize("data_is_there", [False, True])
def test_a_line_that_does_not_belong_is_refused(small, tmp_path, kind, changes, reason, details, data_is_there):
    append, (good, *_) = (append_numbers, records_of(small)) if kind == "numbers" else (append_trials, trials_of(small))
    append(tmp_path / "good.csv", [good])
    append(tmp_path / "bad.csv", [good, good.model_copy(update=changes)])
    other = merged_without_jets(small, tmp_path, tmp_path / "good.csv", tmp_path / "bad.csv")
    found = collect(dataclasses.replace(other, dataset=small.dataset) if data_is_there else other)
    assert [*found.records.values(), *found.trials.values()] == [good]
    (refusal,) = found.refused
    assert (refusal.file, refusal.line, refusal.reason) == (tmp_path / "bad.csv", 3, reason)
    assert details in refusal.details
    assert found.lines == {tmp_path / "good.csv": 1, tmp_path / "bad.csv": 2}


def test_other_costs_and_versions_are_no_contradiction(small, tmp_path):
    good = records_of(small)[0]
    changes = {**dict.fromkeys(COSTS, 1.0), "version": "0.2", "sample": "another name"}
    append_numbers(tmp_path / "numbers.csv", [good, good.model_copy(update=changes)])
    found = collect(merged_without_jets(small, tmp_path, tmp_path / "numbers.csv"))
    assert found.refused == ()
    assert list(found.records.values()) == [good]


def test_numbers_of_other_epochs_or_fewer_jets_do_not_belong(small, tmp_path):
    for changes in ({"epochs": 8}, {"most": 100}):
        other = dataclasses.replace(small, out=tmp_path, merge=(small.out,), **changes)
        found = collect(other)
        assert (found.records, found.trials) == ({}, {})
        assert {refusal.reason for refusal in found.refused} == {reasons.OTHER_SETTINGS}


def test_a_folder_without_lines_is_no_comparison(small, tmp_path):
    with pytest.raises(DatasetError, match=r"holds neither trials\.csv nor comparison\.csv"):
        collect(dataclasses.replace(small, merge=(tmp_path,)))
    (tmp_path / "table1.csv").write_text("heading,row,key\n")
    with pytest.raises(DatasetError, match=r"is no file of a comparison: it has no column 'network'"):
        collect(dataclasses.replace(small, merge=(tmp_path / "table1.csv",)))


def test_the_command_merges_and_explains_refusals(small, tmp_path):
    """On a machine without the dataset: nothing is left to do, and one line is refused."""
    first, second = pieces(small, tmp_path)
    append_numbers(second / "comparison.csv", [records_of(small)[0].model_copy(update={"settings": OTHER})])
    only = [word for network in small.networks for word in ("--only", network)]
    arguments = ["compare", str(tmp_path / "away"), "--out", str(tmp_path / "new"), "--rates", "2", "--epochs", "1"]
    arguments += ["--seeds", "1-2", *only, "--merge", str(first), "--merge", str(second)]
    planned = CliRunner().invoke(app, [*arguments, "--plan"])
    assert "done: 4 of 4 to try rates, 4 of 4 to train, 4 of 4 to score" in planned.output
    assert not (tmp_path / "new").exists()
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "modern, mean of 2" in result.output
    words = " ".join(result.output.split())
    assert f"1 other settings line 6: found settings {OTHER}, expected " in words
    with (tmp_path / "new" / reasons.REFUSED).open() as opened:
        lines = list(csv.DictReader(opened))
    assert [(line["file"], line["reason"]) for line in lines] == [
        (str(second / "comparison.csv"), reasons.OTHER_SETTINGS)
    ]
    before = files_of(tmp_path / "new")
    assert {file.name for file in before} >= {"comparison.csv", "trials.csv", "comparison.html", "comparison.png"}
    left = CliRunner().invoke(app, [*arguments[:-4], "--seeds", "3"])
    assert left.exit_code == 1
    assert isinstance(left.exception, DatasetError)


def test_the_first_line_says_which_data_it_is_where_the_jets_are_away(small, tmp_path):
    first, second = (record for record in records_of(small) if record.network == "pfn" and not record.members)
    append_numbers(tmp_path / "numbers.csv", [first.model_copy(update={"dataset": OTHER}), second])
    other = Comparison(tmp_path / "away", tmp_path / "new", epochs=1, merge=(tmp_path / "numbers.csv",))
    assert [record.seed for record in collect(other).records.values()] == [first.seed]
    there = dataclasses.replace(other, dataset=small.dataset)
    assert [record.seed for record in collect(there).records.values()] == [second.seed]


@pytest.mark.parametrize("rates", [1, 3])
def test_numbers_are_shown_whatever_rates_are_wanted_now(small, tmp_path, rates):
    """The trials say which rate is the best of those that were tried."""
    other = dataclasses.replace(small, out=tmp_path / "new", merge=(small.tried, small.numbers), rates=rates)
    assert {line.network: line.records for line in judge(other)} == {
        line.network: line.records for line in judge(small)
    }


def test_test_jets_that_cannot_be_judged_are_refused_before_a_training(small, tmp_path):
    jets = Dataset(small.dataset).read("test")
    weight = np.where(np.arange(len(jets)) == 7, -1.0, 1.0)
    splits = {"train": jets.with_columns(weight=abs(weight)), "test": jets.with_columns(weight=weight)}
    save(tmp_path / "jets", splits, {"source": "tests"})
    other = dataclasses.replace(small, dataset=tmp_path / "jets", out=tmp_path / "new")
    with pytest.raises(EvaluationError, match="weight is -1"):
        run(other)
    assert not list(other.out.rglob("*.safetensors"))


def test_trainings_in_full_decide_between_rates_that_have_them(small, tmp_path):
    """Short trials only tell which rate to train with first."""
    best, other = sorted(small.rates_of("pfn"), key=lambda rate: rate != collect(small).best_rate("pfn"))
    (first,) = (each for each in records_of(small) if each.identity == ("pfn", best, 1, ""))
    digest = job_digest(small.job("pfn", other, 1), "pfn")
    for change, expected in ((0.01, best), (-0.01, other)):
        loss = first.validation_loss + change
        line = first.model_copy(update={"rate": other, "validation_loss": loss, "settings": digest})
        append_numbers(tmp_path / f"{expected}.csv", [line])
        merged = dataclasses.replace(
            small, out=tmp_path / f"{expected}", merge=(small.tried, small.numbers, tmp_path / f"{expected}.csv")
        )
        known = collect(merged)
        assert known.best_rate("pfn") == known.chosen_rate("pfn") == expected
        assert {line.records[0].rate for line in judge(merged) if line.network == "pfn"} == {expected}
