r"""Scores of a stored dataset by classifiers without a network: $\tau_{21}$, and trimmed mass with $\tau_{21}$."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from jetgram.errors import DatasetError
from jetgram.evaluation.baselines import Advance, fit_mass_tau21, mass_and_tau21, score_tau21
from jetgram.evaluation.scores import SCORE, Provenance, Scores
from jetgram.jets.subjets import trim
from jetgram.momenta import Jets
from jetgram.storage.dataset import Dataset

Observable = Literal["tau21", "mass + tau21"]
OBSERVABLES: tuple[Observable, ...] = ("tau21", "mass + tau21")


def score_observables(
    dataset: Dataset,
    observables: Sequence[Observable] = OBSERVABLES,
    trimmed: bool = False,
    advance: Advance | None = None,
) -> dict[Observable, Scores]:
    r"""The scores of the test split by $\tau_{21}$, and by boosted trees on trimmed mass and $\tau_{21}$.

    Args:
        dataset: of jets; the boosted trees are fitted to its training split.
        observables: which of both.
        trimmed: give pT and mass of the trimmed jets beside the scores, so that a window cuts on them: the paper judges
            these observables so, but not its networks.
        advance: is told how many jets are measured since the last call; see `jets_to_measure`.
    """
    test = _measured(dataset, "test", advance)
    beside = trim(test) if trimmed else test
    found = {}
    for name in observables:
        if name == "tau21":
            values = score_tau21(test)
        else:
            train = _measured(dataset, "train", advance)
            values = fit_mass_tau21(train, train.columns["label"]).score(test)
        provenance = Provenance(model=name, dataset=dataset.path.name, dataset_digest=dataset.digest, split="test")
        found[name] = Scores.from_rows({SCORE: values}, test, beside.pt, beside.mass, provenance)
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
    mass, tau21 = mass_and_tau21(jets, advance=advance).T
    return jets.with_columns(trimmed_mass=mass, tau21=tau21)
