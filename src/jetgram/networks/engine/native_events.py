"""The native engine for events: jets, recurrent unit and head in one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from jetgram.errors import BadJetError
from jetgram.inputs.schedule import Schedule
from jetgram.networks.cells import Cell
from jetgram.networks.engine.native_engine import Fused, cell_sizes, native_object
from jetgram.networks.engine.readout import Readout


class Events(Protocol):
    """What the engine reads; `jetgram.inputs.sequences.EventSchedule` is it."""

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


class FusedEvents(Fused):
    """A cell, a recurrent unit over the jets of an event, and a head; the twin of `FusedNetwork` for events.

    Args:
        cell: the recursive activation of jets, of which kernel and sizes matter; None where momenta alone are read.
        state: the size of the recurrent unit.
        head: the widths from its states to the outputs, for example `(40, 40, 40, 1)`.
        readout: which states are the embedding of a jet.
    """

    def __init__(self, cell: Cell | None, state: int, head: Sequence[int], readout: Readout = "root") -> None:
        sizes = cell_sizes(cell) if cell is not None else ("", 0, 0)
        super().__init__(native_object("EventEngine", *sizes, state, tuple(head), readout=readout), head[-1])
        self._reads_trees = cell is not None

    def arrays(self, inputs: Events) -> tuple[NDArray[Any], ...]:
        """Trees (none of any jet, where they are not read), momenta and offsets."""
        momenta = np.ascontiguousarray(inputs.momenta)
        if self._reads_trees:
            trees = inputs.trees
            if trees is None:
                raise BadJetError("this network reads the trees of jets; these events have none")
            return trees.features, trees.inner, trees.offsets, momenta, inputs.offsets
        nothing = np.zeros((0, 0), dtype=np.float32), np.zeros(0, dtype=np.bool_), np.zeros(1, dtype=np.int64)
        return *nothing, momenta, inputs.offsets
