r"""What a network could cheat with: how well a single number of each jet separates signal from background.

The area under the ROC curve of one number $x$ is the probability that a signal jet has the larger $x$, a tie counting
half: 0.5 where it says nothing. A network will find everything that separates. Some of it is physics; some is how the
sample was made, and no network should know it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.classes import CLASSES
from jetgram.momenta import Momenta
from jetgram.ragged import sum_groups
from jetgram.roc import roc_auc

Array = NDArray[np.float64]

ULTRASOFT = 1e-6  # GeV; nothing below can be measured, or matter
SIGNIFICANT = 5.0  # statistical errors from 0.5
WORTH_A_WARNING = 0.01  # of AUC

# What should not separate, and what to do if it does.
SUSPICIOUS: Mapping[str, str] = {
    "pt": "the classes have different spectra: judge in a window with weights flat in pT, or a network is rewarded for "
    "knowing them",
    "ultrasoft": "the generator wrote them for one class more than for the other: leave out constituents below 0.1 GeV "
    "before taking logarithms",
}


@dataclasses.dataclass(frozen=True)
class Separation:
    """The separating power of one number.

    Args:
        label: what the number is.
        auc: probability that signal has more of it than background.
        error: standard deviation of `auc` if the classes were alike.
        warning: what is wrong if this separates; empty where it may, or where it does not.
        classes: the names of background and signal.

    Example:
        >>> mass = Separation("mass [GeV]", auc=0.2, error=0.01)
        >>> mass.power
        0.8
    """

    label: str
    auc: float
    error: float
    warning: str = ""
    classes: tuple[str, str] = CLASSES

    @property
    def power(self) -> float:
        """From 0.5 for nothing to 1 for everything, whichever class has more."""
        return max(self.auc, 1 - self.auc)

    @property
    def more(self) -> str:
        """The class that has more of it; empty where neither has, within the error."""
        return "" if abs(self.auc - 0.5) <= self.error else self.classes[self.auc > 0.5]


def ultrasoft_fraction(rows: Momenta) -> Array:
    """Fraction of each row's constituents with a pT below `ULTRASOFT`; 0 where there are none.

    Example:
        >>> from jetgram.momenta import Jets
        >>> ultrasoft_fraction(Jets.from_lists([[[3.0, 4.0, 0.0, 5.0], [1e-7, 0.0, 0.0, 1e-7]]]))
        array([0.5])
    """
    below = (kinematics.pt(rows.momenta) < ULTRASOFT).astype(np.float64)
    fraction: Array = sum_groups(below, rows.offsets) / np.maximum(rows.multiplicity, 1)
    return fraction


def separation(
    name: str, label: str, values: NDArray[Any], signal: NDArray[np.bool_], classes: tuple[str, str] = CLASSES
) -> Separation:
    """How well one number separates the classes.

    Args:
        name: of the quantity; those in `SUSPICIOUS` should not separate.
        label: name and unit, for a reader.
        values: one per row; infinite ones count as the largest.
        signal: whether each row is signal.
        classes: the names of background and signal.

    Example:
        >>> found = separation("mass", "mass [GeV]", np.array([80.0, 81.0, 30.0, 80.5]), np.array([1, 1, 0, 0]) == 1)
        >>> found.auc, found.warning
        (0.75, '')
    """
    finite = np.nan_to_num(np.asarray(values, dtype=np.float64), posinf=np.finfo(np.float64).max)
    auc, error = roc_auc(finite, signal.astype(np.int8)), error_of_nothing(finite, signal)
    separates = abs(auc - 0.5) > max(SIGNIFICANT * error, WORTH_A_WARNING)
    return Separation(label, auc, error, SUSPICIOUS.get(name, "") if separates else "", classes)


def error_of_nothing(values: Array, signal: NDArray[np.bool_]) -> float:
    r"""Standard deviation of the AUC of a number that knows nothing of the classes (Mann and Whitney, with ties).

    With $n_S + n_B = n$ rows and $t_k$ rows of each distinct value,

    $$ \sigma^2 = \frac{1}{12\, n_S n_B} \left( n + 1 - \sum_k \frac{t_k^3 - t_k}{n (n - 1)} \right). $$

    Example:
        >>> signal = np.arange(200) % 2 == 1
        >>> round(error_of_nothing(np.arange(200.0), signal), 4), error_of_nothing(np.zeros(200), signal)
        (0.0409, 0.0)
    """
    count, positive = len(values), int(np.count_nonzero(signal))
    ties = np.unique(values, return_counts=True)[1].astype(np.float64)
    rest = count + 1 - np.sum(ties**3 - ties) / (count * (count - 1))
    return float(np.sqrt(max(rest, 0.0) / (12 * positive * (count - positive))))
