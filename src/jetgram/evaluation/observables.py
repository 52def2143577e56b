r"""Scores of a stored dataset by classifiers without a network: $\tau_{21}$, and trimmed mass with $\tau_{21}$."""

from __future__ import annotations

from typing import Literal

from jetgram.errors import DatasetError
from jetgram.evaluation.baselines import Advance, fit_mass_tau21, score_tau21
from jetgram.evaluation.scores import SCORE, Provenance, Scores
from jetgram.jets.subjets import trim
from jetgram.momenta import Jets
from jetgram.storage.dataset import Dataset

Observable = Literal["tau21", "mass + tau21"]


def score_observable(
    dataset: Dataset, observable: Observable, name: str = "", trimmed: bool = False, advance: Advance | None = None
) -> Scores:
    r"""The scores of the test split by $\tau_{21}$, or by boosted trees on trimmed mass and $\tau_{21}$.

    Args:
        dataset: of jets; the boosted trees are fitted to its training split.
        observable: which of both.
        name: what tables call it; by default the observable.
        trimmed: give pT and mass of the trimmed jets beside the scores, so that a window cuts on them: the paper judges
            these observables so, but not its networks.
        advance: is told how many jets are measured since the last call.
    """
    test = _jets(dataset, "test")
    if observable == "tau21":
        values = score_tau21(test, advance=advance)
    else:
        train = _jets(dataset, "train")
        values = fit_mass_tau21(train, train.columns["label"], advance=advance).score(test, advance)
    provenance = Provenance(
        model=name or observable, dataset=dataset.path.name, dataset_digest=dataset.digest, split="test"
    )
    beside = trim(test) if trimmed else test
    return Scores.from_rows({SCORE: values}, test, beside.pt, beside.mass, provenance)


def _jets(dataset: Dataset, split: str) -> Jets:
    rows = dataset.read(split)
    if not isinstance(rows, Jets):
        raise DatasetError(f"{dataset.path} holds {dataset.kind}; tau21 and mass are measured of jets")
    return rows
