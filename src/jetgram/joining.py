"""Several collections of jets or events as one, and one in pieces."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jetgram.errors import BadJetError
from jetgram.momenta import M, Momenta
from jetgram.ragged import concatenate_ragged, offsets_of


def column_kinds(collection: Momenta) -> dict[str, str]:
    """What each column holds, in words: what collections must have in common to become one.

    Example:
        >>> from jetgram.momenta import Jets
        >>> momenta = np.ones((2, 4)) * [3, 4, 0, 5]
        >>> column_kinds(Jets(momenta, [0, 2], {"label": [1], "name": ["a"]}, {"charge": [0, 1]}))
        {'label': 'one per row', 'name': 'a text per row', 'charge': 'one per particle'}
    """
    kinds = {name: f"{_size(values)} per row" for name, values in collection.columns.items()}
    kinds |= {name: f"{_size(values)} per particle" for name, values in collection.particles.items()}
    return kinds | {name: f"lists of {rows.values.shape[1]} per row" for name, rows in collection.ragged.items()}


def different_columns(kinds: Sequence[Mapping[str, str]]) -> list[str]:
    """The columns that are not the same in all collections, in words; see `column_kinds`.

    Example:
        >>> different_columns([{"label": "one per row", "d0": "one per particle"}, {"d0": "lists of 1 per row"}])
        ['d0 (lists of 1 per row, one per particle)', 'label (missing, one per row)']
    """
    found = {name: sorted({some.get(name, "missing") for some in kinds}) for name in sorted({*itertools.chain(*kinds)})}
    return [f"{name} ({', '.join(each)})" for name, each in found.items() if len(each) > 1]


def concatenate(parts: Sequence[M]) -> M:
    """One collection out of several with the same columns.

    Example:
        >>> from jetgram.momenta import Jets
        >>> one = Jets(np.ones((1, 4)) * [3, 4, 0, 5], [0, 1])
        >>> concatenate([one, one.with_columns(label=[1])])
        Traceback (most recent call last):
        jetgram.errors.BadJetError: found different columns together: label (missing, one per row); expected the same in
            all: leave out those that some lack
    """
    first = parts[0]
    if any(part.preprocessed != first.preprocessed for part in parts):
        found = ", ".join(sorted({str(part.preprocessed or "jets as they were found") for part in parts}))
        raise BadJetError(f"found {found} together; expected jets that were all treated alike")
    odd = different_columns([column_kinds(part) for part in parts])
    if odd:
        raise BadJetError(
            f"found different columns together: {', '.join(odd[:10])}; "
            "expected the same in all: leave out those that some lack"
        )
    offsets = offsets_of(np.concatenate([part.multiplicity for part in parts]))
    columns = {name: np.concatenate([part.columns[name] for part in parts]) for name in first.columns}
    particles = {name: np.concatenate([part.particles[name] for part in parts]) for name in first.particles}
    ragged = {name: concatenate_ragged([part.ragged[name] for part in parts]) for name in first.ragged}
    momenta = np.concatenate([part.momenta for part in parts])
    return type(first)(momenta, offsets, columns, particles, ragged, first.preprocessed)


def chunks(collection: M, size: int) -> Iterator[tuple[int, M]]:
    """Pieces of at most `size` groups, each with the number of its first group; at least one piece.

    Example:
        >>> from jetgram.momenta import Jets
        >>> jets = Jets(np.ones((5, 4)) * [3, 4, 0, 5], np.arange(6))
        >>> [(first, len(some)) for first, some in chunks(jets, 2)]
        [(0, 2), (2, 2), (4, 1)]
    """
    if len(collection) <= size:
        yield 0, collection
        return
    for begin in range(0, len(collection), size):
        yield begin, _views(collection, begin, begin + size)


def _views(collection: M, begin: int, end: int) -> M:
    """Some groups in a row; unlike those of an index their momenta are not copied."""
    offsets = collection.offsets[begin : end + 1]
    rows = slice(offsets[0], offsets[-1])
    columns = {name: value[begin:end] for name, value in collection.columns.items()}
    particles = {name: value[rows] for name, value in collection.particles.items()}
    ragged = {name: value[begin:end] for name, value in collection.ragged.items()}
    return type(collection)(
        collection.momenta[rows], offsets - offsets[0], columns, particles, ragged, collection.preprocessed
    )


def _size(values: NDArray[Any]) -> str:
    """How many values one entry of a column has, in words."""
    if values.dtype.kind in "US":
        return "a text"
    return "one" if values.ndim == 1 else " x ".join(map(str, values.shape[1:]))
