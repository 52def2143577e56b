"""Jagged four-momenta: many jets, or many events, as one flat array and its offsets.

`Jets` and `Events` are the same structure with different meaning: group `i` holds the momenta
`momenta[offsets[i]:offsets[i + 1]]`. Other numbers are kept with them: `columns` one value per group (a label, a
weight), `particles` one value per momentum (a particle class), `ragged` any number of rows per group (soft particles).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jetgram import kinematics
from jetgram.errors import BadJetError
from jetgram.ragged import (
    Offsets,
    Ragged,
    checked_offsets,
    locate,
    offsets_of,
    real_numbers,
    sum_groups,
    take_rows,
)

if TYPE_CHECKING:
    import awkward as ak

Array = NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Preprocessed:
    """What was done to jets that are in the frame of their own subjets.

    Args:
        trim: the fraction of pT below which subjets were dropped; None where all were kept.
    """

    trim: float | None = None


@dataclasses.dataclass(frozen=True, eq=False)
class Momenta:
    """Groups of four-momenta `(px, py, pz, E)`, in GeV.

    Args:
        momenta: all momenta, shape `(n, 4)`.
        offsets: where each group starts and the last one ends, shape `(groups + 1,)`, from 0 to n.
        columns: one value (or row) per group, each of length `groups`.
        particles: one value (or row) per momentum, each of length `n`.
        ragged: any number of rows per group, each with as many groups.
        preprocessed: set by `jetgram.preprocess`; None for jets as they were found. No column of a file can set it.
    """

    _inner: ClassVar[str] = "particles"

    momenta: Array
    offsets: Offsets
    columns: Mapping[str, NDArray[Any]] = dataclasses.field(default_factory=dict)
    particles: Mapping[str, NDArray[Any]] = dataclasses.field(default_factory=dict)
    ragged: Mapping[str, Ragged] = dataclasses.field(default_factory=dict)
    preprocessed: Preprocessed | None = None

    def __post_init__(self) -> None:
        momenta = np.ascontiguousarray(real_numbers(self.momenta, "momenta"), dtype=np.float64)
        if momenta.ndim != 2 or momenta.shape[1] != 4:
            raise BadJetError(f"momenta have shape {momenta.shape}; expected (n, 4) with columns px, py, pz, E")
        object.__setattr__(self, "momenta", momenta)
        object.__setattr__(self, "offsets", checked_offsets(self.offsets, len(momenta)))
        object.__setattr__(self, "columns", _as_arrays(self.columns))
        object.__setattr__(self, "particles", _as_arrays(self.particles))
        lengths = ((self.columns, len(self)), (self.particles, len(momenta)), (self.ragged, len(self)))
        for values, length in lengths:
            for name, value in values.items():
                found = len(value) if isinstance(value, Ragged) or np.ndim(value) else 0
                if found != length:
                    raise BadJetError(f"column {name!r} has {found} values; expected {length}")

    @classmethod
    def from_awkward(cls, array: ak.Array, map: Mapping[str, str] | None = None) -> Self:
        """From an Awkward array with one entry per group; every field that is no coordinate is kept as a column.

        Args:
            array: lists of records with fields such as `px, py, pz, E` or `pt, eta, phi, mass`, or of vector's
                `Momentum4D`; or records with such a list; or records with one list per coordinate.
            map: from coordinates to fields, where their names do not tell: `{"px": "part_px", ...}`.

        Example:
            >>> import awkward as ak
            >>> array = ak.Array([[{"px": 3.0, "py": 4.0, "pz": 0.0, "E": 5.0, "charge": 1}], []])
            >>> momenta = Momenta.from_awkward(array)
            >>> momenta.multiplicity, momenta.particles["charge"]
            (array([1, 0]), array([1]))
        """
        from jetgram.interchange import assemble_awkward

        found = assemble_awkward(array, map)
        return cls(found.momenta, found.offsets, found.columns, found.particles, found.ragged)

    @classmethod
    def from_padded(
        cls,
        array: ArrayLike,
        order: str | Sequence[str] = "pxpypzE",
        mask: ArrayLike | None = None,
        columns: Mapping[str, NDArray[Any]] | None = None,
    ) -> Self:
        """From a padded array `(groups, m, k)`; a place holds no particle where it is masked or its momentum is zero.

        Args:
            array: one row of k numbers per particle; NumPy's masked arrays are understood.
            order: names of the k columns: `Epxpypz`, `ptetaphim`, `ptyphipid`, `pt,eta,phi,charge`, ...: Cartesian or
                pT, eta (or the rapidity y) and phi; with E, a mass, a PDG id, or massless. Other names become particle
                columns; a column `mask` is understood.
            mask: which places hold a particle, `(groups, m)`.
            columns: one value per group.

        Example:
            >>> padded = np.array([[[5.0, 3.0, 4.0, 0.0], [0.0, 0.0, 0.0, 0.0]]], dtype=np.float32)
            >>> Jets.from_padded(padded, "Epxpypz", columns={"label": np.array([1])}).momenta
            array([[3., 4., 0., 5.]])
        """
        from jetgram.columns import unpad
        from jetgram.coordinates import momentum_names, parse_order, to_momenta

        values = array if isinstance(array, np.ma.MaskedArray) else np.asarray(array)
        flat, layout = unpad(values, parse_order(order), mask=None if mask is None else np.asarray(mask))
        used = {*(momentum_names(list(flat)) or ()), "mask"} - {"pdgid"}
        particles = {name: value for name, value in flat.items() if name not in used}
        return cls(to_momenta(flat), layout.offsets, columns or {}, particles)

    @classmethod
    def from_lists(cls, groups: Sequence[ArrayLike]) -> Self:
        """From a list with one array `(n, 4)` per group; `[]` is an empty group.

        Example:
            >>> Momenta.from_lists([[[3.0, 4.0, 0.0, 5.0]], []]).multiplicity
            array([1, 0])
            >>> Momenta.from_lists([[[3.0, 4.0, 0.0, 5.0, 0.0, 0.0, 1.0, 1.0]]])
            Traceback (most recent call last):
            jetgram.errors.BadJetError: group 0 has shape (1, 8); expected (n, 4) with columns px, py, pz, E
        """
        arrays = [_rows_of_four(number, group) for number, group in enumerate(groups)]
        offsets = offsets_of(np.array([len(a) for a in arrays], dtype=np.int64))
        return cls(np.concatenate([np.empty((0, 4)), *arrays]), offsets)

    def to_awkward(self) -> ak.Array:
        """One record per group: a list of `Momentum4D` records, ready for `vector.register_awkward()`, and all columns.

        The list is called `constituents` (of jets) or `particles` (of events); `from_awkward` gives the same back.
        """
        from jetgram.interchange import to_awkward

        return to_awkward(self._inner, self.momenta, self.offsets, self.particles, self.columns, self.ragged)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int | np.integer[Any]) -> Array: ...

    @overload
    def __getitem__(self, index: slice | Sequence[int] | NDArray[Any]) -> Self: ...

    def __getitem__(self, index: Any) -> Any:
        """One group's momenta `(n, 4)` for an integer; a smaller collection for a slice, a mask or indices."""
        if isinstance(index, tuple) and index[1:] == (...,):  # as scikit-learn takes rows
            index = index[0]
        if isinstance(index, (int, np.integer)):
            return self.momenta[slice(*self.offsets[locate(index, len(self)) :][:2])]
        chosen = np.arange(len(self))[index]
        rows, offsets = take_rows(self.offsets, chosen)
        columns = {name: value[chosen] for name, value in self.columns.items()}
        particles = {name: value[rows] for name, value in self.particles.items()}
        ragged = {name: value[chosen] for name, value in self.ragged.items()}
        return type(self)(self.momenta[rows], offsets, columns, particles, ragged, self.preprocessed)

    def __repr__(self) -> str:
        extra = f", columns: {', '.join(self.columns)}" if self.columns else ""
        return f"<{type(self).__name__}: {len(self)} with {len(self.momenta)} momenta{extra}>"

    @property
    def shape(self) -> tuple[int]:
        """How many groups, as scikit-learn asks for it: jets and events can be split like arrays."""
        return (len(self),)

    @property
    def multiplicity(self) -> Offsets:
        """Momenta in each group, shape `(groups,)`."""
        return np.diff(self.offsets)

    @property
    def group(self) -> Offsets:
        """The group each momentum belongs to, shape `(n,)`."""
        return np.repeat(np.arange(len(self)), self.multiplicity)

    @property
    def total(self) -> Array:
        """Sum of the momenta of each group, shape `(groups, 4)`."""
        return sum_groups(self.momenta, self.offsets)

    def with_columns(self, **columns: NDArray[Any]) -> Self:
        """The same momenta with more (or replaced) columns, one value per group."""
        return dataclasses.replace(self, columns={**self.columns, **columns})


class Jets(Momenta):
    """Jets as groups of constituents, `(px, py, pz, E)` in GeV.

    Example:
        >>> import numpy as np
        >>> momenta = np.array([[3.0, 4.0, 0.0, 5.0], [30.0, 40.0, 0.0, 50.0], [0.0, 6.0, 8.0, 10.0]])
        >>> jets = Jets(momenta, np.array([0, 2, 3]))
        >>> jets
        <Jets: 2 with 3 momenta>
        >>> jets.pt
        array([55.,  6.])
        >>> jets[[1]].multiplicity
        array([1])
    """

    _inner = "constituents"

    @property
    def pt(self) -> Array:
        """Transverse momentum of each jet, shape `(jets,)`."""
        return kinematics.pt(self.total)

    @property
    def eta(self) -> Array:
        """Pseudorapidity of each jet, shape `(jets,)`."""
        return kinematics.eta(self.total)

    @property
    def phi(self) -> Array:
        """Azimuth of each jet, shape `(jets,)`."""
        return kinematics.phi(self.total)

    @property
    def mass(self) -> Array:
        """Invariant mass of each jet, shape `(jets,)`."""
        return kinematics.mass(self.total)


class Events(Momenta):
    """Events as groups of visible particles, or of calorimeter towers, `(px, py, pz, E)` in GeV."""


M = TypeVar("M", bound=Momenta)


def _rows_of_four(number: int, group: ArrayLike) -> Array:
    rows = np.asarray(real_numbers(group, f"group {number}"), dtype=np.float64)
    if rows.size == 0:
        return rows.reshape(0, 4)
    if rows.ndim != 2 or rows.shape[1] != 4:
        raise BadJetError(f"group {number} has shape {rows.shape}; expected (n, 4) with columns px, py, pz, E")
    return rows


def _as_arrays(columns: Mapping[str, Any]) -> Mapping[str, NDArray[Any]]:
    """Columns as arrays: a Series of pandas takes rows by their labels, not by their places."""
    if all(isinstance(values, np.ndarray) for values in columns.values()):
        return columns
    return {name: np.asarray(values) for name, values in columns.items()}
