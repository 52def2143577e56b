"""Lines of numbers from several files, put together: those that belong, and why the others do not."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from jetgram.storage.csv_files import write_csv

REFUSED = "refused.csv"

DAMAGED = "damaged line"
NO_ROW = "no such row"
WRONG_SEED = "seed does not fit"
OTHER_SETTINGS = "other settings"
OTHER_PROVENANCE = "dataset made with other settings or versions"
OTHER_DATASET = "another dataset"
CONTRADICTION = "contradicts another line"

Objections = Iterator[tuple[str, str]]  # a reason out of those above, and details


class Numbers(Protocol):
    """A line, as it is checked."""

    @property
    def identity(self) -> Hashable:
        """What it speaks of: two lines of the same must agree."""
        ...

    @property
    def full_name(self) -> str:
        """The same in words."""
        ...

    @property
    def numbers(self) -> Mapping[str, object]:
        """What they must agree in."""
        ...

    @property
    def outcome(self) -> str:
        """The most important of them in words."""
        ...


N = TypeVar("N", bound=Numbers)


@dataclasses.dataclass(frozen=True)
class Refusal:
    """A line that does not count.

    Args:
        file: where it stands.
        line: its number in the file.
        name: what it speaks of, as far as it can be read.
        reason: one of the few above.
        details: what was found, and what was expected.
    """

    file: Path
    line: int
    name: str
    reason: str
    details: str


@dataclasses.dataclass(frozen=True)
class Collected:
    """What became of the lines of files.

    Args:
        refused: those that do not count.
        lines: how many each file has.
    """

    refused: tuple[Refusal, ...]
    lines: Mapping[Path, int]

    @property
    def summary(self) -> list[tuple[Path, str, list[Refusal]]]:
        """The refusals by file and reason, in this order."""
        found: dict[tuple[Path, str], list[Refusal]] = {}
        for refusal in self.refused:
            found.setdefault((refusal.file, refusal.reason), []).append(refusal)
        return [(file, reason, members) for (file, reason), members in found.items()]


class LineCheck(abc.ABC, Generic[N]):
    """Takes line after line, or refuses it; of two lines for the same thing the first counts.

    Args:
        records: those that were taken, by what they speak of.
        refused: the others.
        lines: how many each file has.
    """

    def __init__(self) -> None:
        self.records: dict[Hashable, N] = {}
        self.refused: list[Refusal] = []
        self.lines: dict[Path, int] = {}
        self._sources: dict[Hashable, str] = {}

    def take(self, file: Path, found: Sequence[tuple[int, N | str]]) -> None:
        """The lines of a file, as `read_records` gives them."""
        self.lines[file] = len(found)
        for number, record in found:
            if isinstance(record, str):
                self.refused.append(Refusal(file, number, "", DAMAGED, record))
                continue
            objection = next(self._all_objections(record), None)
            if objection is not None:
                self.refused.append(Refusal(file, number, record.full_name, *objection))
                continue
            if record.identity not in self.records:
                self.records[record.identity] = record
                self._sources[record.identity] = f"line {number} of {file}"
            self.taken(record)

    @abc.abstractmethod
    def objections(self, record: N) -> Objections:
        """What speaks against a line, whatever the others say."""

    def taken(self, record: N) -> None:
        """Is told of every line that counts."""

    def _all_objections(self, record: N) -> Objections:
        yield from self.objections(record)
        before = self.records.get(record.identity)
        if before is not None and record.numbers != before.numbers:
            details = f"found {record.outcome}, but {self._sources[record.identity]} says {before.outcome}"
            yield CONTRADICTION, details


def settings_objections(found: str, expected: str, which: str) -> Objections:
    """Against a line of other settings; `which` they are, in words."""
    if found != expected:
        yield OTHER_SETTINGS, f"found settings {found}, expected {expected}: {which}"


def data_objections(found: tuple[str, str], expected: tuple[str | None, str | None]) -> Objections:
    """Against a line of other data: digests of provenance and of bytes; None is not known, and agrees with any."""
    for what, reason, one, other in zip(
        ("provenance", "dataset"), (OTHER_PROVENANCE, OTHER_DATASET), found, expected, strict=True
    ):
        if other is not None and one != other:
            yield reason, f"found {what} {one}, expected {other}"


def write_refused(file: Path, refused: Sequence[Refusal]) -> None:
    """Write a table of all refused lines, each with its reason; an old one goes where none is refused any more."""
    if not refused:
        file.unlink(missing_ok=True)
        return
    rows = ((each.file, each.line, each.name, each.reason, each.details) for each in refused)
    write_csv(file, [("file", "line", "row", "reason", "details"), *rows])
