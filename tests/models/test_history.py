import json

import numpy as np
import pytest

from jetgram.errors import ModelError
from jetgram.models.history import HISTORY, history_so_far, read_history, write_history

RECORDS = [{"epoch": epoch, "loss": 0.5 / epoch, "validation_auc": 0.75} for epoch in (1, 2, 3)]


@pytest.mark.parametrize("records", [[], RECORDS[:1], RECORDS])
def test_what_is_written_is_read(tmp_path, records):
    write_history(tmp_path, records)
    assert read_history(tmp_path) == records


def test_each_line_is_a_record(tmp_path):
    write_history(tmp_path, RECORDS)
    lines = [json.loads(line) for line in (tmp_path / HISTORY).read_text().splitlines()]
    assert [line["epoch"] for line in lines] == [1, 2, 3]
    assert ["digest" in line for line in lines] == [False, False, True]


def test_there_may_be_none_yet(tmp_path):
    assert read_history(tmp_path) == []


def test_every_flipped_bit_is_an_error_or_changes_nothing(tmp_path):
    write_history(tmp_path, RECORDS)
    file, rng = tmp_path / HISTORY, np.random.default_rng(3)
    whole = file.read_bytes()
    refused = 0
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << rng.integers(8)
        file.write_bytes(damaged)
        try:
            assert read_history(tmp_path) == RECORDS
        except ModelError as error:
            refused += str(file) in str(error) and "copy it again" in str(error)
    assert refused > 0.9 * len(whole)


def test_a_history_that_is_cut_off_is_an_error(tmp_path):
    write_history(tmp_path, RECORDS)
    file = tmp_path / HISTORY
    whole = file.read_bytes()
    for length in range(len(whole) - 1):  # the last byte is the end of the line
        file.write_bytes(whole[:length])
        with pytest.raises(ModelError, match=f"{HISTORY}.* is (cut off|damaged)"):
            read_history(tmp_path)


def test_a_folder_is_no_history(tmp_path):
    (tmp_path / HISTORY).mkdir()
    with pytest.raises(ModelError, match="is not a regular file"):
        read_history(tmp_path)


def test_a_display_does_without_a_history_that_it_cannot_read(tmp_path):
    write_history(tmp_path, RECORDS)
    assert history_so_far(tmp_path) == RECORDS
    (tmp_path / HISTORY).write_text('{"epoch": 1, "loss": 0.5}\n')  # of a version that did not seal it
    assert history_so_far(tmp_path) == []
