"""Commands of jetgram as processes that are limited, interrupted or killed."""

import contextlib
import hashlib
import io
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from jetgram.cli import main

MAIN = "from jetgram.cli import main; main()"
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)

# Planted: a file is written in place, and the process ends in the middle of it.
CARELESS = """
import os, signal
from jetgram.storage import atomic
def write_bytes(path, content):
    with open(path, "wb") as file:
        file.write(content[: len(content) // 2])
        file.flush()
        os.kill(os.getpid(), signal.SIGKILL)
atomic.write_bytes = write_bytes
"""


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    errors: str

    @property
    def well(self) -> bool:
        """It did what it should, or said in a line why not."""
        return self.code in (0, 1, 2) and "Traceback" not in self.errors


def start(arguments: Sequence[str], program: str = MAIN, limits: Callable[[], None] | None = None) -> subprocess.Popen:
    """A command, begun; in a group of its own, so that its workers end with it."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "JETGRAM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=limits,
    )


def run(arguments: Sequence[str], program: str = MAIN, limits: Callable[[], None] | None = None) -> Ended:
    """A command, to its end."""
    process = start(arguments, program, limits)
    errors = process.communicate(timeout=120)[1]
    return Ended(process.returncode, errors)


def run_here(arguments: Sequence[str]) -> Ended:
    """A command to its end in this process, which has imported PyTorch already: where nothing limits or kills it."""
    errors = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
        try:
            main(arguments)
        except SystemExit as end:
            return Ended(int(end.code or 0), errors.getvalue())
    raise AssertionError("a command ends with an exit code")


def run_and_kill(arguments: Sequence[str], seconds: float, number: int) -> Ended:
    """A command that gets a signal after some time, if it is still there."""
    process = start(arguments)
    time.sleep(seconds)
    if process.poll() is None:
        process.send_signal(number)
    try:
        errors = process.communicate(timeout=120)[1]
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    return Ended(process.returncode, errors)


def digest(folder: Path, names: Sequence[str]) -> dict[str, str]:
    """The SHA-256 of all files with these endings."""
    files = [file for file in sorted(folder.rglob("*")) if file.is_file() and file.name.endswith(tuple(names))]
    return {str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def limit(what: int, value: int) -> Callable[[], None]:
    """What a process does first, so that it has no more of something."""

    def apply() -> None:
        if what == resource.RLIMIT_FSIZE:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a failed write, as on a full disk
        resource.setrlimit(what, (value, value))

    return apply
