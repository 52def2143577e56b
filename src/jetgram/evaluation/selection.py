r"""Which jets count, and how much: the paper's window, and weights that make pT flat.

Signal and background have different pT spectra. So that a tagger is not rewarded for knowing the pT, the paper weights
the jets of each class to a flat spectrum: with $H_c(b)$ the sum of the weights $w_i$ of class $c$ in bin $b$ of pT,

$$ w'_i = w_i / H_c(b_i) \cdot \mathrm{const}_c , $$

the constant chosen so that the weights of a class still sum to $\sum w_i$. Every bin that holds a jet has the same sum;
a bin without jets of a class stays empty, and the spectrum of that class is flat over the others.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pydantic
from numpy.typing import NDArray

from jetgram.errors import EvaluationError
from jetgram.evaluation.scores import Scores
from jetgram.roc import require
from jetgram.settings import Settings

Array = NDArray[np.float64]

CLASSES = {"signal": 1, "background": 0}
PAPER_SAMPLES = ("w-vs-qcd", "w-vs-qcd-inclusive")
NOT_NEGATIVE = "a number that is not negative, or there is no efficiency (convert --weight '' leaves weights out)"
EFFICIENCY = {"jets": 0.5, "events": 0.8}  # of signal, at which the paper quotes R


class Window(Settings):
    """The jets to judge; by default the paper's.

    Args:
        pt: lower and upper limit of the jet's pT in GeV, neither included; None for any.
        mass: of its mass in GeV, both included; None for any.
        flat_pt: weight each class to a flat pT spectrum.
        pt_bins: the number of bins, between the limits of `pt` or of the jets there are; bins of 1 GeV by default.

    Example:
        >>> Window()
        Window(pt=(250.0, 300.0), mass=(50.0, 110.0), flat_pt=True, pt_bins=50)
        >>> Window.everything()
        Window(pt=None, mass=None, flat_pt=False, pt_bins=50)
    """

    pt: tuple[float, float] | None = (250.0, 300.0)
    mass: tuple[float, float] | None = (50.0, 110.0)
    flat_pt: bool = True
    pt_bins: int = pydantic.Field(default=50, ge=1)

    @pydantic.field_validator("pt", "mass")
    @classmethod
    def _ordered(cls, limits: tuple[float, float] | None) -> tuple[float, float] | None:
        if limits is not None and not (np.isfinite(limits).all() and limits[0] < limits[1]):
            raise ValueError("expected two finite numbers, the lower before the upper")
        return limits

    @classmethod
    def of_paper(cls, rows: str) -> Window:
        """The paper's: for jets its window, for events everything."""
        return cls() if rows == "jets" else cls.everything()

    @classmethod
    def of_sample(cls, sample: str | None, rows: str = "jets") -> Window:
        """The paper's window for the paper's samples of jets (or if nobody said which it is); otherwise everything.

        Example:
            >>> print(Window.of_sample("w-vs-qcd"), Window.of_sample(""), sep="; ")
            250 < pT < 300 GeV, 50 <= m <= 110 GeV, flat in pT; all jets
        """
        return cls.of_paper(rows) if sample is None or sample in PAPER_SAMPLES else cls.everything()

    @classmethod
    def everything(cls, flat_pt: bool = False) -> Window:
        """All jets, with the weights they have; `flat_pt` as in `Window`."""
        return cls(pt=None, mass=None, flat_pt=flat_pt)

    def __str__(self) -> str:
        parts = []
        if self.pt:
            parts.append(f"{self.pt[0]:g} < pT < {self.pt[1]:g} GeV")
        if self.mass:
            parts.append(f"{self.mass[0]:g} <= m <= {self.mass[1]:g} GeV")
        return ", ".join([*parts, "flat in pT"] if self.flat_pt else parts or ["all jets"])

    def contains(self, pt: Array, mass: Array) -> NDArray[np.bool_]:
        """Whether each jet is in the window, shape `(jets,)`."""
        inside = np.ones(np.shape(pt), dtype=np.bool_)
        if self.pt:
            inside &= (pt > self.pt[0]) & (pt < self.pt[1])
        if self.mass:
            inside &= (mass >= self.mass[0]) & (mass <= self.mass[1])
        return inside


def flat_pt_weights(
    pt: Array, label: NDArray[np.int8], weight: Array, bins: int = 50, limits: tuple[float, float] | None = None
) -> Array:
    """Weights that make the pT spectrum of each class flat, times what the jets weigh already.

    Args:
        pt: transverse momenta, `(jets,)`.
        label: the classes.
        weight: what the jets weigh.
        bins: of the histogram.
        limits: of the histogram; those of `pt` by default.

    Example:
        Three signal jets at low and one at high pT:

        >>> import numpy as np
        >>> flat_pt_weights(np.array([251.0, 252.0, 253.0, 299.0]), np.ones(4), np.ones(4), bins=2).round(3)
        array([0.667, 0.667, 0.667, 2.   ])
    """
    flat = np.array(weight, dtype=np.float64)
    if not len(flat):
        return flat
    edges = np.histogram_bin_edges(pt, bins, limits)
    which = np.clip(np.searchsorted(edges, pt, side="right") - 1, 0, bins - 1)
    for name in np.unique(label):
        members = label == name
        filling = np.bincount(which[members], flat[members], minlength=bins)
        filled = filling[which[members]]
        share = np.divide(flat[members], filled, out=np.zeros(len(filled)), where=filled > 0)
        flat[members] = share * filling.sum() / max(share.sum(), np.finfo(np.float64).tiny)
    return flat


def select(scores: Scores, window: Window) -> Scores:
    """The jets in the window, with the weights that they are judged with; done twice it is the same as once.

    Example:
        >>> pt, mass = [270.0, 280.0, 400.0], [80.0, 60.0, 80.0]
        >>> toy = Scores.create({"score": [0.9, 0.2, 0.4]}, [1, 0, 0], pt, mass)
        >>> len(select(toy, Window())), len(select(toy, Window.everything()))
        (2, 3)
    """
    known = (scores.label == 0) | (scores.label == 1)
    require("label", scores.label, known, "0 (background) or 1 (signal)", scores.source)
    require("weight", scores.weight, scores.weight >= 0, NOT_NEGATIVE, scores.source)
    chosen = scores[window.contains(scores.pt, scores.mass)]
    for name, label in CLASSES.items():
        if not (chosen.label == label).any():
            rows, count = scores.provenance.rows, np.count_nonzero(scores.label == label)
            there = f"of its {len(scores)} {rows} {count} are {name} (label {label})"
            raise EvaluationError(f"{scores.source}: no {name} {rows.removesuffix('s')} with {window}; {there}")
    if not window.flat_pt:
        return chosen
    return dataclasses.replace(
        chosen, weight=flat_pt_weights(chosen.pt, chosen.label, chosen.weight, window.pt_bins, window.pt)
    )
