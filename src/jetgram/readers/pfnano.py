"""CMS PFNano: particle-flow candidates in the tree `Events`, with or without the tables that link them to jets.

With a table such as `FatJetPFCands_jetIdx, FatJetPFCands_pFCandsIdx`, rows are the jets of a collection and their
candidates; without, rows are events, which can be clustered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jetgram.columns import Assembled, Column, Jagged, assemble, one_per_row
from jetgram.errors import DatasetError, SettingsError
from jetgram.ragged import Offsets, offsets_of
from jetgram.readers.files.table_file import Span, TableFile
from jetgram.readers.options import ReadOptions
from jetgram.readers.source import Chunk, TreeSource
from jetgram.storage.manifest import Kind

CANDIDATES = "PFCands_"
COORDINATES = {name: CANDIDATES + name for name in ("pt", "eta", "phi", "mass")}
PUPPI = "puppiWeight"
WEIGHT = "genWeight"
EVENT_COLUMNS = {"run": "run", "luminosityBlock": "luminosityBlock", "event": "event_number"}


class PFNano(TreeSource):
    """Jets of candidates if the file links them, events of candidates otherwise."""

    layout = "pfnano"
    title = "CMS PFNano: ROOT, tree Events with PFCands_*; jets (--collection) where the file links them"
    special = frozenset({"collection", "puppi", "label", "weight"})
    tree = "Events"
    step = 1000

    def __init__(self, path: Path, file: TableFile | None, options: ReadOptions) -> None:
        super().__init__(path, file, options)
        self._jets = options.collection
        self._links = [name for name in self._link_names(self._jets) if name in self._there]
        self._label = options.label or None  # "" is for none
        self._weight = options.weight or (WEIGHT if WEIGHT in self._there else None)
        missing = next((name for name in (options.label, options.weight) if name and name not in self._there), None)
        if missing is not None:
            raise SettingsError(f"{path} has no branch {missing!r}")
        if options.puppi and CANDIDATES + PUPPI not in self._there:
            raise SettingsError(f"{path} has no branch {CANDIDATES + PUPPI}; leave out puppi")
        if not self._links and "collection" in options.model_fields_set:
            raise SettingsError(
                f"{path} has no links from {self._jets} to candidates; it has those of: "
                f"{', '.join(self._linked()) or 'none'}"
            )

    @classmethod
    def detects(cls, path: Path, file: TableFile | None) -> bool:
        """Whether there is a tree `Events` with candidates."""
        if file is None or not super().detects(path, file):
            return False
        return set(COORDINATES.values()) <= set(file.columns(cls.tree))

    @property
    def kind(self) -> Kind:
        """Jets if there are links, events otherwise; clustering on request ignores the links."""
        return "jets" if self._links and self.options.jets is None else "events"

    def stream(self, chunks: Sequence[Span]) -> Iterator[Chunk]:
        """See `Source.stream`."""
        of_event = [name for name in (*EVENT_COLUMNS, WEIGHT) if name in self._there]
        of_candidate = self._matching(CANDIDATES)
        of_jet = [*self._links, *self._matching(f"{self._jets}_")] if self.kind == "jets" else []
        named = [name for name in (self._label, self.options.weight) if name]
        wanted = list(dict.fromkeys([*of_event, *of_candidate, *of_jet, *named]))
        for (begin, end), table in zip(chunks, self.file.stream(self.tree, wanted, chunks), strict=True):
            yield self._chunk(table, np.arange(begin, end))

    def _chunk(self, table: Mapping[str, Column], numbers: NDArray[np.int64]) -> Chunk:
        candidates = {name: column for name, column in table.items() if name.startswith(CANDIDATES)}
        short = {name: name.removeprefix(CANDIDATES) for name in candidates}
        made = assemble(candidates, COORDINATES, {**short, f"{CANDIDATES}pdgId": "pdgid"})
        if self.options.puppi:
            made.momenta[:] *= made.particles[PUPPI][:, None]
            made.found[CANDIDATES + PUPPI] = made.particles[PUPPI]
        events = {new: np.asarray(table[name]) for name, new in EVENT_COLUMNS.items() if name in table}
        if self.kind == "jets":
            return self._jets_chunk(made, table, events, numbers)
        made.columns.update(events)
        label, weight = (self._of_events(table, name) for name in (self._label, self._weight))
        if weight is not None:
            made.columns["weight"] = weight
        return Chunk(self._collection(made), numbers, f"{self.path.name}: event {{}}", made.found, label)

    def _of_events(self, table: Mapping[str, Column], name: str | None) -> NDArray[Any] | None:
        """A branch with one value per event."""
        if name is None:
            return None
        try:
            return one_per_row(table[name], name)
        except SettingsError as error:
            raise SettingsError(f"{self.path}: {error}; rows are events") from None

    def _jets_chunk(
        self,
        made: Assembled,
        table: Mapping[str, Column],
        events: Mapping[str, NDArray[Any]],
        numbers: NDArray[np.int64],
    ) -> Chunk:
        of_jet = {name: column for name, column in table.items() if name.startswith(f"{self._jets}_")}
        first = next((column for column in of_jet.values() if isinstance(column, Jagged)), None)
        if first is None:
            raise DatasetError(f"{self.path} has links to {self._jets}, but no branch {self._jets}_*")
        rows, offsets = self._linked_rows(table, first.offsets, made.offsets)
        event = np.repeat(np.arange(len(numbers)), np.diff(first.offsets))
        per_jet = {name: column.values for name, column in of_jet.items() if isinstance(column, Jagged)}
        jets = Assembled(
            momenta=made.momenta[rows],
            offsets=offsets,
            columns={name.replace(f"{self._jets}_", "jet_", 1): values for name, values in per_jet.items()}
            | {name: values[event] for name, values in events.items()}
            | {"event": numbers[event]},
            particles={name: values[rows] for name, values in made.particles.items()},
            ragged={},
            found={name: values[rows] for name, values in made.found.items()},
            left_out={},
        )
        label, weight = (self._of_jets(table, name, first.offsets, event) for name in (self._label, self._weight))
        if weight is not None:
            jets.columns["weight"] = weight
        names = f"{self.path.name}: {self._jets} of event {{}}"
        return Chunk(self._collection(jets), numbers[event], names, jets.found, label)

    def _of_jets(
        self, table: Mapping[str, Column], name: str | None, jets: Offsets, event: NDArray[np.int64]
    ) -> NDArray[Any] | None:
        """A branch with one value per jet, or per event for all of its jets."""
        if name is None:
            return None
        column = table[name]
        if isinstance(column, Jagged) and np.array_equal(column.offsets, jets):
            return column.values
        values = self._of_events(table, name)
        return None if values is None else values[event]

    def _linked_rows(
        self, table: Mapping[str, Column], jets: Offsets, candidates: Offsets
    ) -> tuple[NDArray[np.int64], Offsets]:
        """Rows of the candidates of each jet, in the order of the links, and the jets' offsets."""
        of_jet, of_candidate = (table[name] for name in self._links)
        assert isinstance(of_jet, Jagged)
        assert isinstance(of_candidate, Jagged)
        event = np.repeat(np.arange(len(jets) - 1), np.diff(of_jet.offsets))
        jet, candidate = of_jet.values.astype(np.int64), of_candidate.values.astype(np.int64)
        wrong = (jet < 0) | (jet >= np.diff(jets)[event]) | (candidate < 0) | (candidate >= np.diff(candidates)[event])
        if wrong.any():
            first = int(np.argmax(wrong))
            raise DatasetError(
                f"{self.path}: {self._links[0]} = {jet[first]} and {self._links[1]} = {candidate[first]} name a jet or "
                f"candidate that is not there; {np.count_nonzero(wrong)} of {len(wrong)} links do"
            )
        number = jets[event] + jet
        order = np.argsort(number, kind="stable")
        offsets = offsets_of(np.bincount(number, minlength=int(jets[-1])))
        return (candidates[event] + candidate)[order], offsets

    def _matching(self, start: str) -> list[str]:
        """Lists of numbers whose names begin so and that are carried along."""
        needed = {*COORDINATES.values(), f"{self._jets}_pt", *([CANDIDATES + PUPPI] if self.options.puppi else [])}
        found = [name for name, shape in self._there.items() if name.startswith(start) and shape == "list"]
        return [name for name in found if name in needed or self.options.carries(name)]

    @staticmethod
    def _link_names(jets: str) -> tuple[str, str]:
        return f"{jets}PFCands_jetIdx", f"{jets}PFCands_pFCandsIdx"

    def _linked(self) -> list[str]:
        """The collections whose candidates are linked."""
        return [name.removesuffix("PFCands_jetIdx") for name in self._there if name.endswith("PFCands_jetIdx")]
