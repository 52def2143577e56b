"""Events as sequences: of jets with their trees, of the momenta of jets, or of particles."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pydantic
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.errors import BadJetError
from jetgram.inputs.representation import InputSettings, Reading
from jetgram.inputs.scaler import Scaling
from jetgram.inputs.schedule import Schedule
from jetgram.inputs.sequences import COLUMNS, EventSchedule, require_jets
from jetgram.inputs.trees import TreeInput
from jetgram.jets.clustering import find_jets
from jetgram.jets.found import jets_by_number, numbers_column
from jetgram.momenta import Events, Jets, Momenta
from jetgram.ragged import Offsets, offsets_of

Array = NDArray[np.float64]

ALGORITHM = "antikt"


class EventInput(InputSettings):
    """What all ways to read events have in common.

    Args:
        hardest: how many jets, or particles, of an event at most; `all` for all.
    """

    collection = Events
    representation = EventSchedule
    item: ClassVar[tuple[str, str]] = ("jet", "jets")  # of a sequence: one, and several

    hardest: Annotated[int, pydantic.Field(ge=1)] | Literal["all"] = 2

    @pydantic.field_validator("hardest", mode="wrap")
    @classmethod
    def _number_or_all(cls, value: Any, handler: pydantic.ValidatorFunctionWrapHandler) -> Any:
        try:
            return handler(value)
        except pydantic.ValidationError:  # which speaks of both types, as if both were wanted
            raise ValueError("expected a whole number from 1, or all") from None

    @property
    def columns(self) -> tuple[str, ...]:
        """The momenta of the items."""
        return tuple(f"{self.item[0].split()[0]}_{name}" for name in COLUMNS)

    def flat(self) -> dict[str, Any]:
        """What decides the sequences."""
        values = self.model_dump(mode="json", exclude={"jets"})
        return {"event": values.pop("kind"), **values}

    @property
    def title(self) -> str:
        """The sequence in a few words."""
        return f"{self.hardest} {self.item[self.hardest != 1]}"


class FoundJetsInput(EventInput):
    """What the ways to read the anti-kt jets of an event have in common.

    Args:
        hardest: how many jets of an event at most; `all` for all.
        radius: of the jets.
        min_pt: jets below this pT, in GeV, are left out.
    """

    radius: float = pydantic.Field(default=1.0, gt=0, allow_inf_nan=False)
    min_pt: float = pydantic.Field(default=0.0, ge=0, allow_inf_nan=False)

    @property
    def jet_radius(self) -> float:
        """The radius of the jets."""
        return self.radius

    def find(self, events: Events, first: int = 0) -> tuple[Jets, Offsets]:
        """The jets that are read, by falling pT in each event, and the offsets of the events among them."""
        hardest = None if self.hardest == "all" else self.hardest
        particles = {name: events.particles[name] for name in self.particle_columns if name in events.particles}
        bare = Events(events.momenta, events.offsets, particles=particles)
        numbers = events.particles.get(numbers_column(ALGORITHM, self.radius))
        if numbers is None:
            jets = find_jets(bare, self.radius, ALGORITHM, hardest, self.min_pt)
        else:
            jets = jets_by_number(bare, numbers, hardest, self.min_pt)
        offsets = offsets_of(np.bincount(jets.columns["event"], minlength=len(events)))
        require_jets(offsets, first)
        return Jets(jets.momenta, jets.offsets, particles=jets.particles), offsets

    def _read(self, rows: Events, first: int) -> Reading:
        jets, offsets = self.find(rows, first)
        return _reading(EventSchedule(jet_columns(jets.total, offsets, first), offsets, self._trees(jets)))

    def _trees(self, jets: Jets) -> Schedule | None:
        return None


class JetMomentaInput(FoundJetsInput):
    """The momenta of the hardest anti-kt jets of an event; the settings are those of `FoundJetsInput`."""

    item = ("jet momentum", "jet momenta")

    kind: Literal["jet-momenta"] = "jet-momenta"


class EventJetsInput(FoundJetsInput):
    """The hardest anti-kt jets of an event, each with its momentum and its trees.

    Args:
        hardest: how many jets of an event at most; `all` for all.
        radius: of the jets.
        min_pt: jets below this pT, in GeV, are left out.
        jets: how each jet is read.

    Example:
        >>> from jetgram.kinematics import from_ptetaphim
        >>> particles = from_ptetaphim([50.0, 20.0, 30.0, 2.0], [0.0, 0.1, 2.5, 2.4], [0.1, 0.2, 3.2, 3.1])
        >>> found = EventJetsInput(hardest=2).read(Events(particles, np.array([0, 4]))).inputs
        >>> found.momenta.round(1), found.trees
        (array([[ 0.1,  0. , 69.9,  4.5],
               [-3.1,  2.5, 32. ,  1.1]], dtype=float32), <Schedule: 2 trees with 6 nodes of 7 features>)
    """

    kind: Literal["jets"] = "jets"
    jets: TreeInput = TreeInput()

    @property
    def tree_input(self) -> TreeInput:
        """How each jet is read."""
        return self.jets

    @property
    def columns(self) -> tuple[str, ...]:
        """The features of nodes, and then the momenta of the jets."""
        return (*self.jets.columns, *super().columns)

    @property
    def scaling(self) -> Scaling:
        """How the features of the nodes of jets are scaled."""
        return self.jets.scaling

    @property
    def cleans(self) -> bool:
        """Whether each jet is cleaned before its tree is built."""
        return self.jets.cleans

    @property
    def particle_columns(self) -> tuple[str, ...]:
        """What the features take of particles besides their momenta."""
        return self.jets.particle_columns

    @property
    def topologies(self) -> tuple[str, ...]:
        """The trees that are built of each jet."""
        return self.jets.topologies

    def flat(self) -> dict[str, Any]:
        """What decides the sequences and the trees."""
        return {**super().flat(), **self.jets.flat()}

    def require_particles(self, rows: Momenta) -> None:
        """Raise a `BadJetError` if the particles have not all that the features take."""
        self.jets.require_particles(rows)

    def _trees(self, jets: Jets) -> Schedule:
        found = self.jets.read(jets).inputs
        assert isinstance(found, Schedule)
        return found


class ParticlesInput(EventInput):
    """The momenta of the hardest particles of an event.

    Args:
        hardest: how many particles of an event at most; `all` for all.
    """

    item = ("particle", "particles")

    kind: Literal["particles"] = "particles"

    def _read(self, rows: Events, first: int) -> Reading:
        found, offsets = hardest_particles(rows, self.hardest)
        return _reading(EventSchedule(jet_columns(rows.momenta[found], offsets, first), offsets))


def _reading(events: EventSchedule) -> Reading:
    def measure() -> tuple[NDArray[np.floating[Any]], NDArray[np.floating[Any]]]:
        pt, mass = events.hardest.T
        return pt, mass

    return Reading(events, measure)


def hardest_particles(events: Events, hardest: int | str) -> tuple[NDArray[np.int64], Offsets]:
    """Rows of the hardest particles of each event by falling pT, and their offsets."""
    order = np.lexsort((-kinematics.pt(events.momenta), events.group))
    if hardest == "all":
        return order, events.offsets
    rank = np.arange(len(order)) - events.offsets[events.group]
    return order[rank < int(hardest)], offsets_of(np.minimum(events.multiplicity, int(hardest)))


def jet_columns(momenta: Array, offsets: Offsets, first_event: int) -> NDArray[np.float32]:
    r"""$(\phi, \eta, p_T, m)$ in single precision; momenta that are too large for it are an error."""
    functions = (kinematics.phi, kinematics.eta, kinematics.pt, kinematics.mass)
    with np.errstate(over="ignore"):
        columns = np.stack([function(momenta) for function in functions], axis=1).astype(np.float32)
    bad = ~np.isfinite(columns).all(axis=1)
    if bad.any():
        row = int(np.argmax(bad))
        event = first_event + int(np.searchsorted(offsets, row, side="right")) - 1
        raise BadJetError(f"event {event}: its momenta are too large for single precision: {momenta[row].tolist()}")
    return columns
