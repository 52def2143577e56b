import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jetgram.errors import BadJetError
from jetgram.joining import concatenate
from jetgram.momenta import Jets
from jetgram.ragged import Ragged, concatenate_ragged, offsets_of


def ragged_of(counts: list[int]) -> Ragged:
    total = sum(counts)
    return Ragged(np.arange(2.0 * total).reshape(total, 2), offsets_of(np.array(counts, dtype=np.int64)))


counts_lists = st.lists(st.integers(0, 5), min_size=1, max_size=8)


@given(counts_lists, st.data())
def test_indices_pick_whole_groups(counts, data):
    ragged = ragged_of(counts)
    index = data.draw(st.lists(st.integers(0, len(counts) - 1), max_size=10))
    taken = ragged[np.array(index, dtype=np.int64)]
    assert len(taken) == len(index)
    for position, group in enumerate(index):
        np.testing.assert_array_equal(taken[position], ragged[group])


@given(counts_lists, counts_lists)
def test_concatenation_keeps_every_group(first, second):
    both = concatenate_ragged([ragged_of(first), ragged_of(second)])
    np.testing.assert_array_equal(both.counts, first + second)
    np.testing.assert_array_equal(both[: len(first)].values, ragged_of(first).values)
    np.testing.assert_array_equal(both[len(first) :].values, ragged_of(second).values)


def test_one_group_by_number_also_from_the_end():
    ragged = ragged_of([1, 0, 2])
    np.testing.assert_array_equal(ragged[-1], ragged[2])
    assert ragged[1].shape == (0, 2)
    with pytest.raises(IndexError, match="there are 3"):
        ragged[3]


@pytest.mark.parametrize(
    ("values", "offsets", "message"),
    [
        (np.zeros(3), [0, 3], "two dimensions"),
        (np.zeros((3, 2)), [0, 2], "from 0 to 3"),
        (np.zeros((3, 2)), [0, 2, 1, 3], "fall from 2 to 1 at 1"),
    ],
)
def test_offsets_that_cut_nothing_are_refused(values, offsets, message):
    with pytest.raises(BadJetError, match=message):
        Ragged(values, np.array(offsets))


def test_ragged_data_travels_with_its_jets():
    momenta = np.tile([1.0, 0.0, 0.0, 1.0], (3, 1))
    jets = Jets(momenta, np.array([0, 2, 3]), ragged={"soft": ragged_of([3, 1])})
    np.testing.assert_array_equal(jets[[1]].ragged["soft"].values, jets.ragged["soft"][1])
    twice = concatenate([jets, jets[::-1]]).with_columns(label=np.arange(4))
    np.testing.assert_array_equal(twice.ragged["soft"].counts, [3, 1, 1, 3])


def test_ragged_data_needs_as_many_groups():
    with pytest.raises(BadJetError, match="'soft' has 2 values; expected 1"):
        Jets(np.array([[1.0, 0.0, 0.0, 1.0]]), np.array([0, 1]), ragged={"soft": ragged_of([1, 1])})


@pytest.mark.parametrize(
    ("momenta", "offsets", "message"),
    [
        (np.ones((2, 4)) * 1j, [0, 2], "momenta are of type complex128; expected real numbers"),
        (np.full((2, 4), "1"), [0, 2], "momenta are of type <U1; expected real numbers"),
        (np.ones((2, 4), dtype=object), [0, 2], "momenta are of type object; expected real numbers"),
        ([[1.0, 2.0], [3.0]], [0, 2], "momenta make no array of numbers"),
        (np.ones((2, 4)), [0.0, 2.0], "offsets are of type float64; expected integers"),
        (np.ones((2, 4)), [0.0, 1.5, 2.0], "offsets are of type float64; expected integers"),
        (np.ones((2, 4)), [0, 2j], "offsets are of type complex128"),
        (np.ones((2, 4)), [False, True], "offsets are of type bool"),
        (np.ones((2, 4)), [], "offsets"),
        (np.ones((2, 4)), np.array([0, 2**64 - 1, 2], dtype=np.uint64), "offsets fall"),
    ],
)
def test_only_real_numbers_make_jets(momenta, offsets, message):
    with pytest.raises(BadJetError, match=message):
        Jets(momenta, np.asarray(offsets))


@pytest.mark.parametrize("shape", [(1, 8), (2, 2), (4,), (1, 1, 4)])
def test_lists_are_not_reshaped(shape):
    with pytest.raises(BadJetError, match=f"group 1 has shape {re.escape(str(shape))}"):
        Jets.from_lists([np.ones((1, 4)), np.ones(shape)])
