"""Shards made in another process, where NumPy of this one would give other last bits; see `jetgram.numpy_bits`.

Each thread that makes shards has one such process, which it starts with its first shard and keeps: it takes some
seconds to start. `jetgram generate` does without: its workers start with such a NumPy. So can those of a Dask cluster,
with the environment of `jetgram.numpy_bits.environment`.

The process reads a line of JSON per request and answers with a line of JSON, behind which the shards follow. It ends as
soon as its standard input does, which is when the process that started it ends, in whatever way.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import weakref
from collections.abc import Sequence
from typing import Any

from jetgram import numpy_bits
from jetgram.collisions.settings import GenerationSettings, ShardTask
from jetgram.errors import GenerationError, JetgramError


class ShardProcess:
    """A process whose NumPy does without AVX-512, waiting for shards to make."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **numpy_bits.environment()},
        )
        self.close = weakref.finalize(self, _end, self._process)

    @property
    def usable(self) -> bool:
        """Whether it belongs to this process, which may have been forked since, and is there."""
        return self.owner == os.getpid() and self._process.poll() is None

    def make(self, tasks: Sequence[ShardTask]) -> list[bytes]:
        """The bytes of the shards of these tasks."""
        try:
            answer, contents = self._ask(tasks)
        except BaseException as error:
            self._process.kill()  # what it has to say yet would be taken for the next answer
            self.close()
            if isinstance(error, OSError | ValueError | EOFError):
                raise GenerationError(f"the process of a shard ended with {self._process.wait()}") from error
            raise
        if "error" in answer:
            raise GenerationError(answer["error"])
        return contents

    def _ask(self, tasks: Sequence[ShardTask]) -> tuple[dict[str, Any], list[bytes]]:
        """Its answer, and the shards that follow."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        described = [{**vars(task), "settings": task.settings.model_dump(mode="json")} for task in tasks]
        self._process.stdin.write(json.dumps(described).encode() + b"\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        sizes: list[int] = answer.get("sizes", [])
        contents = [self._process.stdout.read(size) for size in sizes]
        if [len(content) for content in contents] != sizes:
            raise EOFError("the process of a shard ended within its answer")
        return answer, contents


def _end(process: subprocess.Popen[bytes]) -> None:
    """Close the pipes, with which the process ends."""
    with process, contextlib.suppress(BrokenPipeError):
        assert process.stdin is not None
        process.stdin.close()


_of_thread = threading.local()


def make_in_process(tasks: Sequence[ShardTask]) -> list[bytes]:
    """What `make_shards` gives for these tasks where NumPy does without AVX-512."""
    found: ShardProcess | None = getattr(_of_thread, "process", None)
    if found is None or not found.usable:
        if found is not None:
            found.close()
        found = _of_thread.process = ShardProcess()
    return found.make(tasks)


def _described(task: dict[str, Any]) -> ShardTask:
    return ShardTask(**{**task, "settings": GenerationSettings.create(**task["settings"])})


def _read_requests(requests: queue.Queue[bytes]) -> None:
    """In a thread of its own, so that the end of the input is seen while a shard is made."""
    for line in sys.stdin.buffer:
        requests.put(line)
    os._exit(0)


def main() -> None:
    """Answer requests until standard input ends."""
    from jetgram.collisions.generate import make_shards

    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what Pythia prints is no answer
    requests: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=_read_requests, args=(requests,), daemon=True).start()
    while True:
        try:
            contents = make_shards([_described(task) for task in json.loads(requests.get())])
            answer: dict[str, Any] = {"sizes": [len(content) for content in contents]}
        except JetgramError as error:
            contents, answer = [], {"error": str(error)}
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.writelines(contents)
        answers.flush()


if __name__ == "__main__":
    main()
