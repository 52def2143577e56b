"""`jetgram convert` as it is typed."""

import numpy as np
import pytest

from jetgram import cli
from jetgram.storage.dataset import Dataset

pytestmark = pytest.mark.filterwarnings("default")  # the command prints its warnings


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        cli.main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return int(end.value.code or 0), out, err


@pytest.fixture
def file(tmp_path):
    X = np.zeros((100, 3, 4))
    X[:, 0] = (50.0, 0.1, 0.2, 211)
    X[:, 1] = (20.0, 0.2, 0.1, 22)
    X[5, 0, 0] = np.nan
    np.savez(tmp_path / "QG_jets.npz", X=X, y=np.arange(100) % 2)
    return tmp_path / "QG_jets.npz"


def test_convert(capsys, tmp_path, file):
    out = tmp_path / "out"
    code, printed, said = run(capsys, "convert", file, "--out", out, "--test-share", 0.2, "--on-bad", "drop")
    assert code == 0
    splits = Dataset(out).splits
    assert sum(splits.values()) == 99
    assert f"  train: {splits['train']} jets; class 0 " in printed
    assert "converting: 100 of 100 rows" in said
    assert "warning: 1 of 100 jets left out: NaN; the first: QG_jets.npz: jet 5, particle 0: NaN in pt = nan" in said


def test_an_error_is_one_line(capsys, tmp_path, file):
    code, printed, said = run(capsys, "convert", file, "--out", tmp_path / "out")
    assert (code, printed) == (1, "")
    assert "error: QG_jets.npz: jet 5, particle 0: NaN" in said
    code, _, said = run(capsys, "convert", file, "--out", tmp_path / "out", "--map", "px")
    assert code == 1
    assert "'px' in the map is no pair; expected px=part_px,py=part_py,..." in said
    code, _, said = run(capsys, "convert", file)
    assert code == 2
    assert "--out FOLDER" in said


@pytest.mark.parametrize(
    ("out", "message"),
    [("file", "file is a file; expected the folder"), ("file/deep/out", "file is a file, not a folder")],
)
def test_out_is_checked_before_a_file_is_opened(capsys, tmp_path, out, message):
    (tmp_path / "file").write_text("")
    code, _, said = run(capsys, "convert", tmp_path / "no-such.root", "--out", tmp_path / out)
    assert code == 1
    assert message in said
    assert "no-such" not in said


def test_layouts_are_listed(capsys):
    code, printed, _ = run(capsys, "convert", "--layouts")
    assert code == 0
    assert [line.split()[0] for line in printed.splitlines()][:3] == ["top-tagging", "energyflow", "jetclass"]
    assert len(printed.splitlines()) == 10
