"""What is done to test jets before they are scored.

`nominal`
    nothing.
`collinear1`, `collinear10`, `collinear1-max`, `collinear10-max`, `soft`
    collinear splits and soft particles; see `jetgram.jets.perturb`.
`on TOPOLOGY trees`
    the network reads other trees than those it was trained on.
`on trimmed jets`, `on untrimmed jets`
    subjets below 5 % of a jet's pT are dropped before the trees are built, or nothing is, unlike in training.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from jetgram.errors import SettingsError
from jetgram.evaluation.predict import predict_models
from jetgram.evaluation.safety import SCENARIOS, perturbation
from jetgram.evaluation.scores import Scores
from jetgram.models.model import JetModel
from jetgram.storage.dataset import Dataset

OTHER_TREES = re.compile(r"on (\S+) trees")
TRIM = 0.05  # of the jet's pT, as for jet images
TRIMMING = {"on trimmed jets": TRIM, "on untrimmed jets": None}


def score_scenario(models: Sequence[JetModel], dataset: Dataset, scenario: str, name: str) -> list[Scores]:
    """The scores of a test split in a scenario, with the pT and mass of what the network reads of the jets then.

    Args:
        models: the seeds of a network.
        dataset: of jets or events.
        scenario: one of those above.
        name: of the network in the scores.
    """
    if scenario in SCENARIOS:
        return predict_models(models, dataset, name=name, change=perturbation(scenario))
    return predict_models([_reading_otherwise(model, scenario) for model in models], dataset, name=name)


def _reading_otherwise(model: JetModel, scenario: str) -> JetModel:
    """The same weights, on other trees or other jets than those of the training."""
    if scenario in TRIMMING:
        return model.with_trim(TRIMMING[scenario])
    other = OTHER_TREES.fullmatch(scenario)
    if other is None:
        known = ", ".join([*SCENARIOS, "on TOPOLOGY trees", *TRIMMING])
        raise SettingsError(f"no scenario {scenario!r}; there are: {known}")
    return model.with_topology(other[1])
