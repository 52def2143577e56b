"""Lines of a comparison: what is written is read back, whole lines or none."""

import math

import pytest

from jetgram.errors import SettingsError
from jetgram.studies.compare.record import (
    Record,
    append_numbers,
    append_trials,
    is_trials,
    read_numbers,
    read_trials,
)
from jetgram.studies.compare.replicas import REPLICAS

from .conftest import records_of, trials_of


def test_lines_are_read_as_they_were_written(small, tmp_path):
    records, trials = records_of(small), trials_of(small)
    bound = records[0].model_copy(update={"r50_error": None, "r50_is_bound": True})
    stopped = trials[0].model_copy(update={"validation_loss": math.inf})
    append_numbers(tmp_path / "numbers.csv", [*records, bound])
    append_trials(tmp_path / "trials.csv", [*trials, stopped])
    assert [record for _, record in read_numbers(tmp_path / "numbers.csv")] == [*records, bound]
    assert [trial for _, trial in read_trials(tmp_path / "trials.csv")] == [*trials, stopped]
    assert not is_trials(tmp_path / "numbers.csv")
    assert is_trials(tmp_path / "trials.csv")


@pytest.mark.parametrize("kind", ["numbers", "trials"])
def test_a_changed_character_is_seen(small, tmp_path, kind):
    """Single flipped bits of a line, not of every replica: it is refused, or the numbers are those of before."""
    file, read = tmp_path / "lines.csv", read_numbers if kind == "numbers" else read_trials
    lines = records_of(small)[:2] if kind == "numbers" else trials_of(small)[:2]
    (append_numbers if kind == "numbers" else append_trials)(file, lines)
    whole = file.read_bytes()
    begin = whole.index(b"\n") + 1
    end = whole.index(b"\n", begin)
    for place in [*range(begin, min(end, begin + 300)), *range(begin + 300, end, 41), *range(end - 9, end)]:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 7
        file.write_bytes(damaged)
        found = [each for _, each in read(file) if not isinstance(each, str)]
        assert found in (lines, lines[1:]), damaged[begin:end]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"members": "1 2"}, "found seed 1 with the members '1 2'; an ensemble has members"),
        ({"seed": "ensemble"}, "found seed ensemble with the members ''"),
        ({"seed": "both"}, "seed"),
        ({"fpr_replicas": "1 2 3"}, "fpr_replicas"),
        ({"auc_replicas": " ".join(["nan"] * REPLICAS)}, "auc_replicas"),
        ({"r50": 0.5}, "r50 = 0.5"),
        ({"auc": math.nan}, "auc = nan"),
    ],
)
def test_a_record_that_cannot_be_is_an_error(small, changes, message):
    good = next(record for record in records_of(small) if record.seed == 1)
    with pytest.raises(SettingsError, match=message):
        Record.create(**{**good.model_dump(), **changes})


def test_a_file_without_the_later_columns_is_read_and_goes_on(small, tmp_path):
    """Old lines keep their check, a damaged one stays damaged, and new lines have all columns."""
    file = tmp_path / "numbers.csv"
    later = [name for name, field in Record.model_fields.items() if not field.is_required()]
    new = records_of(small)
    old = [record.model_copy(update=dict.fromkeys(later) | {"processor": ""}) for record in new]
    append_numbers(file, old[:2])
    header, *lines = file.read_text().splitlines()
    cut = [line.rsplit(",", len(later) + 1) for line in (header, *lines)]
    file.write_text("\n".join(",".join((cells[0], cells[-1])) for cells in cut) + "\nno line\n")
    assert "processor" not in file.read_text()
    assert [each for _, each in read_numbers(file)][:2] == old[:2]
    append_numbers(file, new[2:4])
    assert file.read_text().splitlines()[0] == header
    *found, damaged = (each for _, each in sorted(read_numbers(file), key=lambda line: isinstance(line[1], str)))
    assert found == [*old[:2], *new[2:4]]
    assert isinstance(damaged, str)
