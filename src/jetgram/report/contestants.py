"""What a report compares: trained models, and the classifiers without a network next to them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from jetgram.classes import CLASSES, class_name
from jetgram.errors import DatasetError, EvaluationError
from jetgram.evaluation.baselines import OBSERVABLES, jets_to_measure, score_observables
from jetgram.evaluation.predict import predict_dataset
from jetgram.evaluation.scores import Scores
from jetgram.evaluation.selection import Window
from jetgram.models.folders import by_name
from jetgram.models.history import read_history
from jetgram.models.model import JetModel
from jetgram.models.store import load_model
from jetgram.networks.heads import HeadSettings
from jetgram.progress import Advance
from jetgram.storage.dataset import Dataset
from jetgram.training.targets import require_same_classes

Progress = Callable[[str, int, str], AbstractContextManager[Advance]]  # what is done, how many of them, their name


def silent(what: str, total: int, unit: str) -> AbstractContextManager[Advance]:
    """A `Progress` that shows nothing."""
    return nullcontext(lambda count: None)


@dataclasses.dataclass(frozen=True, eq=False)
class TrainedModel:
    """A model directory, opened, with what it says of the test jets.

    Args:
        name: in the report.
        folder: where it is.
        model: the network.
        history: one record per epoch.
        scores: of the test split.
        jets_classes: the names of the classes in the dataset.
    """

    name: str
    folder: Path
    model: JetModel
    history: Sequence[Mapping[str, Any]]
    scores: Scores
    jets_classes: Sequence[str] = CLASSES

    @property
    def seconds(self) -> float:
        """Time that its training took."""
        return float(sum(record["seconds"] for record in self.history))

    @property
    def classes(self) -> Sequence[str]:
        """The names of the classes, in the order of their numbers: its own, then those that only its jets have."""
        own = tuple(map(str, getattr(self.model.settings.head, "classes", None) or ()))
        return own + tuple(self.jets_classes[len(own) :])

    @property
    def column(self) -> str:
        """The column of the class."""
        return self.model.settings.head.label_column

    @property
    def parameters(self) -> int:
        """How many weights it has."""
        return sum(weight.numel() for weight in self.model.network.parameters())


def score_models(dataset: Dataset, folders: Sequence[Path], progress: Progress = silent) -> list[TrainedModel]:
    """Each model with its scores of the test split; all have the dataset's order of classes, as the baselines do."""
    found = []
    for name, folder in by_name(folders).items():
        model = load_model(folder)
        require_same_classes(dataset, model.settings.head)
        _require_learned_classes(dataset, model.settings.head, name)
        with progress(f"scoring {name}", dataset.splits.get("test", 0), dataset.kind) as advance:
            scores = predict_dataset(model, dataset, "test", name=name, advance=advance)
        classes = dataset.class_names(model.settings.head.label_column) or CLASSES
        found.append(TrainedModel(name, folder, model, read_history(folder), scores, classes))
    return found


def _require_learned_classes(dataset: Dataset, head: HeadSettings, model: str) -> None:
    """Raise an `EvaluationError` if test jets are of more classes than a model tells apart.

    Where both have names, jets of a name that the model does not know count as unknown, and are left out.
    """
    names, learned = dataset.class_names(head.label_column), head.labels
    if not learned or set(names) & set(learned):
        return
    try:
        numbers = np.unique(dataset.column(head.label_column, "test"))
    except DatasetError:  # no labels: another error's
        return
    if len(numbers) and numbers[-1] >= len(learned):
        found = ", ".join(class_name(number, names or CLASSES) for number in numbers)
        known = ", ".join(map(str, learned)) if learned != (0, 1) else "background, signal"
        raise EvaluationError(
            f"{dataset.path} has {dataset.kind} of {len(numbers)} classes: {found}; the model {model} tells "
            f"{len(learned)} apart: {known}; expected no more than these: train a model on this dataset "
            "(`jetgram train` takes its classes), or convert only the files of the model's classes"
        )


def score_baselines(
    dataset: Dataset, window: Window | None = None, progress: Progress = silent, label: str = "label"
) -> list[Scores]:
    r"""Scores of the test split by $\tau_{21}$ and by trees on mass and $\tau_{21}$, which learn inside the window.

    Events have neither; without a training split with labels there is nothing that the trees could learn from.
    """
    if dataset.kind != "jets" or label not in dataset.first(1, "test").columns:
        return []
    observables = OBSERVABLES if "train" in dataset.splits else OBSERVABLES[:1]
    with progress("measuring tau21", jets_to_measure(dataset, observables), "jets") as advance:
        return list(score_observables(dataset, observables, window, advance, label).values())
