"""Damaged, empty and ambiguous files of others: an error that names the file, whatever their parsers raise."""

import warnings
import zipfile

import field_files as write
import h5py
import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import jetgram
from jetgram.boundary import parsing_each
from jetgram.errors import DatasetError, JetgramError
from jetgram.momenta import Jets

NAMES = ("px", "py", "pz", "E")


def table(jets: Jets) -> pa.Table:
    offsets = pa.array(jets.offsets.astype(np.int32))
    lists = [pa.ListArray.from_arrays(offsets, pa.array(np.ascontiguousarray(p))) for p in jets.momenta.T]
    return pa.table([*lists, pa.array(jets.columns["label"])], names=[*NAMES, "label"])


def write_parquet(path, jets):
    pq.write_table(table(jets), path)


def write_feather(path, jets):
    pyarrow.feather.write_feather(table(jets), path, compression="lz4")


def write_hdf5(path, jets):
    padded = write.padded(jets, jets.momenta, int(jets.multiplicity.max()))
    with h5py.File(path, "w") as file:
        for number, name in enumerate(NAMES):
            file[name] = padded[..., number]
        file["label"] = jets.columns["label"]


def write_npz(path, jets):
    np.savez_compressed(path, p4=jets.momenta, offsets=jets.offsets, label=jets.columns["label"])


def write_root(path, jets):
    write.write_jetclass(path, jets)


WRITERS = {
    "jets.parquet": write_parquet,
    "jets.feather": write_feather,
    "jets.h5": write_hdf5,
    "jets.npz": write_npz,
    "jets.root": write_root,
}


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.filterwarnings("ignore")  # of what flipped bits make of the momenta
def test_damaged_files_are_errors_that_name_them(jets, tmp_path, name):
    """Formats without checksums may give other numbers; no parser may give a traceback."""
    file, rng = tmp_path / name, np.random.default_rng(3)
    WRITERS[name](file, jets[:20])
    whole = file.read_bytes()
    jetgram.read(file)
    refused = 0
    for number in range(60):
        damaged = bytearray(whole)
        damaged[rng.integers(len(whole))] ^= 1 << rng.integers(8)
        file.write_bytes(damaged if number % 4 else whole[: rng.integers(len(whole))])
        try:
            jetgram.read(file)
        except JetgramError as error:
            refused += 1
            assert name in str(error)  # noqa: PT017
    assert refused >= 10


def test_a_parquet_file_without_rows_is_named(jets, tmp_path):
    pq.write_table(table(jets)[:0], tmp_path / "none.parquet")
    with pytest.raises(DatasetError, match=r"none\.parquet has no jets"):
        jetgram.read(tmp_path / "none.parquet")
    with pytest.raises(DatasetError, match=r"none\.parquet has no jets"):
        jetgram.convert(tmp_path / "none.parquet", tmp_path / "out")


def test_a_column_that_is_there_twice_is_named(jets, tmp_path):
    twice = table(jets).append_column("px", pa.array(np.arange(len(jets))))
    pq.write_table(twice, tmp_path / "twice.parquet")
    with pytest.raises(DatasetError, match=r"twice\.parquet has more than one column 'px'"):
        jetgram.read(tmp_path / "twice.parquet")


def test_an_array_that_is_there_twice_is_named(jets, tmp_path):
    write_npz(tmp_path / "twice.npz", jets)
    with zipfile.ZipFile(tmp_path / "twice.npz", "a") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns of the second name
        file.writestr("p4.npy", file.read("p4.npy"))
    with pytest.raises(DatasetError, match=r"twice\.npz has more than one array of a name"):
        jetgram.read(tmp_path / "twice.npz")


def test_what_is_done_with_the_items_of_a_parser_is_not_its_fault():
    def write_each() -> None:
        for _ in parsing_each([1], "jets.parquet"):
            raise OSError("no space")

    with pytest.raises(OSError, match="^no space$"):
        write_each()
