import numpy as np
import pytest

from jetgram.jets.clustering import find_jets
from jetgram.jets.found import jets_by_number, number_jets, numbers_column
from jetgram.momenta import Events


def assert_same(found, expected):
    np.testing.assert_array_equal(found.momenta, expected.momenta)
    np.testing.assert_array_equal(found.offsets, expected.offsets)
    for kind in ("columns", "particles"):
        a, b = getattr(found, kind), getattr(expected, kind)
        assert a.keys() == b.keys()
        for name in a:
            np.testing.assert_array_equal(a[name], b[name])


@pytest.mark.parametrize(("hardest", "min_pt"), [(1, 0.0), (2, 0.0), (5, 0.0), (None, 0.0), (None, 15.0), (2, 200.0)])
def test_numbered_jets_are_those_that_are_found(qcd_events, hardest, min_pt):
    found = jets_by_number(qcd_events, number_jets(qcd_events), hardest, min_pt)
    assert_same(found, find_jets(qcd_events, hardest=hardest, min_pt=min_pt))


def test_other_jets_have_other_numbers(qcd_events):
    numbers = number_jets(qcd_events, radius=0.4, algorithm="kt")
    assert_same(jets_by_number(qcd_events, numbers, 3), find_jets(qcd_events, 0.4, "kt", 3))
    assert numbers_column("kt", 0.4) != numbers_column("antikt", 1.0)


def test_numbers_count_the_jets_of_each_event_from_the_hardest(qcd_events):
    numbers = number_jets(qcd_events)
    assert numbers.min() == 0  # every particle is in a jet
    for begin, end in zip(qcd_events.offsets[:-1], qcd_events.offsets[1:], strict=True):
        assert np.array_equal(np.unique(numbers[begin:end]), np.arange(numbers[begin:end].max() + 1))


def test_events_without_particles_have_no_jets():
    empty = Events(np.array([[3.0, 4.0, 0.0, 5.0]]), np.array([0, 0, 1, 1]))
    jets = jets_by_number(empty, number_jets(empty), 2)
    np.testing.assert_array_equal(jets.columns["event"], [1])
    nothing = Events(np.empty((0, 4)), np.array([0, 0]))
    assert len(jets_by_number(nothing, number_jets(nothing))) == 0
