"""HepMC: events of a generator as text, versions 3 and 2, also compressed with gzip."""

from __future__ import annotations

import functools
import gzip
import io
import itertools
import mmap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from jetgram.coordinates import NEUTRINOS
from jetgram.errors import DatasetError
from jetgram.momenta import Events
from jetgram.ragged import offsets_of
from jetgram.readers.files.table_file import Span, TableFile, require_package, spans
from jetgram.readers.options import ReadOptions
from jetgram.readers.source import Chunk, Source
from jetgram.storage.manifest import Kind

EVENT = b"\nE "  # how the line of a new event begins
BLOCK = 1 << 24
MEV = 1e-3
# What opens the list of events -> what closes it.
LISTINGS = {
    b"HepMC::Asciiv3-START_EVENT_LISTING": b"HepMC::Asciiv3-END_EVENT_LISTING\n",
    b"HepMC::IO_GenEvent-START_EVENT_LISTING": b"HepMC::IO_GenEvent-END_EVENT_LISTING\n",
}


class HepMC(Source):
    """Events of visible particles: status 1, without neutrinos."""

    layout = "hepmc"
    title = "HepMC 3 or 2: text, also .gz; visible particles of status 1"
    step = 500

    def __init__(self, path: Path, file: TableFile | None, options: ReadOptions) -> None:
        super().__init__(path, file, options)
        self._package = require_package("pyhepmc", path)
        self._packed = _is_packed(path)

    @functools.cached_property
    def _starts(self) -> list[int]:
        return _count_packed(self.path) if self._packed else _find_events(self.path)

    @classmethod
    def detects(cls, path: Path, file: TableFile | None) -> bool:
        """Whether the text begins as HepMC does."""
        if file is not None:
            return False
        with _open(path) as text:
            try:
                return b"HepMC::" in text.read(200)
            except (OSError, EOFError):
                return False

    @property
    def kind(self) -> Kind:
        """Events."""
        return "events"

    @property
    def rows(self) -> int:
        """Events of the file."""
        return len(self._starts) - 1

    def pieces(self, step: int) -> list[list[Span]]:
        """Any events of a text; all that is compressed in one piece."""
        chunks = spans(0, self.rows, step)
        return [chunks] if self._packed else [[chunk] for chunk in chunks]

    def stream(self, chunks: Sequence[Span]) -> Iterator[Chunk]:
        """See `Source.stream`."""
        if not self._packed:
            for begin, end in chunks:
                yield self._chunk(self._part(begin, end), begin, end)
            return
        with self._package.open(self.path) as events:
            row = 0
            for begin, end in chunks:
                some = itertools.islice(events, begin - row, end - row)
                yield self._chunk(some, begin, end)
                row = end

    def _part(self, begin: int, end: int) -> Iterator[Any]:
        """The events of a part of the text, as a text of their own."""
        with self.path.open("rb") as file:
            header = file.read(self._starts[0])
            file.seek(self._starts[begin])
            content = file.read(self._starts[end] - self._starts[begin])
        opening, closing = next(((a, b) for a, b in LISTINGS.items() if a in header), (b"", b""))
        if not opening:
            raise DatasetError(f"{self.path} has no line HepMC::...-START_EVENT_LISTING; expected HepMC 3 or 2 as text")
        kind = self._package.io.ReaderAscii if b"Asciiv3" in opening else self._package.io.ReaderAsciiHepMC2
        reader = kind(self._package.io.pyiostream(io.BytesIO(header + content + closing)))
        while True:
            event = self._package.GenEvent()
            reader.read_event(event)
            if reader.failed():
                return
            yield event

    def _chunk(self, events: Iterator[Any], begin: int, end: int) -> Chunk:
        columns: dict[str, list[NDArray[Any]]] = {name: [] for name in ("px", "py", "pz", "e", "pid", "status")}
        units, numbers, weights = [], [], []
        try:
            for event in events:
                found = event.numpy.particles
                for name, values in columns.items():
                    values.append(getattr(found, name))
                in_mev = self.options.units is None and event.momentum_unit == self._package.Units.MEV
                units.append(MEV if in_mev else 1.0)  # what the user says replaces what the file says
                numbers.append(event.event_number)
                weights.append(event.weights[0] if len(event.weights) else 1.0)
        except (OSError, RuntimeError) as error:
            raise DatasetError(f"{self.path}: event {begin + len(units)} cannot be read: {error}") from error
        if len(units) != end - begin:
            raise DatasetError(
                f"{self.path}: event {begin + len(units)} cannot be read; expected {end} events: it is damaged"
            )
        event_of = np.repeat(np.arange(len(units)), [len(values) for values in columns["pid"]])
        flat = {name: np.concatenate([np.empty(0), *values]) for name, values in columns.items()}
        seen = (flat["status"] == 1) & ~np.isin(np.abs(flat["pid"]), NEUTRINOS)
        momenta = np.stack([flat[name][seen] for name in ("px", "py", "pz", "e")], axis=-1)
        rows = Events(
            momenta * np.array(units)[event_of[seen], None],
            offsets_of(np.bincount(event_of[seen], minlength=len(units))),
            {"event_number": np.array(numbers, dtype=np.int64), "weight": np.array(weights, dtype=np.float64)},
            {"pdgid": flat["pid"][seen].astype(np.int32)},
        )
        found_names = {name: rows.momenta[:, i] for i, name in enumerate(("px", "py", "pz", "e"))}
        return Chunk(rows, np.arange(begin, end), f"{self.path.name}: event {{}}", found_names)


def _is_packed(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) == b"\x1f\x8b"


def _open(path: Path) -> IO[bytes]:
    return gzip.open(path, "rb") if _is_packed(path) else path.open("rb")  # type: ignore[return-value]


def _find_events(path: Path) -> list[int]:
    """Where each event of a text begins, and where the last one ends."""
    starts = []
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        place = text.find(EVENT)
        while place >= 0:
            starts.append(place + 1)
            place = text.find(EVENT, place + 1)
        last = text.rfind(b"\nHepMC::", starts[-1] if starts else 0)
        return [*starts, last + 1 if last >= 0 else len(text)]


def _count_packed(path: Path) -> list[int]:
    """As many numbers as there are events, and one more."""
    count, end = 0, b""
    try:
        with _open(path) as text:
            while block := text.read(BLOCK):
                count += (end + block).count(EVENT)
                end = block[-2:]
    except (OSError, EOFError) as error:
        raise DatasetError(f"{path} is cut off or damaged: {error}") from error
    return list(range(count + 1))
