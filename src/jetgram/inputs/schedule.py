"""Trees in the order in which the engines read them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jetgram import backend
from jetgram.errors import BadJetError
from jetgram.inputs.representation import Arrays, Representation
from jetgram.inputs.scaler import Scaler, Scaling
from jetgram.ragged import Offsets, checked_offsets, numbers, numbers_in_range, offsets_of
from jetgram.trees.trees import Trees


@dataclasses.dataclass(frozen=True, eq=False)
class Schedule(Representation):
    r"""Many trees with the features of their nodes, each tree breadth first with siblings side by side.

    Row 0 of a tree is its root; the children of its i-th inner row are rows $2i + 1$ (left) and $2i + 2$ (right): one
    flag a row, inner or leaf, is the whole tree. Prepared once, a schedule serves all batches of all epochs.

    Args:
        features: what the network reads at each node, scaled, `(rows, features)`.
        inner: whether each row is an inner node, `(rows,)`.
        offsets: first row of each tree and the end, `(jets + 1,)`.
    """

    features: NDArray[np.floating[Any]]
    inner: NDArray[np.bool_]
    offsets: Offsets

    def __post_init__(self) -> None:
        if self.features.ndim != 2 or self.inner.shape != self.features.shape[:1]:
            raise BadJetError(
                f"a schedule needs features (rows, columns) and inner (rows,); "
                f"found {self.features.shape} and {self.inner.shape}"
            )
        object.__setattr__(self, "features", np.ascontiguousarray(self.features))
        object.__setattr__(self, "inner", np.ascontiguousarray(self.inner, dtype=np.bool_))
        object.__setattr__(self, "offsets", checked_offsets(self.offsets, len(self.inner)))

    @classmethod
    def from_trees(cls, trees: Trees, features: ArrayLike, dtype: type[np.floating[Any]] = np.float32) -> Schedule:
        """The schedule of trees with the given features of their nodes, `(nodes, features)`.

        Example:
            >>> children = np.array([[-1, -1], [-1, -1], [-1, -1], [2, 0], [1, 3]], dtype=np.int32)
            >>> trees = Trees(np.ones((5, 4)), children, np.array([0, 5]))
            >>> schedule = Schedule.from_trees(trees, [[0.0], [1.0], [2.0], [3.0], [4.0]])
            >>> schedule.features[:, 0], schedule.inner
            (array([4., 1., 3., 2., 0.], dtype=float32), array([ True, False,  True, False, False]))
        """
        values = np.asarray(features, dtype=dtype)
        if values.ndim != 2 or len(values) != len(trees.momenta):
            raise BadJetError(f"features have shape {values.shape}; expected ({len(trees.momenta)}, columns)")
        order, inner = breadth_first(trees)
        return cls(values.take(order, axis=0), inner, trees.offsets)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The precision of the features."""
        return self.features.dtype

    def __repr__(self) -> str:
        return f"<Schedule: {len(self)} trees with {len(self.inner)} nodes of {self.features.shape[1]} features>"

    def _of_rows(self, rows: NDArray[np.int64], offsets: Offsets) -> Schedule:
        return Schedule(self.features.take(rows, axis=0), self.inner.take(rows), offsets)

    @property
    def views(self) -> tuple[Schedule, ...]:
        """The schedule of each topology: this one alone."""
        return (self,)

    def fit_scaler(self, scaling: Scaling = "robust") -> Scaler:
        """The scaler of the features of all nodes, of all topologies together."""
        return Scaler.fit(np.concatenate([view.features for view in self.views]), scaling)

    def scaled(self, scaler: Scaler) -> Schedule:
        """The same trees with scaled features."""
        return joined([Schedule(scaler.transform(v.features), v.inner, v.offsets) for v in self.views])

    @classmethod
    def concatenate(cls, parts: Sequence[Schedule]) -> Schedule:
        """The trees of several schedules, in their order."""
        topologies = zip(*(part.views for part in parts), strict=True)
        return joined([_concatenate(of_topology) for of_topology in topologies])

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Rows of each tree, and of each topology the features and which rows are inner nodes."""
        arrays: dict[str, NDArray[Any]] = {"rows": self.counts}
        for number, view in enumerate(self.views):
            arrays |= {f"features_{number}": view.features, f"inner_{number}": view.inner}
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Schedule:
        """What `to_arrays` made arrays of."""
        offsets = offsets_of(arrays["rows"])  # the same for all topologies: they have the same leaves
        topologies = sum(name.startswith("inner_") for name in arrays)
        return joined([Schedule(arrays[f"features_{i}"], arrays[f"inner_{i}"], offsets) for i in range(topologies)])

    def jets(self, index: ArrayLike | None = None) -> NDArray[np.int64]:
        """The numbers of the chosen trees as an array, by default of all; the engines check their range."""
        return numbers(index, len(self))

    def levels(self, jets: ArrayLike | None = None) -> Iterator[Level]:
        """The chosen trees level by level: all roots, their children, and so on down to the deepest leaf.

        The children of a level's inner rows are the rows of the next level, in pairs and in the same order.
        """
        chosen = numbers_in_range(jets, len(self), ("jet", "trees"))
        begin = self.offsets[chosen]
        end = begin + 1
        inner_before = offsets_of(self.inner)
        while len(begin):
            rows = np.repeat(begin - offsets_of(end - begin)[:-1], end - begin) + np.arange(np.sum(end - begin))
            yield Level(rows, np.flatnonzero(self.inner[rows]))
            children = 2 * (inner_before[end] - inner_before[begin])
            has_more = children > 0
            begin, end = end[has_more], (end + children)[has_more]


@dataclasses.dataclass(frozen=True, eq=False)
class Level:
    """The nodes at one depth of many trees.

    Args:
        rows: their rows in the schedule.
        inner: which of `rows` are inner nodes, as positions in `rows`.
    """

    rows: NDArray[np.int64]
    inner: NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False)
class StereoSchedule(Schedule):
    """The trees of one topology, and with them those of other topologies over the same jets.

    Args:
        others: the schedules of the other topologies, as long as this one.
    """

    others: tuple[Schedule, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        for other in self.others:
            if len(other) != len(self):
                raise BadJetError(f"stereo trees belong to the same jets; found {len(self)} and {len(other)} trees")

    @property
    def views(self) -> tuple[Schedule, ...]:
        """The schedule of each topology; the first one is this schedule itself."""
        return (self, *self.others)

    def __getitem__(self, index: Any) -> StereoSchedule:
        """The jets of a slice, a mask, a list of indices or a single index."""
        first = super().__getitem__(index)
        others = tuple(other[index] for other in self.others)
        return StereoSchedule(first.features, first.inner, first.offsets, others)


def joined(views: Sequence[Schedule]) -> Schedule:
    """One schedule of several topologies over the same jets; of one alone, itself."""
    first, *others = views
    return StereoSchedule(first.features, first.inner, first.offsets, tuple(others)) if others else first


def _concatenate(parts: Sequence[Schedule]) -> Schedule:
    rows = np.cumsum([0, *(len(part.inner) for part in parts)])
    ends = [part.offsets[1:] + first for part, first in zip(parts, rows, strict=False)]
    return Schedule(
        np.concatenate([part.features for part in parts]),
        np.concatenate([part.inner for part in parts]),
        np.concatenate([np.zeros(1, dtype=np.int64), *ends]),
    )


def breadth_first(trees: Trees) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The node of `trees` in each row of their schedule, and whether it is an inner node; both `(nodes,)`."""
    core = backend.native_core()
    if core is None:
        return _breadth_first_reference(trees)
    order = np.empty(len(trees.momenta), dtype=np.int64)
    inner = np.empty(len(trees.momenta), dtype=np.bool_)
    children = np.ascontiguousarray(trees.children, dtype=np.int32)
    try:
        core.breadth_first(children, trees.offsets, backend.threads(), order, inner)
    except ValueError as error:
        raise BadJetError(str(error)) from None
    return order, inner


def _breadth_first_reference(trees: Trees) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """`breadth_first` without the native core: levels of all trees, then sorted by tree."""
    _require_trees(trees)
    nodes = np.concatenate([np.empty(0, dtype=np.int64), *trees.levels()])
    tree = np.searchsorted(trees.offsets, nodes, side="right")
    order = nodes[np.argsort(tree, kind="stable")]
    return order, ~trees.is_leaf[order]


def _require_trees(trees: Trees) -> None:
    """Raise a `BadJetError` unless children come before their parents and every node but the root has one parent."""
    node = np.arange(len(trees.momenta)) - trees.first
    inner = np.flatnonzero(~trees.is_leaf)
    children = trees.children[inner]
    bad = np.any((children < 0) | (children >= node[inner, None]), axis=1)
    uses = np.bincount((children[~bad] + trees.first[inner[~bad], None]).reshape(-1), minlength=len(node))
    uses[trees.root] += 1
    wrong = np.concatenate([inner[bad], np.flatnonzero(uses != 1)])
    if len(wrong):
        tree = int(np.searchsorted(trees.offsets, wrong[0], side="right")) - 1
        raise BadJetError(f"tree {tree}: a node has two nodes before it as children, or none; every node is used once")
