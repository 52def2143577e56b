"""Sealed tables that are written part by part."""

import io
import itertools

import numpy as np
import pyarrow as pa
import pytest

from jetgram.errors import DatasetError
from jetgram.storage import tables
from jetgram.storage.tables import Column, open_table, read_columns, require_seal, stream_table

ROWS = 1_000


def columns(begin: int, end: int) -> list[Column]:
    number = np.arange(begin, end)
    return [Column("number", "column", pa.array(number)), Column("root", "output", pa.array(np.sqrt(number)))]


def written(cuts: list[int]) -> bytes:
    """The bytes of rows 0 to `ROWS`, in parts that begin and end at the cuts."""
    edges = [0, *cuts, ROWS]
    sink = io.BytesIO()
    parts = [columns(begin, end) for begin, end in itertools.pairwise(edges)]
    assert stream_table(sink, parts, "numbers", {"source": "by hand"}) == ROWS
    return sink.getvalue()


def read(content: bytes) -> dict[str, np.ndarray]:
    header, roles = open_table(content, "table", ["numbers"])
    arrays = read_columns(content, "table", list(roles))
    require_seal(header, roles, arrays, "table")
    return {name: array.to_numpy() for name, array in arrays.items()}


@pytest.mark.parametrize("group", [1, 7, 250, 999, 1_000, 10_000])
def test_parts_of_any_size_give_the_same_bytes(monkeypatch, group) -> None:
    monkeypatch.setattr(tables, "ROW_GROUP", group)
    whole = written([])
    for cuts in ([1], [999], [250, 500, 750], [0, 0, 3, 3], [group % ROWS]):
        assert written(cuts) == whole
    np.testing.assert_array_equal(read(whole)["number"], np.arange(ROWS))


def test_rows_are_written_before_the_last_ones_are_there(monkeypatch) -> None:
    monkeypatch.setattr(tables, "ROW_GROUP", 100)
    sink, sizes = io.BytesIO(), []

    def parts():
        for begin in range(0, ROWS, 100):
            sizes.append(sink.tell())
            yield columns(begin, begin + 100)

    stream_table(sink, parts(), "numbers", {})
    assert sizes[-1] > 6 * (sizes[3] - sizes[2]) > 0


def test_no_rows_are_a_table_too() -> None:
    sink = io.BytesIO()
    assert stream_table(sink, [columns(0, 0)], "numbers", {}) == 0
    assert read(sink.getvalue())["root"].shape == (0,)


def test_the_seal_covers_header_roles_and_numbers() -> None:
    header, roles = open_table(written([]), "table", ["numbers"])
    arrays = read_columns(written([]), "table", list(roles))
    other = pa.array(np.arange(ROWS) + (np.arange(ROWS) == 7))
    for changed in (
        ({**header, "provenance": {"source": "by heart"}}, roles, arrays),
        (header, {**roles, "root": "column"}, arrays),
        (header, roles, {**arrays, "number": other}),
    ):
        with pytest.raises(DatasetError, match="table was changed after it was written"):
            require_seal(*changed, "table")
