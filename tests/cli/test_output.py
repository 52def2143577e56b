"""How results look; and what can be known to fail is refused before the work, in words."""

import numpy as np
import pytest
from rich.console import Console

from jetgram import cli
from jetgram.cli.output import plain_table, prepare_out
from jetgram.errors import SettingsError
from jetgram.momenta import Jets
from jetgram.storage.dataset import save


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    with pytest.raises(SystemExit) as end:
        cli.main([str(argument) for argument in arguments])
    return int(end.value.code or 0), capsys.readouterr().err


def test_a_result_can_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    prepare_out(tmp_path / "new" / "deep" / "scores.parquet")
    assert (tmp_path / "new" / "deep").is_dir()
    prepare_out(tmp_path / "pictures", folder=True)
    assert (tmp_path / "pictures").is_dir()
    with pytest.raises(SettingsError, match="file is a file; expected a folder, or a new name"):
        prepare_out(tmp_path / "file", folder=True)
    with pytest.raises(SettingsError, match="pictures is a folder; expected a file, or a new name"):
        prepare_out(tmp_path / "pictures")
    with pytest.raises(SettingsError, match=r"file/x.png cannot be written: .*file"):
        prepare_out(tmp_path / "file" / "x.png")
    with pytest.raises(SettingsError, match=r"x.gif: a picture ends in .png, .pdf; found '.gif'"):
        prepare_out(tmp_path / "x.gif", suffixes=(".png", ".pdf"))


@pytest.mark.parametrize(
    "arguments",
    [
        ("predict", "model", "data", "--out", "file/scores.parquet"),
        ("report", "data", "model", "--out", "file/report.html"),
        ("evaluate", "scores.parquet", "--out", "file"),
        ("safety", "model", "data", "--out", "file"),
        ("show", "data", "--out", "file/jet.png"),
        ("inspect", "data", "--out", "file/data.png"),
    ],
)
def test_out_is_checked_first(capsys, tmp_path, monkeypatch, arguments):
    """Neither the model nor the dataset is there, but what is told is that nothing could be written."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    code, said = run(capsys, *arguments)
    assert code == 1
    assert said.startswith("error: file")


def test_an_empty_dataset_is_a_clear_error(capsys, tmp_path):
    save(tmp_path / "empty", Jets(np.empty((0, 4)), np.array([0]), {"label": np.empty(0, dtype=int)}), {})
    code, said = run(capsys, "train", tmp_path / "empty", "--out", tmp_path / "model")
    assert (code, "is empty: it has no jets to learn from in the split train" in said) == (1, True)
    code, said = run(capsys, "inspect", tmp_path / "empty")
    assert (code, "is empty: it has no jets" in said) == (1, True)


def test_senseless_numbers_and_names_are_refused(capsys, tmp_path):
    code, said = run(capsys, "train", tmp_path, "--out", tmp_path / "model", "--seeds", 0)
    assert (code, "--seeds" in said) == (2, True)
    code, said = run(capsys, "reproduce", "table9", "--out", tmp_path / "study")
    assert (code, "the paper has no 'table9' to reproduce; there are: table1, table2" in said) == (1, True)


def test_a_file_is_no_dataset(capsys, tmp_path):
    (tmp_path / "jets.root").write_bytes(b"root")
    code, said = run(capsys, "inspect", tmp_path / "jets.root")
    assert (code, "`jetgram convert` makes one of a file" in said) == (1, True)


def lines_of(table, width: int) -> list[str]:
    """A table as a terminal of this width shows it."""
    console = Console(width=width, color_system=None)
    with console.capture() as shown:
        console.print(table)
    return [line.rstrip() for line in shown.get().splitlines()]


def test_a_table_has_text_to_the_left_and_numbers_to_the_right():
    table = plain_table("model", "AUC", "more in", left=["more in"], title="Jets")
    table.add_row("kt", "0.9164", "signal")
    table.add_row("anti-kt", "-", "-")
    assert lines_of(table, 80) == [
        "Jets",
        "model       AUC  more in",
        "kt       0.9164  signal",
        "anti-kt       -  -",
    ]


def test_columns_of_a_table_are_whole_fold_or_end_in_dots():
    table = plain_table("model", "R at 50 %", whole=["R at 50 %"], fold=["model"])
    table.add_row("gated-antikt-seeds", "100")
    assert lines_of(table, 21) == ["model     R at 50 %", "gated-an        100", "tikt-see", "ds"]
    table = plain_table("model", "R at 50 %", whole=["R at 50 %"])
    table.add_row("gated-antikt-seeds", "100")
    assert lines_of(table, 21) == ["model     R at 50 %", "gated-a…        100"]


def test_the_first_column_of_a_table_has_its_least_width():
    table = plain_table("depth", "mean", first_width=12)
    table.add_row("kt", "9.1")
    assert lines_of(table, 80) == ["depth" + " " * 9 + "mean", "kt" + " " * 13 + "9.1"]


ODD = ":x:[bold]a :warning:"  # rich has symbols and styles of such names


@pytest.fixture
def odd_dataset(tmp_path):
    """A dataset in which every name that a user may choose is an odd one."""
    momenta = np.array([[30.0, 0.0, 5.0, 40.0], [20.0, 10.0, 5.0, 40.0]] * 4)
    jets = Jets(momenta, np.arange(0, 10, 2), {"label": np.array([0, 1, 2, 0]), ODD: np.arange(4)})
    save(tmp_path / ODD, jets, {ODD: ODD})
    return tmp_path / ODD


def test_names_of_users_are_shown_as_they_are(capsys, odd_dataset, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit):
        cli.main(["inspect", str(odd_dataset)])
    shown = capsys.readouterr().out
    for name in (f"{ODD}: 4 jets", f"{ODD}  {ODD}"):
        assert name in shown
    assert run(capsys, "show", odd_dataset, "--topology", ODD, "--out", "x.png")[1].startswith(
        f"error: no topology '{ODD}'; there are: "
    )
    assert run(capsys, "predict", odd_dataset, odd_dataset, "--out", odd_dataset.parent / "x")[1].startswith(
        f"error: {odd_dataset} is a dataset; "
    )


def test_a_warning_shows_names_as_they_are(capsys):
    cli._print_warning(f"odd {ODD}", UserWarning, "", 0)
    assert capsys.readouterr().err == f"warning: odd {ODD}\n"
