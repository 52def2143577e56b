"""Classes in words: one name for each number, and one order for all tables and pictures."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jetgram.classes import CLASSES, NO_LABEL, class_name, in_order, row_classes
from jetgram.errors import BadJetError
from jetgram.momenta import Jets

NAMES = ("QCD", "Hbb", "Hcc")


@given(st.lists(st.integers(NO_LABEL, 120)), st.sampled_from([CLASSES, NAMES]))
def test_names_are_in_the_order_of_numbers(numbers, names):
    order = [number for number in sorted(set(numbers)) if number != NO_LABEL] + [NO_LABEL] * (NO_LABEL in numbers)
    assert in_order([class_name(number, names) for number in numbers], names) == [class_name(n, names) for n in order]


@pytest.mark.parametrize("names", [CLASSES, NAMES])
def test_the_class_of_each_row(names):
    momenta, numbers = np.array([[3.0, 4.0, 0.0, 5.0]] * 4), np.array([1, 0, 2, NO_LABEL])
    jets = Jets(momenta, np.arange(5), {"kind": numbers})
    assert row_classes(jets, "kind", names).tolist() == [class_name(number, names) for number in numbers]
    assert row_classes(jets).tolist() == ["all"] * 4


@pytest.mark.parametrize("number", [0.5, np.float32(-0.5), 1.5])
def test_a_number_that_is_not_whole_is_no_class(number):
    jets = Jets(np.array([[3.0, 4.0, 0.0, 5.0]] * 2), np.arange(3), {"kind": np.array([1.0, number])})
    with pytest.raises(BadJetError, match=rf"jet 1: the kind is {number}; expected the number of a class"):
        row_classes(jets, "kind")
    with pytest.raises(BadJetError, match=rf"the label is {number}; expected the number of a class"):
        class_name(number)
    assert row_classes(jets).tolist() == ["all"] * 2
