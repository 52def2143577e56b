import numpy as np
import pytest

from jetgram.errors import BadJetError
from jetgram.networks.labels import class_numbers, found_classes

THREE = ("qcd", "w", "top")


def test_labels_of_any_kind():
    for y in (["w", "qcd", "top"], np.array(["w", "qcd", "top"], dtype=object)):
        assert found_classes(y) == ("qcd", "top", "w")
        assert class_numbers(y, THREE).tolist() == [1, 0, 2]
    assert found_classes([2, 0, 1]) == (0, 1, 2)
    assert found_classes([-1.0, 1.0]) == (-1, 1)
    assert found_classes(np.eye(3)) == (0, 1, 2)
    assert class_numbers(np.eye(3)[[2, 0]], (0, 1, 2)).tolist() == [2, 0]
    for two in ([0, 1], [True, False], [0.0, 1.0], [[1], [0]], [[1, 0], [0, 1]], [1, 1]):
        assert found_classes(two) is None
        assert set(class_numbers(two, (0, 1))) <= {0, 1}


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, 5], "the label of row 1 is 5; expected one of 0, 1"),
        ([0.0, 0.5], "the label of row 1 is 0.5; expected a whole number or a string"),
        ([0.0, np.nan], "the label of row 1 is nan"),
        ([0.0, np.inf], "the label of row 1 is inf; expected a whole number"),
        ([0.0, -1e300], "the label of row 1 is -1e[+]300; expected a whole number"),
        ([[0, 1], [1, 1]], "row 1 of y is not one-hot"),
        ([[0, 1], [0, 2]], "row 1 of y is not one-hot"),
        (np.zeros((2, 2, 2)), r"shape \(2, 2, 2\)"),
    ],
)
def test_what_is_no_label(y, message):
    with pytest.raises(BadJetError, match=message):
        class_numbers(y, (0, 1))
