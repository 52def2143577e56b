"""Files of others that are whole, but not what their user thinks: nothing is left out silently."""

import warnings

import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import jetgram
from jetgram.errors import BadJetError, DatasetError, SettingsError, SuspiciousJetsWarning
from jetgram.readers.convert import convert

X = np.array([[[50.0, 0.1, 0.2, 211], [0, 0, 0, 0]], [[40.0, 0.1, 0.2, 22], [9.0, 0.2, 0.3, 130]]])
FRAME = pd.DataFrame(
    {"E_0": [5.0, 10.0], "PX_0": [3.0, 0.0], "PY_0": [4.0, 6.0], "PZ_0": [0.0, 8.0], "is_signal_new": [1, 0]}
)


@pytest.mark.parametrize(
    ("arrays", "error", "message"),
    [
        ({"y": np.array([1.0])}, DatasetError, "y has no number or text per row: it has another length"),
        ({"y": np.array([1, 2**40])}, DatasetError, "jet 1: the label is 1099511627776; expected a class"),
        ({"y": np.array([1.0, -1e20])}, DatasetError, r"jet 1: the label is -1e\+20; expected a class"),
        ({"X": np.where(X == 211, 123456789, X)}, BadJetError, "no particle with PDG id 123456789"),
    ],
)
def test_what_is_no_class_or_particle_is_named(tmp_path, arrays, error, message):
    np.savez(tmp_path / "jets.npz", **{"X": X, "y": np.array([1.0, 0.0])} | arrays)
    with pytest.raises(error, match=f"jets.npz: .*{message}|jets.npz: {message}"):
        convert(tmp_path / "jets.npz", tmp_path / "out")


def test_an_array_of_another_length_is_told(tmp_path):
    np.savez(tmp_path / "jets.npz", X=X, y=np.array([1, 0]), cross_section=np.array([3.0]))
    with pytest.warns(SuspiciousJetsWarning, match="not carried along: 1 column: cross_section"):
        assert len(jetgram.read(tmp_path / "jets.npz")) == 2
    with h5py.File(tmp_path / "jets.h5", "w") as file:
        for number, name in enumerate(("pt", "eta", "phi")):
            file[name] = X[..., number]
        file["bins"] = np.arange(1)
    with pytest.warns(SuspiciousJetsWarning, match="not carried along: 1 column: bins"):
        assert len(jetgram.read(tmp_path / "jets.h5")) == 2
    with pytest.raises(DatasetError, match="bins has no number or text per row"):
        jetgram.read(tmp_path / "jets.h5", label="bins")


def test_a_file_without_rows_is_an_error(tmp_path):
    np.savez(tmp_path / "jets.npz", X=X[:0], y=np.zeros(0))
    with pytest.raises(DatasetError, match=r"jets\.npz has no jets"):
        convert(tmp_path / "jets.npz", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_arrays_stored_by_columns_are_read(tmp_path):
    """As NumPy leaves them when columns are chosen."""
    momenta = np.arange(1.0, 13.0).reshape(3, 4)
    momenta[:, 0] = 100.0
    chosen = momenta[:, [1, 2, 3, 0]]
    assert not chosen.flags.c_contiguous
    np.savez(tmp_path / "jets.npz", p4=chosen, offsets=[0, 2, 3])
    np.testing.assert_array_equal(jetgram.read(tmp_path / "jets.npz").momenta, chosen)
    assert convert(tmp_path / "jets.npz", tmp_path / "out", rows=1).read().momenta.tolist() == chosen.tolist()


def test_a_missing_column_of_many_is_named(tmp_path):
    FRAME.assign(E_1=0.0, PX_1=0.0, PY_1=0.0).to_hdf(tmp_path / "top.h5", key="table")
    with pytest.raises(SettingsError, match="there is no column 'PZ_1'"):
        jetgram.read(tmp_path / "top.h5")


def test_text_that_pandas_pickled_is_not_left_out_silently(tmp_path):
    named = FRAME.assign(is_signal_new=["top", "qcd"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pd.errors.PerformanceWarning)  # of some versions
        named.to_hdf(tmp_path / "fixed.h5", key="table")
    with pytest.raises(DatasetError, match="is_signal_new has no number or text per row: .* format='table'"):
        jetgram.read(tmp_path / "fixed.h5")
    named.to_hdf(tmp_path / "table.h5", key="table", format="table")
    np.testing.assert_array_equal(jetgram.read(tmp_path / "table.h5").columns["label"], [1, 0])


@pytest.mark.parametrize("columns", [[], ["is_signal_new"]])
def test_text_that_is_missing_in_a_data_frame_is_no_class(tmp_path, columns):
    """Pandas writes a word of its own in its place."""
    named = FRAME.assign(is_signal_new=["top", None])
    named.to_hdf(tmp_path / "top.h5", key="table", format="table", data_columns=columns)
    with pytest.raises(BadJetError, match="jet 1: no class, the label is ''"):
        jetgram.read(tmp_path / "top.h5")


def test_numbers_that_stand_for_categories_are_no_classes(tmp_path):
    coded = FRAME.assign(is_signal_new=pd.Categorical(["top", None]))
    coded.to_hdf(tmp_path / "top.h5", key="table", format="table")
    with pytest.raises(DatasetError, match="is_signal_new has no number or text per row"):
        jetgram.read(tmp_path / "top.h5")


def test_a_series_next_to_a_data_frame_is_no_table(tmp_path):
    FRAME.to_hdf(tmp_path / "top.h5", key="table", format="table")
    pd.Series([1, 2]).to_hdf(tmp_path / "top.h5", key="meta")
    assert len(jetgram.read(tmp_path / "top.h5")) == 2
    with pytest.raises(DatasetError, match="meta is a series of pandas; expected a data frame"):
        jetgram.read(tmp_path / "top.h5", table="meta")


def test_a_data_frame_without_rows_says_so(tmp_path):
    FRAME[:0].to_hdf(tmp_path / "top.h5", key="table")
    with pytest.raises(DatasetError, match=r"top\.h5: table is a data frame without rows"):
        jetgram.read(tmp_path / "top.h5")


def test_columns_that_are_not_there_are_errors_in_every_layout(tmp_path):
    np.savez(tmp_path / "jets.npz", p4=[[3.0, 4.0, 0.0, 5.0]], offsets=[0, 1], label=[1])
    for option in ("label", "weight"):
        with pytest.raises(SettingsError, match=r"jets\.npz: there is no column 'truth'; found: label"):
            jetgram.read(tmp_path / "jets.npz", **{option: "truth"})


def test_nothing_to_read_is_an_error():
    with pytest.raises(SettingsError, match="there is nothing to read: name files"):
        jetgram.read([])


@pytest.mark.parametrize(
    ("on_bad", "message"),
    [
        ("dorp", "on_bad = 'dorp': Input should be 'raise', 'drop' or 'clip'"),
        ("clip", "is stored by jetgram, so nothing is left to clip; give on_bad raise or drop"),
    ],
)
def test_a_stored_dataset_is_as_strict_about_what_to_do_with_bad_jets(tmp_path, on_bad, message):
    np.savez(tmp_path / "jets.npz", X=X, y=np.array([1, 0]))
    convert(tmp_path / "jets.npz", tmp_path / "out")
    assert len(jetgram.read(tmp_path / "out", on_bad="drop")) == 2
    with pytest.raises(SettingsError, match=message):
        jetgram.read(tmp_path / "out", on_bad=on_bad)


def test_a_file_without_what_its_layout_needs(tmp_path):
    """Whoever names the layout is told what the file lacks, not that it is damaged."""
    with h5py.File(tmp_path / "jets.h5", "w") as file:
        file["particle_features"] = np.zeros((4, 5, 4))
    with pytest.raises(SettingsError, match=r"jets\.h5: there is no column 'jet_features'; found: particle_features"):
        jetgram.read(tmp_path / "jets.h5", layout="jetnet")
    pq.write_table(pa.table({"px": [[3.0]], "py": [[4.0]], "pz": [[0.0]], "E": [[5.0]]}), tmp_path / "jets.parquet")
    for layout in ("delphes", "pfnano"):
        with pytest.raises(DatasetError, match=r"jets\.parquet: Parquet with px, py, pz, E; expected .*ROOT, tree"):
            jetgram.read(tmp_path / "jets.parquet", layout=layout)
