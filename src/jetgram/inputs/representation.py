"""What every way to read jets or events has in common.

A representation is what a network is given of many jets or events; its settings say how it is made of them. A new way
to read jets is one file: a class of each.
"""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.errors import BadJetError
from jetgram.inputs.scaler import Scaler, Scaling
from jetgram.jets.cleaning import clean
from jetgram.momenta import Jets, Momenta
from jetgram.ragged import Offsets, take_rows
from jetgram.settings import Settings
from jetgram.validity import require_good

if TYPE_CHECKING:
    from jetgram.inputs.trees import AnyTreeInput

Arrays = Mapping[str, NDArray[Any]]
Array = NDArray[np.floating[Any]]


class Representation(abc.ABC):
    """Many jets, or events, as a network reads them, scaled or not: rows in groups, one group per jet or event."""

    offsets: Offsets

    def __len__(self) -> int:
        """How many jets or events."""
        return len(self.offsets) - 1

    @property
    def counts(self) -> NDArray[np.int64]:
        """The number of rows of each jet or event, `(jets,)`."""
        return np.diff(self.offsets)

    def __getitem__(self, index: Any) -> Self:
        """Those of a slice, a mask, a list of indices or a single index."""
        return self._of_rows(*take_rows(self.offsets, np.atleast_1d(np.arange(len(self))[index])))

    @abc.abstractmethod
    def _of_rows(self, rows: NDArray[np.int64], offsets: Offsets) -> Self:
        """The jets or events that have these rows, and these offsets among them."""

    @property
    @abc.abstractmethod
    def dtype(self) -> np.dtype[Any]:
        """The precision of the numbers."""

    @abc.abstractmethod
    def fit_scaler(self, scaling: Scaling = "robust") -> Scaler:
        """The scaler of the columns.

        Args:
            scaling: of the features of nodes; other columns have one of their own.
        """

    @abc.abstractmethod
    def scaled(self, scaler: Scaler) -> Self:
        """The same with scaled columns."""

    @classmethod
    @abc.abstractmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """The jets or events of several, in their order."""

    @abc.abstractmethod
    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """As named arrays, for a file."""

    @classmethod
    @abc.abstractmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """What `to_arrays` made arrays of."""

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return sum(array.nbytes for array in self.to_arrays().values())


class HasTotal(Protocol):
    """What has a four-momentum per row: `Jets`, and their images."""

    @property
    def total(self) -> NDArray[np.float64]:
        """The sum of all momenta of each row, `(rows, 4)`."""
        ...


@dataclasses.dataclass(frozen=True, eq=False)
class Reading:
    """Jets, or events, as they were read.

    Args:
        inputs: scaled only where that was asked for.
        measure: computes pT and mass; see `pt_and_mass`.
    """

    inputs: Representation
    measure: Callable[[], tuple[Array, Array]]

    @classmethod
    def of_sum(cls, inputs: Representation, rows: HasTotal) -> Reading:
        """With pT and mass of the sum of all momenta of each row."""

        def measure() -> tuple[Array, Array]:
            total = rows.total
            return kinematics.pt(total), kinematics.mass(total)

        return cls(inputs, measure)

    @property
    def pt_and_mass(self) -> tuple[Array, Array]:
        """In GeV, each `(rows,)`: of the sum of what is read of a jet; of an event, of its hardest jet as found."""
        return self.measure()


class InputSettings(Settings, abc.ABC):
    """How jets or events are read.

    Every class has a field `kind`, by which settings in a file are told apart.
    """

    collection: ClassVar[type[Momenta]] = Jets
    representation: ClassVar[type[Representation]]

    kind: str

    @property
    def rows(self) -> str:
        """What is read: `jets` or `events`."""
        return self.collection.__name__.lower()

    @property
    @abc.abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The names of the columns that are scaled."""

    @property
    def scaling(self) -> Scaling:
        """How the features of nodes are scaled."""
        return "robust"

    @property
    def cleans(self) -> bool:
        """Whether jets are cleaned first (`jetgram.clean`), which undoes collinear splits and soft particles."""
        return False

    @property
    def particle_columns(self) -> tuple[str, ...]:
        """What the particles must have besides their momenta."""
        return ()

    def require_particles(self, rows: Momenta) -> None:
        """Raise a `BadJetError` if the particles have not all that is read of them."""

    @property
    def topologies(self) -> tuple[str, ...]:
        """The trees that are built of each jet."""
        return ()

    @property
    def tree_input(self) -> AnyTreeInput | None:
        """How jets, or the jets of events, become trees; None where they do not."""
        return None

    @property
    def jet_radius(self) -> float | None:
        """The radius of the jets that must be found in events first; None where there are none to find."""
        return None

    @abc.abstractmethod
    def flat(self) -> dict[str, Any]:
        """What decides the inputs, by the flat names of `ModelSettings`: equal ones can share what is prepared."""

    def read(self, rows: Momenta, first: int = 0, scaler: Scaler | None = None, checked: bool = False) -> Reading:
        """Jets or events as they are read, and their pT and mass.

        Args:
            rows: `Jets` as they were found, or `Events`.
            first: the number of the first row, when `rows` is a batch out of more.
            scaler: of the columns, as `Representation.scaled` takes it; None leaves them as they are.
            checked: the rows are known to be without fault.
        """
        if not checked:
            require_good(rows, self.rows.removesuffix("s"), first=first)
        if not isinstance(rows, self.collection):
            raise BadJetError(f"found {type(rows).__name__.lower()}; this model reads {self.rows}")
        return self._read(rows, first) if scaler is None else self._read_scaled(rows, first, scaler)

    @abc.abstractmethod
    def _read(self, rows: Any, first: int) -> Reading:
        """The same for rows of the right kind, without fault."""

    def _read_scaled(self, rows: Any, first: int, scaler: Scaler) -> Reading:
        """The same, scaled."""
        reading = self._read(rows, first)
        return dataclasses.replace(reading, inputs=reading.inputs.scaled(scaler))


class CleanInput(InputSettings):
    """What the ways to read jets that are cleaned first (`jetgram.clean`) have in common."""

    @property
    def scaling(self) -> Scaling:
        """By mean and standard deviation."""
        return "standard"

    @property
    def cleans(self) -> bool:
        """Jets are cleaned first."""
        return True

    def _read(self, rows: Jets, first: int) -> Reading:
        jets = clean(rows, checked=True)
        return Reading.of_sum(self._of_clean(jets), jets)

    @abc.abstractmethod
    def _of_clean(self, jets: Jets) -> Representation:
        """What is read of clean jets."""


def concatenate(parts: Sequence[Representation]) -> Representation:
    """The jets or events of several representations of one kind, in their order."""
    return type(parts[0]).concatenate(parts)
