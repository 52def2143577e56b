"""Records in CSV files that grow over days and machines: one line each, and a damaged one spoils no other.

The last column, `check`, begins the SHA-256 of the rest of its line, so that a digit that was changed is seen. Lines
without it, as files had them before, are taken as they are.

Fields with a default came later: a file may be without their columns, and gets them with its next line. Where their
cells are empty, the check does not count them, so that old lines stay what they are.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

import pydantic

from jetgram.errors import DatasetError, SettingsError
from jetgram.settings import Settings
from jetgram.storage import atomic
from jetgram.storage.csv_files import csv_text
from jetgram.storage.manifest import read_file
from jetgram.storage.sealed import sha256_of

R = TypeVar("R", bound=Settings)

CHECK = "check"
AS_IT_IS = "surrogateescape"  # how bytes that are no text stay what they are
CHECK_DIGITS = 8
DIGITS = 16  # of a digest; enough to tell datasets and settings apart

Digest = Annotated[str, pydantic.Field(pattern=rf"^[0-9a-f]{{{DIGITS}}}$")]
Positive = Annotated[float, pydantic.Field(ge=0, allow_inf_nan=False)]


def empty_is_none(value: object) -> object:
    """What a cell says that may be empty, before it is checked."""
    return None if value == "" else value


def read_columns(file: Path) -> list[str]:
    """The names in the first line of a file."""
    return _cells_of(read_file(file).decode(errors="replace").partition("\n")[0]) or []


def read_records(file: Path, kind: type[R], what: str) -> list[tuple[int, R | str]]:
    """The lines of a file: number and record of each; of a damaged one, what is wrong with it.

    Args:
        file: with the names of the fields in its first line.
        kind: of the records.
        what: the file is, for errors.
    """
    first, *lines = read_file(file).decode(errors="replace").split("\n")
    names = _cells_of(first) or []
    needed = [name for name, field in kind.model_fields.items() if field.is_required()]
    missing = [name for name in needed if name not in names]
    if missing:
        raise DatasetError(f"{file} is no {what}: it has no column {missing[0]!r}; expected {', '.join(needed)}")
    return [(number, _record(line, names, kind)) for number, line in enumerate(lines, start=2) if line.strip()]


def _record(line: str, names: Sequence[str], kind: type[R]) -> R | str:
    cells = _cells_of(line)
    if cells is None:
        return "no line of CSV"
    if len(cells) > len(names):
        return f"{len(cells) - len(names)} columns too many"
    if len(cells) < len(names):
        return f"cut off after {len(cells)} of {len(names)} columns"
    found = dict(zip(names, cells, strict=True))
    values = {name: found.get(name, "") for name in kind.model_fields}
    try:
        record = kind.create(**values)
    except SettingsError as error:
        return str(error)
    if CHECK in found and found[CHECK] != _check(kind, values.values()):
        return "changed after it was written: its check does not fit"
    return record


def _cells_of(line: str) -> list[str] | None:
    """The cells of a line; None where it is none."""
    try:
        return next(csv.reader([line]))
    except (csv.Error, StopIteration):
        return None


def _check(kind: type[Settings], cells: Iterable[str]) -> str:
    fields = zip(kind.model_fields.values(), cells, strict=True)
    counted = [cell for field, cell in fields if cell or field.is_required()]
    return sha256_of("\n".join(counted).encode(errors="replace"))[:CHECK_DIGITS]


def append_records(file: Path, kind: type[R], records: Iterable[R], what: str) -> None:
    """Add records to a file, made if missing; a crash leaves the old file or the new one, never a part.

    Args:
        file: as for `read_records`, like the following.
        kind: of the records.
        records: those that are there already are not added again.
        what: the file is.
    """
    before = _with_all_columns(file, kind) if file.exists() else csv_text([(*kind.model_fields, CHECK)])
    there = {record for _, record in (read_records(file, kind, what) if file.exists() else ())}
    new = [record for record in dict.fromkeys(records) if record not in there]
    if not new and file.exists():
        return
    if not before.endswith("\n"):
        before += "\n"
    names = _cells_of(before.splitlines()[0]) or []  # in whatever order, with whatever else
    columns = (*kind.model_fields, CHECK)
    found = [dict(zip(columns, (*cells, _check(kind, cells)), strict=True)) for cells in map(_cells, new)]
    lines = [[cells.get(name, "") for name in names] for cells in found]
    atomic.write_bytes(file, (before + csv_text(lines)).encode(errors=AS_IT_IS))


def _with_all_columns(file: Path, kind: type[Settings]) -> str:
    """The text of a file, with empty cells for the columns that came later; lines that are damaged stay as they are."""
    text = read_file(file).decode(errors=AS_IT_IS)
    first, *lines = text.split("\n")
    names = _cells_of(first) or []
    columns = [*kind.model_fields, *([CHECK] if CHECK in names else [])]
    if all(name in names for name in columns):
        return text
    found = [(line, _cells_of(line) or []) for line in lines]
    rows = [
        csv_text([[dict(zip(names, cells, strict=True)).get(name, "") for name in columns]]).removesuffix("\n")
        if len(cells) == len(names)
        else line
        for line, cells in found
    ]
    return "\n".join([",".join(columns), *rows])


def _cells(record: Settings) -> list[str]:
    return [_cell(value) for value in record.model_dump().values()]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return str(int(value) if isinstance(value, bool) else value)
