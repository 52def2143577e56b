"""`jetgram reproduce` as a user meets it."""

import pytest

from jetgram.cli import main
from jetgram.studies.scales import SCALES
from jetgram.studies.seeds import COLUMNS
from jetgram.studies.tables import DAGGER, table2
from jetgram.studies.variants import variants

from .conftest import ONLY, TINY


@pytest.fixture
def run(capsys, monkeypatch):
    """Run the command in this process, with the tiny scale among the others; standard output and error."""
    monkeypatch.setitem(SCALES, TINY.name, TINY)

    def call(*arguments, code=0):
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main(["reproduce", *map(str, arguments)])
        captured = capsys.readouterr()
        assert end.value.code == code, captured.err
        return captured.out, captured.err

    return call


def test_a_finished_study_is_printed_beside_the_paper(run, study):
    only = [word for pattern in ONLY for word in ("--only", pattern)]
    out, _ = run("table2", "variants", "--scale", "tiny", "--out", study.workspace.out, *only)
    lines = out.splitlines()
    assert "Infrared and collinear safety (tiny)" in lines[0]
    nominal = [row for table in (table2(), variants()) for row in table.rows if row.name == "particles-simple-kt"]
    assert sum("0.9185 ± 0.0006" in line for line in lines) == len(nominal) > 1
    assert any(line.strip().startswith(f"particles, kt, root's children {DAGGER}") for line in lines)
    assert any(line.strip().startswith("particles, kt, on antikt trees") for line in lines)
    assert TINY.remark in out
    assert (study.workspace.out / "variants.csv").exists()


def test_what_was_made_before_stays_in_tables_and_report(run, study):
    out, _ = run("table2", "--scale", "tiny", "--out", study.workspace.out, "--only", "particles-simple-kt")
    assert "Jet classification" not in out
    report = (study.workspace.out / "report.html").read_text()
    assert "<h2>Jet classification (table1)</h2>" in report
    assert "<h2>Event classification (table3)</h2>" in report
    table1 = (study.workspace.out / "table1.csv").read_text()
    assert "particles-simple-antikt" in table1
    assert table1.splitlines()[1].endswith(",tiny")
    _, err = run("table2", "--scale", "quick", "--out", study.workspace.out, "--plan", code=1)
    assert "holds a study at the scale 'tiny'" in err


def test_the_plan_counts_what_is_done(run, study, tmp_path):
    arguments = ("table2", "--scale", "tiny", "--only", "particles-simple-kt", "--plan")
    out, _ = run(*arguments, "--out", study.workspace.out)
    assert "done: 1 of 1 to generate, 2 of 2 to train, 12 of 12 to score" in out
    assert "left: 0.00 core hours (generate 0.00, train 0.00, score 0.00); expect about 0:00:00 with 2 workers" in out
    assert "trainings left" not in out
    out, _ = run(*arguments, "--out", tmp_path / "new", "--seeds", 5)
    assert "done: 0 of 1 to generate, 0 of 5 to train, 0 of 30 to score" in out
    assert not (tmp_path / "new").exists()


def test_more_seeds_keep_those_there_are(run, study):
    out, _ = run("table2", "--scale", "tiny", "--seeds", 3, "--only", "*-kt", "--plan", "--out", study.workspace.out)
    assert "2 of 3 to train, 12 of 18 to score" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["table9", "--out", "x"], "the paper has no 'table9' to reproduce"),
        (["table1", "--scale", "huge", "--out", "x"], "no scale 'huge'"),
        (["table1", "--only", "none", "--out", "x"], "no row matches none"),
    ],
)
def test_mistakes_are_one_line(run, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    _, err = run(*arguments, code=1)
    assert message in err
    assert not (tmp_path / "x").exists()


def test_other_studies_are_merged_and_refusals_explained(run, study, tmp_path):
    """A bad line is counted and explained; nothing is trained, as every other line is there."""
    lines = study.workspace.seeds_file.read_text().splitlines()
    lines = [line.rpartition(",")[0] for line in lines]  # without checks: the lines are not as they were written
    stale = next(line for line in lines if line.startswith("particles-simple-kt,soft,1,")).split(",")
    stale[COLUMNS.index("seed")], stale[COLUMNS.index("settings")] = "9", "0123456789abcdef"
    (tmp_path / "a.csv").write_text("\n".join(lines[: len(lines) // 2]) + "\n")
    (tmp_path / "b.csv").write_text(
        "\n".join([lines[0], ",".join(stale), *lines[len(lines) // 2 :], "soft,cut"]) + "\n"
    )
    arguments = ("table2", "--scale", "tiny", "--only", "particles-simple-kt", "--out", tmp_path / "new")
    merges = ("--merge", tmp_path / "a.csv", "--merge", tmp_path / "b.csv")
    out, _ = run(*arguments, *merges, "--plan")
    assert "done: 0 of 0 to generate, 2 of 2 to train, 12 of 12 to score" in out
    assert not (tmp_path / "new").exists()
    out, _ = run(*arguments, *merges)
    words = [line.split() for line in out.splitlines()]
    assert [str(tmp_path / "a.csv"), str(len(lines) // 2 - 1), "0"] in words
    assert [str(tmp_path / "b.csv"), str(len(lines) - len(lines) // 2 + 2), "2"] in words
    assert "1 other settings line 2: found settings 0123456789abcdef, expected " in " ".join(out.split())
    assert "damaged line" in out
    assert sum("0.9185 ± 0.0006" in line for line in out.splitlines()) == 1
    refused = (tmp_path / "new" / "refused.csv").read_text().splitlines()
    assert [line.split(",")[1:4] for line in refused[1:]] == [
        ["2", '"particles-simple-kt soft', ' seed 9"'],
        [str(len(lines) - len(lines) // 2 + 3), "", "damaged line"],
    ]
    assert not (tmp_path / "new" / "data").exists()
    assert "--merge" not in run(*arguments)[0]  # the folder remembers


@pytest.mark.parametrize(("text", "message"), [("0", "'0' seeds"), ("5-3", "'5-3' seeds"), ("x", "'x' seeds")])
def test_seeds_are_a_number_or_a_range(run, tmp_path, text, message):
    arguments = ("table2", "--only", "*-kt", "--plan", "--out", tmp_path / "new", "--seeds")
    _, err = run(*arguments, text, code=2)
    assert message in " ".join(err.split())
    out, _ = run(*arguments, "4-6")
    assert "0 of 3 to train, 0 of 18 to score" in out
