"""The native engine for events: jets, recurrent unit and head in one call."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jetgram import backend
from jetgram.engine.cell import Cell
from jetgram.engine.schedule import Schedule
from jetgram.errors import BadJetError, SettingsError
from jetgram.ragged import numbers

Array = NDArray[np.float32]


class Events(Protocol):
    """What the engine reads; `jetgram.models.sequences.EventSchedule` is it."""

    @property
    def momenta(self) -> NDArray[np.floating[Any]]:
        """Of each jet, `(jets, 4)`."""
        ...

    @property
    def offsets(self) -> NDArray[np.int64]:
        """First jet of each event, and the end, `(events + 1,)`."""
        ...

    @property
    def trees(self) -> Schedule | None:
        """Of all jets; None where there are none."""
        ...

    def __len__(self) -> int: ...


@functools.cache
def _engine(cell: str, features: int, hidden: int, state: int, head: tuple[int, ...]) -> Any:
    """The native object with these sizes; it keeps its memory from call to call and can be shared by threads."""
    core = backend.native_core()
    if core is None:
        raise SettingsError(f"the native engine is not there: {backend.load()[1]}")
    return core.EventEngine(cell, features, hidden, state, list(head))


class FusedEvents:
    """An event network in one call: predictions, or a training step; the twin of `FusedNetwork` for events.

    Args:
        cell: the recursive activation of jets, only its name and sizes matter here; None where momenta alone are read.
        state: the size of the recurrent unit.
        head: the widths from its states to the outputs, for example `(40, 40, 40, 1)`.
    """

    def __init__(self, cell: Cell | None, state: int, head: Sequence[int]) -> None:
        sizes = (cell.name, cell.features, cell.hidden) if cell is not None else ("", 0, 0)
        self._engine = _engine(*sizes, state, tuple(head))
        self._reads_trees = cell is not None
        self.outputs = head[-1]

    @property
    def parameter_shapes(self) -> list[tuple[int, ...]]:
        """Shapes of the weights in the order of the flat vector: the cell's, the unit's, the head's."""
        return [tuple(shape) for _, shape in self._engine.parameters]

    def predict(self, parameters: Array, events: Events, chosen: ArrayLike | None = None) -> Array:
        """The outputs for the chosen events, `(events, outputs)`."""
        picked = numbers(chosen, len(events))
        out = np.empty((len(picked), self.outputs), dtype=np.float32)
        self._engine.predict(parameters, *self._arrays(events), picked, backend.threads(), out)
        return out

    def step(
        self,
        parameters: Array,
        events: Events,
        chosen: ArrayLike | None,
        targets: Array,
        weights: Array,
        loss: str,
        gradient: Array,
    ) -> float:
        """The weighted loss of the chosen events; writes its gradient. The arguments are as in `FusedNetwork.step`."""
        picked = numbers(chosen, len(events))
        arrays = self._arrays(events)
        value = self._engine.step(parameters, *arrays, picked, targets, weights, loss, backend.threads(), gradient)
        return float(value)

    def _arrays(self, events: Events) -> tuple[NDArray[Any], ...]:
        """Trees (none of any jet, where they are not read), momenta and offsets."""
        momenta = np.ascontiguousarray(events.momenta)
        if self._reads_trees:
            trees = events.trees
            if trees is None:
                raise BadJetError("this network reads the trees of jets; these events have none")
            return trees.features, trees.inner, trees.offsets, momenta, events.offsets
        nothing = np.zeros((0, 0), dtype=np.float32), np.zeros(0, dtype=np.bool_), np.zeros(1, dtype=np.int64)
        return *nothing, momenta, events.offsets
