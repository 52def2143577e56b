"""What all files with tables have in common."""

from __future__ import annotations

import abc
import importlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType, TracebackType
from typing import ClassVar, Literal, Self

import numpy as np

from jetgram.columns import Column, Jagged
from jetgram.extras import needed_for

Span = tuple[int, int]  # rows from, to
# Values per row: one number (or as many for every row), any number of them, text, or something else.
Shape = Literal["row", "list", "text", "other"]


def spans(start: int, stop: int, step: int) -> list[Span]:
    """The rows from `start` to `stop`, cut every `step`.

    Example:
        >>> spans(0, 25, 10)
        [(0, 10), (10, 20), (20, 25)]
    """
    return [(begin, min(begin + step, stop)) for begin in range(start, stop, step)]


def together(blocks: Sequence[Span], step: int) -> list[list[Span]]:
    """Neighbouring blocks put together up to `step` rows, and larger ones cut: pieces that are read in one go each.

    Args:
        blocks: rows that the file holds together: reading a part of a block costs as much as reading all of it.
        step: rows of a chunk.

    Example:
        >>> together([(0, 4), (4, 8), (8, 12), (12, 40)], step=10)
        [[(0, 8)], [(8, 12)], [(12, 22), (22, 32), (32, 40)]]
    """
    pieces: list[list[Span]] = []
    start = stop = blocks[0][0] if blocks else 0
    for begin, end in blocks:
        if end - start > step and stop > start:
            pieces.append(spans(start, stop, step))
            start = begin
        stop = end
    return [*pieces, spans(start, stop, step)] if stop > start else pieces


class Closing(abc.ABC):
    """What is closed at the end of its `with` statement."""

    @abc.abstractmethod
    def close(self) -> None:
        """Close the file."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class TableFile(Closing):
    """A file with one table or several, all columns of a table with equally many rows.

    Args:
        path: the file.
    """

    format: ClassVar[str]

    def __init__(self, path: Path) -> None:
        self.path = path
        self._members: dict[tuple[str, str], tuple[str, ...]] = {}

    @abc.abstractmethod
    def tables(self) -> list[str]:
        """Names of the tables."""

    @abc.abstractmethod
    def columns(self, table: str) -> Mapping[str, Shape]:
        """Names and shapes of a table's columns."""

    @abc.abstractmethod
    def rows(self, table: str) -> int:
        """Rows of a table."""

    def pieces(self, table: str, step: int) -> list[list[Span]]:
        """All rows in chunks of at most `step`, those together that are best read one after the other."""
        return [[span] for span in spans(0, self.rows(table), step)]

    def stream(self, table: str, names: Sequence[str], chunks: Sequence[Span]) -> Iterator[dict[str, Column]]:
        """Some columns of the chunks of a piece, one after the other.

        Args:
            table: its name.
            names: of columns; `E_*` is all columns of such names, by number, as one array `(rows, columns)`.
            chunks: rows that follow each other.
        """
        if not chunks:
            return
        members = {name: self.members(table, name) if "*" in name else (name,) for name in names}
        plain = list(dict.fromkeys(name for some in members.values() for name in some))
        for found in self._stream(table, plain, chunks):
            yield {name: _stacked(name, [found[each] for each in some]) for name, some in members.items()}

    def read(self, table: str, names: Sequence[str], span: Span) -> dict[str, Column]:
        """Some columns of some rows."""
        return next(self.stream(table, names, [span]))

    def members(self, table: str, pattern: str) -> tuple[str, ...]:
        """The columns that a pattern such as `E_*` means: those with a number in place of the star, by number."""
        if (table, pattern) not in self._members:
            self._members[table, pattern] = self._find_members(table, pattern)
        return self._members[table, pattern]

    def _find_members(self, table: str, pattern: str) -> tuple[str, ...]:
        start, _, end = pattern.partition("*")
        numbers = {}
        for name in self.columns(table):
            middle = name.removeprefix(start).removesuffix(end)
            if middle.isdecimal() and name == start + middle + end:
                numbers[int(middle)] = name
        return tuple(numbers[number] for number in sorted(numbers))

    def _stream(self, table: str, names: Sequence[str], chunks: Sequence[Span]) -> Iterator[dict[str, Column]]:
        for span in chunks:
            yield self._read(table, names, span)

    @abc.abstractmethod
    def _read(self, table: str, names: Sequence[str], span: Span) -> dict[str, Column]: ...


def _stacked(name: str, columns: Sequence[Column]) -> Column:
    """The columns of a pattern as one array; a plain name has one column."""
    if "*" not in name:
        return columns[0]
    return np.stack([column for column in columns if not isinstance(column, Jagged)], axis=1)


def require_package(name: str, path: Path) -> ModuleType:
    """A package of the extra `readers`, or an error that says how to install it."""
    with needed_for(f"reading {path}"):
        return importlib.import_module(name)
