"""Events as a network reads them: sequences of jets, or of particles."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jetgram.errors import BadJetError
from jetgram.inputs.representation import Arrays, Representation
from jetgram.inputs.scaler import NO_SPREAD, Scaler, Scaling
from jetgram.inputs.schedule import Schedule
from jetgram.ragged import Offsets, checked_offsets, numbers_in_range, offsets_of

Numbers = NDArray[np.int64]

COLUMNS = ("phi", "eta", "pt", "mass")
LEAST_MASS = 0.1  # GeV: masses of less spread are rounding, as those of massless towers; photons and pions have more
LEAST = tuple(LEAST_MASS if name == "mass" else NO_SPREAD for name in COLUMNS)


@dataclasses.dataclass(frozen=True, eq=False)
class EventSchedule(Representation):
    r"""Many events, each a sequence of jets (or of particles) by falling pT, with the trees of the jets if there are.

    Args:
        momenta: $v(t_j) = (\phi, \eta, p_T, m)$ of each jet as it was found, scaled or not, `(jets, 4)`.
        offsets: first jet of each event and the end, `(events + 1,)`.
        trees: of all jets, as many as `momenta`; None where the network reads nothing but `momenta`.

    Example:
        >>> events = EventSchedule(np.zeros((3, 4), dtype=np.float32), np.array([0, 1, 3]))
        >>> events[[1]]
        <EventSchedule: 1 events with 2 jets>
        >>> EventSchedule(np.zeros((3, 4)), np.array([0, 3, 3]))
        Traceback (most recent call last):
        jetgram.errors.BadJetError: event 1 has no jet; 1 of 2 such events
    """

    momenta: NDArray[np.floating[Any]]
    offsets: Offsets
    trees: Schedule | None = None

    def __post_init__(self) -> None:
        if self.momenta.ndim != 2 or self.momenta.shape[1] != len(COLUMNS):
            raise BadJetError(f"the jets of events have shape {self.momenta.shape}; expected (jets, {len(COLUMNS)})")
        object.__setattr__(self, "offsets", checked_offsets(self.offsets, len(self.momenta)))
        if self.trees is not None and len(self.trees) != len(self.momenta):
            raise BadJetError(
                f"events with {len(self.momenta)} jets have {len(self.trees)} trees; expected one per jet"
            )
        require_jets(self.offsets)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The precision of the momenta and of the trees' features, the higher one."""
        trees = self.momenta.dtype if self.trees is None else self.trees.dtype
        return np.result_type(self.momenta.dtype, trees)

    def __repr__(self) -> str:
        return f"<EventSchedule: {len(self)} events with {len(self.momenta)} jets>"

    def _of_rows(self, rows: Numbers, offsets: Offsets) -> EventSchedule:
        return EventSchedule(self.momenta.take(rows, axis=0), offsets, None if self.trees is None else self.trees[rows])

    def fit_scaler(self, scaling: Scaling = "robust") -> Scaler:
        """The scaler of the trees' features, if there are trees, and then of the jets' momenta."""
        momenta = Scaler.fit(self.momenta, least=LEAST)
        return momenta if self.trees is None else self.trees.fit_scaler(scaling).join(momenta)

    def scaled(self, scaler: Scaler) -> EventSchedule:
        """The same events with scaled momenta and features."""
        nodes, jets = scaler[: -len(COLUMNS)], scaler[-len(COLUMNS) :]
        trees = None if self.trees is None else self.trees.scaled(nodes)
        return EventSchedule(jets.transform(self.momenta), self.offsets, trees)

    @classmethod
    def concatenate(cls, parts: Sequence[EventSchedule]) -> EventSchedule:
        """The events of several, in their order."""
        trees = [part.trees for part in parts if part.trees is not None]
        return cls(
            np.concatenate([part.momenta for part in parts]),
            offsets_of(np.concatenate([part.counts for part in parts])),
            Schedule.concatenate(trees) if trees else None,
        )

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Jets of each event, their momenta, and the arrays of their trees."""
        trees = {} if self.trees is None else self.trees.to_arrays()
        return {"jets": self.counts, "momenta": self.momenta, **trees}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> EventSchedule:
        """What `to_arrays` made arrays of."""
        trees = Schedule.from_arrays(arrays) if "rows" in arrays else None
        return cls(arrays["momenta"], offsets_of(arrays["jets"]), trees)

    @property
    def hardest(self) -> NDArray[np.floating[Any]]:
        """Transverse momentum and mass of the hardest jet (or particle) of each event, `(events, 2)`."""
        return self.momenta[self.offsets[:-1], 2:]

    def steps(self, events: ArrayLike | None = None) -> Steps:
        """The jets of the chosen events (by default of all) in the order in which a recurrent unit takes them.

        All events end together, with their hardest jets; those with fewer jets begin later.

        Example:
            Event 1 has two jets, so that its second one, jet 2, is read alone; then jets 1 and 0 together.

            >>> events = EventSchedule(np.zeros((3, 4), dtype=np.float32), np.array([0, 1, 3]))
            >>> steps = events.steps()
            >>> steps.jets, steps.counts, steps.position
            (array([2, 1, 0]), [1, 2], array([1, 0]))
        """
        chosen = numbers_in_range(events, len(self), ("event", "events"))
        length = self.counts[chosen]
        order = np.argsort(-length, kind="stable")
        rank = np.arange(length.max(initial=0))[::-1]  # softest first
        counts = np.searchsorted(-length[order], -rank)  # events that have a jet of this rank
        event = np.arange(counts.sum()) - np.repeat(offsets_of(counts)[:-1], counts)
        jets = self.offsets[chosen[order]][event] + np.repeat(rank, counts)
        position = np.empty_like(order)
        position[order] = np.arange(len(order))
        return Steps(jets, counts.tolist(), position)


class Steps(NamedTuple):
    """Events as steps of a recurrent unit.

    Args:
        jets: numbers of the jets of the first step, then of the second, ...
        counts: jets in each step.
        position: where in a step each of the chosen events is, `(events,)`.
    """

    jets: Numbers
    counts: list[int]
    position: Numbers


def require_jets(offsets: Offsets, first_event: int = 0) -> None:
    """Raise a `BadJetError` that names the first event without a jet."""
    empty = np.flatnonzero(np.diff(offsets) == 0)
    if len(empty):
        count = f"{len(empty)} of {len(offsets) - 1} such events"
        raise BadJetError(f"event {first_event + empty[0]} has no jet; {count}")
