"""Ctrl-C in a terminal goes to a command and to all its workers at once."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

import jetgram


@pytest.mark.parametrize("seconds", [0.0, 1.0])
def test_generation_stops_with_one_line_and_leaves_nobody_behind(tmp_path, seconds: float) -> None:
    command = [
        sys.executable,
        "-m",
        "jetgram",
        "generate",
        "w-vs-qcd",
        "--jets",
        "400",
        "--out",
        str(tmp_path / "jets"),
    ]
    process = subprocess.Popen(
        command,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(Path(jetgram.__file__).parents[1])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    group = psutil.Process(process.pid)
    while len(group.children()) < 3:  # two workers and Python's own resource tracker
        assert process.poll() is None
        time.sleep(0.01)
    children = group.children()
    time.sleep(seconds)  # once while the workers start, once while they work
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "stopped by Ctrl-C\n")
    assert psutil.wait_procs(children, timeout=30)[1] == []
