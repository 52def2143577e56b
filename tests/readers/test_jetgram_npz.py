import io
import struct
import zipfile

import numpy as np
import pytest

import jetgram
from jetgram.errors import BadJetError, DatasetError, JetgramError

P4 = np.array([[3.0, 4.0, 0.0, 5.0], [30.0, 40.0, 0.0, 50.0], [0.0, 6.0, 8.0, 10.0]])
OFFSETS = np.array([0, 2, 3])


@pytest.fixture
def file(tmp_path):
    def write(**arrays):
        np.savez(tmp_path / "jets.npz", **{"p4": P4, "offsets": OFFSETS} | arrays)
        return tmp_path / "jets.npz"

    return write


def test_arrays_travel_by_their_length(file):
    jets = jetgram.read(file(label=np.array([1, 0]), pid=np.array([211, 22, 22]), truth=np.ones((2, 4))))
    np.testing.assert_array_equal(jets.momenta, P4)
    assert set(jets.columns) == {"label", "truth"}
    assert set(jets.particles) == {"pid"}
    with pytest.raises(DatasetError, match=r"strange has shape \(7,\)"):
        jetgram.read(file(strange=np.ones(7)))


@pytest.mark.parametrize(
    ("arrays", "error", "message"),
    [
        ({"p4": np.ones((3, 3))}, DatasetError, "jets.npz: p4 has shape"),
        ({"p4": np.array(3.0)}, DatasetError, "jets.npz: p4 has shape"),
        ({"p4": np.zeros((1, 1, 1, 4))}, DatasetError, "jets.npz: p4 has shape"),
        ({"p4": P4 * 1j}, DatasetError, "jets.npz: p4 has .* type complex128; expected"),
        ({"offsets": np.array([0, 2, 9])}, BadJetError, "jets.npz: offsets"),
        ({"offsets": np.array(5)}, BadJetError, "jets.npz: offsets"),
        ({"offsets": np.array([], dtype=int)}, BadJetError, "jets.npz: offsets"),
        ({"offsets": np.array([0, 2**62, 3])}, BadJetError, "jets.npz: offsets fall"),
        ({"offsets": OFFSETS * 1.0}, BadJetError, "jets.npz: offsets are of type float64; expected integers"),
        ({"label": np.array(1)}, DatasetError, r"jets.npz: label has shape \(\)"),
        (
            {"p4": np.array([{"no": "numbers"}], dtype=object)},
            DatasetError,
            "jets.npz: p4 has .* type object; expected",
        ),
    ],
)
def test_wrong_files_are_told_apart(file, arrays, error, message):
    with pytest.raises(error, match=message):
        jetgram.read(file(**arrays))


@pytest.mark.parametrize("shape", ["(10000000000000, 4)", f"({10**30}, 4)", "(-5, 4)", "'a'", "(" * 3000 + ")" * 3000])
def test_absurd_shapes_are_errors_that_name_the_file(tmp_path, shape):
    """Of an array without content: the header alone claims it."""
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}\n".encode()
    with zipfile.ZipFile(tmp_path / "jets.npz", "w") as file:
        file.writestr("p4.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
        file.writestr("offsets.npy", npy_bytes(OFFSETS))
    with pytest.raises(JetgramError, match=r"jets\.npz"):
        jetgram.read(tmp_path / "jets.npz")


def npy_bytes(array):
    content = io.BytesIO()
    np.save(content, array)
    return content.getvalue()
