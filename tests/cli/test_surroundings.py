"""Commands where paths, terminals and locales are not what one expects."""

import os
import subprocess
import sys

import numpy as np
import pytest

from jetgram.cli import main
from jetgram.momenta import Jets
from jetgram.storage.dataset import save

# Commands with a semicolon after each, in one process, whose arguments, locale and streams they share.
COMMANDS = """
import sys
from jetgram.cli import main
words = sys.argv[1:]
while words:
    end = words.index(";")
    try:
        main(words[:end])
    except SystemExit as ended:
        assert not ended.code, words[:end]
    words = words[end + 1 :]
"""


@pytest.fixture(scope="module")
def dataset(qcd_jets, tmp_path_factory):
    """In a folder whose name is markup."""
    jets = Jets(qcd_jets.momenta, qcd_jets.offsets)[:60]
    label = np.arange(60) % 2
    return save(tmp_path_factory.mktemp("x") / "a[bold]b" / "c[" / "]", jets.with_columns(label=label), {"a[b]": "[/]"})


@pytest.fixture
def run(capsys):
    """Exit code, standard output and standard error of a command in this process."""

    def call(*arguments):
        with pytest.raises(SystemExit) as end:
            main(list(map(str, arguments)))
        captured = capsys.readouterr()
        return int(end.value.code or 0), captured.out, captured.err

    return call


def test_all_classes_are_shown(dataset, tmp_path, run):
    jets = dataset.read("train")
    save(tmp_path / "six", jets.with_columns(label=np.arange(len(jets)) % 6), {})
    code, out, err = run("inspect", tmp_path / "six", "--out", tmp_path / "six.png")
    assert code == 0, err
    for name in ("background", "signal", *(f"class {number}" for number in range(2, 6))):
        assert out.count(f"{name}, mean") == out.count("background, mean") > 0
    assert "…" not in out


def test_brackets_in_paths_are_no_markup(dataset, tmp_path, run):
    code, out, err = run("inspect", dataset.path)
    assert code == 0, err
    assert "c[/]" in out.replace("\n", "")
    code, out, err = run("train", dataset.path, "--epochs", "1", "--set", "hidden=4", "--out", tmp_path / "m[" / "]")
    assert code == 0, err
    assert "m[/]: blend ca" in out.replace("\n", "")
    code, out, err = run("inspect", tmp_path / "no[" / "]")
    assert code == 1
    assert "no[/] is not a folder" in err.replace("\n", "")


def test_an_ascii_locale_and_a_name_that_it_does_not_know_are_no_reasons_to_fail(dataset, tmp_path):
    out = tmp_path / "\u0394"
    commands = [
        ["inspect", dataset.path],
        ["doctor"],
        ["--help"],
        ["train", "--help"],
        ["train", dataset.path, "--epochs", "1", "--set", "hidden=4", "--out", out],
    ]
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-c", COMMANDS, *(str(word) for each in commands for word in (*each, ";"))]
    shown = subprocess.run(command, env=environment, capture_output=True, timeout=240)
    errors = shown.stderr.decode(errors="replace")
    assert shown.returncode == 0, errors
    assert "Traceback" not in errors
    assert (out / "curves.png").exists()


@pytest.mark.parametrize("threads", ["abc", "0", "-3"])
def test_a_wrong_number_of_threads_is_one_line(dataset, threads, monkeypatch, run):
    monkeypatch.setenv("JETGRAM_THREADS", threads)
    code, _, err = run("inspect", dataset.path)
    assert code == 1
    wanted = f"error: the environment variable JETGRAM_THREADS is '{threads}'; expected a number"
    assert err.replace("\n", " ").startswith(wanted)
    assert "Traceback" not in err
