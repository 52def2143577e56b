"""The separating power of one number: none of noise, all of a label, and a warning for what should not know it."""

import numpy as np
import pytest

from jetgram.momenta import Jets
from jetgram.roc import roc_auc
from jetgram.separation import error_of_nothing, separation, ultrasoft_fraction

SIGNAL = np.arange(4000) % 2 == 1


def test_the_label_itself_separates_everything_and_its_opposite_too() -> None:
    for values in (SIGNAL.astype(float), -SIGNAL.astype(float)):
        found = separation("mass", "mass", values, SIGNAL)
        assert found.power == 1
        assert not found.warning  # a mass may


@pytest.mark.parametrize("levels", [4000, 12, 2])
def test_noise_separates_nothing_within_its_error(levels: int) -> None:
    """Also of few distinct values: the error of many ties is smaller."""
    rng = np.random.default_rng(1)
    drawn = [rng.integers(levels, size=len(SIGNAL)).astype(float) for _ in range(120)]
    spread = np.std([roc_auc(values, SIGNAL.astype(int)) for values in drawn])
    assert error_of_nothing(drawn[0], SIGNAL) == pytest.approx(spread, rel=0.25)
    assert not any(separation("pt", "pT", values, SIGNAL).warning for values in drawn)


def test_a_trace_of_one_class_is_a_warning() -> None:
    """Photons that only one signal jet in twenty has are enough."""
    trace = np.where(SIGNAL & (np.arange(len(SIGNAL)) % 20 == 1), 0.02, 0.0)
    found = separation("ultrasoft", "fraction", trace, SIGNAL)
    assert found.auc == pytest.approx(0.55)
    assert "leave out constituents below 0.1 GeV" in found.warning
    assert not separation("ultrasoft", "fraction", np.zeros(len(SIGNAL)), SIGNAL).warning


def test_infinite_values_are_the_largest() -> None:
    values = np.where(SIGNAL, np.inf, 1.0)
    assert separation("softest", "pT", values, SIGNAL).auc == 1


def test_the_fraction_of_ultrasoft_constituents() -> None:
    momenta = np.array([[1.0, 0, 0, 1], [1e-9, 0, 0, 1e-9], [2.0, 0, 0, 2]])
    np.testing.assert_array_equal(ultrasoft_fraction(Jets(momenta, np.array([0, 2, 3]))), [0.5, 0.0])
