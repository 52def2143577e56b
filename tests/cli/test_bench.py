"""`jetgram bench` as a user meets it."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from jetgram import backend, cli
from jetgram.bench import engines
from jetgram.bench.pipeline import STAGES
from jetgram.momenta import Jets
from jetgram.storage.dataset import save

pytestmark = pytest.mark.skipif(backend.load()[0] is None, reason="needs the native core")


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of `jetgram bench ARGUMENTS`."""
    with pytest.raises(SystemExit) as end:
        cli.main(["bench", *map(str, arguments)])
    captured = capsys.readouterr()
    return int(end.value.code or 0), captured.out, captured.err


@pytest.fixture(scope="module")
def folder(qcd_jets, tmp_path_factory):
    jets = Jets(qcd_jets.momenta, qcd_jets.offsets)[:60]
    return save(tmp_path_factory.mktemp("bench") / "jets", jets, {"source": "tests"}).path


def test_tables_of_one_and_two_threads(capsys, folder, monkeypatch) -> None:
    few = {"simple": ("kt",), "gated": ("kt",), "blend": ("ca",)}
    monkeypatch.setattr(engines, "TOPOLOGIES", few)  # torch's two threads take seconds where cores are shared
    code, out, err = run(capsys, folder, "--rounds", 1, "--threads", 2, "--batch", 8)
    assert code == 0
    assert "60 jets of " in out
    lines = out.splitlines()
    assert max(map(len, lines)) <= 120
    assert sum(line.startswith(("simple ", "gated ", "blend ")) for line in lines) == 6
    assert "cores allow" in out
    for stage in STAGES:
        assert any(line.startswith(stage) for line in lines)
    assert "measuring: 7 of 7 steps" in err


def test_one_thread_has_one_table(capsys, folder) -> None:
    code, out, _ = run(capsys, folder, "--rounds", 1, "--threads", 1, "--batch", 8, "--batch", 16)
    assert code == 0
    assert sum(line.startswith(("simple ", "gated ")) for line in out.splitlines()) == 8
    assert "cores allow" not in out


def test_json(capsys, folder) -> None:
    code, out, _ = run(capsys, folder, "--rounds", 2, "--threads", 1, "--batch", 8, "--json")
    assert code == 0
    report = json.loads(out)
    assert report["machine"]["cpu"]
    assert (report["jets"], report["rounds"], report["threads"]) == (60, 2, 1)
    assert len(report["engines"]) == 10
    for entry in report["engines"]:
        assert entry["batch"] == 8
        assert set(entry["one"]) == {"native", "torch", "native_over_torch", "peak", "share", "core"}
        assert entry["more"] is None
    shares = [stage["share"] for stage in report["pipeline"]["stages"].values()]
    assert np.isclose(sum(shares), 1)


def test_without_the_native_core_there_is_nothing_to_compare(folder) -> None:
    command = [sys.executable, "-m", "jetgram", "bench", str(folder), "--batch", "8"]
    environment = {**os.environ, "JETGRAM_NO_NATIVE": "1"}
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert result.returncode == 1
    assert "error: the native engine cannot work here: the native core is missing (switched off" in result.stderr


def test_wrong_input_is_one_line(capsys, folder, tmp_path) -> None:
    code, out, err = run(capsys, tmp_path / "nothing")
    assert (code, out) == (1, "")
    assert err.startswith(f"error: {tmp_path / 'nothing'} is not a folder")
    code, _, err = run(capsys, folder, "--batch", 64)
    assert code == 1
    assert "has 60 jets in its split 'train'; a batch of 64 needs as many: choose another dataset or batch" in err
    assert run(capsys, folder, "--rounds", 0)[0] == 2
    assert run(capsys, folder, "--batch", 0)[0] == 2
