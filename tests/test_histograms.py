"""Histograms: every row in a bin."""

import numpy as np

from jetgram.histograms import BINS, histogram, log_histogram


def test_whole_numbers_fall_into_whole_bins() -> None:
    found = histogram("particles", np.array([3, 4, 4, 9]), np.full(4, "all"))
    assert found.counts["all"].sum() == 4
    assert np.all(found.edges % 1 == 0.5)


def test_one_value_only_is_no_problem() -> None:
    for value in (0.0, 1e-9, 5.0):
        for draw in (histogram, log_histogram):
            assert draw("mass", np.full(5, value), np.full(5, "all")).counts["all"].sum() == 5


def test_decades_have_bins_of_equal_width() -> None:
    values = np.array([3e-13, 1e-3, 0.02, 0.5, np.inf])
    found = log_histogram("pT", values, np.array(["a", "b", "a", "b", "b"]))
    assert found.log
    assert (found.edges[0], found.edges[-1], len(found.edges)) == (1e-13, 1.0, BINS + 1)
    np.testing.assert_allclose(np.diff(np.log10(found.edges)), 13 / BINS)
    assert {name: int(counts.sum()) for name, counts in found.counts.items()} == {"a": 2, "b": 3}
