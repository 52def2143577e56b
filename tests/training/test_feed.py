import numpy as np
import pytest

from jetgram.models.settings import ModelSettings
from jetgram.training import order, prepare
from jetgram.training.feed import Feed, Resident, Streamed
from jetgram.training.prepare import prepare_jets

SETTINGS = ModelSettings()


@pytest.fixture
def parts(labelled_jets, monkeypatch):
    """Prepared jets in many blocks, of which a window holds three; a scaler; and who takes part."""
    monkeypatch.setattr(prepare, "BLOCK", 32)
    monkeypatch.setattr(order.windows, "__defaults__", (3,))
    count = len(labelled_jets)
    prepared = prepare_jets(labelled_jets, np.arange(count)[:, None] * 1.0, np.ones(count), SETTINGS)
    jets = np.flatnonzero(np.arange(count) % 7 > 0)
    return prepared, prepared.block(0).fit_scaler(), jets


def feed(parts, source, batch=16, seed=1):
    prepared, scaler, jets = parts
    targets, weights = prepared.targets.astype(np.float32), prepared.weights.astype(np.float32)
    return Feed(source(prepared, scaler), prepared.starts, jets, targets, weights, batch, seed)


def test_every_jet_comes_once_with_its_own_tree_and_target(parts, labelled_jets):
    trees = SETTINGS.read(labelled_jets).inputs.scaled(parts[1])
    for source in (Resident, Streamed):
        seen = []
        for batch in feed(parts, source).batches(epoch=3):
            seen.append(batch.targets[:, 0].astype(int))
            assert 1 < len(batch.jets) <= 16
            np.testing.assert_array_equal(batch.trees[batch.jets].features, trees[seen[-1]].features)
        np.testing.assert_array_equal(np.sort(np.concatenate(seen)), parts[2])


def numbers(batches):
    return [batch.targets[:, 0].astype(int).tolist() for batch in batches]


def test_memory_and_files_give_the_same_order(parts):
    for epoch in range(3):
        assert numbers(feed(parts, Resident).batches(epoch)) == numbers(feed(parts, Streamed).batches(epoch))


def test_the_order_follows_from_seed_and_epoch(parts):
    orders = {str(numbers(feed(parts, Streamed, seed=seed).batches(epoch))) for seed in (1, 2) for epoch in (0, 1)}
    assert len(orders) == 4
    assert str(numbers(feed(parts, Streamed, seed=2).batches(1))) in orders


@pytest.mark.parametrize("source", [Resident, Streamed])
def test_an_epoch_goes_on_at_any_step(parts, source):
    whole = numbers(feed(parts, source).batches(0))
    for start in range(len(whole) + 1):
        assert numbers(feed(parts, source).batches(0, start)) == whole[start:]


@pytest.mark.parametrize("source", [Resident, Streamed])
@pytest.mark.parametrize("size", [2, 3, 20])
def test_processes_share_every_batch(parts, labelled_jets, source, size):
    """Each takes every `size`-th jet, with its own tree; where there are more processes than jets, some take none."""
    trees = SETTINGS.read(labelled_jets).inputs.scaled(parts[1])
    whole = numbers(feed(parts, source).batches(1, 2))
    for rank in range(size):
        mine = list(feed(parts, source).batches(1, 2, rank, size))
        assert numbers(mine) == [batch[rank::size] for batch in whole]
        assert [batch.all_jets for batch in mine] == [len(batch) for batch in whole]
        for batch in mine:
            jets = batch.targets[:, 0].astype(int)
            np.testing.assert_array_equal(batch.trees[batch.jets].features, trees[jets].features)


def test_a_process_reads_only_its_own_jets(parts):
    """Of files; where it takes at least half of a block, the whole block, which costs less than to pick."""
    for size in (3, 4):
        batches = list(feed(parts, Streamed).batches(0, 0, rank=1, size=size))
        windows = {id(batch.trees): batch.trees for batch in batches}.values()
        assert sum(len(trees) for trees in windows) == sum(len(batch.jets) for batch in batches)


def test_a_reader_that_fails_is_heard(parts):
    class Broken(Streamed):
        def load(self, jets):
            raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        next(feed(parts, Broken).batches(0))
