"""Jets in an npz file as jetgram itself has them in memory: all momenta, and the offsets of the jets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from jetgram.columns import Assembled, require_columns
from jetgram.errors import BadJetError, DatasetError, JetgramError
from jetgram.kinematics import COLUMNS
from jetgram.momenta import Jets
from jetgram.ragged import checked_offsets
from jetgram.readers.class_columns import class_columns, columns_by_class, stacked
from jetgram.readers.files.npz import NpzFile
from jetgram.readers.files.table_file import Span, TableFile, spans
from jetgram.readers.options import ReadOptions
from jetgram.readers.source import Chunk, OtherFormatError, Source
from jetgram.storage.manifest import Kind

MOMENTA, OFFSETS = "p4", "offsets"
CLASS_KINDS = "biufUS"  # types of an array of classes: numbers and text


class JetgramNpz(Source):
    """Arrays `p4 (n, 4)` and `offsets (jets + 1,)`; others by their length: one value per jet, or per momentum."""

    layout = "npz"
    title = "npz with p4 (n, 4) = px, py, pz, E, offsets (jets + 1), and any columns"
    special = frozenset({"label", "weight"})

    def __init__(self, path: Path, file: TableFile | None, options: ReadOptions) -> None:
        super().__init__(path, file, options)
        if not isinstance(file, NpzFile):
            raise OtherFormatError
        self.file = file
        missing = [name for name in (MOMENTA, OFFSETS) if name not in file.headers]
        if missing:
            raise DatasetError(f"{path} has no array {missing[0]}; it has: {', '.join(file.headers) or 'none'}")
        header = file.headers[MOMENTA]
        if header.shape[1:] != (len(COLUMNS),) or header.dtype.kind not in "biuf":
            found = f"{MOMENTA} has shape {header.shape} and type {header.dtype}"
            raise DatasetError(f"{path}: {found}; expected numbers {', '.join(COLUMNS)} for each particle, (n, 4)")
        self._momenta = header.shape[0]
        try:
            self._offsets = checked_offsets(file.array(OFFSETS), self._momenta)
        except BadJetError as error:
            raise self._within(error) from None
        try:
            self._label = class_columns(self._of_rows(), options)
            self._require_readable()
            self._per_jet, self._per_particle = self._sorted()
            require_columns(dict.fromkeys(self._per_jet), [*self._label, *filter(None, [options.weight])])
        except JetgramError as error:
            raise self._within(error) from None

    @classmethod
    def detects(cls, path: Path, file: TableFile | None) -> bool:
        """Whether both arrays are there."""
        return isinstance(file, NpzFile) and {MOMENTA, OFFSETS} <= file.headers.keys()

    @property
    def kind(self) -> Kind:
        """Jets."""
        return "jets"

    @property
    def rows(self) -> int:
        """Jets of the file."""
        return len(self._offsets) - 1

    def pieces(self, step: int) -> list[list[Span]]:
        """One piece: what is compressed is read from its beginning."""
        return [spans(0, self.rows, step)]

    def stream(self, chunks: Sequence[Span]) -> Iterator[Chunk]:
        """See `Source.stream`."""
        inside = [(int(self._offsets[begin]), int(self._offsets[end])) for begin, end in chunks]
        wanted = dict.fromkeys([MOMENTA, *self._per_particle], inside) | dict.fromkeys(self._per_jet, chunks)
        for (begin, end), found in zip(chunks, self.file.stream_arrays(wanted), strict=True):
            arrays = {name: np.asarray(array) for name, array in found.items()}
            try:
                jets = Jets(arrays.pop(MOMENTA), self._offsets[begin : end + 1] - self._offsets[begin])
                label = stacked(arrays, self._label)
            except JetgramError as error:
                raise self._within(error) from None
            columns = {name: arrays[name] for name in self._per_jet if name not in self._label}
            if self.options.weight:
                columns["weight"] = columns.pop(self.options.weight)
            particles = {name: arrays[name] for name in self._per_particle}
            said = {name: jets.momenta[:, i] for i, name in enumerate(COLUMNS)}
            made = Assembled(jets.momenta, jets.offsets, columns, particles, {}, said, {})
            names = f"{self.path.name}: jet {{}}"
            yield Chunk(self._collection(made), np.arange(begin, end), names, said, label)

    def label_names(self) -> Iterator[np.ndarray[tuple[int, ...], np.dtype[np.str_]]] | None:
        """The classes, if they are names."""
        if len(self._label) != 1 or self.file.headers[self._label[0]].dtype.kind not in "US":
            return None
        return iter([self.file.array(self._label[0]).astype(str)])

    def classes(self) -> tuple[str, ...] | None:
        """The names of the arrays of one-hot classes, without what they have in common."""
        return tuple(columns_by_class(self._label)) or None

    def close(self) -> None:
        """Close the file."""
        self.file.close()

    def _require_readable(self) -> None:
        """Raise a `DatasetError` for a class that is there but is neither numbers nor text."""
        kinds = {name: self.file.headers[name].dtype for name in self._label}
        strange = next((name for name, dtype in kinds.items() if dtype.kind not in CLASS_KINDS), None)
        if strange is not None:
            raise DatasetError(f"{strange} has type {kinds[strange]}; expected numbers or text, one per jet")

    def _of_rows(self) -> dict[str, str]:
        """The other arrays that have a value per jet, of any type."""
        others = {name: header for name, header in self.file.headers.items() if name not in (MOMENTA, OFFSETS)}
        return {name: str(header.dtype) for name, header in others.items() if header.shape[:1] == (self.rows,)}

    def _sorted(self) -> tuple[list[str], list[str]]:
        """The other arrays by their length: those of jets, and those of momenta."""
        per_jet, per_particle = [], []
        weight = "weight" if self.options.weight is None else self.options.weight
        for name, header in self.file.headers.items():
            if name in (MOMENTA, OFFSETS):
                continue
            if not (name in (*self._label, weight) or self.options.carries(name)):
                continue
            readable = CLASS_KINDS if name in self._label else "biuf"
            if header.dtype.kind not in readable:
                self.left_out[name] = f"its type is {header.dtype}"
            elif header.shape[:1] == (self.rows,):
                per_jet.append(name)
            elif header.shape == (self._momenta,):
                per_particle.append(name)
            else:
                raise DatasetError(
                    f"{self.path}: {name} has shape {header.shape}; "
                    f"expected {self.rows} entries (jets) or {self._momenta} (momenta)"
                )
        return per_jet, per_particle
