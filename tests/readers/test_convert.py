"""Datasets out of files: splits, classes, many files, resumed and on many workers, always the same bytes."""

from concurrent.futures import ThreadPoolExecutor

import awkward as ak
import field_files
import numpy as np
import pytest

from jetgram.errors import BadJetError, DatasetError, SettingsError, SuspiciousJetsWarning
from jetgram.fanout import open_executor
from jetgram.joining import concatenate
from jetgram.kinematics import COLUMNS
from jetgram.momenta import Jets
from jetgram.readers import pieces
from jetgram.readers.convert import convert
from jetgram.readers.opening import open_source
from jetgram.readers.reading import read
from jetgram.storage.dataset import Dataset


@pytest.fixture
def files(tmp_path, jets):
    """Three files of a hundred jets."""
    for i in range(3):
        field_files.write_weaver(tmp_path / f"part{i}.parquet", jets[100 * i : 100 * i + 100], row_group_size=40)
    return str(tmp_path / "part*.parquet")


def momenta_of(collection):
    return {tuple(row) for row in collection.momenta.tolist()}


def test_splits_share_out_all_rows(tmp_path, files, jets):
    dataset = convert(files, tmp_path / "out", test_share=0.25, rows=20)
    assert dict(dataset.splits) == {"train": 225, "test": 75}
    train, test = dataset.read("train"), dataset.read("test")
    assert momenta_of(train) | momenta_of(test) == momenta_of(read(files))
    assert not momenta_of(train) & momenta_of(test)
    assert set(np.unique(test.columns["label"])) == {0, 1, 2}
    other = convert(files, tmp_path / "other", test_share=0.25, rows=20, seed=2)
    assert momenta_of(other.read("test")) != momenta_of(test)


@pytest.mark.parametrize("share", [0.2, 0.5])
def test_many_short_files_have_the_share_together(tmp_path, jets, share):
    """One row of each file is too few to share out exactly."""
    for i in range(100):
        field_files.write_weaver(tmp_path / f"short{i:03d}.parquet", jets[[i, 100 + i]])
    found = convert(str(tmp_path / "short*.parquet"), tmp_path / "out", test_share=share, rows=2)
    assert sum(found.splits.values()) == 200
    assert abs(found.splits["test"] - 200 * share) < 4 * np.sqrt(100 * 0.25)


def test_without_a_test_share_the_order_is_that_of_the_files(tmp_path, files):
    dataset, expected = convert(files, tmp_path / "out", rows=30), read(files)
    np.testing.assert_array_equal(dataset.read().momenta, expected.momenta)
    np.testing.assert_array_equal(dataset.read().columns["label"], expected.columns["label"])
    np.testing.assert_array_equal(dataset.read().particles["charge"], expected.particles["charge"])


def test_one_source_per_split(tmp_path, files, jets):
    part = [str(tmp_path / f"part{i}.parquet") for i in range(3)]
    dataset = convert(None, tmp_path / "out", train=part[:1], val=part[1], test=part[2])
    assert dict(dataset.splits) == {"train": 100, "val": 100, "test": 100}
    np.testing.assert_array_equal(dataset.read("test").columns["label"], jets[200:].columns["label"])


@pytest.mark.parametrize("first", ["gev", "mev"])
def test_every_file_is_asked_whether_it_is_in_mev(tmp_path, jets, first):
    names = ["gev", "mev"] if first == "gev" else ["mev", "gev"]
    for name in names:
        momenta = jets.momenta * (1000 if name == "mev" else 1)
        np.savez(tmp_path / f"{name}.npz", p4=momenta, offsets=jets.offsets)
    sources = {name: tmp_path / f"{name}.npz" for name in names}
    with pytest.raises(SettingsError, match=r"mev\.npz: the median pT .* are the momenta in MeV"):
        read(sources)
    with pytest.raises(SettingsError, match=r"mev\.npz: the median pT .* are the momenta in MeV"):
        convert(sources, tmp_path / "out")


def test_named_classes(tmp_path, files):
    names = {"qcd": tmp_path / "part1.parquet", "top": [tmp_path / "part0.parquet", tmp_path / "part2.parquet"]}
    dataset = convert(names, tmp_path / "out")
    assert dataset.provenance["classes"] == ["qcd", "top"]
    np.testing.assert_array_equal(dataset.read().columns["label"], [0] * 100 + [1] * 200)
    np.testing.assert_array_equal(read(names).columns["label"], [0] * 100 + [1] * 200)
    with pytest.raises(SettingsError, match="part1.parquet has no class, but others have"):
        convert([f"top={tmp_path}/part0.parquet", f"{tmp_path}/part1.parquet"], tmp_path / "other")


class StoppedError(Exception):
    """Ctrl-C, for a test."""


def test_an_interrupted_conversion_is_resumed(tmp_path, files, monkeypatch):
    whole = convert(files, tmp_path / "whole", test_share=0.2, rows=20)
    write, left = pieces.atomic.write_bytes, [7]

    def die(path, content):
        if not left[0]:
            raise StoppedError
        left[0] -= 1
        write(path, content)

    monkeypatch.setattr(pieces.atomic, "write_bytes", die)
    with pytest.raises(StoppedError):
        convert(files, tmp_path / "out", test_share=0.2, rows=20)
    monkeypatch.undo()
    with pytest.raises(DatasetError):
        Dataset(tmp_path / "out")
    with pytest.raises(DatasetError, match=r"made with other settings.* remove its shards \(7 files \*.parquet\)"):
        convert(files, tmp_path / "out", test_share=0.2, rows=20, seed=2)
    done: list[int] = []
    assert convert(files, tmp_path / "out", test_share=0.2, rows=20, on_rows=done.append).digest == whole.digest
    assert sum(done) == 300
    assert convert(files, tmp_path / "out", test_share=0.2, rows=20).digest == whole.digest


def write_odd(path, jets, first):
    """Jets whose `d0` has a value per particle; from the row `first` on it has one more."""
    counts = jets.multiplicity + (np.arange(len(jets)) >= first)
    columns = {f"part_{name}": field_files.lists(jets, jets.momenta[:, i]) for i, name in enumerate(COLUMNS)}
    array = ak.Array({**columns, "part_d0": ak.unflatten(np.zeros(counts.sum()), counts), "hits": counts})
    ak.to_parquet(array, path, row_group_size=50)


@pytest.mark.parametrize("workers", [None, 2])
def test_what_an_error_advises_works_in_the_same_folder(tmp_path, jets, workers):
    """Columns that differ after the rows that are looked at first, when shards are written already."""
    write_odd(tmp_path / "part0.parquet", jets, 300)
    write_odd(tmp_path / "part1.parquet", jets, 250)
    files, out = str(tmp_path / "part*.parquet"), tmp_path / "out"
    with ThreadPoolExecutor(workers or 1) as pool:
        how = {"test_share": 0.2, "rows": 20, "executor": pool if workers else None}
        with pytest.raises(DatasetError, match=r"different columns: d0 \(lists .*with the option columns"):
            convert(files, out, **how)
        assert not list(out.glob("*.parquet"))
        assert len(convert(files, out, columns=["hits"], **how)) == 600
        with pytest.raises(DatasetError, match="holds a dataset made with other settings"):
            convert(files, out, **how)
    assert len(Dataset(out)) == 600


def test_a_late_label_that_is_no_class_leaves_the_folder_free(tmp_path, jets):
    label = np.where(np.arange(len(jets)) < 250, 1.0, 0.5)
    np.savez(tmp_path / "jets.npz", p4=jets.momenta, offsets=jets.offsets, label=label)
    with pytest.raises(DatasetError, match=r"jet 250: the label is 0.5; .* leave out the label"):
        convert(tmp_path / "jets.npz", tmp_path / "out", rows=20)
    assert len(convert(tmp_path / "jets.npz", tmp_path / "out", rows=20, label="")) == 300


def test_an_error_of_a_damaged_file_keeps_what_is_converted(tmp_path, files, monkeypatch):
    whole = convert(files, tmp_path / "whole", rows=20)
    opened = []

    def fail(path, *others):
        opened.append(path.name)
        if path.name == "part2.parquet":
            raise DatasetError(f"{path} is cut off")
        return open_source(path, *others)

    monkeypatch.setattr(pieces, "open_source", fail)
    with pytest.raises(DatasetError, match=r"part2.parquet is cut off"):
        convert(files, tmp_path / "out", rows=20)
    opened.clear()
    with pytest.raises(DatasetError, match=r"part2.parquet is cut off"):
        convert(files, tmp_path / "out", rows=20)
    assert set(opened) == {"part2.parquet"}  # the others are done
    monkeypatch.undo()
    assert convert(files, tmp_path / "out", rows=20).digest == whole.digest


def test_many_workers_give_the_same_bytes(tmp_path, files):
    alone = convert(files, tmp_path / "one", test_share=0.2, rows=20)
    done: list[int] = []
    with open_executor(2) as executor:
        shared = convert(files, tmp_path / "two", test_share=0.2, rows=20, executor=executor, on_rows=done.append)
    assert shared.digest == alone.digest
    assert sum(done) == 300


def test_a_dask_cluster_gives_the_same_bytes(tmp_path, files, dask_cluster):
    alone = convert(files, tmp_path / "one", rows=50)
    with open_executor(dask=dask_cluster.address) as executor:
        assert convert(files, tmp_path / "two", rows=50, executor=executor).digest == alone.digest


def spoiled(jets: Jets) -> Jets:
    """Jet 7 has a NaN, jet 150 too little energy, jet 200 is empty."""
    momenta = jets.momenta.copy()
    momenta[jets.offsets[7] + 1, 0] = np.nan
    momenta[jets.offsets[150] + 2, 3] *= 0.5
    spoiled = Jets(momenta, jets.offsets, jets.columns, jets.particles)
    empty = Jets(np.empty((0, 4)), np.array([0, 0]), {"label": np.array([1])}, {"pdgid": np.empty(0, dtype=int)})
    return concatenate([spoiled[:200], empty, spoiled[200:]])


@pytest.fixture
def bad_file(tmp_path, jets):
    return field_files.write_weaver(tmp_path / "bad.parquet", spoiled(jets))


def test_bad_jets_are_named_and_counted(tmp_path, bad_file, jets):
    value = np.float32(jets[150][2, 3] * 0.5)
    with (
        pytest.raises(
            BadJetError, match=r"bad.parquet: jet 7, particle 1: NaN in part_px = nan.*3 of 301 jets are bad"
        ),
        pytest.warns(SuspiciousJetsWarning, match="jet 7, particle 1.*counting the others"),
    ):
        convert(bad_file, tmp_path / "out", rows=100)
    with pytest.raises(BadJetError, match="1 NaN, 1 E < |p|, 1 no particles"):
        read(bad_file)
    with pytest.warns(SuspiciousJetsWarning) as told:
        dataset = convert(bad_file, tmp_path / "out", rows=100, on_bad="drop")
    assert len(dataset) == 298
    text = "\n".join(str(each.message) for each in told)
    assert "1 of 301 jets left out: NaN; the first: bad.parquet: jet 7" in text
    assert "jet 150, particle 2: E < |p| in part_px = " in text
    assert f"part_energy = {value}" in text
    assert "1 of 301 jets left out: no particles; the first: bad.parquet: jet 200" in text
    assert sum(dataset.provenance["left_out"]["rows"].values()) == 3


def test_clip_repairs_what_can_be(bad_file, jets):
    with pytest.warns(SuspiciousJetsWarning) as told:
        found = read(bad_file, on_bad="clip")
    text = "\n".join(str(each.message) for each in told)
    assert "E set to |p| for 1 particle; the first: bad.parquet: jet 150, particle 2" in text
    assert len(found) == 300
    assert found.multiplicity[7] == jets.multiplicity[7] - 1
    p = found[150][2]
    assert p[3] == pytest.approx(np.linalg.norm(p[:3]))


def test_single_particles_can_be_dropped(bad_file, jets):
    with pytest.warns(SuspiciousJetsWarning) as told:
        found = read(bad_file, on_bad="drop", on_bad_particle="drop")
    assert sum("1 particle left out" in str(each.message) for each in told) == 2
    assert len(found) == 300
    assert found.multiplicity[150] == jets.multiplicity[150] - 1


@pytest.mark.parametrize(
    ("label", "match"),
    [
        (
            np.where(np.arange(300) % 50, 1.0, np.nan),
            "jet 0: no class, the label is nan; 6 of 300 jets are bad: 6 no class",
        ),
        (np.where(np.arange(300) == 4, None, "qcd"), "jet 4: no class, the label is ''; 1 of 300 jets are bad"),
    ],
)
def test_a_missing_label_is_never_dropped_silently(tmp_path, jets, label, match):
    path = field_files.write_weaver(tmp_path / "a.parquet", jets, label.tolist())
    with pytest.raises(BadJetError, match=match):
        read(path)
    with pytest.warns(SuspiciousJetsWarning, match="jets left out: no class"):
        assert len(read(path, on_bad="drop")) < 300


def test_a_label_that_is_no_class_is_an_error(tmp_path, jets):
    path = field_files.write_weaver(tmp_path / "a.parquet", jets, np.linspace(0, 1, 300))
    with pytest.raises(DatasetError, match="jet 1: the label is 0.003.*expected an integer"):
        read(path)


def test_mev_is_suspected(tmp_path, jets):
    scaled = Jets(jets.momenta * 1000, jets.offsets, jets.columns, jets.particles)
    path = field_files.write_weaver(tmp_path / "mev.parquet", scaled)
    with pytest.raises(SettingsError, match=r"the median pT of \d+ jets is [\d,]+ GeV: are the momenta in MeV\? units"):
        convert(path, tmp_path / "out")
    np.testing.assert_allclose(read(path, units="MeV").pt, jets.pt, rtol=1e-5)
    np.testing.assert_allclose(read(path, units="GeV").pt, scaled.pt, rtol=1e-5)


def test_energy_first_is_suspected(tmp_path, jets):
    turned = Jets(jets.momenta[:, [3, 0, 1, 2]], jets.offsets, jets.columns)
    path = field_files.write_parquet(tmp_path / "a.parquet", turned, ("px", "py", "pz", "E"))
    with pytest.raises(
        BadJetError, match=r"would be physical as \(E, px, py, pz\): is E the first column\? Name the columns with map"
    ):
        read(path)


def test_files_must_be_alike(tmp_path, files, jets):
    field_files.write_parquet(tmp_path / "other.parquet", jets, ("px", "py", "pz", "E"), label=jets.columns["label"])
    with pytest.raises(DatasetError, match=r"have different columns: charge \(missing, one per particle\), isPhoton"):
        convert([files, str(tmp_path / "other.parquet")], tmp_path / "out")
    field_files.write_weaver(tmp_path / "named.parquet", jets, np.array(["a", "b", "c"])[jets.columns["label"]])
    with pytest.raises(DatasetError, match="has names of classes, the other has not"):
        convert([files, str(tmp_path / "named.parquet")], tmp_path / "out")


def test_out_is_checked_before_the_work(tmp_path, files):
    (tmp_path / "out").write_text("")
    with pytest.raises(SettingsError, match="out is a file; expected the folder of a dataset"):
        convert(files, tmp_path / "out")
    with pytest.raises(SettingsError, match="nothing.parquet: no such file"):
        convert(str(tmp_path / "nothing.parquet"), tmp_path / "new")
    with pytest.raises(SettingsError, match="did you mean 'on_bad'"):
        convert(files, tmp_path / "new", onbad="drop")
    with pytest.raises(SettingsError, match="test_share = 1.5; expected a number from 0 to 1"):
        convert(files, tmp_path / "new", test_share=1.5)
    with pytest.raises(SettingsError, match="seed = -1; expected 0 or more"):
        convert(files, tmp_path / "new", test_share=0.5, seed=-1)
    with pytest.raises(SettingsError, match=r"nothing\*.root: no file has such a name"):
        convert(str(tmp_path / "nothing*.root"), tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_names_that_the_core_once_trusted_are_columns_like_others(tmp_path, jets):
    """A column `subjet` or `trim` of a file decides nothing: the trees are those of jets without it."""
    from jetgram.trees.topologies import build_trees

    strange = {"subjet": np.full(300, 7), "trim": np.full(300, 0.9), "@subjet": np.full(300, 3)}
    path = field_files.write_parquet(tmp_path / "a.parquet", jets, ("px", "py", "pz", "E"), **strange)
    dataset = convert(path, tmp_path / "out")
    found = dataset.read()
    assert found.preprocessed is None
    assert {"subjet", "trim"} <= set(found.columns)
    assert not any(name.startswith("@") for name in (*found.columns, *found.particles))
    np.testing.assert_array_equal(build_trees(found).momenta, build_trees(jets).momenta)


def test_classes_in_another_order(tmp_path, jets):
    """Of one-hot columns, of names in a column, and of files: the same jets, their classes counted otherwise."""
    label = jets.columns["label"]
    names = np.array(field_files.JETCLASS)[label]
    hot = field_files.write_jetclass(tmp_path / "hot.root", jets)
    named = field_files.write_weaver(tmp_path / "named.parquet", jets, label=names)
    parts = {
        name: field_files.write_weaver(tmp_path / f"{name}.parquet", jets[names == name])
        for name in field_files.JETCLASS
    }
    code = np.array([1, 2, 0])  # of QCD, Hbb and Hcc
    cases = {"hot": (hot, code[label]), "named": (named, code[label]), "parts": (parts, np.repeat(code, 100))}
    for name, (source, expected) in cases.items():
        dataset = convert(source, tmp_path / name, classes=("Hcc", "QCD"))
        assert dataset.provenance["classes"] == ["Hcc", "QCD", "Hbb"]
        np.testing.assert_array_equal(dataset.read().columns["label"], expected)
        np.testing.assert_array_equal(read(source, classes=("Hcc", "QCD")).columns["label"], expected)


def test_an_order_of_classes_that_are_not_there(tmp_path, jets):
    hot = field_files.write_jetclass(tmp_path / "hot.root", jets)
    with pytest.raises(SettingsError, match="no class 'qcd'; there are: QCD, Hbb, Hcc"):
        convert(hot, tmp_path / "jets", classes=("qcd",))
    integers = field_files.write_weaver(tmp_path / "integers.parquet", jets)
    with pytest.raises(SettingsError, match="found no names of classes to put qcd first"):
        convert(integers, tmp_path / "jets", classes=("qcd",))
