"""A compressed member of a zip file, read from its beginning and checked at its end."""

from __future__ import annotations

import io
import struct
import zipfile
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import BinaryIO


def _library() -> ModuleType:
    """ISA-L's zlib, which inflates and checks one and a half times as fast; Python's without the extra `readers`."""
    try:
        return import_module("isal.isal_zlib")
    except ImportError:
        return import_module("zlib")


zlib = _library()

PIECE = 1 << 14  # compressed bytes at once; what they become is at most 1032 times as much, and most often in cache
_LOCAL_HEADER = struct.Struct("<4s22xHH")  # signature, ..., lengths of the name and of the extra field


class Inflated(io.RawIOBase):
    """What `ZipFile.open` gives for a deflated member, with fewer copies.

    zipfile asks zlib for so many bytes of output, and copies the input that is left over again with every call. Here
    all of a small piece of input is inflated, whatever its output is.

    Args:
        path: the zip file.
        member: as listed in it.
    """

    def __init__(self, path: Path, member: zipfile.ZipInfo) -> None:
        self._file: BinaryIO = path.open("rb")
        self._member, self._stream, self._crc = member, zlib.decompressobj(-zlib.MAX_WBITS), 0
        self._ready, self._made, self._left = b"", 0, member.compress_size
        self._file.seek(member.header_offset)
        signature, *lengths = _LOCAL_HEADER.unpack(self._file.read(_LOCAL_HEADER.size).ljust(_LOCAL_HEADER.size))
        if signature != b"PK\3\4" or member.flag_bits & 1:
            self._file.close()
            raise zipfile.BadZipFile(f"{member.filename} has no readable header")
        self._file.seek(sum(lengths), io.SEEK_CUR)

    def read(self, size: int = -1) -> bytes:
        """The next bytes, at most `size`; nothing at the end."""
        found = self._ready or self._inflate()
        if not 0 <= size < len(found):
            self._ready = b""
            return found
        self._ready = found[size:]
        return found[:size]

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()

    def _inflate(self) -> bytes:
        found = b""
        while not found and self._made < self._member.file_size:
            piece = self._file.read(min(PIECE, self._left))
            if not piece:
                raise EOFError(f"{self._member.filename} is cut off")
            self._left -= len(piece)
            try:
                found = self._stream.decompress(piece)
            except zlib.error as error:
                raise zipfile.BadZipFile(f"{self._member.filename} cannot be inflated: {error}") from error
            self._made += len(found)
            self._crc = zlib.crc32(found, self._crc)
        if self._made >= self._member.file_size:
            self._require_whole()
        return found

    def _require_whole(self) -> None:
        if self._made != self._member.file_size or self._crc != self._member.CRC:
            raise zipfile.BadZipFile(f"{self._member.filename} has another checksum than the one it was stored with")
