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
from jetgram.inspection import inspect
from jetgram.readers.class_columns import stacked
from jetgram.readers.files.root import RootFile

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


def test_a_map_names_the_class_and_the_weight(write, tmp_path):
    path = write(is_sig=[0, 1, 1, 0], w=[1.0, 2.0, 3.0, 4.0], weight=[9.0] * ROWS)
    found, expected = (
        jetgram.read(path, **how)
        for how in ({"map": {"label": "is_sig", "weight": "w"}}, {"label": "is_sig", "weight": "w"})
    )
    assert found.columns["label"].tolist() == [0, 1, 1, 0]
    assert found.columns["weight"].tolist() == [1.0, 2.0, 3.0, 4.0]
    assert found.columns.keys() == expected.columns.keys()
    assert not {"is_sig", "w", "jet_label", "jet_weight"} & found.columns.keys()
    dataset = jetgram.convert(path, tmp_path / "out", map={"label": "is_sig"})
    assert dataset.column("label", "train").tolist() == [0, 1, 1, 0]
    assert dataset.provenance["conversion"]["options"] == {"label": "is_sig"}
    with pytest.raises(SettingsError, match="there is no column 'is_signal'"):
        jetgram.read(path, map={"label": "is_signal"})
    with pytest.raises(SettingsError, match="the label is 'w', but 'is_sig' in the map; expected one column"):
        jetgram.read(path, label="w", map={"label": "is_sig"})


def test_a_map_of_momenta_and_class(tmp_path):
    momenta = {name: [[value]] * ROWS for name, value in zip(("a", "b", "c", "d"), P4.values(), strict=True)}
    pq.write_table(pa.table({**momenta, "is_sig": [0, 1, 1, 0], "run": [7] * ROWS}), tmp_path / "jets.parquet")
    names = {**dict(zip(P4, momenta, strict=True)), "label": "is_sig", "period": "run"}
    found = jetgram.read(tmp_path / "jets.parquet", map=names)
    assert {name: values.tolist() for name, values in found.columns.items()} == {
        "label": [0, 1, 1, 0],
        "period": [7] * ROWS,
    }


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
    found = "expected 1 in one of its columns .*label '' reads them as other columns.*found event = 1, run = 7; 4 of 4"
    with pytest.raises(BadJetError, match=f"jet 0: no class; {found} jets are bad"):
        jetgram.read(write(label_event=[1, 2, 3, 4], label_run=[7, 7, 8, 8]))


def test_columns_of_classes_hold_numbers(write):
    path = write(label_qcd=["a", "b", "a", "b"], label_top=["b", "a", "b", "a"])
    with pytest.raises(SettingsError, match=r"jets\..*label_qcd has shape \(4,\) and type .*; expected 0 or 1 in each"):
        jetgram.read(path)


def test_a_column_that_is_not_there_is_named(write):
    with pytest.raises(SettingsError, match=r"jets\..*'truth_\*'"):
        jetgram.read(write(**HOT), label="truth_*")


def test_a_weight_is_none_of_the_classes(write):
    found = jetgram.read(write(**HOT, label_weight=[2.0, 3.0, 4.0, 5.0]), weight="label_weight")
    assert found.columns["label"].tolist() == [1, 0, 1, 0]
    assert found.columns["weight"].tolist() == [2.0, 3.0, 4.0, 5.0]
    with pytest.raises(SettingsError, match="'label_top' cannot be both the class and the weight"):
        jetgram.read(write(**HOT), label="label_*", weight="label_top")


@pytest.mark.parametrize("classes", [{}, HOT], ids=["alone", "next to classes"])
def test_lists_per_particle_are_no_classes(tmp_path, classes):
    """Such as the truth labels of the particles of a jet."""
    momenta = {name: [[value] * 2] * ROWS for name, value in P4.items()}
    of_particles = {"label_vertex": [[1, 2]] * ROWS, "label_origin": [[3, 4]] * ROWS}
    pq.write_table(pa.table({**momenta, **of_particles, **classes}), tmp_path / "jets.parquet")
    found = jetgram.read(tmp_path / "jets.parquet")
    assert found.particles["label_origin"].tolist() == [3, 4] * ROWS
    assert found.columns.get("label", np.array([])).tolist() == ([1, 0, 1, 0] if classes else [])
    with pytest.raises(SettingsError, match="label_vertex has lists of values; expected one .*; label '' reads it"):
        jetgram.read(tmp_path / "jets.parquet", label="label_*")


@pytest.mark.parametrize("classes", [["label_weight"], ["label_weight", "label_top"]])
def test_the_weight_is_no_class_of_a_layout_with_a_pattern(tmp_path, classes):
    momenta = {f"part_{name}": [[value]] * ROWS for name, value in P4.items()}
    columns = {name: [1, 0, 1, 0] for name in classes}
    pq.write_table(pa.table({**momenta, **columns}), tmp_path / "jets.parquet")
    found = jetgram.read(tmp_path / "jets.parquet", layout="weaver", weight="label_weight")
    assert found.columns["weight"].tolist() == [1, 0, 1, 0]
    assert ("label" in found.columns) == ("label_top" in classes)


def test_classes_that_the_user_names_leave_columns_of_a_file_alone(write, tmp_path):
    files = {"a": write("a", label_run=[7, 7, 8, 8], label_event=[1, 2, 3, 4]), "b": write("b", **HOT)}
    first = jetgram.read({"a": files["a"]})
    assert first.columns["label_run"].tolist() == [7, 7, 8, 8]
    assert first.columns["label"].tolist() == [0] * ROWS
    dataset = jetgram.convert({"b": files["b"]}, tmp_path / "out")
    assert dataset.class_names() == ("b",)
    assert {"label_qcd", "label_top"} <= set(dataset.read().columns)
    assert inspect(dataset.path).counts == {"train": {"b": ROWS}}


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


@pytest.mark.parametrize("on_bad", ["raise", "drop"])
def test_a_row_without_a_class_in_an_array_of_all_classes(tmp_path, on_bad):
    """Of such an array nobody knows the names of its columns."""
    write_flat(tmp_path / "jets.npz", {"label": [[1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 1]]})
    if on_bad == "drop":
        with pytest.warns(SuspiciousJetsWarning, match="1 of 4 jets left out: no class"):
            assert labels(tmp_path / "jets.npz", on_bad="drop") == [0, 1, 2]
    else:
        with pytest.raises(BadJetError, match=r"jet 2: no class, the label is \[0, 0, 0\]; 1 of 4 jets are bad"):
            jetgram.read(tmp_path / "jets.npz")


def test_a_class_of_another_type_is_told(tmp_path):
    write_flat(tmp_path / "jets.npz", {"label": np.arange(ROWS) * 1j})
    with pytest.raises(DatasetError, match=r"jets\.npz: label has type complex128; expected numbers or text"):
        jetgram.read(tmp_path / "jets.npz")


def test_text_that_nobody_wants_is_not_read(tmp_path, monkeypatch):
    """It may be long, and as an array every text is as long as the longest."""
    write_ttree(tmp_path / "jets.root", {"comment": ["a" * 4000, "b", "c", "d"], "label": ["top", "qcd", "w", "qcd"]})
    asked = []

    def read(file, table, names, span, whole=RootFile._read):
        asked.extend(names)
        return whole(file, table, names, span)

    monkeypatch.setattr(RootFile, "_read", read)
    with pytest.warns(SuspiciousJetsWarning, match="1 column: comment; it is text"):
        assert labels(tmp_path / "jets.root") == [1, 0, 2, 0]
    assert "label" in asked
    assert "comment" not in asked


def test_columns_of_several_values_are_no_classes():
    table = {"label_a": np.zeros((3, 2)), "label_b": np.zeros((3, 2))}
    with pytest.raises(SettingsError, match=r"label_a has shape \(3, 2\) and type float64; expected 0 or 1"):
        stacked(table, ("label_a", "label_b"))
