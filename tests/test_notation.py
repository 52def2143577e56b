"""Numbers and tables as a reader sees them."""

import pytest

from jetgram.notation import aligned

ROWS = [("model", "varied", "AUC"), ("kt", "seen", "0.91"), ("anti-kt", "towers", "1")]


@pytest.mark.parametrize(
    ("left", "lines"),
    [
        (1, ["model    varied   AUC", "kt         seen  0.91", "anti-kt  towers     1"]),
        (2, ["model    varied   AUC", "kt       seen    0.91", "anti-kt  towers     1"]),
        (3, ["model    varied  AUC", "kt       seen    0.91", "anti-kt  towers  1"]),
    ],
)
def test_columns_of_text_are_to_the_left_numbers_to_the_right(left, lines):
    assert aligned(ROWS, left) == lines


def test_no_line_of_a_table_ends_in_a_space():
    assert aligned([("model", "AUC", "R"), ("kt", "0.91", "")]) == ["model   AUC  R", "kt     0.91"]


def test_rows_of_different_lengths_are_an_error():
    with pytest.raises(ValueError, match="shorter"):
        aligned([("model", "AUC"), ("kt",)])
