"""Puts the help of every command into the reference, as the command itself prints it."""

import os
import subprocess
import sys
from typing import Any

from jetgram.cli import VERBS

PLACE = "<!-- every command -->"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The page with that place filled."""
    if PLACE not in markdown:
        return markdown
    return markdown.replace(PLACE, "\n\n".join(f"## {verb}\n\n```text\n{_help(verb)}\n```" for verb in VERBS))


def _help(verb: str) -> str:
    environment = {**os.environ, "COLUMNS": "84", "NO_COLOR": "1", "TERM": "dumb"}
    command = [sys.executable, "-m", "jetgram", verb, "--help"]
    output = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    return "\n".join(line.rstrip() for line in output.splitlines()).strip("\n")
