"""`jetgram safety` as a user meets it."""

import json

import numpy as np
import pytest

from jetgram import cli
from jetgram.evaluation.safety import SCENARIOS
from jetgram.models.model import JetModel
from jetgram.models.settings import ModelSettings
from jetgram.models.store import save_model
from jetgram.momenta import Events, Jets
from jetgram.storage.dataset import save


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of `jetgram safety ARGUMENTS`."""
    with pytest.raises(SystemExit) as end:
        cli.main(["safety", *map(str, arguments)])
    captured = capsys.readouterr()
    return int(end.value.code or 0), captured.out, captured.err


@pytest.fixture(scope="module")
def folder(qcd_jets, qcd_events, tmp_path_factory):
    """Models of jets and of events, generated jets, jets as `jetgram.save` keeps them, and events."""
    folder = tmp_path_factory.mktemp("safety")
    label = (np.arange(len(qcd_jets)) % 2).astype(np.int8)
    few = qcd_events[:10]
    save(folder / "generated", qcd_jets.with_columns(label=label), {}, "test")
    save(folder / "stored", Jets(qcd_jets.momenta, qcd_jets.offsets, {"label": label}), {}, "test")
    save(folder / "events", Events(few.momenta, few.offsets, {"label": label[:10]}), {}, "test")
    save_model(folder / "net", JetModel.untrained(ModelSettings(hidden=5), qcd_jets))
    save_model(folder / "event-net", JetModel.untrained(ModelSettings(event="jets", hidden=5, state=5), few))
    return folder


def test_a_row_a_scenario(capsys, folder) -> None:
    code, out, err = run(capsys, folder / "net", folder / "generated", "--all-pt", "--bootstrap", 0)
    assert code == 0
    assert out.startswith("net, all jets\njets ")
    assert [line.split()[0] for line in out.splitlines()[2:]] == list(SCENARIOS)
    assert "2,400 of 2,400 jets" in err


def test_stored_jets_have_no_soft_particles(capsys, folder, tmp_path) -> None:
    arguments = (folder / "net", folder / "stored", "--all-pt", "--bootstrap", 0)
    code, out, err = run(capsys, *arguments, "--out", tmp_path / "out")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[2:]] == [*SCENARIOS[:-1], "soft:"]
    assert "must go in before the jets are found; datasets of `jetgram generate` have them" in out.splitlines()[-1]
    assert "2,000 of 2,000 jets" in err
    assert (tmp_path / "out" / "safety.csv").exists()
    code, out, _ = run(capsys, *arguments, "--json")
    found = json.loads(out)
    assert code == 0
    assert [line["scenario"] for line in found["scenarios"]] == list(SCENARIOS[:-1])
    assert list(found["left_out"]) == ["soft"]


def test_events_are_an_error(capsys, folder) -> None:
    code, out, err = run(capsys, folder / "event-net", folder / "events", "--all-pt")
    assert (code, out) == (1, "")
    assert "holds events, but soft particles and collinear splits are put into jets; take a dataset of jets" in err
    assert "scoring" not in err
