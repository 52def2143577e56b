import json
import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jetgram.errors import BadJetError, DatasetError, SuspiciousJetsWarning
from jetgram.jets.preprocess import preprocess
from jetgram.momenta import Events, Jets, Preprocessed
from jetgram.ragged import Ragged
from jetgram.storage import atomic, dataset, parquet, tables
from jetgram.storage.manifest import Manifest, Shard
from jetgram.storage.sealed import sealed


def make_jets(n=20, seed=0):
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 9, n)
    three = rng.normal(size=(counts.sum(), 3)) * 20
    momenta = np.concatenate([three, np.sqrt((three**2).sum(1, keepdims=True) + 0.02)], axis=1)
    soft = rng.integers(0, 3, n)
    return Jets(
        momenta,
        np.concatenate([[0], np.cumsum(counts)]),
        columns={"label": rng.integers(0, 2, n).astype(np.int8), "boson": rng.normal(size=(n, 4))},
        particles={"pdgid": rng.choice([211, -211, 22], len(momenta)).astype(np.int32)},
        ragged={"soft": Ragged(rng.normal(size=(soft.sum(), 2)), np.concatenate([[0], np.cumsum(soft)]))},
    )


def assert_equal(a, b):
    assert type(a) is type(b)
    np.testing.assert_array_equal(a.momenta, b.momenta)
    np.testing.assert_array_equal(a.offsets, b.offsets)
    for left, right in ((a.columns, b.columns), (a.particles, b.particles)):
        assert left.keys() == right.keys()
        for name in left:
            np.testing.assert_array_equal(left[name], right[name])
            assert left[name].dtype == right[name].dtype
    assert a.ragged.keys() == b.ragged.keys()
    for name in a.ragged:
        np.testing.assert_array_equal(a.ragged[name].values, b.ragged[name].values)
        np.testing.assert_array_equal(a.ragged[name].offsets, b.ragged[name].offsets)


def seal_and_open(path, shards):
    Manifest.seal(path, "jets", shards, {})
    return dataset.Dataset(path)


@pytest.fixture
def stored(tmp_path):
    dataset.save(tmp_path / "data", make_jets(), {"source": "test"})
    return tmp_path / "data"


@pytest.mark.parametrize("trim", [None, 0.05])
def test_preprocessed_jets_are_stored_with_their_mark(tmp_path, trim):
    done = preprocess(Jets(make_jets().momenta, make_jets().offsets), trim)
    dataset.save(tmp_path / "done", done, {})
    found = dataset.read(tmp_path / "done")
    assert found.preprocessed == Preprocessed(trim)
    np.testing.assert_array_equal(preprocess(found).momenta, done.momenta)


@pytest.mark.parametrize("mark", [True, [], {}, {"trim": "0.05"}, {"trim": 5.0}, {"trim": None, "more": 1}])
def test_a_mark_that_cannot_be_is_an_error(mark):
    content = tables.encode_table([], "jets", {}, {"preprocessed": mark})
    with pytest.raises(DatasetError, match="x.parquet has a damaged header: preprocessed is"):
        parquet._preprocessed(tables.open_table(content, "x.parquet", ["jets"])[0], "x.parquet")


def test_a_shard_gives_back_what_went_in():
    jets = make_jets()
    assert_equal(parquet.decode(parquet.encode(jets, {}), "shard"), jets)


def test_events_stay_events():
    jets = make_jets()
    events = Events(jets.momenta, jets.offsets)
    assert_equal(parquet.decode(parquet.encode(events, {}), "shard"), events)


def test_the_same_jets_give_the_same_bytes():
    assert parquet.encode(make_jets(), {"seed": 1}) == parquet.encode(make_jets(), {"seed": 1})
    assert parquet.encode(make_jets(), {"seed": 1}) != parquet.encode(make_jets(), {"seed": 2})


def test_provenance_is_in_the_file():
    assert parquet.provenance(parquet.encode(make_jets(), {"seed": 7}), "shard") == {"seed": 7}


def test_columns_can_be_chosen(stored):
    jets = dataset.read(stored, columns=["label"])
    assert set(jets.columns) == {"label"}
    assert not jets.particles
    assert not jets.ragged
    np.testing.assert_array_equal(dataset.Dataset(stored).column("label"), jets.columns["label"])
    with pytest.raises(DatasetError, match="no column 'lable'.*label"):
        dataset.read(stored, columns=["lable"])
    opened = dataset.Dataset(stored)
    assert_equal(opened.read_shard(*opened.shards(), columns=["lable", "label"], strict=False), jets)
    with pytest.raises(DatasetError, match="no column 'px' with one value per row"):
        dataset.Dataset(stored).column("px")


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_every_flipped_bit_is_found(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("flip")
    dataset.save(folder, make_jets(5), {})
    shard = folder / "train-00000.parquet"
    content = bytearray(shard.read_bytes())
    position = data.draw(st.integers(0, len(content) * 8 - 1))
    content[position // 8] ^= 1 << position % 8
    shard.write_bytes(content)
    with pytest.raises(DatasetError, match="train-00000.parquet is damaged"):
        dataset.read(folder)


def test_page_checksums_protect_a_lone_shard(stored):
    shard = stored / "train-00000.parquet"
    content = bytearray(shard.read_bytes())
    content[600] ^= 4  # inside the first data page
    shard.write_bytes(content)
    with pytest.raises(DatasetError, match="train-00000.parquet is damaged"):
        dataset.read(shard)


def test_a_cut_off_shard_is_named(stored):
    shard = stored / "train-00000.parquet"
    shard.write_bytes(shard.read_bytes()[:-100])
    with pytest.raises(DatasetError, match="train-00000.parquet has .* bytes"):
        dataset.read(stored)
    with pytest.raises(DatasetError, match="no Parquet file, or is cut off"):
        dataset.read(shard)


def test_one_row_is_read_from_its_shard(tmp_path):
    jets = make_jets(15)
    shards = []
    for number, part in enumerate((jets[:4], jets[4:11], jets[11:])):
        file = tmp_path / f"{'test' if number == 2 else 'train'}-{number:05d}.parquet"
        file.write_bytes(parquet.encode(part, {}))
        shards.append(Shard.describe(file, file.name.split("-")[0]))
    stored = seal_and_open(tmp_path, shards)
    for index in (0, 3, 4, 10, 11, 14, -1, -15):
        assert_equal(stored.row(index), jets[[index]])
    assert_equal(stored.row(1, "test"), jets[[12]])
    with pytest.raises(DatasetError, match="has 4 jets; there is no number 4"):
        stored.row(4, "test")


def test_a_missing_shard_is_named(stored):
    (stored / "train-00000.parquet").unlink()
    with pytest.raises(DatasetError, match="train-00000.parquet is missing"):
        dataset.read(stored)


def test_a_missing_or_unfinished_dataset_says_so(stored, tmp_path):
    with pytest.raises(DatasetError, match="not a folder"):
        dataset.Dataset(tmp_path / "nowhere")
    with pytest.raises(DatasetError, match="nowhere is missing"):
        dataset.read(tmp_path / "nowhere")
    (stored / "dataset.json").unlink()
    with pytest.raises(DatasetError, match="run the same command again"):
        dataset.read(stored)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("format", 2, "has format 2; this version of jetgram reads format 1"),
        ("kind", "events", "digest does not fit"),
        ("digest", "0" * 64, "digest does not fit"),
        ("shards", "none", "digest does not fit"),
    ],
)
def test_an_edited_manifest_is_refused(stored, key, value, message):
    file = stored / "dataset.json"
    content = json.loads(file.read_text())
    content[key] = value
    file.write_text(json.dumps(content))
    with pytest.raises(DatasetError, match=message):
        dataset.read(stored)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: content.update(shards="none"), "dataset.json: shards: "),
        (lambda content: content.update(shards=[]), "data holds no jets"),
        (lambda content: content["shards"][0].update(rows=-1), "dataset.json: shards.0.rows: "),
        (lambda content: content["shards"][0].update(size=-5), "dataset.json: shards.0.size: "),
        (lambda content: content["shards"][0].update(rows=10**30), "train-00000.parquet has 20 rows"),
        (lambda content: content["shards"][0].update(file=""), "is not a plain file name"),
        (lambda content: content["shards"][0].update(file="."), "is not a plain file name"),
        (lambda content: content.update(provenance=7), "dataset.json: provenance: "),
        (lambda content: content.pop("provenance"), "dataset.json: provenance: "),
    ],
)
def test_a_manifest_of_somebody_else_is_checked(stored, change, message):
    """A digest can be computed by anybody: what it seals must make sense nevertheless."""
    file = stored / "dataset.json"
    content = json.loads(file.read_text())
    del content["digest"]
    change(content)
    file.write_text(json.dumps(sealed(content)))
    with pytest.raises(DatasetError, match=message):
        dataset.read(stored)


@pytest.mark.parametrize("content", [b"", b"[" * 100_000, b'{"a":' * 100_000, b"7", b"\xff\xfe", b"{}"])
def test_a_manifest_that_is_none_is_refused(stored, content):
    (stored / "dataset.json").write_bytes(content)
    with pytest.raises(DatasetError, match="dataset.json is (damaged|not a dataset)"):
        dataset.read(stored)


def test_a_manifest_cannot_point_outside(stored):
    shard = dataset.Dataset(stored).manifest.shards[0].model_copy(update={"file": "../train-00000.parquet"})
    with pytest.raises(DatasetError, match="not a plain file name"):
        seal_and_open(stored, [shard])


def test_foreign_parquet_is_refused(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"px": [1.0]}), tmp_path / "foreign.parquet")
    with pytest.raises(DatasetError, match="not one of jetgram's"):
        dataset.read(tmp_path / "foreign.parquet")
    (tmp_path / "text.parquet").write_text("no Parquet at all")
    with pytest.raises(DatasetError, match="no Parquet file"):
        dataset.read(tmp_path / "text.parquet")


def test_streaming_equals_reading(tmp_path):
    parts = [make_jets(7, seed) for seed in range(3)]
    shards = []
    for i, part in enumerate(parts):
        file = tmp_path / f"train-{i:05d}.parquet"
        atomic.write_bytes(file, parquet.encode(part, {}))
        shards.append(Shard.describe(file, "train" if i < 2 else "test"))
    opened = seal_and_open(tmp_path, shards)
    assert opened.splits == {"train": 14, "test": 7}
    for part, streamed in zip(parts, opened.stream(), strict=True):
        assert_equal(streamed, part)
    assert_equal(opened.read("test"), parts[2])
    assert len(opened.read()) == len(opened) == 21
    with pytest.raises(DatasetError, match="no split 'tset'; it has: train, test"):
        opened.read("tset")


def test_bad_jets_are_refused_or_dropped(tmp_path):
    jets = make_jets()
    jets.momenta[jets.offsets[3], 3] = np.nan
    with pytest.raises(BadJetError, match="jet 3, particle 0: NaN"):
        dataset.save(tmp_path / "bad", jets, {})
    (tmp_path / "shard.parquet").write_bytes(parquet.encode(jets, {}))
    with pytest.raises(BadJetError, match="jet 3, particle 0: NaN"):
        dataset.read(tmp_path / "shard.parquet")
    with pytest.warns(SuspiciousJetsWarning, match=r"shard\.parquet: left out 1 of 20 jets, which are not physical"):
        assert len(dataset.read(tmp_path / "shard.parquet", on_bad_jet="drop")) == len(jets) - 1


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ([0.0, np.nan, np.inf], "train: jet 1: the label is nan; 2 of 3 without a label"),
        ([0.0, 1.0, 0.5], "train: jet 2: the label is 0.5; expected the number of a class, .*: train with targets"),
        (["qcd", "top", "qcd"], "train: jets: the label is of type <U3; expected numbers"),
        ([None, 1, 0], "train: jets: the label is of type object; expected numbers"),
    ],
)
def test_labels_that_are_no_numbers_are_refused(tmp_path, label, message):
    jets = make_jets()[:3].with_columns(label=np.array(label))
    with pytest.raises(BadJetError, match=message):
        dataset.save(tmp_path / "jets", jets, {})
    assert not (tmp_path / "jets").exists()


def test_only_regular_files_are_replaced(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(DatasetError, match="not a regular file"):
        atomic.write_bytes(tmp_path / "folder", b"content")


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    target = tmp_path / "file"
    atomic.write_bytes(target, b"old")

    def fail(descriptor):
        raise OSError("disk full")

    monkeypatch.setattr("jetgram.storage.atomic.os.fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        atomic.write_bytes(target, b"new")
    assert target.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def test_a_dataset_is_not_overwritten(stored):
    with pytest.raises(DatasetError, match="already"):
        dataset.save(stored, make_jets(), {})
    shutil.rmtree(stored)
    dataset.save(stored, make_jets(), {})


def test_a_dataset_of_two_splits(qcd_jets, tmp_path):
    train, test = qcd_jets[:30], qcd_jets[30:50]
    stored = dataset.save(tmp_path / "jets", {"train": train, "test": test}, {"source": "tests"})
    assert stored.splits == {"train": 30, "test": 20}
    np.testing.assert_array_equal(stored.read("test").momenta, test.momenta)
    with pytest.raises(DatasetError, match="found nothing"):
        dataset.save(tmp_path / "empty", {}, {})


@pytest.mark.parametrize("values", [np.ones((1, 2, 3)), np.ones((1, 0)), np.ones(1, dtype=np.longdouble)])
def test_a_column_that_has_no_form_is_named(tmp_path, values):
    jets = Jets(np.array([[3.0, 4.0, 0.0, 5.0]]), np.array([0, 1]), {"odd": values})
    with pytest.raises(DatasetError, match="column 'odd' has shape"):
        dataset.save(tmp_path / "jets", jets, {})


def test_a_split_is_a_name_and_no_path(tmp_path):
    jets = Jets(np.array([[3.0, 4.0, 0.0, 5.0]]), np.array([0, 1]))
    with pytest.raises(DatasetError, match=r"found the split '\.\./x'; expected letters"):
        dataset.save(tmp_path / "jets", jets, {}, split="../x")
    assert not list(tmp_path.glob("*.parquet"))
