"""The reader of compressed members against zipfile."""

import importlib
import zipfile

import numpy as np
import pytest

from jetgram.errors import DatasetError
from jetgram.readers.files import inflated
from jetgram.readers.files.inflated import PIECE, Inflated
from jetgram.readers.files.npz import NpzFile


@pytest.fixture
def path(tmp_path):
    """Noise that does not compress, zeros that become a thousandth, and an array without rows."""
    rng = np.random.default_rng(2)
    path = tmp_path / "arrays.npz"
    np.savez_compressed(path, noise=rng.random((PIECE, 3)), zeros=np.zeros((PIECE, 60)), empty=np.zeros((0, 4)))
    return path


@pytest.mark.parametrize("library", ["zlib", "isal.isal_zlib"])
@pytest.mark.parametrize("size", [-1, 1000, 10 * PIECE])
def test_the_bytes_are_those_of_zipfile(path, size, library, monkeypatch):
    monkeypatch.setattr(inflated, "zlib", importlib.import_module(library))
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            with Inflated(path, member) as file:
                found = b"".join(iter(lambda: file.read(size), b""))
            assert found == archive.read(member)


def test_arrays_are_read_from_any_row(path):
    file = NpzFile(path)
    with np.load(path) as archive:
        (found,) = file.stream("", ["noise", "zeros"], [(100, 5000)])
        for name, values in found.items():
            np.testing.assert_array_equal(values, archive[name][100:5000])
    file.close()


@pytest.mark.parametrize("library", ["zlib", "isal.isal_zlib"])
@pytest.mark.parametrize("where", [0.01, 0.3, 0.6, 0.99])
def test_a_flipped_bit_is_an_error(path, where, library, monkeypatch):
    monkeypatch.setattr(inflated, "zlib", importlib.import_module(library))
    with zipfile.ZipFile(path) as archive:
        member = archive.getinfo("noise.npy")
    content = bytearray(path.read_bytes())
    content[member.header_offset + 60 + int(where * (member.compress_size - 60))] ^= 4
    path.write_bytes(content)
    with pytest.raises(DatasetError, match="arrays.npz"):
        NpzFile(path).read("", ["noise"], (0, PIECE))


def test_a_member_without_a_header_is_an_error(path):
    with zipfile.ZipFile(path) as archive:
        member = archive.getinfo("zeros.npy")
    content = bytearray(path.read_bytes())
    content[member.header_offset] ^= 1
    path.write_bytes(content)
    with pytest.raises(zipfile.BadZipFile, match=r"zeros\.npy"):
        Inflated(path, member)
    path.write_bytes(content[: member.header_offset + 3])
    with pytest.raises(zipfile.BadZipFile, match=r"zeros\.npy"):
        Inflated(path, member)
