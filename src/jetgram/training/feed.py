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
from jetgram.ragged import offsets_of
from jetgram.training.order import Numbers, cuts, windows
from jetgram.training.prepared import Prepared


class Batch(NamedTuple):
    """The jets of one step: which of `trees`, with targets `(jets, outputs)` and weights `(jets,)`.

    Where a training asks for them, with masses `(jets,)`, NaN for jets that are not background, and with the numbers of
    perturbed copies of the jets among `trees`.
    """

    trees: Representation
    jets: Numbers
    targets: NDArray[np.float32]
    weights: NDArray[np.float32]
    mass: NDArray[np.float32] | None = None
    copies: Numbers | None = None


class Source(Protocol):
    """Where trees come from."""

    def load(self, blocks: Numbers) -> Representation:
        """The trees, or events, of these blocks, scaled; maybe others too."""
        ...

    def first(self, blocks: Numbers) -> Numbers:
        """Where in that schedule the trees of each block begin."""
        ...


class Resident:
    """All trees, in memory.

    Args:
        prepared: the jets.
        scaler: of their features.
    """

    def __init__(self, prepared: Prepared, scaler: Scaler) -> None:
        self._starts = prepared.starts
        blocks = range(len(prepared.starts) - 1)
        self._trees = concatenate([prepared.block(number).scaled(scaler) for number in blocks])

    def load(self, blocks: Numbers) -> Representation:
        """All trees."""
        return self._trees

    def first(self, blocks: Numbers) -> Numbers:
        """The first tree of each block."""
        return self._starts[blocks]


class Streamed:
    """Trees that are read when they are needed; the arguments are those of `Resident`."""

    def __init__(self, prepared: Prepared, scaler: Scaler) -> None:
        self._prepared, self._scaler = prepared, scaler

    def load(self, blocks: Numbers) -> Representation:
        """The trees of these blocks, one block after the other."""
        return concatenate([self._prepared.block(int(number)).scaled(self._scaler) for number in blocks])

    def first(self, blocks: Numbers) -> Numbers:
        """The first tree of each block."""
        return offsets_of(np.diff(self._prepared.starts)[blocks])[:-1]


class WithCopies:
    """Trees, and behind them the trees of perturbed copies of the same jets, pool by pool.

    Args:
        nominal: the jets.
        pools: copies of all of them, in the same blocks.
    """

    def __init__(self, nominal: Source, pools: Sequence[Source]) -> None:
        self._nominal, self._pools = nominal, pools
        self._together: Representation | None = None

    def load(self, blocks: Numbers) -> Representation:
        """Those of these blocks: the jets, the copies of the first pool, and so on."""
        if self._together is not None:
            return self._together
        trees = concatenate([source.load(blocks) for source in (self._nominal, *self._pools)])
        if isinstance(self._nominal, Resident):  # all of them, once and for all: the parts are not needed any more
            self._together, self._pools = trees, ()
        return trees

    def first(self, blocks: Numbers) -> Numbers:
        """The first nominal tree of each block."""
        return self._nominal.first(blocks)


class _Part(NamedTuple):
    """A window in the order of an epoch.

    Args:
        blocks: of prepared jets.
        trees: the positions of the jets in them.
        pools: the pool of the copy of each jet, from 1; 0 for the jet itself.
        jets: their numbers.
        cuts: where batches begin and end.
    """

    blocks: Numbers
    trees: Numbers
    pools: Numbers
    jets: Numbers
    cuts: Numbers


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

    def batches(self, epoch: int, start: int = 0) -> Iterator[Batch]:
        """The batches of an epoch, without the first `start` of them."""
        parts = list(self._parts(epoch, start))
        with contextlib.closing(read_ahead(self._source.load, [part.blocks for part in parts])) as schedules:
            for part, trees in zip(parts, schedules, strict=True):
                for begin, end in itertools.pairwise(part.cuts):
                    yield self._one(trees, part, slice(begin, end))

    def _one(self, trees: Representation, part: _Part, some: slice) -> Batch:
        jets, members = part.jets[some], part.trees[some]
        copies = members + part.pools[some] * (len(trees) // (self._pools + 1))
        mass = None if self._mass is None else self._mass[jets]
        targets, weights = self._targets[jets], self._weights[jets]
        if self._paired:
            return Batch(trees, members, targets, weights, mass, copies)
        return Batch(trees, copies, targets, weights, mass)

    def _parts(self, epoch: int, start: int) -> Iterator[_Part]:
        """The windows of an epoch with the batches that are left after the first `start`."""
        for number, blocks in enumerate(windows(len(self._starts) - 1, self._seed, epoch)):
            members = [self._members(block) for block in blocks]
            shift = np.repeat(self._source.first(blocks) - self._starts[blocks], [len(some) for some in members])
            jets = np.concatenate(members)
            order = np.random.default_rng([self._seed, epoch, number]).permutation(len(jets))
            batches = cuts(len(jets), self._batch)
            skipped = min(start, len(batches) - 1)
            start -= skipped
            if skipped < len(batches) - 1:
                pools = self._drawn_pools(epoch, number, len(jets))
                yield _Part(blocks, (jets + shift)[order], pools, jets[order], batches[skipped:])

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
