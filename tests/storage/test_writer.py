import numpy as np
import pytest

from jetgram.errors import DatasetError
from jetgram.joining import concatenate
from jetgram.kinematics import from_ptetaphim
from jetgram.momenta import Events, Jets
from jetgram.ragged import offsets_of
from jetgram.storage import parquet, writer
from jetgram.storage.dataset import Dataset, save
from jetgram.storage.writer import DatasetWriter, shard_file

SOURCE = {"source": "test"}


def make_jets(count: int, seed: int = 0) -> Jets:
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 9, count)
    momenta = from_ptetaphim(*(rng.uniform(0.1, 3.0, counts.sum()) for _ in range(3)))
    return Jets(momenta, offsets_of(counts), {"label": rng.integers(0, 2, count)})


def stream(path, jets, pieces, rows=7):
    """Write jets in so many pieces."""
    with DatasetWriter(path, "jets", SOURCE, rows=rows) as made:
        for part in np.array_split(np.arange(len(jets)), pieces):
            made.add(jets[part])
    return Dataset(path)


def test_shards_do_not_depend_on_the_pieces_that_rows_come_in(tmp_path):
    jets = make_jets(40)
    made = [stream(tmp_path / str(pieces), jets, pieces) for pieces in (1, 3, 40)]
    assert [shard.rows for shard in made[0].shards()] == [7, 7, 7, 7, 7, 5]
    assert len({each.digest for each in made}) == 1
    np.testing.assert_array_equal(made[0].read().momenta, jets.momenta)


def test_a_shard_holds_few_particles_however_few_its_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(writer, "PARTICLES", 20)
    jets = make_jets(40)
    shards = list(stream(tmp_path, concatenate([jets, crowded(50)]), pieces=2, rows=1000).stream())
    assert all(len(shard.momenta) <= 20 for shard in shards[:-1])
    assert shards[-1].multiplicity.tolist() == [50]  # a single row is never cut


def crowded(particles: int) -> Jets:
    momenta = from_ptetaphim(np.ones(particles), 0.0, 0.0)
    return Jets(momenta, np.array([0, particles]), {"label": np.array([1])})


def test_splits_are_cut_by_themselves(tmp_path):
    jets = make_jets(30)
    with DatasetWriter(tmp_path, "jets", SOURCE, rows=5) as made:
        for begin in range(0, 30, 3):
            made.add(jets[begin : begin + 2], "train")
            made.add(jets[[begin + 2]], "test")
    found = Dataset(tmp_path)
    assert found.splits == {"train": 20, "test": 10}
    np.testing.assert_array_equal(found.read("test").momenta, jets[2::3].momenta)


def interrupt(path, jets, rows):
    def run():
        with DatasetWriter(path, "jets", SOURCE, rows=rows) as made:
            made.add(jets[:25])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run()


def test_an_interrupted_stream_is_finished_by_the_same_stream(tmp_path):
    jets = make_jets(40)
    interrupt(tmp_path / "data", jets, rows=7)
    assert len(list((tmp_path / "data").iterdir())) == 3
    with pytest.raises(DatasetError, match="it was not finished: run the same command again"):
        Dataset(tmp_path / "data")
    first = tmp_path / "data" / shard_file("train", 0)
    written = first.stat().st_mtime_ns
    assert stream(tmp_path / "data", jets, 3).digest == stream(tmp_path / "whole", jets, 3).digest
    assert first.stat().st_mtime_ns == written  # kept, not written again


def test_other_rows_or_settings_are_not_mixed_in(tmp_path):
    jets = make_jets(40)
    interrupt(tmp_path, jets, rows=7)
    with pytest.raises(DatasetError, match="train-00000.parquet was written from other rows"):
        stream(tmp_path, make_jets(40, seed=1), 1)
    with pytest.raises(DatasetError, match="train-00000.parquet was made with other settings"):
        DatasetWriter(tmp_path, "jets", {"source": "another"})
    with pytest.raises(DatasetError, match="train-00002.parquet does not belong"):
        stream(tmp_path, jets[:14], 1)


def test_a_finished_dataset_is_compared_and_left_alone(tmp_path):
    jets = make_jets(20)
    made = stream(tmp_path, jets, 2)
    assert stream(tmp_path, jets, 5).digest == made.digest
    with pytest.raises(DatasetError, match="written from other rows"):
        stream(tmp_path, make_jets(20, seed=1), 2)
    with pytest.raises(DatasetError, match="other settings"):
        DatasetWriter(tmp_path, "events", SOURCE)
    shard = tmp_path / made.shards()[0].file
    shard.write_bytes(shard.read_bytes()[:-1])
    with pytest.raises(DatasetError, match="cut off or was exchanged"):
        stream(tmp_path, jets, 2)


PLAN = {shard_file(split, number): {**SOURCE, "shard": number} for split, number in (("train", 0), ("test", 1))}


def planned(path):
    return DatasetWriter(path, "jets", SOURCE, plan=PLAN)


def content(number, **more):
    return parquet.encode(make_jets(5, number), {**SOURCE, "shard": number, **more})


def test_numbered_shards_come_in_any_order(tmp_path):
    made = planned(tmp_path)
    made.put("test-00001.parquet", content(1))
    with pytest.raises(DatasetError, match="1 shards are missing, train-00000.parquet"):
        made.seal()
    made.close()
    made = planned(tmp_path)
    assert made.missing == {"train-00000.parquet"}
    made.put("train-00000.parquet", content(0))
    with pytest.raises(DatasetError, match="train-00009.parquet is not among"):
        made.put("train-00009.parquet", content(0))
    made.seal({**SOURCE, "counted": 10})
    found = Dataset(tmp_path)
    assert [shard.file for shard in found.shards()] == list(PLAN)
    assert found.provenance == {**SOURCE, "counted": 10}
    assert planned(tmp_path).finished


def test_a_shard_left_behind_is_verified(tmp_path):
    file = tmp_path / "train-00000.parquet"
    file.write_bytes(content(0, counted=3))  # it may say more than what was planned
    assert planned(tmp_path).missing == {"test-00001.parquet"}
    damaged = bytearray(content(0))
    damaged[len(damaged) // 4] ^= 1
    file.write_bytes(damaged)
    with pytest.raises(DatasetError, match="damaged"):
        planned(tmp_path)
    file.write_bytes(content(1))
    with pytest.raises(DatasetError, match="other settings"):
        planned(tmp_path)
    file.rename(tmp_path / "train-00005.parquet")
    with pytest.raises(DatasetError, match="train-00005.parquet does not belong"):
        planned(tmp_path)


def test_memory_holds_one_shard(tmp_path):
    """A stream of 200 MB is written with less than 60 MB."""
    import tracemalloc

    jets = make_jets(3000)
    many = concatenate([jets] * 10)
    tracemalloc.start()
    with DatasetWriter(tmp_path, "jets", SOURCE) as made:
        for _ in range(50):
            made.add(many)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    size = 50 * many.momenta.nbytes
    assert size > 200e6
    assert peak < 60e6
    assert len(Dataset(tmp_path)) == 50 * len(many)


def test_what_is_empty_stays_readable(tmp_path):
    assert len(save(tmp_path / "none", make_jets(3)[:0], SOURCE).read()) == 0
    both = {"train": make_jets(3), "test": make_jets(3)[:0]}
    assert save(tmp_path / "one", both, SOURCE).splits == {"train": 3, "test": 0}
    events = Events(*(getattr(make_jets(3), name) for name in ("momenta", "offsets")))
    assert save(tmp_path / "events", events, SOURCE).kind == "events"
