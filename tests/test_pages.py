"""Every example in the README and the documentation, run as a reader would: page by page, in an empty folder.

In a `console` block the lines that start with `$ ` are run, and what follows must be their output (`...` stands for
anything); a `python` block with `>>>` is a doctest. Blocks of one page share the folder and the names. A `sh` block is
not run: installing and testing the project itself.
"""

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import jetgram

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(?P<language>\w+)\n(?P<text>.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (?P<command>(?:.*\\\n)*.*)\n(?P<output>(?:(?!\$ ).*\n)*)", re.MULTILINE)
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


def blocks(page: Path) -> Iterator[tuple[str, str, int]]:
    """Language, text and line of each block of a page."""
    content = page.read_text()
    for block in BLOCK.finditer(content):
        yield block["language"], block["text"], content.count("\n", 0, block.start()) + 1


def run_commands(text: str, folder: Path, environment: dict[str, str]) -> None:
    checker = doctest.OutputChecker()
    for match in COMMAND.finditer(text):
        result = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", match["command"]],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert result.returncode == 0, f"$ {match['command']}\n{result.stderr}"
        if match["output"].strip():
            wanted, got = tidy(match["output"]), tidy(result.stdout)
            assert checker.check_output(wanted, got, FLAGS), f"$ {match['command']}\nexpected:\n{wanted}\ngot:\n{got}"


def tidy(output: str) -> str:
    return "\n".join(line.rstrip() for line in output.strip().splitlines()) + "\n"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page(page: Path, tmp_path: Path, commands: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "reader"
    folder.mkdir()
    monkeypatch.chdir(folder)
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
            assert language in {"console", "python", "sh", "text", "toml", "yaml", "cpp"}, f"{where}: {language}"
            assert language != "python" or ">>> " in text, f"{where}: a python block without an answer is not run"
