"""Which jets are for validation, and in which order the others are seen: functions of seeds alone.

In an epoch the blocks of prepared jets are visited in windows of a few dozen blocks, which fit in memory; the jets of a
window are shuffled together. Each window takes its blocks from all over the dataset, one out of each of as many
stretches, so that a dataset that is sorted (all signal first) still gives mixed windows. The order is the same whether
the blocks are in memory or in files.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jetgram.errors import TrainingError

Numbers = NDArray[np.int64]

WINDOW = 32  # blocks
LARGEST_SHARE = 5  # validation takes at most a fifth


def split_jets(usable: NDArray[np.bool_], validation: int, seed: int) -> tuple[Numbers, Numbers]:
    """Rising numbers of the jets to train with, and of those to validate with.

    Args:
        usable: which jets may be used at all.
        validation: how many are for validation; at most a fifth.
        seed: which ones.

    Example:
        >>> split_jets(np.array([True, True, False, True, True, True, True]), validation=1, seed=1)
        (array([0, 1, 3, 4, 5]), array([6]))
    """
    numbers = np.flatnonzero(usable)
    count = min(validation, len(numbers) // LARGEST_SHARE)
    if not count:
        raise TrainingError(f"{len(numbers)} jets are too few: one in {LARGEST_SHARE} is for validation")
    shuffled = np.random.default_rng([seed, len(numbers)]).permutation(numbers)
    return np.sort(shuffled[count:]), np.sort(shuffled[:count])


def at_most(jets: Numbers, most: int | None, seed: int) -> Numbers:
    """At most so many of these jets, drawn so that fewer are always among more; all of them for None.

    Example:
        >>> at_most(np.arange(6), most=2, seed=1), at_most(np.arange(6), most=3, seed=1)
        (array([4, 5]), array([1, 4, 5]))
    """
    if most is None or most >= len(jets):
        return jets
    return np.sort(np.random.default_rng([seed, 2, len(jets)]).permutation(jets)[:most])


def windows(blocks: int, seed: int, epoch: int, size: int = WINDOW) -> list[Numbers]:
    """The blocks of each window, in the order of an epoch: each block once.

    Example:
        >>> [window.tolist() for window in windows(blocks=6, seed=1, epoch=0, size=3)]
        [[0, 2, 5], [1, 3, 4]]
    """
    rng = np.random.default_rng([seed, epoch])
    count = -(-blocks // size)
    stretches = [rng.permutation(stretch) for stretch in np.split(np.arange(blocks), range(count, blocks, count))]
    found = [np.array([s[number] for s in stretches if number < len(s)]) for number in range(count)]
    return [found[number] for number in rng.permutation(count)]


def cuts(jets: int, batch: int) -> Numbers:
    """Where to cut so many jets into batches: of at most `batch`, and so equal in size that none is a small rest.

    Example:
        >>> cuts(130, batch=64)
        array([  0,  43,  86, 130])
    """
    batches = -(-jets // batch)
    return np.arange(batches + 1) * jets // max(batches, 1)
