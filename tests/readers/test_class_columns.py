"""The columns that tell the class, in layouts of any names: found, named, put in order, or none of them."""

import awkward as ak
import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import uproot

import jetgram
from jetgram.errors import BadJetError, DatasetError, SettingsError, SuspiciousJetsWarning
from jetgram.readers.class_columns import stacked

P4 = {"px": 3.0, "py": 4.0, "pz": 0.0, "E": 5.0}
HOT = {"label_qcd": [0, 1, 0, 1], "label_top": [1, 0, 1, 0]}
ROWS = 4


def write_parquet(path, columns):
    pq.write_table(pa.table({**{name: [[value]] * ROWS for name, value in P4.items()}, **columns}), path)


def write_hdf5(path, columns):
    with h5py.File(path, "w") as file:
        for name, value in P4.items():
            file[name] = np.full((ROWS, 1), value)
        for name, values in columns.items():
            file[name] = values


def write_root(path, columns):
    with uproot.recreate(path) as file:
        file["tree"] = {**{name: ak.Array([[value]] * ROWS) for name, value in P4.items()}, **columns}


def write_ttree(path, columns):
    """Text as `char*`, which is how a TTree has it."""
    arrays = {**{name: ak.Array([[value]] * ROWS) for name, value in P4.items()}, **columns}
    with uproot.recreate(path) as file:
        file.mktree("tree", {name: ak.type(ak.Array(value)).content for name, value in arrays.items()})
        file["tree"].extend({name: ak.Array(value) for name, value in arrays.items()})


def write_padded(path, columns):
    np.savez(path, **{name: np.full((ROWS, 1), value) for name, value in P4.items()}, **columns)


def write_flat(path, columns):
    np.savez(path, p4=np.array([list(P4.values())] * ROWS), offsets=np.arange(ROWS + 1), **columns)


WRITERS = {
    "parquet": (write_parquet, "parquet"),
    "hdf5": (write_hdf5, "h5"),
    "rntuple": (write_root, "root"),
    "ttree": (write_ttree, "root"),
    "padded npz": (write_padded, "npz"),
    "npz": (write_flat, "npz"),
}


@pytest.fixture(params=WRITERS.values(), ids=WRITERS)
def write(request, tmp_path):
    writer, ending = request.param

    def write(name="jets", **columns):
        writer(tmp_path / f"{name}.{ending}", columns)
        return tmp_path / f"{name}.{ending}"

    return write


def labels(path, **options):
    return jetgram.read(path, **options).columns["label"].tolist()


def test_one_column_per_class_is_found_in_any_file(write, tmp_path):
    path = write(**HOT, run=[7, 7, 8, 8])
    assert labels(path) == [1, 0, 1, 0]
    dataset = jetgram.convert(path, tmp_path / "out", classes=["top"])
    assert dataset.provenance["classes"] == ["top", "qcd"]
    assert jetgram.read(tmp_path / "out").columns["label"].tolist() == [0, 1, 0, 1]


def test_a_column_label_goes_before_others_that_begin_so(write):
    path = write(label=[2, 0, 1, 0], label_run=[7, 7, 8, 8], label_event=[1, 2, 3, 4])
    found = jetgram.read(path)
    assert found.columns["label"].tolist() == [2, 0, 1, 0]
    assert found.columns["label_run"].tolist() == [7, 7, 8, 8]


def test_names_of_classes_in_any_file(write):
    assert labels(write(label=["top", "qcd", "top", "w"])) == [1, 0, 1, 2]


def test_no_class_is_asked_for(write):
    found = jetgram.read(write(**HOT), label="")
    assert "label" not in found.columns
    assert {"label_qcd", "label_top"} <= set(found.columns)


def test_a_single_column_that_begins_so_is_no_class(write):
    found = jetgram.read(write(label_run=[7, 7, 8, 8]))
    assert "label" not in found.columns
    assert found.columns["label_run"].tolist() == [7, 7, 8, 8]


def test_columns_that_hold_no_classes_are_named_with_their_values(write):
    found = "expected 1 in one of its columns and 0 in the others, found event = 1, run = 7; 4 of 4 jets are bad"
    with pytest.raises(BadJetError, match=f"jet 0: no class; {found}"):
        jetgram.read(write(label_event=[1, 2, 3, 4], label_run=[7, 7, 8, 8]))


def test_columns_of_classes_hold_numbers(write):
    path = write(label_qcd=["a", "b", "a", "b"], label_top=["b", "a", "b", "a"])
    with pytest.raises(SettingsError, match=r"jets\..*label_qcd has shape \(4,\) and type .*; expected 0 or 1 in each"):
        jetgram.read(path)


def test_a_column_that_is_not_there_is_named(write):
    with pytest.raises(SettingsError, match=r"jets\..*'truth_\*'"):
        jetgram.read(write(**HOT), label="truth_*")


def test_one_of_the_classes_is_no_weight(write):
    with pytest.raises(SettingsError, match="'label_top' cannot be both the class and the weight"):
        jetgram.read(write(**HOT), weight="label_top")


def test_a_column_named_weight_may_tell_the_class(write):
    found = jetgram.read(write(weight=[0, 1, 0, 1]), label="weight")
    assert found.columns["label"].tolist() == [0, 1, 0, 1]
    assert "weight" not in found.columns


def test_files_with_the_classes_in_another_order(tmp_path):
    files = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for file, columns in zip(files, (HOT, dict(reversed(HOT.items()))), strict=True):
        write_parquet(file, columns)
    with pytest.raises(DatasetError, match="give one order for all files: classes=qcd,top"):
        jetgram.read(files)
    assert labels(files, classes=["qcd", "top"]) == 2 * [1, 0, 1, 0]


def test_text_in_root_files_is_told(tmp_path):
    for number, writer in enumerate((write_root, write_ttree)):
        writer(tmp_path / f"{number}.root", {"run": ["a", "b", "a", "b"], "label": [0, 1, 0, 1]})
        with pytest.warns(SuspiciousJetsWarning, match="not carried along: 1 column: run; it is text"):
            assert labels(tmp_path / f"{number}.root") == [0, 1, 0, 1]


def test_columns_of_several_values_are_no_classes():
    table = {"label_a": np.zeros((3, 2)), "label_b": np.zeros((3, 2))}
    with pytest.raises(SettingsError, match=r"label_a has shape \(3, 2\) and type float64; expected 0 or 1"):
        stacked(table, ("label_a", "label_b"))
