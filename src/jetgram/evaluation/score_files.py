"""The score file: Parquet, one row per jet, with page checksums and a digest of all it says.

Its columns are the model's outputs (`score` of a classifier, one column per target of a regressor), `label`, `pt`,
`mass`, `weight` and `jet`; its metadata hold the provenance. Equal scores give equal bytes.

Example:
    >>> import tempfile
    >>> from jetgram.evaluation.scores import Provenance
    >>> scores = Scores.create({"score": [0.9, 0.2]}, label=[1, 0], pt=[270.0, 280.0], mass=[80.0, 60.0],
    ...                        provenance=Provenance(model="gated kt", seed=1))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_scores(f"{folder}/scores.parquet", scores)
    ...     read_scores(f"{folder}/scores.parquet")
    <Scores of gated kt, seed 1: 2 jets>
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
from numpy.typing import NDArray

from jetgram.errors import DatasetError, SettingsError
from jetgram.evaluation.scores import COLUMNS, Provenance, Scores
from jetgram.storage import atomic
from jetgram.storage.manifest import read_file
from jetgram.storage.tables import Column, open_table, read_columns, require_seal, stream_table

KIND = "scores"


def write_scores(path: Path | str, scores: Scores) -> None:
    """Write a score file: a crash at any moment leaves the old file or the new one, never a part."""
    stream_scores(path, [scores])


def stream_scores(path: Path | str, parts: Iterable[Scores]) -> int:
    """The same for scores that come piece by piece: memory does not grow with their number, the bytes are the same.

    Args:
        path: of the file; it is there when the last piece is.
        parts: at least one; of one model and dataset, one after the other.

    Returns:
        the number of jets.
    """
    parts = iter(parts)
    first = next(parts)
    columns = map(_columns, itertools.chain([first], parts))
    with atomic.writing(Path(path)) as file:
        return stream_table(file, columns, KIND, first.provenance.model_dump(mode="json"))


def _columns(scores: Scores) -> list[Column]:
    columns = [Column(name, "output", pa.array(values)) for name, values in scores.outputs.items()]
    return columns + [Column(name, "column", pa.array(values)) for name, values in scores.columns.items()]


def read_scores(path: Path | str) -> Scores:
    """Read a score file back; a damaged or foreign one, or a score that is no number, is an error with its name."""
    path = Path(path)
    if path.is_dir():
        how = "`jetgram predict MODEL DATASET --out FILE` writes one"
        raise DatasetError(f"{path} is not a regular file, but a folder; expected a score file: {how}")
    content = read_file(path)
    header, roles = open_table(content, path, [KIND])
    for name in COLUMNS:
        if roles.get(name) != "column":
            raise DatasetError(f"{path} has no column {name!r}; it has: {', '.join(roles)}")
    columns_found = read_columns(content, path, list(roles))
    require_seal(header, roles, columns_found, path)
    arrays = {name: _numbers(values, path, name) for name, values in columns_found.items()}
    outputs = {name: arrays[name] for name, role in roles.items() if role == "output"}
    try:
        provenance = Provenance.create(**header["provenance"])
    except SettingsError as error:
        raise DatasetError(f"{path}: {error}") from error
    columns = {name: arrays[name] for name in COLUMNS}
    return Scores.create(outputs, **columns, provenance=provenance, source=str(path))


def _numbers(values: pa.Array, path: Path, name: str) -> NDArray[Any]:
    if not (pa.types.is_integer(values.type) or pa.types.is_floating(values.type)) or values.null_count:
        raise DatasetError(
            f"{path}: column {name!r} holds {values.type}, {values.null_count} missing; expected a number in every row"
        )
    numbers: NDArray[Any] = values.to_numpy(zero_copy_only=False)
    return numbers
