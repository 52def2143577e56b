"""One file in one layout: what every reader is."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from jetgram.columns import Assembled
from jetgram.errors import DatasetError, JetgramError
from jetgram.kinematics import COLUMNS
from jetgram.momenta import Events, Jets, Momenta
from jetgram.readers.files.table_file import Closing, Span, TableFile
from jetgram.readers.options import ReadOptions
from jetgram.storage.manifest import Kind
from jetgram.storage.parquet import RESERVED
from jetgram.validity import NEEDED


class OtherFormatError(Exception):
    """A file is not of the format that a layout is for; `open_source` says what was found and what is expected."""


class OtherOptionsError(DatasetError):
    """Rows that cannot be read with these options, however often one tries, but may be with others."""


@dataclasses.dataclass(frozen=True, eq=False)
class Chunk:
    """Some rows of a file, as they are: nothing is checked yet.

    Args:
        rows: jets or events.
        numbers: of the file's row (an event, where rows are the jets of events) that each came from, `(rows,)`.
        names: what a message calls each of them, with `{}` for its number.
        found: the coordinates of the momenta as the file gives them, under its names, `(n,)` each.
        label: classes as the file gives them: integers or names `(rows,)`, or one column per class `(rows, classes)`.
    """

    rows: Momenta
    numbers: NDArray[np.int64]
    names: str
    found: dict[str, NDArray[Any]]
    label: NDArray[Any] | None = None

    def name(self, row: int) -> str:
        """What a message calls a row."""
        return self.names.format(self.numbers[row])


class Source(Closing):
    """A file, opened in a layout. A layout is a class over this one.

    Args:
        path: the file.
        file: the same, opened, if it is a file with tables.
        options: how to read it.
    """

    layout: ClassVar[str]  # its name
    title: ClassVar[str]  # what it is, in a few words
    special: ClassVar[frozenset[str]] = frozenset()  # options that only some layouts have
    step: ClassVar[int] = 10_000  # rows of a chunk

    def __init__(self, path: Path, file: TableFile | None, options: ReadOptions) -> None:
        options.require_used(self.layout, self.special)
        self.path, self.options = path, options
        self.left_out: dict[str, str] = {}  # columns that are not carried along, and why

    @classmethod
    @abc.abstractmethod
    def detects(cls, path: Path, file: TableFile | None) -> bool:
        """Whether a file has this layout."""

    @property
    @abc.abstractmethod
    def kind(self) -> Kind:
        """What a row of the chunks is: `jets` or `events`."""

    @property
    @abc.abstractmethod
    def rows(self) -> int:
        """Rows of the file."""

    @abc.abstractmethod
    def pieces(self, step: int) -> list[list[Span]]:
        """All rows in chunks of at most `step`, those together that are best read one after the other."""

    @abc.abstractmethod
    def stream(self, chunks: Sequence[Span]) -> Iterator[Chunk]:
        """The chunks of a piece, one after the other."""

    def classes(self) -> tuple[str, ...] | None:
        """The names of the classes, if the file tells them by its columns; None for integers, or if it has none."""
        return None

    def label_names(self) -> Iterator[NDArray[np.str_]] | None:
        """The classes of all rows, if the file tells them by names; None otherwise."""
        return None

    def close(self) -> None:  # most layouts have nothing to close besides their file
        """Close the file."""

    def _collection(self, made: Assembled) -> Momenta:
        """Jets or events out of columns, under names that do not collide in a dataset."""
        kind = Jets if self.kind == "jets" else Events
        taken = {*COLUMNS, *NEEDED}
        particles = {_free(name, taken, "particle"): values for name, values in made.particles.items()}
        taken.remove("weight")  # of a row, that is the only name by which it counts
        columns = {_free(name, taken, self.kind[:-1]): values for name, values in made.columns.items()}
        taken.add("weight")
        ragged = {_free(name, taken, self.kind[:-1]): values for name, values in made.ragged.items()}
        return kind(made.momenta, made.offsets, columns, particles, ragged)

    def _within(self, error: JetgramError) -> JetgramError:
        """The same error with the name of the file."""
        text = str(error)
        return error if str(self.path) in text else type(error)(f"{self.path}: {text}")


class TreeSource(Source):
    """A ROOT file with one row per event in one tree."""

    tree: ClassVar[str]  # its name

    def __init__(self, path: Path, file: TableFile | None, options: ReadOptions) -> None:
        super().__init__(path, file, options)
        if file is None or file.format != "ROOT":
            raise OtherFormatError
        self.file = file
        self._there = file.columns(self.tree)

    @classmethod
    def detects(cls, path: Path, file: TableFile | None) -> bool:
        """Whether there is such a tree."""
        return file is not None and file.format == "ROOT" and cls.tree in file.tables()

    @property
    def rows(self) -> int:
        """Events of the file."""
        return self.file.rows(self.tree)

    def pieces(self, step: int) -> list[list[Span]]:
        """See `Source.pieces`."""
        return self.file.pieces(self.tree, step)

    def close(self) -> None:
        """Close the file."""
        self.file.close()


def _free(name: str, taken: set[str], owner: str) -> str:
    """The name itself, or with its owner before it if it is taken; from now on it is taken."""
    name = name.lstrip(RESERVED)
    while name in taken:
        name = f"{owner}_{name}"
    taken.add(name)
    return name
