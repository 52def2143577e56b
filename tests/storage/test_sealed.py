import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jetgram.errors import JetgramError, ModelError
from jetgram.storage.sealed import Form, read_regular, sealed, sha256_of

FORM = Form("a note", ("note", "letter"), (1, 2), ModelError, "write it again", largest=10_000)
NOTE = {"kind": "note", "format": 2, "text": "kt", "numbers": [1, 2.5, None]}


def test_what_is_sealed_is_read(tmp_path):
    digest = FORM.write(tmp_path / "note.json", NOTE)
    assert FORM.read(tmp_path / "note.json") == {**NOTE, "digest": digest}
    assert [file.name for file in tmp_path.iterdir()] == ["note.json"]


def test_white_space_and_the_order_of_keys_do_not_matter():
    turned = dict(reversed(list(sealed(NOTE).items())))
    assert FORM.open(json.dumps(turned), "x") == sealed(NOTE)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "note.json is damaged: .*; write it again"),
        (b"{", "note.json is damaged: .*; write it again"),
        (b"\xff\xfe\x00", "note.json is damaged: .*; write it again"),
        (b"[" * 100_000, "note.json is damaged: .*; write it again"),
        (b'{"a":' * 100_000, "note.json is damaged: .*; write it again"),
        (b"[]", "note.json is damaged: found a list, expected an object; write it again"),
        (b"{}", "note.json is not a note: its kind is None; expected .note. or .letter."),
        (b'{"kind": ["note"]}', "note.json is not a note"),
        (json.dumps(sealed({**NOTE, "kind": "other"})).encode(), "note.json is not a note: its kind is .other."),
        (
            json.dumps(sealed({**NOTE, "format": 3})).encode(),
            "has format 3; this version of jetgram reads format 1 and 2",
        ),
        (b'{"format": 1}', "has format 1; this version of jetgram reads format 1 and 2"),
        (json.dumps(NOTE).encode(), "note.json was changed after it was written"),
        (json.dumps({**sealed(NOTE), "text": "ca"}).encode(), "note.json was changed after it was written"),
        (json.dumps({**sealed(NOTE), "more": 1}).encode(), "note.json was changed after it was written"),
    ],
)
def test_what_is_not_sealed_is_an_error(content, message):
    with pytest.raises(ModelError, match=message):
        FORM.open(content, "note.json")


@given(st.integers(0, 10**6), st.integers(0, 7))
def test_no_flipped_bit_changes_the_content(place, bit):
    whole = FORM.pack(NOTE)
    damaged = bytearray(whole)
    damaged[place % len(whole)] ^= 1 << bit
    try:
        found = FORM.open(bytes(damaged), "note.json")
    except JetgramError:
        return
    assert found == json.loads(whole)


def test_files_that_a_document_names(tmp_path):
    file = tmp_path / "weights"
    file.write_bytes(b"numbers")
    assert FORM.read_named(file, sha256_of(b"numbers"), "note.json") == b"numbers"
    with pytest.raises(ModelError, match="weights is damaged: its SHA-256 is not the one in note.json; write it again"):
        FORM.read_named(file, sha256_of(b"other"), "note.json")
    with pytest.raises(ModelError, match="has 7 bytes; expected at most 6"):
        FORM.read_named(file, sha256_of(b"numbers"), "note.json", 6)


def test_only_regular_files_are_read(tmp_path):
    with pytest.raises(ModelError, match="x is missing"):
        read_regular(tmp_path / "x", ModelError)
    with pytest.raises(ModelError, match="is not a regular file"):
        read_regular(tmp_path, ModelError)
