"""Commands where paths, terminals and locales are not what one expects."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from jetgram.momenta import Jets
from jetgram.storage.dataset import save

ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from jetgram.cli import main; main()", *map(str, arguments)]
    found = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, timeout=120)
    return subprocess.CompletedProcess(
        command, found.returncode, found.stdout.decode(errors="replace"), found.stderr.decode(errors="replace")
    )


@pytest.fixture(scope="module")
def dataset(qcd_jets, tmp_path_factory):
    """In a folder whose name is markup."""
    jets = Jets(qcd_jets.momenta, qcd_jets.offsets)[:60]
    label = np.arange(60) % 2
    return save(tmp_path_factory.mktemp("x") / "a[bold]b" / "c[" / "]", jets.with_columns(label=label), {"a[b]": "[/]"})


def test_brackets_in_paths_are_no_markup(dataset, tmp_path):
    shown = run("inspect", dataset.path)
    assert shown.returncode == 0, shown.stderr
    assert "c[/]" in shown.stdout.replace("\n", "")
    out = tmp_path / "m[" / "]"
    trained = run("train", dataset.path, "--epochs", "1", "--set", "hidden=4", "--out", out)
    assert trained.returncode == 0, trained.stderr
    assert "m[/]: blend ca" in trained.stdout
    missing = run("inspect", tmp_path / "no[" / "]")
    assert missing.returncode == 1
    assert "no[/] is not a folder" in missing.stderr


@pytest.mark.parametrize("command", [("inspect", "{}"), ("doctor",), ("--help",), ("train", "--help")])
def test_an_ascii_locale_is_no_reason_to_fail(dataset, command):
    shown = run(*(part.format(dataset.path) for part in command), **ASCII)
    assert shown.returncode == 0, shown.stderr
    assert "Traceback" not in shown.stderr


def test_a_name_that_the_locale_does_not_know_is_no_reason_to_fail(dataset, tmp_path):
    out = tmp_path / "\u0394"
    trained = run("train", dataset.path, "--epochs", "1", "--set", "hidden=4", "--out", out, **ASCII)
    assert trained.returncode == 0, trained.stderr
    assert (out / "curves.png").exists()


@pytest.mark.parametrize("threads", ["abc", "0", "-3"])
def test_a_wrong_number_of_threads_is_one_line(dataset, threads):
    shown = run("inspect", dataset.path, JETGRAM_THREADS=threads)
    assert shown.returncode == 1
    assert shown.stderr.startswith(f"error: the environment variable JETGRAM_THREADS is '{threads}'; expected a number")
    assert "Traceback" not in shown.stderr
