import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jetgram.errors import TrainingError
from jetgram.training.order import cuts, split_jets, windows


@given(st.integers(5, 400), st.integers(1, 100), st.integers(0, 9))
def test_every_usable_jet_is_on_one_side(count, validation, seed):
    usable = np.random.default_rng(count).random(count) < 0.7
    if usable.sum() < 5:
        with pytest.raises(TrainingError, match="too few"):
            split_jets(usable, validation, seed)
        return
    jets, aside = split_jets(usable, validation, seed)
    np.testing.assert_array_equal(np.sort(np.concatenate([jets, aside])), np.flatnonzero(usable))
    assert len(aside) == min(validation, usable.sum() // 5)
    assert (np.diff(jets) > 0).all()
    assert (np.diff(aside) > 0).all()


def test_the_split_follows_from_its_seed():
    usable = np.ones(1000, dtype=bool)
    first, again, other = (split_jets(usable, 100, seed)[1] for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert len(np.intersect1d(first, other)) < 50


@given(st.integers(1, 300), st.integers(1, 40), st.integers(0, 5), st.integers(0, 5))
def test_windows_hold_every_block_once(blocks, size, seed, epoch):
    found = windows(blocks, seed, epoch, size)
    np.testing.assert_array_equal(np.sort(np.concatenate(found)), np.arange(blocks))
    assert max(map(len, found)) <= size
    assert max(map(len, found)) - min(map(len, found)) <= 1


def test_windows_reach_over_the_whole_dataset():
    for window in windows(320, seed=1, epoch=2, size=32):
        np.testing.assert_array_equal(np.sort(window) // 10, np.arange(32))


def test_each_epoch_has_a_new_order():
    orders = {tuple(np.concatenate(windows(100, seed, epoch))) for seed in range(3) for epoch in range(4)}
    assert len(orders) == 12


@given(st.integers(0, 1000), st.integers(1, 100))
def test_batches_are_equal_up_to_one_jet(jets, batch):
    sizes = np.diff(cuts(jets, batch))
    assert sizes.sum() == jets
    assert len(sizes) == -(-jets // batch)
    if jets:
        assert sizes.max() <= batch
        assert sizes.max() - sizes.min() <= 1
