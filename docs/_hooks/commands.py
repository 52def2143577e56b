"""Puts the help of every command into the reference, as the command itself prints it."""

import os
import re
import subprocess
import sys
from typing import Any

PLACE = re.compile(r"^<!-- jetgram (?P<verb>\w+) --help -->$", re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The page with each place filled."""
    return PLACE.sub(lambda match: f"```text\n{_help(match['verb'])}\n```", markdown)


def _help(verb: str) -> str:
    environment = {**os.environ, "COLUMNS": "84", "NO_COLOR": "1", "TERM": "dumb"}
    command = [sys.executable, "-m", "jetgram", verb, "--help"]
    output = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    return "\n".join(line.rstrip() for line in output.splitlines()).strip("\n")
