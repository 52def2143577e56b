"""Files of seeds: what is written is read back, whole lines or none."""

import csv

import pytest

from jetgram.errors import DatasetError
from jetgram.evaluation.evaluate import SeedResult
from jetgram.evaluation.uncertainty import Errors
from jetgram.roc import Rejection
from jetgram.storage import atomic
from jetgram.studies.seeds import COLUMNS, SeedRecord, append_seeds, read_seeds

DIGESTS = ("ab" * 32, "01" * 32, "cd" * 32)
RESULT = SeedResult(
    source="scores.parquet",
    model="particles-simple-kt soft",
    seed=3,
    signal=22391,
    background=15580,
    auc=0.91725123456,
    rejection=(Rejection(65.58141592),),
    errors=Errors(0.00149612345, (3.8712345678,)),
)


@pytest.fixture
def record():
    return SeedRecord.of(RESULT, "particles-simple-kt", "soft", 1.5249, DIGESTS, "standard")


@pytest.fixture
def bound():
    result = SeedResult("", "", None, 10, 20, 1.0, (Rejection(20.0, is_bound=True),), Errors(0.0, (None,)))
    return SeedRecord.of(result, "towers-tau21", "nominal", None, DIGESTS, "quick")


def test_a_record_is_read_as_it_was_written(record, bound, tmp_path):
    file = tmp_path / "seeds.csv"
    append_seeds(file, [record])
    append_seeds(file, [record, bound])
    assert read_seeds(file) == [(2, record), (3, bound)]
    assert file.read_text().splitlines()[0] == ",".join((*COLUMNS, "check"))
    assert record.dataset == DIGESTS[0][:16]


def test_a_changed_digit_is_seen(record, bound, tmp_path):
    """Single flipped bits of a line: it is refused, or the numbers are those that were written."""
    file = tmp_path / "seeds.csv"
    append_seeds(file, [record, bound])
    whole = file.read_bytes()
    begin = whole.index(b"\n") + 1
    for bit in range(8 * begin, 8 * whole.index(b"\n", begin)):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        file.write_bytes(damaged)
        found = [each for _, each in read_seeds(file) if not isinstance(each, str)]
        assert found in ([record, bound], [bound]), damaged
    file.write_bytes(whole.replace(b"0.917251", b"0.977251"))
    assert read_seeds(file)[0] == (2, "changed after it was written: its check does not fit")


def test_bytes_that_are_no_text_stay_what_they_are(record, bound, tmp_path):
    file = tmp_path / "seeds.csv"
    append_seeds(file, [record])
    damaged = file.read_bytes().replace(b"0.917251", b"0.91\xff251")
    file.write_bytes(damaged)
    append_seeds(file, [bound])
    assert file.read_bytes().startswith(damaged)
    (_, why), (_, kept) = read_seeds(file)
    assert isinstance(why, str)
    assert kept == bound


def test_files_without_checks_are_read_and_go_on_without(record, bound, tmp_path):
    file = tmp_path / "seeds.csv"
    append_seeds(file, [record])
    old = [line.rpartition(",")[0] for line in file.read_text().splitlines()]
    file.write_text("\n".join(old) + "\n")
    append_seeds(file, [bound])
    assert read_seeds(file) == [(2, record), (3, bound)]
    assert file.read_text().splitlines()[0] == ",".join(COLUMNS)


def test_columns_in_another_order_are_read_and_go_on_so(record, bound, tmp_path):
    """As a spreadsheet may leave them, with a column of its owner's."""
    file = tmp_path / "seeds.csv"
    append_seeds(file, [record])
    with file.open() as lines:
        turned = [[*reversed(cells)] for cells in csv.reader(lines)]
    with file.open("w", newline="") as lines:
        csv.writer(lines).writerows([[*turned[0], "remark"], [*turned[1], "from the farm, the second"]])
    append_seeds(file, [bound])
    assert read_seeds(file) == [(2, record), (3, bound)]


def test_a_record_says_what_evaluate_says_to_six_digits(record, bound):
    assert record.name == record.result.model == RESULT.model
    assert (record.result.seed, record.result.signal, record.result.background) == (3, 22391, 15580)
    assert record.result.auc == pytest.approx(RESULT.auc, abs=1e-6)
    assert record.result.rejection[0].value == pytest.approx(RESULT.rejection[0].value, abs=1e-4)
    assert record.result.errors.rejection[0] == pytest.approx(RESULT.errors.rejection[0], abs=1e-4)
    assert bound.result.rejection[0] == Rejection(20.0, is_bound=True)
    assert bound.result.errors.rejection == (None,)
    assert bound.result.seed is None


def test_a_killed_writer_leaves_whole_lines(record, bound, tmp_path, monkeypatch):
    file = tmp_path / "seeds.csv"
    append_seeds(file, [record])

    def die(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as context:
        context.setattr(atomic.os, "fsync", die)
        with pytest.raises(KeyboardInterrupt):
            append_seeds(file, [bound])
    assert read_seeds(file) == [(2, record)]
    append_seeds(file, [bound])
    assert read_seeds(file) == [(2, record), (3, bound)]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("0.917251", "1.917251", "auc = '1.917251'"),
        ("0.917251", "nan", "auc = 'nan'"),
        ("65.5814", "", "r = ''"),
        (",3,", ",-3,", "seed = '-3'"),
        ("abab", "xyz!", "dataset = "),
        (",standard", "", "cut off after 16 of 17 columns"),
        (",standard", ",standard,more", "1 columns too many"),
    ],
)
def test_a_damaged_line_says_what_is_wrong(record, bound, tmp_path, old, new, message):
    file = tmp_path / "seeds.csv"
    append_seeds(file, [record])
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new, 1))
    append_seeds(file, [bound])
    (number, found), after = read_seeds(file)
    assert number == 2
    assert message in found
    assert after == (3, bound)


def test_a_foreign_file_is_an_error(tmp_path):
    file = tmp_path / "table1.csv"
    file.write_text("heading,row,key\n")
    with pytest.raises(
        DatasetError, match=r"table1.csv is no file of seeds: it has no column 'scenario'; expected key"
    ):
        read_seeds(file)
    with pytest.raises(DatasetError, match="is missing"):
        read_seeds(tmp_path / "none.csv")
