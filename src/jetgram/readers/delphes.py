"""Delphes: the tree `Delphes` of a ROOT file, its energy-flow objects, its towers or its generated particles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jetgram.columns import Column, Jagged
from jetgram.coordinates import NEUTRINOS, to_momenta
from jetgram.errors import SettingsError
from jetgram.momenta import Events
from jetgram.ragged import offsets_of
from jetgram.readers.files.table_file import Span, TableFile
from jetgram.readers.options import ReadOptions
from jetgram.readers.source import Chunk, TreeSource
from jetgram.storage.manifest import Kind


class Branch(NamedTuple):
    """A collection of Delphes: its coordinates, its other columns, and what it says of every particle."""

    name: str
    coordinates: Mapping[str, str]
    columns: Mapping[str, str]
    constant: Mapping[str, int]


_TOWER = {"pt": "ET", "eta": "Eta", "phi": "Phi"}
_TRACK = {"pt": "PT", "eta": "Eta", "phi": "Phi", "mass": "Mass", "pdgid": "PID"}
_IMPACT = {"d0": "D0", "dz": "DZ"}

# Photons and neutral hadrons have no PDG id in Delphes; they get those of a photon and of a long-lived kaon.
LEVELS: Mapping[str, tuple[Branch, ...]] = {
    "eflow": (
        Branch("EFlowTrack", _TRACK, {"charge": "Charge", "pdgid": "PID", **_IMPACT}, {}),
        Branch("EFlowPhoton", _TOWER, {}, {"pdgid": 22}),
        Branch("EFlowNeutralHadron", _TOWER, {}, {"pdgid": 130}),
    ),
    "towers": (Branch("Tower", _TOWER, {"eem": "Eem", "ehad": "Ehad"}, {}),),
    "particles": (
        Branch(
            "Particle",
            {"px": "Px", "py": "Py", "pz": "Pz", "E": "E"},
            {"pdgid": "PID", "charge": "Charge", "status": "Status"},
            {},
        ),
    ),
}


class Delphes(TreeSource):
    """Events of energy-flow objects, towers, or visible particles of status 1."""

    layout = "delphes"
    title = "Delphes: ROOT, tree Delphes; energy flow, towers or particles (--level)"
    special = frozenset({"level"})
    tree = "Delphes"
    step = 1000

    def __init__(self, path: Path, file: TableFile | None, options: ReadOptions) -> None:
        super().__init__(path, file, options)
        self._branches = LEVELS[options.level]
        missing = next((branch for branch in self._branches if not self._has(branch)), None)
        if missing is not None:
            levels = [level for level, branches in LEVELS.items() if all(map(self._has, branches))]
            raise SettingsError(
                f"{path} has no {missing.name}, which level={options.level} reads; it has what these levels read: "
                f"{', '.join(levels) or 'none'}"
            )

    @property
    def kind(self) -> Kind:
        """Events."""
        return "events"

    def stream(self, chunks: Sequence[Span]) -> Iterator[Chunk]:
        """See `Source.stream`."""
        names = [name for branch in self._branches for name in self._names(branch).values()]
        events = [name for name in ("Event.Number", "Event.Weight") if name in self._there]
        tables = self.file.stream(self.tree, [*dict.fromkeys(names), *events], chunks)
        for (begin, end), table in zip(chunks, tables, strict=True):
            parts = [self._particles(branch, table) for branch in self._branches]
            found = merge(parts)
            columns = {
                new: first_values(table[name], end - begin)
                for new, name in (("event_number", "Event.Number"), ("weight", "Event.Weight"))
                if name in table
            }
            rows = Events(found.momenta, found.offsets, columns, found.particles)
            yield Chunk(rows, np.arange(begin, end), f"{self.path.name}: event {{}}", found.said)

    def _has(self, branch: Branch) -> bool:
        """Whether the tree has the first three coordinates of a collection; of the others it may have some."""
        return all(f"{branch.name}.{name}" in self._there for name in list(branch.coordinates.values())[:3])

    def _names(self, branch: Branch) -> dict[str, str]:
        """From coordinates and columns to the tree's names, as far as they are there."""
        carried = {name: column for name, column in branch.columns.items() if name in ("pdgid", "status")}
        carried |= {name: column for name, column in branch.columns.items() if self.options.carries(name)}
        wanted = {**branch.coordinates, **{f"column {name}": column for name, column in carried.items()}}
        names = {key: f"{branch.name}.{column}" for key, column in wanted.items()}
        return {key: name for key, name in names.items() if name in self._there}

    def _particles(self, branch: Branch, table: Mapping[str, Column]) -> Particles:
        names = self._names(branch)
        columns: dict[str, Jagged] = {}
        for key, name in names.items():
            column = table[name]
            assert isinstance(column, Jagged)
            columns[key] = column
        if "column status" in columns:  # generated particles: those that a detector could see
            pdgid = np.abs(columns["column pdgid"].values)
            seen = (columns.pop("column status").values == 1) & ~np.isin(pdgid, NEUTRINOS)
            columns = {key: column.kept(seen) for key, column in columns.items()}
        flat = {key: column.values for key, column in columns.items() if not key.startswith("column ")}
        if "mass" in flat:
            flat.pop("pdgid", None)
        offsets = next(iter(columns.values())).offsets
        particles = {
            key.removeprefix("column "): column.values for key, column in columns.items() if key.startswith("column ")
        }
        count = int(offsets[-1])
        particles |= {name: np.full(count, value, dtype=np.int32) for name, value in branch.constant.items()}
        said = {names[key]: values for key, values in flat.items()}
        return Particles(to_momenta(flat), offsets, particles, said)


class Particles(NamedTuple):
    """The particles of one collection in many events, or of several collections."""

    momenta: NDArray[np.float64]
    offsets: NDArray[np.int64]
    particles: dict[str, NDArray[Any]]
    said: dict[str, NDArray[Any]]


def merge(parts: Sequence[Particles]) -> Particles:
    """Several collections event by event; a column that a collection does not have is zero there, unsaid ones NaN."""
    if len(parts) == 1:
        return parts[0]
    sizes = [len(part.momenta) for part in parts]
    event = np.concatenate([np.repeat(np.arange(len(part.offsets) - 1), np.diff(part.offsets)) for part in parts])
    order = np.argsort(event, kind="stable")
    offsets = offsets_of(np.sum([np.diff(part.offsets) for part in parts], axis=0))
    momenta = np.concatenate([part.momenta for part in parts])[order]
    particles = _joined([part.particles for part in parts], sizes, 0)
    said = _joined([part.said for part in parts], sizes, np.nan)
    return Particles(
        momenta,
        offsets,
        {name: values[order] for name, values in particles.items()},
        {name: values[order] for name, values in said.items()},
    )


def _joined(
    columns: Sequence[Mapping[str, NDArray[Any]]], sizes: Sequence[int], filler: float
) -> dict[str, NDArray[Any]]:
    names = dict.fromkeys(name for some in columns for name in some)
    return {
        name: np.concatenate(
            [
                some.get(name, np.full(size, filler, dtype=_dtype(columns, name, filler)))
                for some, size in zip(columns, sizes, strict=True)
            ]
        )
        for name in names
    }


def _dtype(columns: Sequence[Mapping[str, NDArray[Any]]], name: str, filler: float) -> Any:
    found = next(some[name].dtype for some in columns if name in some)
    return np.result_type(found, np.float32) if filler != filler else found


def first_values(column: Column, rows: int) -> NDArray[Any]:
    """The first value of each row; zero where there is none."""
    if not isinstance(column, Jagged):
        return column
    values = np.zeros(rows, dtype=column.values.dtype)
    filled = np.diff(column.offsets) > 0
    values[filled] = column.values[column.offsets[:-1][filled]]
    return values
