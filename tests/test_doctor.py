"""The doctor: complete, and never ill itself."""

import importlib
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from jetgram import backend, cli, doctor
from jetgram.extras import FOR_DEVELOPERS

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]


def name_of(requirement: str) -> str:
    return re.split("[<>=]", requirement)[0]


@pytest.fixture(autouse=True)
def fresh_core():
    """Forget which core was loaded, before and after."""
    backend.load.cache_clear()
    yield
    backend.load.cache_clear()


def test_json_holds_the_whole_report(capsys) -> None:
    with pytest.raises(SystemExit, match="0"):
        cli.main(["doctor", "--json"])
    report = json.loads(capsys.readouterr().out)
    assert report["python"] == sys.version.split()[0]
    assert list(report["packages"]) == [name_of(line) for line in PROJECT["dependencies"]]
    extras = {name: lines for name, lines in PROJECT["optional-dependencies"].items() if name not in FOR_DEVELOPERS}
    assert {name: list(extra["packages"]) for name, extra in report["extras"].items()} == {
        name: [name_of(line) for line in lines] for name, lines in extras.items()
    }
    assert not any(package["problem"] for package in report["packages"].values())
    assert report["threads"] >= 1


def test_says_why_the_native_core_is_off(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setenv("JETGRAM_NO_NATIVE", "1")
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit, match="0"):
        cli.main(["doctor"])
    out = capsys.readouterr().out
    assert "switched off by the environment variable JETGRAM_NO_NATIVE" in out


def test_reports_a_broken_package_and_a_missing_extra(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    original = importlib.import_module

    def broken(name: str):
        if name == "fastjet":
            raise OSError("libfastjet.so.0: cannot open shared object file")
        if name == "distributed":
            raise ModuleNotFoundError("No module named 'distributed'")
        return original(name)

    monkeypatch.setattr(doctor.importlib, "import_module", broken)
    report = doctor.examine()
    assert not report.healthy
    assert "libfastjet.so.0" in report.packages["fastjet"].problem
    assert not report.extras["dask"].present
    assert report.extras["dask"].install == "pip install 'jetgram[dask]'"
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit, match="1"):
        cli.main(["doctor"])
    assert "libfastjet.so.0" in capsys.readouterr().out


def test_python_dash_m() -> None:
    result = subprocess.run([sys.executable, "-m", "jetgram", "--version"], capture_output=True, text=True, check=True)
    assert result.stdout.startswith("jetgram ")
