import io
import struct
import zipfile

import numpy as np
import pytest

import jetgram
from jetgram.cli import main
from jetgram.errors import BadJetError, DatasetError, JetgramError
from jetgram.storage.dataset import read
from jetgram.storage.npz import jets_from_npz

P4 = np.array([[3.0, 4.0, 0.0, 5.0], [30.0, 40.0, 0.0, 50.0], [0.0, 6.0, 8.0, 10.0]])
OFFSETS = np.array([0, 2, 3])


@pytest.fixture
def file(tmp_path):
    def write(**arrays):
        np.savez(tmp_path / "jets.npz", **{"p4": P4, "offsets": OFFSETS} | arrays)
        return tmp_path / "jets.npz"

    return write


def test_arrays_travel_by_their_length(file):
    jets = jets_from_npz(file(label=np.array([1, 0]), pid=np.array([211, 22, 22]), truth=np.ones((2, 4))))
    np.testing.assert_array_equal(jets.momenta, P4)
    assert set(jets.columns) == {"label", "truth"}
    assert set(jets.particles) == {"pid"}
    with pytest.raises(DatasetError, match=r"strange has shape \(7,\)"):
        jets_from_npz(file(strange=np.ones(7)))


@pytest.mark.parametrize(
    ("arrays", "error", "message"),
    [
        ({"p4": np.ones((3, 3))}, BadJetError, "jets.npz: momenta have shape"),
        ({"p4": np.array(3.0)}, BadJetError, "jets.npz: momenta have shape"),
        ({"p4": np.zeros((1, 1, 1, 4))}, BadJetError, "jets.npz: momenta have shape"),
        ({"p4": P4 * 1j}, DatasetError, "jets.npz has no numbers p4"),
        ({"offsets": np.array([0, 2, 9])}, BadJetError, "jets.npz: offsets"),
        ({"offsets": np.array(5)}, BadJetError, "jets.npz: offsets"),
        ({"offsets": np.array([], dtype=int)}, BadJetError, "jets.npz: offsets"),
        ({"offsets": np.array([0, 2**62, 3])}, BadJetError, "jets.npz: offsets fall"),
        ({"offsets": OFFSETS * 1.0}, BadJetError, "jets.npz: offsets are of type float64; expected integers"),
        ({"label": np.array(["qcd", "top"])}, DatasetError, "jets.npz: label is of type <U3; .*jetgram convert"),
        ({"label": np.array(1)}, DatasetError, r"jets.npz: label has shape \(\)"),
        ({"p4": np.array([{"no": "numbers"}], dtype=object)}, DatasetError, "more than arrays of numbers"),
    ],
)
def test_wrong_files_are_told_apart(file, arrays, error, message):
    with pytest.raises(error, match=message):
        jets_from_npz(file(**arrays))


@pytest.mark.parametrize("shape", ["(10000000000000, 4)", f"({10**30}, 4)", "(-5, 4)", "'a'", "(" * 3000 + ")" * 3000])
def test_absurd_shapes_are_errors_that_name_the_file(tmp_path, shape):
    """Of an array without content: the header alone claims it."""
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}\n".encode()
    with zipfile.ZipFile(tmp_path / "jets.npz", "w") as file:
        file.writestr("p4.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
        file.writestr("offsets.npy", npy_bytes(OFFSETS))
    with pytest.raises(DatasetError, match=r"jets\.npz is damaged"):
        jets_from_npz(tmp_path / "jets.npz")
    with pytest.raises(JetgramError, match=r"jets\.npz"):
        jetgram.read(tmp_path / "jets.npz")


def npy_bytes(array):
    content = io.BytesIO()
    np.save(content, array)
    return content.getvalue()


def test_bad_jets_stop_the_command_or_are_dropped_and_counted(file, tmp_path, capsys):
    bad = P4.copy()
    bad[1, 3] = np.nan
    arguments = ["store", str(file(p4=bad, label=np.array([1, 0]))), "--out", str(tmp_path / "mine")]
    with pytest.raises(SystemExit, match="1"):
        main(arguments)
    assert "jet 0, particle 1: NaN in (px, py, pz, E) = (30.0, 40.0, 0.0, nan); 1 of 2 bad" in capsys.readouterr().err
    assert not (tmp_path / "mine").exists()
    with pytest.raises(SystemExit, match="0"):
        main([*arguments, "--on-bad-jet", "drop"])
    assert "1 jets; 1 bad jets dropped" in capsys.readouterr().out
    assert read(tmp_path / "mine").columns["label"].tolist() == [0]
    with pytest.raises(SystemExit, match="1"):
        main([*arguments, "--on-bad-jet", "ignore"])
    assert "expected raise or drop" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["label", "weight"])
def test_a_jet_without_a_class_or_weight_is_named_or_dropped(file, tmp_path, capsys, name):
    arguments = ["store", str(file(**{name: np.array([1.0, np.nan])})), "--out", str(tmp_path / "mine")]
    with pytest.raises(SystemExit, match="1"):
        main(arguments)
    assert f"jet 1: the {name} is nan; 1 of 2" in capsys.readouterr().err
    assert not (tmp_path / "mine").exists()
    with pytest.raises(SystemExit, match="0"):
        main([*arguments, "--on-bad-jet", "drop"])
    assert "1 jets; 1 bad jets dropped" in capsys.readouterr().out
    np.testing.assert_array_equal(read(tmp_path / "mine").columns[name], [1.0])
