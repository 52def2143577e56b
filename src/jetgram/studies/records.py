"""Records in CSV files that grow over days and machines: one line each, and a damaged one spoils no other."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from jetgram.errors import DatasetError, SettingsError
from jetgram.settings import Settings
from jetgram.storage import atomic
from jetgram.storage.manifest import read_file

R = TypeVar("R", bound=Settings)


def read_records(file: Path, kind: type[R], what: str) -> list[tuple[int, R | str]]:
    """The lines of a file: number and record of each; of a damaged one, what is wrong with it.

    Args:
        file: with the names of the fields in its first line.
        kind: of the records.
        what: the file is, for errors.
    """
    columns = tuple(kind.model_fields)
    reader = csv.DictReader(io.StringIO(read_file(file).decode(errors="replace")))
    missing = [name for name in columns if name not in (reader.fieldnames or ())]
    if missing:
        raise DatasetError(f"{file} is no {what}: it has no column {missing[0]!r}; expected {', '.join(columns)}")
    return [(reader.line_num, _record(line, kind)) for line in reader]


def _record(line: dict[str | Any, Any], kind: type[R]) -> R | str:
    columns = tuple(kind.model_fields)
    if None in line:
        return f"{len(line[None])} columns too many"
    if any(line[name] is None for name in columns):
        return f"cut off after {sum(line[name] is not None for name in columns)} of {len(columns)} columns"
    try:
        return kind.create(**{name: line[name] for name in columns})
    except SettingsError as error:
        return str(error)


def append_records(file: Path, kind: type[R], records: Iterable[R], what: str) -> None:
    """Add records to a file, made if missing; a crash leaves the old file or the new one, never a part.

    Args:
        file: as for `read_records`, like the following.
        kind: of the records.
        records: those that are there already are not added again.
        what: the file is.
    """
    before = read_file(file).decode() if file.exists() else _text([tuple(kind.model_fields)])
    there = {record for _, record in (read_records(file, kind, what) if file.exists() else ())}
    new = [record for record in dict.fromkeys(records) if record not in there]
    if not new and file.exists():
        return
    if not before.endswith("\n"):
        before += "\n"
    atomic.write_bytes(file, (before + _text(map(_cells, new))).encode())


def _cells(record: Settings) -> list[str]:
    return [_cell(value) for value in record.model_dump().values()]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return str(int(value) if isinstance(value, bool) else value)


def _text(lines: Iterable[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue()
