import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_trees import random_schedule, random_trees

from jetgram import backend
from jetgram.errors import BadJetError
from jetgram.inputs.schedule import Schedule, _breadth_first_reference, breadth_first
from jetgram.trees.topologies import TOPOLOGIES
from jetgram.trees.trees import Trees

leaf_counts = st.lists(st.integers(1, 20), min_size=1, max_size=6)


def rebuilt_children(schedule: Schedule, order: np.ndarray) -> np.ndarray:
    """The children of each node, by the rule that the i-th inner row of a tree has the rows 2i + 1 and 2i + 2."""
    children = np.full((len(order), 2), -1)
    for first, end in zip(schedule.offsets[:-1], schedule.offsets[1:], strict=True):
        for i, row in enumerate(np.flatnonzero(schedule.inner[first:end])):
            children[order[first + row]] = order[first + 2 * i + 1 : first + 2 * i + 3] - first
    return children


@given(leaf_counts, st.sampled_from(list(TOPOLOGIES)))
def test_flags_and_order_are_the_whole_tree(leaves, topology):
    trees = random_trees(leaves, topology)
    order, inner = breadth_first(trees)
    np.testing.assert_array_equal(np.sort(order), np.arange(len(order)))
    np.testing.assert_array_equal(order[trees.offsets[:-1]], trees.root)
    schedule = Schedule(np.zeros((len(order), 1), dtype=np.float32), inner, trees.offsets)
    np.testing.assert_array_equal(rebuilt_children(schedule, order), trees.children)


@given(leaf_counts, st.sampled_from(list(TOPOLOGIES)))
def test_the_reference_without_the_native_core_agrees(leaves, topology):
    trees = random_trees(leaves, topology)
    for found, expected in zip(breadth_first(trees), _breadth_first_reference(trees), strict=True):
        np.testing.assert_array_equal(found, expected)


@given(leaf_counts, st.data())
def test_levels_hold_every_row_once_and_siblings_in_pairs(leaves, data):
    schedule = random_schedule(leaves)
    jets = data.draw(st.lists(st.integers(0, len(leaves) - 1), unique=True))
    levels = list(schedule.levels(jets))
    rows = np.concatenate([np.empty(0, int), *(level.rows for level in levels)])
    expected = [np.arange(schedule.offsets[j], schedule.offsets[j + 1]) for j in sorted(jets)]
    np.testing.assert_array_equal(np.sort(rows), np.concatenate([np.empty(0, int), *expected]))
    sizes = [len(level.rows) for level in levels]
    assert [2 * len(level.inner) for level in levels] == [*sizes[1:], 0][: len(levels)]
    for level in levels:
        np.testing.assert_array_equal(np.flatnonzero(schedule.inner[level.rows]), level.inner)
    if jets:
        np.testing.assert_array_equal(levels[0].rows, schedule.offsets[jets])


def test_choosing_trees():
    schedule = random_schedule([3, 1, 5])
    chosen = schedule[[2, 0]]
    np.testing.assert_array_equal(np.diff(chosen.offsets), [9, 5])
    np.testing.assert_array_equal(chosen.features[9:], schedule.features[:5])
    assert repr(chosen) == "<Schedule: 2 trees with 14 nodes of 7 features>"
    assert len(schedule[:0]) == 0
    with pytest.raises(IndexError, match="jet 3 is not among the 3 trees"):
        list(schedule.levels([0, 3]))


@pytest.mark.parametrize(
    "children",
    [
        [[-1, -1], [-1, -1], [0, 0], [-1, -1], [2, 3]],
        [[-1, -1], [-1, -1], [-1, -1], [0, 1], [0, 1]],
        [[-1, -1], [-1, -1], [-1, -1], [-1, -1], [0, 1]],
        [[-1, -1], [-1, -1], [0, 7]],
        [[-1, -1], [-1, -1], [2, 1]],
        [[-1, -1], [-1, -1], [0, -1]],
    ],
)
@pytest.mark.parametrize("core", ["native", "reference"])
def test_children_that_make_no_tree(children, core, monkeypatch):
    if core == "reference":
        monkeypatch.setattr(backend, "native_core", lambda: None)
    children = np.array(children, dtype=np.int32)
    trees = Trees(np.ones((len(children), 4)), children, np.array([0, len(children)]))
    with pytest.raises(BadJetError, match="tree 0"):
        breadth_first(trees)


def test_shapes_are_checked():
    trees = random_trees([2, 3])
    with pytest.raises(BadJetError, match="expected \\(8, columns\\)"):
        Schedule.from_trees(trees, np.zeros((7, 3)))
    with pytest.raises(BadJetError, match="found"):
        Schedule(np.zeros((3, 2)), np.zeros(4, dtype=bool), np.array([0, 3]))
    with pytest.raises(BadJetError, match="offsets"):
        Schedule(np.zeros((3, 2)), np.zeros(3, dtype=bool), np.array([0, 2]))
