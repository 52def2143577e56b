"""Wrong shapes, types, strides and indices into the native core: exceptions, and no crash."""

import subprocess
import sys
from pathlib import Path

import pytest

from jetgram import backend

pytestmark = pytest.mark.skipif(backend.load()[0] is None, reason="there is no native core")


def run(*options: str) -> subprocess.CompletedProcess[str]:
    python = [sys.executable, *(["-S"] if sys.flags.no_site else [])]
    program = Path(__file__).with_name("native_fuzz.py")
    return subprocess.run([*python, str(program), *options], capture_output=True, text=True, timeout=600)


def test_no_argument_crashes_the_core(tell):
    found = run()
    last = found.stdout.splitlines()[-1:] or [""]
    assert found.returncode == 0, f"after: {last[0]}\n{found.stderr[-2000:]}"
    tell(f"native entries: {last[0]}")
    entries, tried, refused = (int(word) for word in last[0].split() if word.isdigit())
    assert entries >= 8
    assert refused > tried / 2


def test_a_crash_is_found():
    """Planted: an entry that reads where nothing is."""
    found = run("--planted")
    assert found.returncode != 0
    assert found.stdout.splitlines()[-1].startswith("planted")
