"""CSV files: the same rows give the same bytes, and a crash leaves no part of a file."""

import csv

import pytest

from jetgram.storage.csv_files import csv_text, write_csv

ROWS = [
    ["name", "value", "remark"],
    ["gated, kt", "0.5", 'said "twice"'],
    ["ΔR", "", "two\nlines"],
]


def test_what_is_written_is_read_back(tmp_path):
    write_csv(tmp_path / "table.csv", ROWS)
    with (tmp_path / "table.csv").open(newline="", encoding="utf-8") as file:
        assert list(csv.reader(file)) == ROWS


def test_lines_end_in_a_newline_alone(tmp_path):
    write_csv(tmp_path / "table.csv", (row for row in [["a", 1], ["b", None], ["c", 0.25]]))
    assert (tmp_path / "table.csv").read_bytes() == b"a,1\nb,\nc,0.25\n"
    assert csv_text([]) == ""


def test_rows_that_fail_leave_the_old_file(tmp_path):
    def rows():
        yield ["new"]
        raise ZeroDivisionError

    write_csv(tmp_path / "table.csv", [["old"]])
    with pytest.raises(ZeroDivisionError):
        write_csv(tmp_path / "table.csv", rows())
    assert (tmp_path / "table.csv").read_bytes() == b"old\n"
    assert [file.name for file in tmp_path.iterdir()] == ["table.csv"]
