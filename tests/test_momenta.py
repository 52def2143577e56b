import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jetgram.errors import BadJetError
from jetgram.joining import chunks, concatenate
from jetgram.kinematics import ETA_MAX
from jetgram.momenta import Events, Jets, Momenta, Preprocessed
from jetgram.ragged import Ragged, offsets_of

P4 = np.array([[3.0, 4.0, 0.0, 5.0], [30.0, 40.0, 0.0, 50.0], [0.0, 6.0, 8.0, 10.0]])


def collection_of(counts: list[int], kind: type[Momenta] = Jets) -> Momenta:
    """Groups with everything that travels with them; whole numbers, so that sums are exact in any order."""
    rng = np.random.default_rng(counts)
    n, groups = sum(counts), len(counts)
    soft = rng.integers(0, 4, groups)
    return kind(
        rng.integers(-100, 100, (n, 4)).astype(np.float64),
        offsets_of(np.array(counts, dtype=np.int64)),
        {"label": rng.integers(0, 2, groups), "name": np.arange(groups).astype(str), "truth": rng.random((groups, 4))},
        {"pdgid": rng.integers(-300, 300, n), "track": rng.random((n, 2)).astype(np.float32)},
        {"soft": Ragged(rng.random((soft.sum(), 3)), offsets_of(soft))},
        Preprocessed(trim=0.05),
    )


def assert_groups(found: Momenta, source: Momenta, numbers: list[int]) -> None:
    """`found` holds these groups of `source`, one by one, with all that belongs to them."""
    assert type(found) is type(source)
    assert found.preprocessed == source.preprocessed
    assert found.shape == (len(found),) == (len(numbers),)
    for kind in ("columns", "particles", "ragged"):
        assert list(getattr(found, kind)) == list(getattr(source, kind))
    for position, number in enumerate(numbers):
        np.testing.assert_array_equal(found[position], source[number])
        for name, column in source.columns.items():
            np.testing.assert_array_equal(found.columns[name][position], column[number], strict=True)
        for name, rows in source.particles.items():
            there = found.particles[name][found.offsets[position] : found.offsets[position + 1]]
            here = rows[source.offsets[number] : source.offsets[number + 1]]
            np.testing.assert_array_equal(there, here, strict=True)
        for name, ragged in source.ragged.items():
            np.testing.assert_array_equal(found.ragged[name][position], ragged[number])


counts_lists = st.lists(st.integers(0, 4), max_size=7)
collections = st.builds(collection_of, counts_lists, st.sampled_from([Momenta, Jets, Events]))


@given(collections, st.data())
def test_a_slice_a_mask_or_indices_take_groups_one_by_one(source: Momenta, data: st.DataObject) -> None:
    everything = list(range(len(source)))
    part = data.draw(st.slices(len(source)))
    assert_groups(source[part], source, everything[part])
    mask = data.draw(st.lists(st.booleans(), min_size=len(source), max_size=len(source)))
    assert_groups(source[np.array(mask, dtype=bool)], source, [i for i in everything if mask[i]])
    chosen = data.draw(st.lists(st.integers(-len(source), len(source) - 1), max_size=9)) if everything else []
    assert_groups(source[chosen], source, [everything[i] for i in chosen])
    assert_groups(source[np.array(chosen, dtype=np.int32)], source, [everything[i] for i in chosen])
    rows: Any = (chosen, ...)  # as scikit-learn takes them
    assert_groups(source[rows], source, [everything[i] for i in chosen])


@pytest.mark.parametrize("nothing", [[], slice(0), slice(2, 1), np.zeros(3, dtype=bool), np.array([], dtype=np.int64)])
def test_a_selection_of_nothing_keeps_the_shape_of_the_columns(nothing: Any) -> None:
    source = collection_of([2, 0, 1])
    found = source[nothing]
    assert_groups(found, source, [])
    assert found.momenta.shape == (0, 4)
    assert found.columns["truth"].shape == (0, 4)
    assert found.particles["track"].shape == (0, 2)
    assert found.ragged["soft"].values.shape == (0, 3)


def test_an_integer_is_the_momenta_of_one_group() -> None:
    jets, groups = Jets(P4, np.array([0, 2, 2, 3])), [P4[:2], P4[:0], P4[2:]]
    for number in range(-3, 3):
        np.testing.assert_array_equal(jets[number], groups[number], strict=True)
        np.testing.assert_array_equal(jets[np.int32(number)], groups[number], strict=True)
        row: Any = (number, ...)
        np.testing.assert_array_equal(jets[row], groups[number], strict=True)


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (3, "index 3 is out of range: there are 3"),
        (-4, "index -4 is out of range: there are 3"),
        ([0, 3], "index 3 is out of bounds"),
        (np.array([True, False]), "boolean index did not match"),
        (np.array([0.0, 1.0]), "must be of integer"),
    ],
)
def test_an_index_that_fits_no_group_is_an_error(index: Any, message: str) -> None:
    with pytest.raises(IndexError, match=message):
        collection_of([2, 0, 1])[index]


def test_what_is_indexed_is_a_copy_and_chunks_are_not() -> None:
    source = collection_of([2, 0, 1])
    for index in (slice(None), [0, 1, 2], np.ones(3, dtype=bool)):
        found = source[index]
        for values in (found.momenta, *found.particles.values(), found.columns["truth"], found.ragged["soft"].values):
            values[:] = -7
        assert_groups(source, collection_of([2, 0, 1]), [0, 1, 2])
    assert all(np.shares_memory(part.momenta, source.momenta) for _, part in chunks(source, 1) if len(part.momenta))


@given(collections, st.integers(1, 9))
def test_chunks_cut_and_concatenation_joins(source: Momenta, size: int) -> None:
    first, parts = zip(*chunks(source, size), strict=True)
    assert list(first) == list(range(0, max(1, len(source)), size))
    assert all(len(part) == size for part in parts[:-1])
    assert len(parts[-1]) <= size
    for begin, part in zip(first, parts, strict=True):
        assert_groups(part, source, list(range(begin, begin + len(part))))
    assert_groups(concatenate([source[:0], *parts]), source, list(range(len(source))))


def test_columns_are_added_or_replaced_in_a_new_collection() -> None:
    source = collection_of([2, 0, 1])
    found = source.with_columns(label=np.array([5, 6, 7]), weight=np.ones(3))
    assert list(found.columns) == ["label", "name", "truth", "weight"]
    assert found.columns["label"].tolist() == [5, 6, 7]
    assert_groups(source, collection_of([2, 0, 1]), [0, 1, 2])
    assert found[[2]].columns["label"].tolist() == [7]
    np.testing.assert_array_equal(found.columns["truth"], source.columns["truth"])
    for kept in ("momenta", "offsets", "particles", "ragged", "preprocessed"):
        assert getattr(found, kept) is getattr(source, kept)
    with pytest.raises(BadJetError, match="column 'weight' has 2 values; expected 3"):
        source.with_columns(weight=np.ones(2))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"momenta": P4[:, :3]}, "momenta have shape (3, 3); expected (n, 4) with columns px, py, pz, E"),
        ({"momenta": P4[0]}, "momenta have shape (4,); expected (n, 4)"),
        ({"offsets": [0, 2]}, "offsets of shape (2,) run from [0] to [2]; expected one dimension, from 0 to 3"),
        ({"offsets": [1, 3]}, "run from [1] to [3]; expected one dimension, from 0 to 3"),
        ({"offsets": [[0, 3]]}, "offsets of shape (1, 2) run from"),
        ({"offsets": np.array([], dtype=int)}, "offsets of shape (0,) run from [] to []"),
        ({"offsets": [0, 2, 1, 3]}, "offsets fall from 2 to 1 at 1; they must not fall"),
        ({"offsets": [0, -1, 3]}, "offsets fall from 0 to -1 at 0"),
        ({"columns": {"x": np.ones(3)}}, "column 'x' has 3 values; expected 2"),
        ({"columns": {"x": np.float64(1)}}, "column 'x' has 0 values; expected 2"),
        ({"particles": {"x": np.ones((2, 3))}}, "column 'x' has 2 values; expected 3"),
        ({"ragged": {"x": Ragged(P4, np.array([0, 1, 2, 3]))}}, "column 'x' has 3 values; expected 2"),
    ],
)
def test_what_does_not_fit_is_refused_with_what_was_expected(changed: dict[str, Any], message: str) -> None:
    fits: dict[str, Any] = {"momenta": P4, "offsets": [0, 2, 3]}
    assert len(Jets(**fits)) == 2
    with pytest.raises(BadJetError, match=re.escape(message)):
        Jets(**{**fits, **changed})


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16, ">f8"])
def test_momenta_become_contiguous_doubles(dtype: Any) -> None:
    jets = Jets(P4[:, ::-1].astype(dtype)[:, ::-1], np.array([0, 3], dtype=np.uint8))
    assert jets.momenta.flags.c_contiguous
    np.testing.assert_array_equal(jets.momenta, P4, strict=True)
    np.testing.assert_array_equal(jets.offsets, np.array([0, 3], dtype=np.int64), strict=True)


@given(counts_lists)
def test_lists_and_padded_arrays_hold_the_same_groups(counts: list[int]) -> None:
    source = collection_of(counts)
    source.momenta[:, 3] = 1.0  # a zero momentum would be padding
    groups = [source[number] for number in range(len(source))]
    padded = np.zeros((len(counts), max(counts, default=0), 5))
    for row, group in zip(padded, groups, strict=True):
        row[len(row) - len(group) :, :4] = group[:, [3, 0, 1, 2]]
        row[len(row) - len(group) :, 4] = np.arange(len(group))
    unpadded = Jets.from_padded(padded, "E,px,py,pz,rank", columns=source.columns)
    for found in (Jets.from_lists([group.tolist() for group in groups]), unpadded):
        np.testing.assert_array_equal(found.momenta, source.momenta)
        np.testing.assert_array_equal(found.offsets, source.offsets)
    assert unpadded.particles["rank"].tolist() == [rank for count in counts for rank in range(count)]
    assert unpadded.columns["name"].tolist() == source.columns["name"].tolist()


@given(counts_lists)
def test_jets_are_the_sums_of_their_leaves(counts: list[int]) -> None:
    jets = Jets(*(getattr(collection_of(counts), name) for name in ("momenta", "offsets")))
    assert jets.multiplicity.tolist() == counts
    assert jets.group.tolist() == [number for number, count in enumerate(counts) for _ in range(count)]
    for number in range(len(counts)):
        px, py, pz, energy = (sum(column) for column in zip([0.0] * 4, *jets[number].tolist(), strict=True))
        pt = math.sqrt(px * px + py * py)
        eta = math.asinh(pz / pt) if pt else math.copysign(ETA_MAX, pz) if pz else 0.0
        assert jets.total[number].tolist() == [px, py, pz, energy]
        assert jets.pt[number] == pytest.approx(pt, rel=1e-14)
        assert jets.eta[number] == pytest.approx(eta, rel=1e-13)
        assert jets.phi[number] == pytest.approx(math.atan2(py, px), rel=1e-14)
        assert jets.mass[number] == pytest.approx(math.sqrt(max(0.0, energy**2 - px**2 - py**2 - pz**2)), rel=1e-14)


def test_no_jets_have_no_momenta() -> None:
    none = Jets.from_lists([])
    for jets in (
        none,
        Jets.from_padded(np.empty((0, 3, 4))),
        concatenate([none, none]),
        Jets(P4, np.array([0, 3]))[:0],
    ):
        assert len(jets) == len(jets.multiplicity) == len(jets.group) == 0
        assert jets.total.shape == jets.momenta.shape == (0, 4)
        assert [values.shape for values in (jets.pt, jets.eta, jets.phi, jets.mass)] == [(0,)] * 4
        with pytest.raises(IndexError, match="index 0 is out of range: there are 0"):
            jets[0]


def test_jets_without_momenta_sum_to_zero() -> None:
    for jets in (
        Jets.from_lists([[], []]),
        Jets.from_padded(np.zeros((2, 3, 4))),
        Jets.from_padded(np.ones((2, 0, 4))),
    ):
        np.testing.assert_array_equal(jets.total, np.zeros((2, 4)))
        np.testing.assert_array_equal([jets.pt, jets.eta, jets.phi, jets.mass], np.zeros((4, 2)))


def test_columns_of_pandas_are_taken_by_their_places() -> None:
    """Of a frame that was sorted or filtered, labels of rows are no places."""
    pandas = pytest.importorskip("pandas")
    label, charge = pandas.Series([7, 8, 9], index=[2, 0, 1]), pandas.Series([1, 2, 3], index=[1, 2, 0])
    jets = Jets(P4, [0, 1, 2, 3], {"label": label, "listed": [4, 5, 6]}, {"charge": charge})
    assert jets[:2].columns["label"].tolist() == [7, 8]
    assert jets[[2, 0]].columns["label"].tolist() == [9, 7]
    assert jets[np.array([False, True, True])].columns["listed"].tolist() == [5, 6]
    assert jets[1:].particles["charge"].tolist() == [2, 3]
