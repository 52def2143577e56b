r"""AUC and false-positive rate of a network on fixed bootstrap replicas of the test jets, as short text.

The replicas are drawn by a seed that follows from the digest of the dataset alone. So number $i$ holds the same jets
for every network, seed and machine: the error of the ratio of two networks, or of their difference, follows from two
such lists, without any score file.

Example:
    >>> replicas = Replicas(auc=np.linspace(0.93, 0.94, REPLICAS), fpr=np.linspace(0.008, 0.009, REPLICAS))
    >>> pack(replicas.fpr, FPR_UNIT)[:17]
    '80000 80050 80101'
    >>> float(np.abs(unpack(pack(replicas.fpr, FPR_UNIT), FPR_UNIT) - replicas.fpr).max()) <= FPR_UNIT / 2
    True
"""

from __future__ import annotations

import dataclasses
from typing import Annotated

import numpy as np
import pydantic
from numpy.typing import NDArray

from jetgram.evaluation.scores import Scores
from jetgram.evaluation.uncertainty import REPLICAS, resample
from jetgram.studies.records import DIGITS

Array = NDArray[np.float64]

AUC_UNIT, FPR_UNIT = 1e-6, 1e-7  # of the integers in the text

Packed = Annotated[str, pydantic.Field(pattern=rf"^\d{{1,8}}( \d{{1,8}}){{{REPLICAS - 1}}}$")]


@dataclasses.dataclass(frozen=True, eq=False)
class Replicas:
    """One number of each per replica, `(replicas,)`.

    Args:
        auc: area under the ROC curve.
        fpr: false-positive rate at a signal efficiency.
    """

    auc: Array
    fpr: Array

    @classmethod
    def of(cls, chosen: Scores, dataset: str, efficiency: float) -> Replicas:
        """Of scores in a window.

        Args:
            chosen: as `jetgram.evaluation.selection.select` gives them.
            dataset: digest of the dataset.
            efficiency: of signal.
        """
        seed = int(dataset[:DIGITS], 16)
        auc, fpr = resample(chosen.score, chosen.label, chosen.weight, (efficiency,), REPLICAS, seed)
        return cls(auc, fpr[:, 0])


def pack(values: Array, unit: float) -> str:
    """Numbers as integers with blanks between them."""
    return " ".join(f"{value:.0f}" for value in values / unit)


def unpack(text: str, unit: float) -> Array:
    """The numbers again, to half a unit."""
    return np.array(text.split(" "), dtype=np.float64) * unit
