"""Shards made in a process of their own, where NumPy of this one would give other last bits; see `jetgram.numpy_bits`.

It takes some seconds to start. `jetgram generate` does without: its workers start with such a NumPy. So can those of a
Dask cluster, with the environment of `jetgram.numpy_bits.environment`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jetgram import numpy_bits
from jetgram.collisions.settings import GenerationSettings, ShardTask
from jetgram.errors import GenerationError, JetgramError


def make_in_process(tasks: Sequence[ShardTask]) -> list[bytes]:
    """What `make_shards` gives for these tasks where NumPy does without AVX-512."""
    described = [{**vars(task), "settings": task.settings.model_dump(mode="json")} for task in tasks]
    with tempfile.TemporaryDirectory() as folder:
        ended = subprocess.run(
            [sys.executable, "-m", __name__, folder],
            input=json.dumps(described),
            env={**os.environ, **numpy_bits.environment()},
            capture_output=True,
            text=True,
            check=False,
        )
        if ended.returncode:
            raise GenerationError(ended.stderr.strip() or f"the process of a shard ended with {ended.returncode}")
        return [(Path(folder) / str(number)).read_bytes() for number in range(len(tasks))]


def _described(task: dict[str, Any]) -> ShardTask:
    return ShardTask(**{**task, "settings": GenerationSettings.create(**task["settings"])})


def main(folder: Path) -> None:
    """Write the shards that standard input describes as files `0`, `1`, ... of a folder."""
    from jetgram.collisions.generate import make_shards

    try:
        contents = make_shards([_described(task) for task in json.load(sys.stdin)])
    except JetgramError as error:
        sys.exit(str(error))
    for number, content in enumerate(contents):
        (folder / str(number)).write_bytes(content)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
