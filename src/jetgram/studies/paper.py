"""The numbers of arXiv:1702.00748, Tables 1 to 3, by the keys of `jetgram.studies.contestants`.

Means over 30 seeds and the standard deviation of one; a classifier without seeds has no error. A second source are the
public notebooks of the paper's authors, which print a few numbers that the paper leaves out.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Literal

SEEDS = 30
TEST_ROWS = 100_000  # jets in the test sample of Tables 1 and 2, events in that of Table 3
Source = Literal["paper", "notebooks"]


@dataclasses.dataclass(frozen=True)
class Published:
    """A row of a table of the paper, or a number of its authors' notebooks.

    Args:
        auc: area under the ROC curve.
        auc_error: its spread over seeds; None where the paper gives none.
        rejection: R, at 50 % signal efficiency (Tables 1 and 2) or 80 % (Table 3); None where the paper gives none.
        rejection_error: its spread over seeds.
        source: `paper`, or `notebooks`, those of its authors.
    """

    auc: float
    auc_error: float | None = None
    rejection: float | None = None
    rejection_error: float | None = None
    source: Source = "paper"

    @property
    def numbers(self) -> tuple[float, float | None, float | None, float | None]:
        """AUC, its error, R, its error."""
        return self.auc, self.auc_error, self.rejection, self.rejection_error

    @property
    def auc_unit(self) -> float:
        """Of the last digit that is printed."""
        return 1e-4 if self.source == "paper" else 1e-3

    @property
    def rejection_unit(self) -> float:
        """Of the last digit that is printed: one more for observables, which have no error."""
        return 0.01 if self.source == "paper" and self.rejection_error is None else 0.1


TABLE1: Mapping[str, Published] = {
    "image-maxout": Published(0.8418),
    "pixels-simple-kt": Published(0.8321, 0.0025, 12.7, 0.4),
    "pixels-gated-kt": Published(0.8277, 0.0028, 12.4, 0.3),
    "towers-tau21-trimmed": Published(0.7644, None, 6.79),
    "towers-mass-tau21-trimmed": Published(0.8212, None, 11.31),
    "towers-simple-kt": Published(0.8807, 0.0010, 24.1, 0.6),
    "towers-simple-ca": Published(0.8831, 0.0010, 24.2, 0.7),
    "towers-simple-antikt": Published(0.8737, 0.0017, 22.3, 0.8),
    "towers-simple-asc-pt": Published(0.8835, 0.0009, 26.2, 0.7),
    "towers-simple-desc-pt": Published(0.8838, 0.0010, 25.1, 0.6),
    "towers-simple-random": Published(0.8704, 0.0011, 20.4, 0.3),
    "particles-simple-kt": Published(0.9185, 0.0006, 68.3, 1.8),
    "particles-simple-ca": Published(0.9192, 0.0008, 68.3, 3.6),
    "particles-simple-antikt": Published(0.9096, 0.0013, 51.7, 3.5),
    "particles-simple-asc-pt": Published(0.9130, 0.0031, 52.5, 7.3),
    "particles-simple-desc-pt": Published(0.9189, 0.0009, 70.4, 3.6),
    "particles-simple-random": Published(0.9121, 0.0008, 51.1, 2.0),
    "towers-gated-kt": Published(0.8822, 0.0006, 25.4, 0.4),
    "towers-gated-ca": Published(0.8861, 0.0014, 26.2, 0.8),
    "towers-gated-antikt": Published(0.8804, 0.0010, 24.4, 0.4),
    "towers-gated-asc-pt": Published(0.8849, 0.0012, 27.2, 0.8),
    "towers-gated-desc-pt": Published(0.8864, 0.0007, 27.5, 0.6),
    "towers-gated-random": Published(0.8751, 0.0029, 22.8, 1.2),
    "particles-gated-kt": Published(0.9195, 0.0009, 74.3, 2.4),
    "particles-gated-ca": Published(0.9222, 0.0007, 81.8, 3.1),
    "particles-gated-antikt": Published(0.9156, 0.0012, 68.3, 3.2),
    "particles-gated-asc-pt": Published(0.9137, 0.0046, 54.8, 11.7),
    "particles-gated-desc-pt": Published(0.9212, 0.0005, 83.3, 3.1),
    "particles-gated-random": Published(0.9106, 0.0035, 50.7, 6.7),
}

TABLE2: Mapping[tuple[str, str], Published] = {
    ("particles-simple-kt", "nominal"): Published(0.9185, 0.0006, 68.3, 1.8),
    ("particles-simple-desc-pt", "nominal"): Published(0.9189, 0.0009, 70.4, 3.6),
    ("particles-simple-kt", "collinear1"): Published(0.9183, 0.0006, 68.7, 2.0),
    ("particles-simple-desc-pt", "collinear1"): Published(0.9188, 0.0010, 70.7, 4.0),
    ("particles-simple-kt", "collinear10"): Published(0.9174, 0.0006, 67.5, 2.6),
    ("particles-simple-desc-pt", "collinear10"): Published(0.9178, 0.0011, 67.9, 4.3),
    ("particles-simple-kt", "collinear1-max"): Published(0.9184, 0.0006, 68.5, 2.8),
    ("particles-simple-desc-pt", "collinear1-max"): Published(0.9191, 0.0010, 72.4, 4.3),
    ("particles-simple-kt", "collinear10-max"): Published(0.9159, 0.0009, 65.7, 2.7),
    ("particles-simple-desc-pt", "collinear10-max"): Published(0.9140, 0.0016, 63.5, 5.2),
    ("particles-simple-kt", "soft"): Published(0.9179, 0.0006, 68.2, 2.3),
    ("particles-simple-desc-pt", "soft"): Published(0.9188, 0.0009, 70.2, 3.7),
}

TABLE3: Mapping[str, Published] = {
    "events-1-momenta": Published(0.8909, 0.0007, 5.6, 0.0),
    "events-1-jets-kt": Published(0.9602, 0.0004, 26.7, 0.7),
    "events-1-jets-desc-pt": Published(0.9594, 0.0010, 25.6, 1.4),
    "events-2-momenta": Published(0.9606, 0.0011, 21.1, 1.1),
    "events-2-jets-kt": Published(0.9866, 0.0007, 156.9, 14.8),
    "events-2-jets-desc-pt": Published(0.9875, 0.0006, 174.5, 14.0),
    "events-5-momenta": Published(0.9576, 0.0019, 20.3, 0.9),
    "events-5-jets-kt": Published(0.9867, 0.0004, 152.8, 10.4),
    "events-5-jets-desc-pt": Published(0.9872, 0.0003, 167.8, 9.5),
    "events-1-particles": Published(0.6501, 0.0023, 1.7, 0.0),
    "events-50-particles": Published(0.8925, 0.0079, 5.6, 0.5),
    "events-100-particles": Published(0.8781, 0.0180, 4.9, 0.6),
    "events-200-particles": Published(0.8846, 0.0091, 5.2, 0.5),
    "events-400-particles": Published(0.8780, 0.0132, 4.9, 0.5),
}


def _notebooks(auc: float, rejection: float) -> Published:
    """They print no errors."""
    return Published(auc, None, rejection, source="notebooks")


NOTEBOOKS: Mapping[tuple[str, str], Published] = {
    ("particles-simple-kt-children", "nominal"): _notebooks(0.9178, 67.0),
    ("particles-gated-kt-children", "nominal"): _notebooks(0.9187, 70.2),
    ("particles-simple-kt-trimmed", "nominal"): _notebooks(0.903, 33.1),
    ("particles-simple-kt", "on trimmed jets"): _notebooks(0.895, 28.7),
    ("particles-simple-kt-trimmed", "on untrimmed jets"): _notebooks(0.889, 36.8),
    ("particles-simple-kt-10000", "nominal"): _notebooks(0.904, 40.7),
    ("particles-simple-kt-10000-steps", "nominal"): _notebooks(0.904, 40.7),
    ("particles-simple-kt-1000", "nominal"): _notebooks(0.876, 23.7),
    ("particles-simple-kt-1000-steps", "nominal"): _notebooks(0.876, 23.7),
}
