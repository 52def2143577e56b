r"""Distillation: a network learns what another one, or an ensemble, says of the training jets (arXiv:1503.02531).

With $y$ the truth, $p$ the teacher's answer and $a$ the weight of the teacher, the target is $(1 - a) y + a p$. The
losses of classifiers are linear in the target, so this is the mixture of both losses. Validation looks at the truth
alone. The teacher may read jets in any way: it is asked once, before the first epoch.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jetgram.errors import SettingsError, TrainingError
from jetgram.evaluation.predict import predict_dataset
from jetgram.models.ensemble import Scoring
from jetgram.models.recipes import RECIPES, TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.networks.heads import Head
from jetgram.progress import Advance
from jetgram.storage.dataset import Dataset

Array = NDArray[np.float64]


def soft_targets(head: Head, targets: NDArray[np.float32], taught: Array, weight: float) -> NDArray[np.float32]:
    """The targets of a training with a teacher, `(jets, outputs)`.

    Args:
        head: of the network that learns.
        targets: the truth, as the head makes targets of it.
        taught: the teacher's answers, as its own head gives them.
        weight: of the teacher.

    Example:
        >>> from jetgram.networks.classification import Binary
        >>> soft_targets(Binary(4), np.array([[1.0], [0.0]], np.float32), np.array([[0.75], [0.25]]), weight=0.5)
        array([[0.875], [0.125]], dtype=float32)
    """
    if taught.shape != targets.shape:
        raise TrainingError(f"the teacher's answers have shape {taught.shape}; expected {targets.shape}")
    share = np.float32(weight)
    mixed: NDArray[np.float32] = (1 - share) * targets + share * head.teacher_targets(taught)
    return mixed


def require_teacher(training: TrainingSettings, teacher: object | None, recipe: str = "") -> None:
    """Raise if the weight of a teacher is given, but no teacher.

    Args:
        training: its weight is given where it is not the default.
        teacher: None without one.
        recipe: its name, where it is known: one with a weight needs a teacher, whatever the weight is now.
    """
    default = TrainingSettings.model_fields["teacher_weight"].default
    if teacher is None and (training.teacher_weight != default or "teacher_weight" in RECIPES.get(recipe, {})):
        found = f"teacher_weight = {training.teacher_weight:g} without a teacher"
        raise SettingsError(f"found {found}; name one (--teacher MODEL, or fit(..., teacher=)), or leave it out")


def require_same_answers(teacher: Scoring, settings: ModelSettings) -> None:
    """Raise unless a teacher is given the same things as the model that learns, and answers the same question."""
    found, wanted = teacher.settings.question, settings.question
    if found != wanted:
        raise TrainingError(f"the teacher is {found}; this training is of {wanted}")


def ask_teacher(
    teacher: Scoring, dataset: Dataset, split: str, settings: ModelSettings, advance: Advance | None
) -> Array:
    """What a teacher answers for the rows of a dataset, `(rows, outputs)`.

    Args:
        teacher: a model, or an ensemble.
        dataset: what is learned from.
        split: likewise.
        settings: of the model that learns.
        advance: is told how many rows are scored since the last call.
    """
    require_same_answers(teacher, settings)
    scores = predict_dataset(teacher, dataset, split, advance=advance)
    return np.stack(list(scores.outputs.values()), axis=1)
