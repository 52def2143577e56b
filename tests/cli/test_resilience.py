"""`jetgram resilience`, and `jetgram safety --varied`, as a user meets them."""

import json

import numpy as np
import pytest

from jetgram import cli
from jetgram.models.model import JetModel
from jetgram.models.settings import ModelSettings
from jetgram.models.store import save_model
from jetgram.storage.dataset import save


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of `jetgram ARGUMENTS`."""
    with pytest.raises(SystemExit) as end:
        cli.main([*map(str, arguments)])
    captured = capsys.readouterr()
    return int(end.value.code or 0), captured.out, captured.err


@pytest.fixture(scope="module")
def folder(qcd_jets, tmp_path_factory):
    """A model, and two datasets of other jets."""
    folder = tmp_path_factory.mktemp("resilience")
    jets = qcd_jets.with_columns(label=(np.arange(len(qcd_jets)) % 2).astype(np.int8))
    save(folder / "pythia", jets[:100], {}, "test")
    save(folder / "vincia", jets[100:200], {}, "test")
    save_model(folder / "net", JetModel.untrained(ModelSettings(hidden=5), qcd_jets))
    return folder


def test_a_row_for_each_variation(capsys, folder, tmp_path) -> None:
    samples = ("--nominal", folder / "pythia", "--varied", folder / "vincia", "--varied", folder / "pythia")
    code, out, err = run(capsys, "resilience", folder / "net", *samples, "--bootstrap", 5, "--out", tmp_path / "out")
    assert code == 0
    assert out.startswith("pythia, all jets, cut at a signal efficiency of 0.5\nmodel ")
    assert [line.split()[:2] for line in out.splitlines()[2:]] == [["net", "vincia"], ["net", "pythia"]]
    assert "300 of 300 jets" in err
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == ["resilience.csv", "resilience.png"]
    code, out, _ = run(capsys, "resilience", folder / "net", *samples, "--bootstrap", 0, "--json")
    first, itself = json.loads(out)["resilience"]
    assert (first["varied"], itself["signal_shift"], itself["resilience"]) == ("vincia", 0, None)


def test_safety_reports_it_too(capsys, folder, tmp_path) -> None:
    varied = ("--varied", folder / "vincia", "--bootstrap", 0, "--out", tmp_path / "out")
    code, out, err = run(capsys, "safety", folder / "net", folder / "pythia", *varied)
    assert code == 0
    assert "collinear10-max" in out
    assert out.splitlines()[-1].startswith("net    vincia")
    assert "800 of 800 jets" in err
    assert (tmp_path / "out" / "resilience.csv").exists()
