"""Prepared jets: trees with features, targets and weights, in blocks.

They are in memory (`PreparedMemory`) or in files (`jetgram.training.blocks`). Their features are not scaled: the scaler
depends on which jets are for validation, so that many trainings can share what is prepared.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from jetgram.errors import TrainingError
from jetgram.inputs.representation import Representation, concatenate
from jetgram.progress import Advance
from jetgram.ragged import offsets_of

Array = NDArray[np.float64]


class Block(NamedTuple):
    """Some prepared jets (or events): unscaled inputs, targets `(jets, outputs)` and weights `(jets,)`."""

    trees: Representation
    targets: Array
    weights: Array


class Prepared(Protocol):
    """Prepared jets in blocks."""

    @property
    def starts(self) -> NDArray[np.int64]:
        """The number of the first jet of each block, and the end, `(blocks + 1,)`."""
        ...

    @property
    def targets(self) -> Array:
        """Of all jets, `(jets, outputs)`."""
        ...

    @property
    def weights(self) -> Array:
        """Of all jets, `(jets,)`."""
        ...

    @property
    def nbytes(self) -> int:
        """What the trees of all jets take in memory."""
        ...

    def block(self, number: int) -> Representation:
        """The trees, or events, of one block."""
        ...


@dataclasses.dataclass(frozen=True, eq=False)
class PreparedMemory:
    """Prepared jets in memory; see `Prepared`."""

    blocks: Sequence[Representation]
    targets: Array
    weights: Array

    @classmethod
    def of(cls, blocks: Iterable[Block]) -> PreparedMemory:
        """All blocks together."""
        trees, targets, weights = zip(*blocks, strict=True)
        return cls(trees, np.concatenate(targets), np.concatenate(weights))

    @property
    def starts(self) -> NDArray[np.int64]:
        """First jet of each block, and the end."""
        return offsets_of(np.array([len(block) for block in self.blocks]))

    @property
    def nbytes(self) -> int:
        """Bytes of all trees."""
        return sum(block.nbytes for block in self.blocks)

    def block(self, number: int) -> Representation:
        """The trees, or events, of one block."""
        return self.blocks[number]


def counted(blocks: Iterable[Block], advance: Advance | None) -> Iterator[Block]:
    """The same blocks, at least one; `advance` is told of the jets of each one when the next is asked for."""
    block = None
    for block in blocks:
        yield block
        if advance:
            advance(len(block.trees))
    if block is None:
        raise TrainingError("there is nothing to train with: found 0 jets or events")


def collect(prepared: Prepared, *choices: NDArray[np.int64]) -> list[Representation]:
    """The trees of chosen jets (or chosen events), one schedule for each choice; every block is read once.

    Args:
        prepared: the jets.
        choices: rising numbers of jets.
    """
    parts: list[list[Representation]] = [[] for _ in choices]
    for number, (begin, end) in enumerate(zip(prepared.starts, prepared.starts[1:], strict=False)):
        block = prepared.block(number)
        for some, chosen in zip(parts, choices, strict=True):
            inside = chosen[np.searchsorted(chosen, begin) : np.searchsorted(chosen, end)]
            if len(inside):
                some.append(block[inside - begin])
    return [concatenate(some) for some in parts]
