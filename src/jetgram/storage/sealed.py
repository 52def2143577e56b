"""Sealed documents: JSON objects that say what they are, with a digest of all they say; and the files that they name.

A document carries the SHA-256 of its own content, so that an edit, a flipped bit or a cut-off file is an error with its
name. What is too large for JSON stands in other files, of which a document names the SHA-256. Datasets, models,
prepared jets, checkpoints and training histories are all sealed in this way.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import pydantic

from jetgram.boundary import parsing
from jetgram.errors import JetgramError
from jetgram.storage import atomic


def digest_of(content: Mapping[str, Any]) -> str:
    """SHA-256 of anything that JSON can hold; the order of its keys does not matter.

    Example:
        >>> digest_of({"seed": 1, "split": "train"})[:16]
        '529bef369e2e4776'
        >>> digest_of({"split": "train", "seed": 1})[:16]
        '529bef369e2e4776'
    """
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


LARGEST = 64 * 2**20  # bytes of a document
DIGEST = "digest"

P = TypeVar("P", bound=pydantic.BaseModel)


@dataclasses.dataclass(frozen=True)
class Form:
    """A kind of document.

    Args:
        name: what it is, for messages.
        kinds: what its field `kind` may say.
        formats: those that this version reads; the last one is written.
        error: what is raised.
        advice: what to do about one that is damaged.
        largest: bytes of a document.

    Example:
        >>> form = Form("a note", ("note",), (1,), JetgramError, "write it again")
        >>> form.open(form.pack({"kind": "note", "format": 1, "text": "kt"}), "note.json")["text"]
        'kt'
        >>> form.open(form.pack({"kind": "note", "format": 1, "text": "kt"}).replace(b"kt", b"ca"), "note.json")
        Traceback (most recent call last):
        jetgram.errors.JetgramError: note.json was changed after it was written: its digest does not fit its content;
            write it again
    """

    name: str
    kinds: tuple[str, ...]
    formats: tuple[int, ...]
    error: type[JetgramError]
    advice: str
    largest: int = LARGEST

    def pack(self, content: Mapping[str, Any]) -> bytes:
        """The document with this content, sealed."""
        return (json.dumps(sealed(content), indent=2, allow_nan=False) + "\n").encode()

    def write(self, path: Path, content: Mapping[str, Any]) -> str:
        """Write the document, and return its digest."""
        atomic.write_bytes(path, self.pack(content))
        return digest_of(content)

    def open(self, document: bytes | str, source: object) -> dict[str, Any]:
        """The content, with its digest, if it is what was sealed; `source` is its name in errors."""
        content = parse_object(document, source, self.error, self.advice)
        kind, number = content.get("kind"), content.get("format")
        if kind not in self.kinds and (kind is not None or number is None):
            expected = " or ".join(repr(kind) for kind in self.kinds)
            raise self.error(f"{source} is not {self.name}: its kind is {kind!r}; expected {expected}")
        if kind is None or number not in self.formats:  # what was made before documents named their kind has a format
            reads = " and ".join(str(known) for known in self.formats)
            raise self.error(
                f"{source} has format {number!r}; this version of jetgram reads format {reads}; {self.advice}"
            )
        require_seal(content, source, self.error, self.advice)
        return content

    def read(self, path: Path) -> dict[str, Any]:
        """The content of the document in a file; see `open`."""
        return self.open(read_regular(path, self.error, self.largest), path)

    def read_as(self, model: type[P], path: Path) -> P:
        """The same as a pydantic model; a field that does not fit is an error that names it."""
        try:
            return model(**self.read(path))
        except pydantic.ValidationError as error:
            first = error.errors()[0]
            raise self.error(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None

    def read_named(self, path: Path, sha256: str, by: str, largest: int | None = None) -> bytes:
        """The bytes of a file that a document names, if they are those that were written.

        Args:
            path: of the file.
            sha256: what the document says of it.
            by: the name of the document.
            largest: bytes that it may have.
        """
        content = read_regular(path, self.error, largest)
        if sha256_of(content) != sha256:
            raise self.error(f"{path} is damaged: its SHA-256 is not the one in {by}; {self.advice}")
        return content


def sealed(content: Mapping[str, Any]) -> dict[str, Any]:
    """The content with the digest of all of it."""
    return {**content, DIGEST: digest_of(content)}


def require_seal(content: Mapping[str, Any], source: object, error: type[JetgramError], advice: str) -> None:
    """Raise unless the digest in the content is that of all the rest."""
    if content.get(DIGEST) != digest_of({name: value for name, value in content.items() if name != DIGEST}):
        raise error(f"{source} was changed after it was written: its digest does not fit its content; {advice}")


def parse_object(document: bytes | str, source: object, error: type[JetgramError], advice: str) -> dict[str, Any]:
    """A JSON object, or an error that names its source: for what is cut off, nested too deep or something else."""
    with parsing(source, error, advice=advice):
        content = json.loads(document)
    if not isinstance(content, dict):
        raise error(f"{source} is damaged: found a {type(content).__name__}, expected an object; {advice}")
    return content


def read_regular(path: Path, error: type[JetgramError], largest: int | None = None) -> bytes:
    """The bytes of a regular file, which is there and has no more than `largest` of them."""
    if not path.exists():
        raise error(f"{path} is missing")
    if not path.is_file():
        raise error(f"{path} is not a regular file")
    size = path.stat().st_size
    if largest is not None and size > largest:
        raise error(f"{path} has {size:,} bytes; expected at most {largest:,}")
    try:
        return path.read_bytes()
    except OSError as problem:
        raise error(f"{path} cannot be read: {problem}") from None


def sha256_of(content: bytes) -> str:
    """The SHA-256 of bytes, in hexadecimal digits.

    Example:
        >>> sha256_of(b"jet")[:16]
        'a64f46febefb8eca'
    """
    return hashlib.sha256(content).hexdigest()
