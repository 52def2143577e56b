"""The table: numbers next to those of the best network, from lines alone as from scores."""

import dataclasses

import numpy as np
import pytest

from jetgram.evaluation.evaluate import common_window
from jetgram.evaluation.score_files import read_scores
from jetgram.evaluation.selection import select
from jetgram.evaluation.uncertainty import resample
from jetgram.models.ensemble import load_scoring
from jetgram.plots.costs import SEVERAL, SINGLE
from jetgram.roc import roc_curve
from jetgram.storage.dataset import Dataset
from jetgram.studies.compare.ensembles import mean_answer
from jetgram.studies.compare.known import collect
from jetgram.studies.compare.measure import SCORES
from jetgram.studies.compare.pages import PAGE, PLOT, TABLE, draw, write_results
from jetgram.studies.compare.record import append_numbers
from jetgram.studies.compare.replicas import REPLICAS
from jetgram.studies.compare.results import HEAD, judge, make_table, next_to

from .conftest import records_of


def scores_of(small, record):
    return read_scores(small.job(record.network, record.rate, record.seed).out / SCORES)


def from_scores(small, line, seed):
    """False-positive rate and AUC of a network, averaged over seeds, of the test jets and of their replicas."""
    nominal, replicas = [], []
    for record in line.records:
        scores = scores_of(small, record)
        chosen = select(scores, common_window([scores]))
        arguments = (chosen.score, chosen.label, chosen.weight)
        curve = roc_curve(*arguments)
        floor = 0.5 / np.count_nonzero(chosen.label == 0)
        nominal.append((max(float(curve.fpr_at(0.5)), floor), curve.auc))
        auc, fpr = resample(*arguments, (0.5,), REPLICAS, seed)
        replicas.append((np.maximum(fpr[:, 0], floor), auc))
    return np.mean(nominal, axis=0), np.mean(replicas, axis=0)


def test_paired_numbers_from_lines_are_those_from_scores(small):
    best, other = (line for line in judge(small) if not line.is_ensemble)
    assert (best.ratio, best.difference) == (None, None)
    seed = int(Dataset(small.dataset).digest[:16], 16)  # nothing but the dataset decides which replicas are drawn
    (fpr, auc), (fprs, aucs) = from_scores(small, other, seed)
    (top_fpr, top_auc), (top_fprs, top_aucs) = from_scores(small, best, seed)
    assert other.ratio.value == pytest.approx(top_fpr / fpr, rel=1e-3)
    of_seeds = {
        name: sum(np.var([getattr(each, name) for each in line.records], ddof=1) / 2 for line in (best, other))
        for name in ("auc", "r50")
    }
    assert other.difference.value == pytest.approx(auc - top_auc, abs=2e-6)
    expected = np.hypot(np.std(aucs - top_aucs, ddof=1), np.sqrt(of_seeds["auc"]))
    assert other.difference.error == pytest.approx(expected, rel=0.05)  # the spreads are relative to their own means
    assert other.ratio.error > np.std(top_fprs / fprs, ddof=1)
    assert best.false_positives[0] <= other.false_positives[0]


def test_networks_and_their_ensembles_have_markers_of_their_own(small):
    lines = judge(small)
    for axes in draw(lines).axes:
        drawn = [container.lines[0].get_marker() for container in axes.containers]
        assert drawn == [SEVERAL if line.is_ensemble else SINGLE for line in lines]


def test_errors_are_those_of_the_same_replicas(small):
    for record in records_of(small):
        assert record.auc_error == pytest.approx(np.std(record.aucs, ddof=1), abs=2e-6)
        if record.r50_error is not None:
            assert record.r50_error == pytest.approx(np.std(record.fprs, ddof=1) / record.fpr**2, rel=1e-3)


def test_replicas_of_other_jets_are_not_paired(small, tmp_path):
    worst = judge(small)[-1].network
    changed = [
        record.model_copy(update={"background": record.background + (record.network == worst)})
        for record in records_of(small)
    ]
    append_numbers(tmp_path / "numbers.csv", changed)
    other = dataclasses.replace(small, out=tmp_path / "new", merge=(small.tried, tmp_path / "numbers.csv"))
    assert {line.network for line in judge(other) if line.ratio} == {n for n in small.networks if n != worst}


def test_an_ensemble_is_the_mean_answer_of_its_seeds(small):
    for network in small.networks:
        *seeds, ensemble = (record for record in records_of(small) if record.network == network)
        seeds.sort(key=lambda record: record.seed)
        assert ensemble.members == "1 2"
        mean = mean_answer([scores_of(small, record) for record in seeds])
        folders = ",".join(str(small.job(network, record.rate, record.seed).out) for record in seeds)
        expected = load_scoring(folders).predict(Dataset(small.dataset).read("test"))[:, 0]
        np.testing.assert_allclose(mean.score, expected, rtol=1e-6)
        assert ensemble.cpu_seconds == pytest.approx(sum(record.cpu_seconds for record in seeds))
        assert 1 / ensemble.jets_per_second == pytest.approx(sum(1 / each.jets_per_second for each in seeds), rel=1e-3)
        chosen = select(mean, common_window([mean]))
        assert ensemble.auc == pytest.approx(roc_curve(chosen.score, chosen.label, chosen.weight).auc, abs=1e-6)


def test_ensembles_are_next_to_the_best_network_but_are_not_it(small, tmp_path):
    lines = judge(small)
    assert sorted(line.title for line in lines) == ["PFN", "PFN, mean of 2", "modern", "modern, mean of 2"]
    assert [line.network for line in lines if line.ratio is None and not line.is_ensemble] == [
        next(line.network for line in lines if not line.is_ensemble)
    ]
    assert all(line.ratio is not None for line in lines if line.is_ensemble)
    files = write_results(tmp_path, lines)
    assert [file.name for file in files] == [TABLE, PAGE, PLOT]
    table = files[0].read_text()
    assert table.count("\n| ") == 5
    assert "2 networks on the jets of jets" in files[1].read_text()
    assert "<img" in files[1].read_text()


def test_a_table_tells_of_all_jets_where_there_is_a_window(small, tmp_path):
    wider = [
        dataclasses.replace(
            line, records=tuple(each.model_copy(update={"r50_all": each.r50 / 2}) for each in line.records)
        )
        for line in judge(small)
    ]
    without, windowed = (write_results(tmp_path, lines)[0].read_text() for lines in (judge(small), wider))
    assert "| R30 | AUC, all jets | R50, all jets |" in windowed
    assert "in the window of the sample" in windowed
    assert "all jets |" not in without
    assert "50 % and 30 %, of all test jets; mean" in without
    for table, columns in ((windowed, len(HEAD)), (without, len(HEAD) - 2)):
        assert {line.count("|") for line in table.splitlines() if line.startswith("|")} == {columns + 1}


def test_bounds_are_told(small):
    line = judge(small)[0]
    limit = float(line.records[0].background)
    bounds = {"r50": limit, "r50_is_bound": True, "r50_error": None, "r30": limit, "r50_all": limit}
    bounds |= {"r30_is_bound": True, "r50_all_is_bound": True}
    first = dataclasses.replace(line, records=(line.records[0].model_copy(update=bounds),))
    cells = first.cells
    assert [cells[name] for name in ("R50", "R30", "R50, all jets")] == [
        f"> {limit:.1f}",
        f"> {limit:.0f}",
        f"> {limit:.1f}",
    ]


def test_an_ensemble_of_more_seeds_takes_the_place_of_one_of_fewer(small, tmp_path):
    ensemble = next(record for record in records_of(small) if record.members)
    append_numbers(tmp_path / "numbers.csv", [ensemble.model_copy(update={"members": "1 2 3", "auc": 0.9})])
    known = collect(dataclasses.replace(small, merge=(tmp_path / "numbers.csv",)))
    (shown,) = (line for line in judge(small, known) if line.is_ensemble and line.network == ensemble.network)
    assert (shown.records[0].members, shown.records[0].auc) == ("1 2 3", 0.9)


def test_without_trials_the_numbers_there_are_are_shown(small, tmp_path):
    other = dataclasses.replace(small, dataset=tmp_path / "away", out=tmp_path / "new", merge=(small.numbers,))
    assert judge(other) == judge(small)


def with_numbers(line, **changes):
    """A line whose records have other numbers: one value per seed."""
    records = [
        record.model_copy(update={name: values[place] for name, values in changes.items()})
        for place, record in enumerate(line.records)
    ]
    return dataclasses.replace(line, records=tuple(records))


def test_errors_next_to_the_best_have_the_spread_over_seeds(small):
    best, other = (line for line in judge(small) if not line.is_ensemble)
    narrow = with_numbers(other, auc=(0.8, 0.8), r50=(10.0, 10.0))
    wide = with_numbers(other, auc=(0.79, 0.81), r50=(9.0, 11.0))
    steady = with_numbers(best, auc=(0.9, 0.9), r50=(20.0, 20.0))
    (a, b), (c, d) = (
        (found.difference.error, found.ratio.error) for found in (next_to(steady, narrow), next_to(steady, wide))
    )
    assert c == pytest.approx(np.hypot(a, 0.01), rel=1e-6)  # a deviation of 0.0141 over the root of two seeds
    assert d == pytest.approx(np.hypot(b, 0.1 * next_to(steady, wide).ratio.value), rel=0.02)


def test_a_single_seed_has_the_spread_of_the_other_network(small):
    best, other = (line for line in judge(small) if not line.is_ensemble)
    wide = with_numbers(best, auc=(0.88, 0.92))
    alone = dataclasses.replace(other, records=other.records[:1])
    assert alone.seed_variance("auc", wide) == pytest.approx(2 * wide.seed_variance("auc", alone))
    assert alone.seed_variance("auc", alone) == 0


def test_bounds_have_no_ratio(small):
    best, other = (line for line in judge(small) if not line.is_ensemble)
    perfect = with_numbers(best, r50_is_bound=(True, False), r50_error=(None, 1.0))
    assert next_to(perfect, other).ratio is None
    assert next_to(perfect, other).difference is not None


def test_bounds_have_no_error(small):
    line = next(line for line in judge(small) if not line.is_ensemble)
    perfect = with_numbers(line, r50=(106.0, 51.0), r50_is_bound=(True, False), r50_error=(None, 1.0))
    assert perfect.cells["R50"] == "> 78.5"
    assert "±" in perfect.cells["AUC"]
    assert make_table([perfect])[1][0].count("> 78.5") == 1


def test_bounds_that_a_line_tells_are_taken(small):
    """With weights, a bound is the effective number of jets, which is smaller than their number."""
    record = records_of(small)[0]
    assert (record.r30_is_bound, record.r50_all_is_bound) != (None, None)
    told = record.model_copy(update={"r30": record.background / 2, "r30_is_bound": True, "r50_all_is_bound": True})
    assert told.bounds == {"r50": record.r50_is_bound, "r30": True, "r50_all": True}
    old = told.model_copy(update={"r30_is_bound": None, "r50_all_is_bound": None, "r50_is_bound": False})
    assert old.bounds == {"r50": False, "r30": False, "r50_all": False}


def test_costs_of_several_processors_are_told(small, tmp_path):
    lines = [line for line in judge(small) if not line.is_ensemble]
    assert "different processors" not in write_results(tmp_path, lines)[0].read_text()
    assert lines[0].records[0].processor
    mixed = [with_numbers(lines[0], processor=("another", "another")), *lines[1:]]
    assert "different processors (" in write_results(tmp_path, mixed)[0].read_text()
