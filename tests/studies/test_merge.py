"""Studies in several pieces: merged, they give the tables of one that was made in one piece."""

import csv
import dataclasses
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

from jetgram.storage.dataset import Dataset
from jetgram.studies import refusals as reasons
from jetgram.studies.merge import collect_seeds
from jetgram.studies.report import write_report
from jetgram.studies.run import run_study
from jetgram.studies.seeds import append_seeds, read_seeds
from jetgram.studies.study import draw_figures, everything, judge_tables, make_study, merge_seeds
from jetgram.studies.workspace import Workspace

from .conftest import ONLY, SILENT, TINY


@pytest.fixture
def records(study):
    """Every record of the whole study."""
    return [record for _, record in read_seeds(study.workspace.seeds_file)]


def table(folder, name):
    """A table without the times of its trainings, which are never the same."""
    with (folder / f"{name}.csv").open() as opened:
        return [{**line, "minutes": ""} for line in csv.DictReader(opened)]


def pieces(records, folder):
    """Two files with every other record each, and one in both."""
    files = (folder / "first.csv", folder / "second.csv")
    append_seeds(files[0], records[::2])
    append_seeds(files[1], [*records[1::2], records[0]])
    return files


def test_every_seed_and_observable_leaves_a_line(study, records):
    names = {(record.name, record.seed) for record in records}
    wanted = {(row.name, seed) for row in study.rows for seed in study.workspace.seeds_of(row.contestant)}
    assert names == wanted
    assert len(records) == len(names)
    assert all((record.minutes is None) == (record.seed is None) for record in records)
    data = Dataset(study.workspace.dataset("events"))
    assert {record.dataset for record in records if record.key.startswith("events")} == {data.digest[:16]}


def test_a_merged_study_has_the_tables_of_an_unbroken_one(study, records, tmp_path):
    workspace = Workspace(tmp_path / "new", TINY, TINY.seeds, merge=pieces(records, tmp_path))
    other = make_study(workspace, ["all"], ONLY)
    assert other.plan.finished
    assert other.plan.generations == ()  # nothing is left to do on any dataset
    assert not workspace.out.exists()
    with workspace.occupied():
        merged = merge_seeds(workspace)
    assert merged.refused == ()
    assert list(merged.lines.values()) == [len(records[::2]), len(records[1::2]) + 1]
    lines = judge_tables(other)
    judge_tables(study)
    for name in ("table1", "table2", "table3", "variants"):
        assert table(workspace.out, name) == table(study.workspace.out, name)
    drawn = draw_figures(other)
    assert {file.stem for file in drawn} == {"data-efficiency"}  # the only one made of numbers alone
    assert "<h2>Event classification (table3)</h2>" in write_report(other, lines).read_text()
    assert not (workspace.out / "data").exists()


def test_a_folder_remembers_what_was_merged(study, records, tmp_path):
    workspace = Workspace(tmp_path / "new", TINY, TINY.seeds, merge=pieces(records, tmp_path))
    with workspace.occupied():
        merge_seeds(workspace)
    alone = dataclasses.replace(workspace, merge=())
    assert make_study(alone, ["all"], ONLY).plan.finished
    assert {record for _, record in read_seeds(alone.seeds_file)} == set(records)
    assert everything(dataclasses.replace(alone, seeds=1)).workspace.seeds == 2


def test_only_what_is_missing_is_trained(study, records, tmp_path):
    """One seed of one row is not there: one dataset, one training, and the numbers of before."""
    lost = next(each for each in records if (each.key, each.scenario, each.seed) == ("particles-simple-kt", "soft", 2))
    append_seeds(tmp_path / "seeds.csv", [each for each in records if each is not lost])
    workspace = Workspace(tmp_path / "new", TINY, TINY.seeds, merge=(tmp_path / "seeds.csv",))
    shutil.copytree(study.workspace.dataset("particles"), workspace.dataset("particles"))
    other = make_study(workspace, ["all"], ONLY)
    left = [task for task in other.plan.trainings if task.share < 1]
    assert [(task.group, task.job.training.seed) for task in left] == [("particles-simple-kt", 2)]
    assert left[0].minutes is not None  # known from the lines of others
    assert [task.name for task in other.plan.scorings if task.share < 1] == ["particles-simple-kt soft"]
    assert [list(task.wanted) for task in other.plan.generations] == [[workspace.dataset("particles")]]
    with workspace.occupied(), ThreadPoolExecutor(1) as executor:
        merge_seeds(workspace)
        assert run_study(other, executor, SILENT) == []
    made = next(
        record for _, record in read_seeds(workspace.seeds_file) if record.name == lost.name and record.seed == 2
    )
    assert made.numbers == lost.numbers
    assert sorted(path.name for path in workspace.out.glob("models/*/*/scores-*")) == ["scores-soft.parquet"]
    drawn = draw_figures(make_study(workspace, ["figures"], ONLY))
    assert {file.stem for file in drawn} == {"data-efficiency"}  # no scores of nominal jets are here


def test_curves_say_which_seeds_they_show(study, records, tmp_path):
    workspace = Workspace(tmp_path / "new", TINY, TINY.seeds, merge=pieces(records, tmp_path))
    folder = workspace.out / "models" / "particles-simple-kt" / "seed-002"
    shutil.copytree(study.workspace.out / "models" / "particles-simple-kt" / "seed-002", folder)
    draw_figures(make_study(workspace, ["figures"], ONLY))
    with (workspace.out / "figures" / "roc-inputs.csv").open() as opened:
        lines = list(csv.DictReader(opened))
    assert {(line["model"], line["seeds"]) for line in lines} == {("particles, kt: 2 of 2", "2")}


OTHER = "0123456789abcdef"


@pytest.mark.parametrize(
    ("changes", "reason", "details"),
    [
        ({"key": "particles-simple-cambridge"}, reasons.NO_ROW, "found 'particles-simple-cambridge'"),
        ({"scenario": "collinear3"}, reasons.NO_ROW, "found 'particles-simple-kt collinear3'"),
        ({"seed": None}, reasons.WRONG_SEED, "found no seed; expected one"),
        ({"settings": OTHER}, reasons.OTHER_SETTINGS, f"found settings {OTHER}, expected "),
        ({"recipe": OTHER}, reasons.OTHER_PROVENANCE, f"found provenance {OTHER}, expected "),
        ({"dataset": OTHER}, reasons.OTHER_DATASET, f"found dataset {OTHER}, expected "),
        ({"auc": 0.5}, reasons.CONTRADICTION, "found AUC 0.500000, R "),
        ({"background": 3}, reasons.CONTRADICTION, "says AUC "),
    ],
)
@pytest.mark.parametrize("data_is_there", [False, True])
def test_a_line_that_does_not_belong_is_refused(study, records, tmp_path, changes, reason, details, data_is_there):
    good = next(record for record in records if record.name == "particles-simple-kt")
    bad = good.model_copy(update=changes)
    append_seeds(tmp_path / "good.csv", [good])
    append_seeds(tmp_path / "bad.csv", [good, bad])
    workspace = Workspace(tmp_path / "new", TINY, TINY.seeds, merge=(tmp_path / "good.csv", tmp_path / "bad.csv"))
    if data_is_there:
        shutil.copytree(study.workspace.dataset("particles"), workspace.dataset("particles"))
    found = collect_seeds(workspace, study.rows)
    assert list(found.records.values()) == [good]
    (refusal,) = found.refused
    assert (refusal.file, refusal.line, refusal.reason) == (tmp_path / "bad.csv", 3, reason)
    assert details in refusal.details
    assert found.lines == {tmp_path / "good.csv": 1, tmp_path / "bad.csv": 2}


def test_other_times_and_versions_are_no_contradiction(study, records, tmp_path):
    good = next(record for record in records if record.name == "particles-simple-kt")
    append_seeds(
        tmp_path / "seeds.csv", [good, good.model_copy(update={"minutes": 99.0, "version": "0.2", "scale": "x"})]
    )
    found = collect_seeds(Workspace(tmp_path / "new", TINY, 2, merge=(tmp_path / "seeds.csv",)), study.rows)
    assert found.refused == ()
    assert list(found.records.values()) == [good]


def test_the_data_decides_between_datasets(study, records, tmp_path):
    """Without the data the first line says which dataset it is; with it, the data says."""
    first, second = [record for record in records if record.name == "particles-simple-kt"]
    foreign = first.model_copy(update={"dataset": OTHER})
    append_seeds(tmp_path / "seeds.csv", [foreign, second])
    workspace = Workspace(tmp_path / "new", TINY, TINY.seeds, merge=(tmp_path / "seeds.csv",))
    assert list(collect_seeds(workspace, study.rows).records.values()) == [foreign]
    shutil.copytree(study.workspace.dataset("particles"), workspace.dataset("particles"))
    assert list(collect_seeds(workspace, study.rows).records.values()) == [second]
    only = make_study(workspace, ["table1"], ["particles-simple-kt"])
    assert [task.job.training.seed for task in only.plan.trainings if task.share < 1] == [1]


def test_refused_lines_are_written_down_and_never_lost(study, records, tmp_path):
    good = next(record for record in records if record.name == "particles-simple-kt")
    stale = good.model_copy(update={"settings": OTHER})
    workspace = Workspace(tmp_path / "new", TINY, TINY.seeds, merge=(tmp_path / "seeds.csv",))
    append_seeds(tmp_path / "seeds.csv", [stale, good])
    workspace.out.mkdir()
    append_seeds(workspace.seeds_file, [stale])
    with workspace.occupied():
        merge_seeds(workspace)
    with (workspace.out / reasons.REFUSED).open() as opened:
        lines = list(csv.DictReader(opened))
    assert [(line["file"], line["line"], line["row"]) for line in lines] == [
        (str(workspace.seeds_file), "2", "particles-simple-kt, seed 1"),
        (str(tmp_path / "seeds.csv"), "2", "particles-simple-kt, seed 1"),
    ]
    assert {record for _, record in read_seeds(workspace.seeds_file)} == {stale, good}


def test_a_killed_run_leaves_valid_lines(study, records, tmp_path):
    """Of what was scored when it was killed, nothing is lost: not even what no line spoke of yet."""
    workspace = Workspace(tmp_path / "new", TINY, TINY.seeds)
    shutil.copytree(study.workspace.out, workspace.out)
    kept = records[:5]
    workspace.seeds_file.unlink()
    append_seeds(workspace.seeds_file, kept)
    other = make_study(workspace, ["table2"], ["particles-simple-kt"])
    stamps = {path: path.stat().st_mtime_ns for path in workspace.out.glob("models/**/scores-*")}
    with ThreadPoolExecutor(1) as executor:
        assert run_study(other, executor, SILENT) == []
    assert {record for _, record in read_seeds(workspace.seeds_file)} == set(records)
    assert stamps == {path: path.stat().st_mtime_ns for path in workspace.out.glob("models/**/scores-*")}
