"""Jets that were found before: one number per particle says to which jet of its event it belongs.

Finding the jets of an event costs more than a network needs to score them. Numbers are small and serve every number of
jets and every topology; `jetgram.storage.found_jets` keeps them next to a dataset.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.errors import BadJetError
from jetgram.jets.clustering import find_jets
from jetgram.momenta import Events, Jets
from jetgram.ragged import offsets_of, sum_groups

Numbers = NDArray[np.int16]

PREFIX = "@"  # of particle columns that no file can bring along: `jetgram.storage.parquet.RESERVED`
MOST = np.iinfo(np.int16).max


def numbers_column(algorithm: str, radius: float) -> str:
    """The particle column that holds the numbers of these jets.

    Example:
        >>> numbers_column("antikt", 1.0)
        '@antikt R=1'
    """
    return f"{PREFIX}{algorithm} R={radius:g}"


def number_jets(events: Events, radius: float = 1.0, algorithm: str = "antikt") -> Numbers:
    """The number of its jet for each particle, `(n,)`: 0 for the hardest jet of the event, 1 for the next, ...

    Example:
        >>> from jetgram.kinematics import from_ptetaphim
        >>> particles = from_ptetaphim([50.0, 2.0, 20.0, 30.0], [0.0, 2.4, 0.1, 2.5], [0.1, 3.1, 0.2, 3.2])
        >>> number_jets(Events(particles, np.array([0, 4])))
        array([0, 1, 0, 1], dtype=int16)
    """
    marked = Events(events.momenta, events.offsets, particles={"row": np.arange(len(events.momenta))})
    jets = find_jets(marked, radius, algorithm, hardest=None)
    event = jets.columns["event"]
    rank = np.arange(len(jets)) - np.searchsorted(event, event)
    if len(rank) and rank.max() > MOST:
        raise BadJetError(f"event {event[np.argmax(rank)]} has {rank.max() + 1} jets; expected {MOST} at most")
    numbers = np.full(len(events.momenta), -1, dtype=np.int16)
    numbers[jets.particles["row"]] = np.repeat(rank, jets.multiplicity)
    return numbers


def jets_by_number(events: Events, numbers: Numbers, hardest: int | None = None, min_pt: float = 0.0) -> Jets:
    """The jets of the events by falling pT, as `find_jets` gives them, from the numbers of their particles.

    Args:
        events: with n particles in all.
        numbers: of `number_jets`, `(n,)`.
        hardest: how many jets per event to keep at most; None keeps all.
        min_pt: jets below this pT are left out, in GeV.
    """
    kept = np.flatnonzero((numbers >= 0) & (numbers < (MOST if hardest is None else hardest)))
    group = events.group[kept]
    order = np.lexsort((numbers[kept], group))  # stable: particles stay in the order of the event
    rows, group, number = kept[order], group[order], numbers[kept[order]]
    first = np.flatnonzero(np.diff(group, prepend=-1) | np.diff(number, prepend=np.int16(-1)))
    offsets = np.append(first, len(rows))
    if min_pt > 0:
        hard = kinematics.pt(sum_groups(events.momenta[rows], offsets)) >= min_pt
        rows, first = rows[np.repeat(hard, np.diff(offsets))], first[hard]
        offsets = offsets_of(np.diff(offsets)[hard])
    event = events.group[rows[offsets[:-1]]]
    return Jets(
        events.momenta[rows],
        offsets,
        {name: value[event] for name, value in events.columns.items()} | {"event": event},
        {name: value[rows] for name, value in events.particles.items() if not name.startswith(PREFIX)},
        {name: value[event] for name, value in events.ragged.items()},
    )
