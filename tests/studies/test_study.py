"""A study from collisions to tables and figures, and what happens when it is stopped."""

import csv
import dataclasses
import shutil
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from jetgram.errors import SettingsError
from jetgram.evaluation.evaluate import evaluate
from jetgram.evaluation.score_files import read_scores
from jetgram.models.history import read_history
from jetgram.models.store import load_model, save_model
from jetgram.studies.plan import make_plan
from jetgram.studies.run import run_study
from jetgram.studies.study import draw_figures, everything, judge_tables, make_study

from .conftest import ONLY, SILENT


def rows_of(file):
    with file.open() as opened:
        return list(csv.DictReader(opened))


def test_everything_is_done_and_nothing_done_twice(study):
    plan = study.plan
    assert plan.finished
    assert sum(plan.seconds.values()) == 0
    folders = [task.job.out for task in plan.trainings]
    assert len(set(folders)) == len(folders)
    files = [task.file for task in plan.scorings]
    assert len(set(files)) == len(files)
    shared = [row for table in study.tables for row in table.rows if row.contestant.key == "particles-simple-kt"]
    assert len(shared) > 6
    assert sum(task.group == "particles-simple-kt" for task in plan.trainings) == study.workspace.seeds


def test_tables_hold_what_evaluate_says(study):
    found = judge_tables(study)
    for table in study.tables:
        lines = rows_of(study.workspace.out / f"{table.name}.csv")
        assert [line["key"] for line in lines] == [row.contestant.key for row in table.rows]
        assert len(found[table.name]) == len(table.rows)
    folder = study.workspace.out / "models" / "particles-simple-kt"
    scores = [read_scores(folder / f"seed-{seed:03d}" / "scores-soft.parquet") for seed in (1, 2)]
    expected = evaluate(scores).models[0]
    (line,) = (line for line in rows_of(study.workspace.out / "table2.csv") if line["scenario"] == "soft")
    assert float(line["auc"]) == pytest.approx(expected.auc.mean, abs=1e-5)
    assert float(line["auc_spread"]) == pytest.approx(expected.auc.deviation, abs=1e-5)
    assert float(line["r"]) == pytest.approx(expected.rejection[0].mean, abs=1e-2)
    assert (line["paper_auc"], line["paper_r"]) == ("0.9179", "68.20")
    ours = [expected.auc.deviation / np.sqrt(2), expected.errors.auc]
    paper = [0.0006 / np.sqrt(30), expected.errors.auc * np.sqrt(200 / 100_000), 1e-4 / np.sqrt(12)]
    sigma = np.linalg.norm([*ours, *paper])
    assert float(line["auc_sigmas"]) == pytest.approx((expected.auc.mean - 0.9179) / sigma, abs=0.1)


def test_figures_are_drawn_with_their_numbers(study):
    files = draw_figures(study)
    assert {file.suffix for file in files} == {".png", ".pdf", ".csv"}
    assert all(file.stat().st_size > 5_000 for file in files if file.suffix != ".csv")
    sizes = [int(row["training_jets"]) for row in rows_of(study.workspace.out / "figures" / "data-efficiency.csv")]
    assert sizes == [40, 80, 160]
    depths = rows_of(study.workspace.out / "figures" / "depth.csv")
    for topology in {row["topology"] for row in depths}:
        assert sum(float(row["share"]) for row in depths if row["topology"] == topology) == pytest.approx(1, abs=1e-3)


def test_a_lost_score_file_is_made_again_if_no_line_speaks_of_it(study):
    task, lines = study.plan.scorings[0], study.workspace.seeds_file.read_text()
    before = task.file.read_bytes()
    task.file.unlink()
    assert study.plan.finished  # its numbers are there
    kept = [line for line in lines.splitlines() if not line.startswith(f"{task.contestant.key},{task.scenario},")]
    study.workspace.seeds_file.write_text("\n".join(kept) + "\n")
    again = study.plan
    assert [left.file for left in again.scorings if left.share < 1] == [task.file]
    assert again.seconds["score"] > 0
    others = {left.file: left.file.stat().st_mtime_ns for left in again.scorings if left.share == 1}
    with ThreadPoolExecutor(1) as executor:
        assert run_study(study, executor, SILENT) == []
    assert task.file.read_bytes() == before
    assert sorted(study.workspace.seeds_file.read_text().splitlines()) == sorted(lines.splitlines())
    assert others == {file: file.stat().st_mtime_ns for file in others}


def test_perturbed_jets_keep_their_place_and_are_measured_again(study):
    folder = study.workspace.out / "models" / "particles-simple-kt" / "seed-001"
    nominal, split = (read_scores(folder / f"scores-{name}.parquet") for name in ("nominal", "collinear10"))
    assert np.array_equal(nominal.jet, split.jet)
    np.testing.assert_allclose(nominal.mass, split.mass, rtol=1e-6, atol=1e-3)  # which splits and preprocessing keep
    assert np.median(np.abs(split.pt / nominal.pt - 1)) < 0.01
    assert not np.array_equal(nominal.pt, split.pt)  # the axes of subjets move a little, and pT with them
    assert np.abs(nominal.score - split.score).max() > 0


def test_a_plan_touches_nothing(tmp_path, study):
    workspace = type(study.workspace)(tmp_path / "new", study.workspace.scale, 3)
    plan = make_plan(workspace, [row for table in study.tables for row in table.rows])
    assert not plan.finished
    assert sum(plan.seconds.values()) > 10
    assert not (tmp_path / "new").exists()
    seeds = [task.job.training.seed for task in plan.trainings]
    assert seeds == sorted(seeds)


def test_a_training_that_broke_off_takes_no_part(study, tmp_path):
    """Its model is that of the best epoch before it diverged: no result of the recipe, and said on every run."""
    shutil.copytree(study.workspace.out / "models" / "particles-simple-kt", tmp_path / "models" / "particles-simple-kt")
    shutil.copytree(study.workspace.dataset("particles"), tmp_path / "data" / "particles")
    other = make_study(dataclasses.replace(study.workspace, out=tmp_path), ["table2"], ["particles-simple-kt"])
    first = other.plan.trainings[0].job.out
    model = load_model(first)
    metrics = {**model.record["metrics"], "stopped": "the loss of step 7 is nan"}
    for file in first.glob("scores-*"):
        file.unlink()
    save_model(first, dataclasses.replace(model, record={**model.record, "metrics": metrics}), read_history(first))
    with ThreadPoolExecutor(1) as executor:
        assert run_study(other, executor, SILENT) == []  # the second seed is judged from its scores
    plan = other.plan
    assert plan.finished
    assert plan.failures == [f"{first}: the loss of step 7 is nan"]
    assert {line.seeds for line in judge_tables(other)["table2"]} == {"1"}
    drawn = draw_figures(make_study(other.workspace, ["figures"], ["particles-simple-kt"]))  # with the second seed
    assert {file.stem for file in drawn} == {"roc-inputs", "roc-topologies", "importance", "data-efficiency", "depth"}


def test_all_seeds_that_are_there_count(study):
    whole = everything(dataclasses.replace(study.workspace, seeds=1))
    assert (whole.workspace.first, whole.workspace.seeds) == (1, 2)
    late = dataclasses.replace(study.workspace, first=5, seeds=6).with_all_seeds({9})
    assert (late.first, late.seeds) == (1, 9)
    assert {row.contestant.key for table in whole.tables for row in table.rows} > {
        "image-maxout",
        "events-400-particles",
    }


def test_two_runs_do_not_work_in_one_folder(study, tmp_path):
    workspace = dataclasses.replace(study.workspace, out=tmp_path / "new")
    with workspace.occupied():
        with pytest.raises(SettingsError, match="another run writes in .*new: process"), workspace.occupied():
            pass
        workspace.require_own()  # a plan may be printed meanwhile


def test_a_folder_belongs_to_one_scale(study, tmp_path):
    workspace = dataclasses.replace(study.workspace, out=tmp_path / "new")
    workspace.require_own()
    for _ in range(2):
        with workspace.occupied():
            pass
    dataclasses.replace(workspace, seeds=7).require_own()
    longer = dataclasses.replace(workspace, scale=workspace.scale.model_copy(update={"name": "long", "epochs": 9}))
    with pytest.raises(SettingsError, match="new holds a study at the scale 'tiny'.* another folder for 'long'"):
        longer.require_own()
    (workspace.out / "study.json").write_text("{")
    with pytest.raises(SettingsError, match=r"study.json is damaged"):
        workspace.require_own()


@pytest.mark.parametrize(
    ("wanted", "only", "message"),
    [
        (["table4"], [], "the paper has no 'table4' to reproduce; there are: table1"),
        (["table1"], ["towrs-*"], "no row matches towrs-*; there are: "),
        (["table3"], list(ONLY[:1]), "no row matches particles-simple-kt"),
    ],
)
def test_mistakes_name_what_there_is(study, wanted, only, message):
    with pytest.raises(SettingsError, match=".*") as caught:
        make_study(study.workspace, wanted, only)
    assert message in str(caught.value)
