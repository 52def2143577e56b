"""Every example in the README and the documentation, run as a reader would: page by page, in an empty folder.

The pages of the cookbook find the files that they speak of in that folder.

In a `console` block the lines that start with `$ ` are run, and what follows must be their output (`...` stands for
anything); a `python` block with `>>>` is a doctest. Blocks of one page share the folder and the names. A `sh` block is
not run: installing and testing the project itself. A plain `jetgram` command is run in this process, where PyTorch is
imported already; what needs a shell (pipes, variables, other programs) gets one.
"""

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import jetgram
from cookbook_files import FILES
from jetgram.cli import main
from jetgram.momenta import Events, Jets
from jetgram.registry import TABLES

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(?P<language>\w+)\n(?P<text>.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (?P<command>(?:.*\\\n)*.*)\n(?P<output>(?:(?!\$ ).*\n)*)", re.MULTILINE)
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
FOR_THE_SHELL = re.compile(r"[|&;<>*?$`~]")
LANGUAGES = {"console", "python", "sh", "text", "toml", "yaml", "cpp", "cmake"}
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.fixture
def commands(tmp_path: Path) -> dict[str, str]:
    """An environment in which `jetgram` is this package, and the terminal 100 columns wide."""
    script = tmp_path / "bin" / "jetgram"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m jetgram "$@"\n')
    script.chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{script.parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(Path(jetgram.__file__).parents[1]),
        "COLUMNS": "100",
    }


@pytest.fixture(autouse=True)
def tables() -> Iterator[None]:
    """What a page registers is forgotten after it."""
    before = [dict(table.content) for table in TABLES]
    yield
    for table, content in zip(TABLES, before, strict=True):
        table.content.clear()
        table.content.update(content)


def blocks(page: Path) -> Iterator[tuple[str, str, int]]:
    """Language, text and line of each block of a page."""
    content = page.read_text()
    for block in BLOCK.finditer(content):
        yield block["language"], block["text"], content.count("\n", 0, block.start()) + 1


def run_commands(text: str, folder: Path, environment: dict[str, str]) -> None:
    checker = doctest.OutputChecker()
    for match in COMMAND.finditer(text):
        command = match["command"].replace("\\\n", " ")
        plain = command.startswith("jetgram ") and not FOR_THE_SHELL.search(QUOTED.sub("", command))
        code, output, errors = run_here(command) if plain else run_in_shell(command, folder, environment)
        assert code == 0, f"$ {command}\n{errors}"
        if match["output"].strip():
            wanted, got = tidy(match["output"]), tidy(output)
            assert checker.check_output(wanted, got, FLAGS), f"$ {command}\nexpected:\n{wanted}\ngot:\n{got}"


def run_here(command: str) -> tuple[int, str, str]:
    """Exit code, output and errors of `jetgram ...` in this process, with warnings as a reader has them."""
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors), warnings.catch_warnings():
        warnings.simplefilter("default")
        with pytest.raises(SystemExit) as end:
            main(shlex.split(command)[1:])
    return int(end.value.code or 0), output.getvalue(), errors.getvalue()


def run_in_shell(command: str, folder: Path, environment: dict[str, str]) -> tuple[int, str, str]:
    """The same of any command."""
    arguments = ["bash", "-euo", "pipefail", "-c", command]
    ended = subprocess.run(arguments, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
    return ended.returncode, ended.stdout, ended.stderr


def tidy(output: str) -> str:
    return "\n".join(line.rstrip() for line in output.strip().splitlines()) + "\n"


@pytest.fixture
def folder(request: pytest.FixtureRequest, page: Path, tmp_path: Path) -> Path:
    """Where a reader is: an empty folder, or that of the files."""
    here = tmp_path / "reader"
    here.mkdir()
    if page.stem in FILES:
        jets: Jets = request.getfixturevalue("qcd_jets")
        events: Events = request.getfixturevalue("qcd_events")
        FILES[page.stem](here, jets, events)
    return here


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page(page: Path, folder: Path, commands: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", commands["COLUMNS"])
    names: dict[str, object] = {}
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for language, text, line in blocks(page):
        if language == "console":
            run_commands(text, folder, commands)
        elif language == "python":
            test = doctest.DocTestParser().get_doctest(text, names, page.name, str(page), line)
            report: list[str] = []
            runner.run(test, out=report.append, clear_globs=False)
            names = test.globs
            assert not report, "".join(report)


def test_no_block_escapes() -> None:
    for page in PAGES:
        for language, text, line in blocks(page):
            where = f"{page.relative_to(ROOT)}:{line}"
            assert language in LANGUAGES, f"{where}: {language}"
            assert language != "python" or ">>> " in text, f"{where}: a python block without an answer is not run"
