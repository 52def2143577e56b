"""The jets of a dataset of events, found once and kept next to it.

    EVENTS/
      dataset.json, train-00000.parquet, ...
      found-jets/antikt-R1/train-00000.parquet   per particle, the number of its jet

A file belongs to one shard, of which it names the SHA-256, and to one version of FastJet. Where it does not fit, or is
damaged, the jets are found again; where the folder cannot be written, they are not kept.
"""

from __future__ import annotations

import contextlib
import dataclasses
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from jetgram.errors import DatasetError
from jetgram.jets.found import Numbers, number_jets, numbers_column
from jetgram.momenta import Events
from jetgram.storage import atomic
from jetgram.storage.dataset import Dataset
from jetgram.storage.manifest import Shard, read_file
from jetgram.storage.tables import Column, encode_table, open_table, read_columns

FOLDER = "found-jets"
KIND = "found jets"
_COLUMN = "jet"


def with_found_jets(dataset: Dataset, shard: Shard, events: Events, radius: float, algorithm: str = "antikt") -> Events:
    """The events of a shard with the numbers of their jets, read from disk or found and kept there.

    Args:
        dataset: of events.
        shard: one of its shards.
        events: all events of this shard.
        radius: of the jets.
        algorithm: `antikt`, `ca` or `kt`.
    """
    file = dataset.path / FOLDER / f"{algorithm}-R{radius:g}" / shard.file
    source = {"shard": shard.sha256, "algorithm": algorithm, "radius": radius, "fastjet": metadata.version("fastjet")}
    numbers = _read(file, source, len(events.momenta))
    if numbers is None:
        numbers = number_jets(events, radius, algorithm)
        _write(file, source, numbers)
    return dataclasses.replace(events, particles={**events.particles, numbers_column(algorithm, radius): numbers})


def _read(file: Path, source: dict[str, Any], particles: int) -> Numbers | None:
    """The numbers in a file; None if it is not there, of another shard, or damaged."""
    if not file.is_file():
        return None
    with contextlib.suppress(DatasetError, OSError):
        content = read_file(file)
        if open_table(content, file, [KIND])[0]["provenance"] == source:
            numbers: Numbers = read_columns(content, file, [_COLUMN])[_COLUMN].to_numpy(zero_copy_only=False)
            if numbers.dtype == np.int16 and len(numbers) == particles:
                return numbers
    return None


def _write(file: Path, source: dict[str, Any], numbers: Numbers) -> None:
    with contextlib.suppress(OSError):  # a dataset that is read only stays as it is
        file.parent.mkdir(parents=True, exist_ok=True)
        atomic.write_bytes(file, encode_table([Column(_COLUMN, "particle", pa.array(numbers))], KIND, source))
