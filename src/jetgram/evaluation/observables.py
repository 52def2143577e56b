r"""Scores of a stored dataset by classifiers without a network, on trimmed jets: $\tau_{21}$, mass and $\tau_{21}$."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from jetgram.errors import DatasetError
from jetgram.evaluation.baselines import Advance, fit_mass_tau21, measure, score_tau21
from jetgram.evaluation.scores import Provenance, Scores
from jetgram.evaluation.selection import Window
from jetgram.momenta import Jets
from jetgram.roc import SCORE
from jetgram.storage.dataset import Dataset

Observable = Literal["tau21", "mass + tau21"]
OBSERVABLES: tuple[Observable, ...] = ("tau21", "mass + tau21")


def score_observables(
    dataset: Dataset,
    observables: Sequence[Observable] = OBSERVABLES,
    window: Window | None = None,
    advance: Advance | None = None,
) -> dict[Observable, Scores]:
    r"""The scores of the test split by $\tau_{21}$, and by randomised trees on mass and $\tau_{21}$.

    The pT and mass beside the scores, which windows and weights go by, are those of the trimmed jet.

    Args:
        dataset: of jets; the trees are fitted to its training split.
        observables: which of both.
        window: the training jets that the trees learn from; the paper's by default.
        advance: is told how many jets are measured since the last call; see `jets_to_measure`.
    """
    test = _measured(dataset, "test", advance)
    pt, mass = test.columns["trimmed_pt"], test.columns["trimmed_mass"]
    found = {}
    for name in observables:
        if name == "tau21":
            values = score_tau21(test)
        else:
            train = _measured(dataset, "train", advance)
            values = fit_mass_tau21(train, train.columns["label"], window=window).score(test)
        provenance = Provenance.of_dataset(dataset, "test", name)
        found[name] = Scores.from_rows({SCORE: values}, test, pt, mass, provenance)
    return found


def jets_to_measure(dataset: Dataset, observables: Sequence[Observable] = OBSERVABLES) -> int:
    """How many jets `score_observables` measures."""
    splits = ["test", *["train"] * ("mass + tau21" in observables)]
    return sum(dataset.splits.get(split, 0) for split in splits)


def _measured(dataset: Dataset, split: str, advance: Advance | None) -> Jets:
    """The jets of a split with the columns that the classifiers read."""
    jets = dataset.read(split)
    if not isinstance(jets, Jets):
        raise DatasetError(f"{dataset.path} holds {dataset.kind}; tau21 and mass are measured of jets")
    return measure(jets, advance=advance)
