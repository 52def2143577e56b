"""Batches of prepared jets, epoch by epoch: from memory, or from files with the next window read in the background."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from jetgram.fanout import read_ahead
from jetgram.inputs.representation import Representation, concatenate
from jetgram.inputs.scaler import Scaler
from jetgram.training.order import Numbers, cuts, windows
from jetgram.training.prepared import Prepared


class Batch(NamedTuple):
    """The jets of one step: which of `trees`, with targets `(jets, outputs)` and weights `(jets,)`.

    Where several processes train together, these are the jets of one of them, maybe none; `all_jets` counts those of
    all. Where a training asks for them, with masses `(jets,)`, NaN for jets that are not background, and with the
    numbers of perturbed copies of the jets among `trees`.
    """

    trees: Representation
    jets: Numbers
    targets: NDArray[np.float32]
    weights: NDArray[np.float32]
    all_jets: int
    mass: NDArray[np.float32] | None = None
    copies: Numbers | None = None


class Source(Protocol):
    """Where trees come from."""

    def load(self, jets: Numbers) -> tuple[Representation, Numbers]:
        """The trees of these jets (or events), scaled, maybe others too; and where among them that of each jet is.

        Args:
            jets: rising numbers.
        """
        ...


class Resident:
    """All trees, in memory.

    Args:
        prepared: the jets.
        scaler: of their features.
    """

    def __init__(self, prepared: Prepared, scaler: Scaler) -> None:
        blocks = range(len(prepared.starts) - 1)
        self._trees = concatenate([prepared.block(number).scaled(scaler) for number in blocks])

    def load(self, jets: Numbers) -> tuple[Representation, Numbers]:
        """All trees; each jet is at its number."""
        return self._trees, jets


class Streamed:
    """Trees that are read when they are needed; the arguments are those of `Resident`."""

    def __init__(self, prepared: Prepared, scaler: Scaler) -> None:
        self._prepared, self._scaler = prepared, scaler

    def load(self, jets: Numbers) -> tuple[Representation, Numbers]:
        """The trees of the blocks that hold these jets; of a block with few of them, only theirs."""
        starts = self._prepared.starts
        blocks = (
            np.unique(np.searchsorted(starts, jets, side="right") - 1) if len(jets) else np.zeros(1, dtype=np.int64)
        )
        parts, places, before = [], [], 0
        for number in blocks.tolist():
            inside = jets[slice(*np.searchsorted(jets, starts[number : number + 2]))] - starts[number]
            block = self._prepared.block(number)
            if 2 * len(inside) < len(block):
                block, inside = block[inside], np.arange(len(inside))
            parts.append(block.scaled(self._scaler))
            places.append(inside + before)
            before += len(block)
        return concatenate(parts), np.concatenate(places)


class WithCopies:
    """Trees, and behind them the trees of perturbed copies of the same jets, pool by pool.

    Args:
        nominal: the jets.
        pools: copies of all of them, in the same blocks.
    """

    def __init__(self, nominal: Source, pools: Sequence[Source]) -> None:
        self._nominal, self._pools = nominal, pools
        self._together: Representation | None = None

    def load(self, jets: Numbers) -> tuple[Representation, Numbers]:
        """Those of the jets, of the copies of the first pool, and so on; and where those of the jets themselves are."""
        trees, places = self._nominal.load(jets)
        if self._together is not None:
            return self._together, places
        together = concatenate([trees, *(pool.load(jets)[0] for pool in self._pools)])
        if isinstance(self._nominal, Resident):  # all of them, once and for all: the parts are not needed any more
            self._together, self._pools = together, ()
        return together, places


class _Window(NamedTuple):
    """What a process reads of a window, in the order of an epoch.

    Args:
        jets: their rising numbers.
        order: which of them is seen when.
        pools: the pool of the copy of each jet, from 1, in that order; 0 for the jet itself.
        cuts: where the parts of batches begin and end, in that order.
        all_jets: the jets of each batch, of all processes.
    """

    jets: Numbers
    order: Numbers
    pools: Numbers
    cuts: Numbers
    all_jets: Numbers


class Feed:
    """The batches of a training: every jet once per epoch, in an order that follows from seed and epoch alone.

    Args:
        source: the trees.
        starts: first jet of each block, and the end, `(blocks + 1,)`.
        jets: rising numbers of the jets to train with.
        targets: of all jets, `(jets, outputs)`, as the network is to give them.
        weights: of all jets, `(jets,)`.
        batch: jets in a step.
        seed: of the order.
        mass: of all jets, NaN for those that are not background, `(jets,)`; None where nothing looks at it.
        pools: of perturbed copies, which the source has behind the jets.
        paired: give every jet its copy; otherwise half of the jets are copies.
    """

    def __init__(
        self,
        source: Source,
        starts: Numbers,
        jets: Numbers,
        targets: NDArray[np.float32],
        weights: NDArray[np.float32],
        batch: int,
        seed: int,
        mass: NDArray[np.float32] | None = None,
        pools: int = 0,
        paired: bool = False,
    ) -> None:
        self._source, self._starts, self._jets = source, starts, jets
        self._targets, self._weights = targets, weights
        self._batch, self._seed = batch, seed
        self._mass, self._pools, self._paired = mass, pools, paired

    def __len__(self) -> int:
        return len(self._jets)

    def batches(self, epoch: int, start: int = 0, rank: int = 0, size: int = 1) -> Iterator[Batch]:
        """The batches of an epoch, without the first `start` of them; of each, the part of process `rank` of `size`."""
        found = list(self._windows(epoch, start, rank, size))
        with contextlib.closing(read_ahead(self._source.load, [window.jets for window in found])) as loaded:
            for window, (trees, places) in zip(found, loaded, strict=True):
                yield from self._cut(window, trees, places[window.order])

    def _cut(self, window: _Window, trees: Representation, members: Numbers) -> Iterator[Batch]:
        """The batches of a window whose jets are these members of `trees`."""
        jets = window.jets[window.order]
        copies = members + window.pools * (len(trees) // (self._pools + 1))
        mass = None if self._mass is None else self._mass[jets]
        targets, weights = self._targets[jets], self._weights[jets]
        seen = members if self._paired else copies
        for (begin, end), all_jets in zip(
            itertools.pairwise(window.cuts.tolist()), window.all_jets.tolist(), strict=True
        ):
            yield Batch(
                trees,
                seen[begin:end],
                targets[begin:end],
                weights[begin:end],
                all_jets,
                None if mass is None else mass[begin:end],
                copies[begin:end] if self._paired else None,
            )

    def _windows(self, epoch: int, start: int, rank: int, size: int) -> Iterator[_Window]:
        """The windows of an epoch with the batches that are left after the first `start`."""
        for number, blocks in enumerate(windows(len(self._starts) - 1, self._seed, epoch)):
            jets = np.concatenate([self._members(block) for block in blocks])
            order = np.random.default_rng([self._seed, epoch, number]).permutation(len(jets))
            batches = cuts(len(jets), self._batch)
            skipped = min(start, len(batches) - 1)
            start -= skipped
            if skipped < len(batches) - 1:
                pools, batches = self._drawn_pools(epoch, number, len(jets)), batches[skipped:]
                mine = dealt(batches, rank, size)
                chosen = np.sort(order[mine])
                seen = np.searchsorted(chosen, order[mine])
                yield _Window(jets[chosen], seen, pools[mine], np.searchsorted(mine, batches), np.diff(batches))

    def _drawn_pools(self, epoch: int, window: int, jets: int) -> Numbers:
        """The pool of each jet's copy; without pairs, 0 for every other jet or so, which is seen as it is."""
        if not self._pools:
            return np.zeros(jets, dtype=np.int64)
        rng = np.random.default_rng([self._seed, epoch, window, 1])
        pools = rng.integers(1, self._pools + 1, jets)
        return pools if self._paired else np.where(rng.random(jets) < 0.5, pools, 0)

    def _members(self, block: int) -> Numbers:
        """The jets of a block to train with."""
        begin, end = np.searchsorted(self._jets, self._starts[block : block + 2])
        return self._jets[begin:end]


def dealt(batches: Numbers, rank: int, size: int) -> Numbers:
    """The positions that one of several processes takes of batches: of each one every `size`-th, from its `rank`-th on.

    Args:
        batches: where they begin and end.
        rank: of the process.
        size: how many processes there are.

    Example:
        >>> dealt(np.array([0, 5, 8]), rank=1, size=2)
        array([1, 3, 6])
    """
    position = np.arange(batches[0], batches[-1])
    turn = (position - np.repeat(batches[:-1], np.diff(batches))) % size
    mine: Numbers = position[turn == rank]
    return mine
