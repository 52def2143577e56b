r"""Scores of several classes, judged two at a time.

A model of several classes gives the probability $p_c$ of each, as `score_CLASS`. The best discriminant between a class
and the background, the first class, is the likelihood ratio, or what rises with it: $p_c / (p_c + p_0)$. Against all
other classes together it is $p_c$ itself.
"""

from __future__ import annotations

import dataclasses
import warnings

import numpy as np
from numpy.typing import NDArray

from jetgram.classes import NO_LABEL
from jetgram.errors import EvaluationError, SuspiciousJetsWarning
from jetgram.evaluation.scores import Scores
from jetgram.roc import SCORE

Array = NDArray[np.float64]


def class_labels(scores: Scores) -> tuple[str, ...]:
    """The labels of the classes, in the order of their numbers; none where there is one score, or a regressor's."""
    prefix = f"{SCORE}_"
    return tuple(name.removeprefix(prefix) for name in scores.outputs if name.startswith(prefix))


def binary_scores(scores: Scores) -> list[Scores]:
    """The same scores as those of taggers of one class each: against the background, and against the rest.

    Scores of signal and background, or of a regressor, are given back as they are. Jets whose class is not known, as of
    a class that the model has not learned, cannot be judged and are left out, with a warning that counts them.

    Example:
        >>> scores = Scores.create(
        ...     {"score_qcd": [0.6, 0.1, 0.1], "score_w": [0.2, 0.7, 0.2], "score_top": [0.2, 0.2, 0.7]},
        ...     label=[0, 1, 2], pt=[270.0] * 3, mass=[80.0] * 3, source="three")
        >>> for pair in binary_scores(scores):
        ...     print(pair.model, pair.label, pair.score)
        three: w vs qcd [0 1] [0.25  0.875]
        three: top vs qcd [0 1] [0.25  0.875]
        three: qcd vs rest [1 0 0] [0.6 0.1 0.1]
        three: w vs rest [0 1 0] [0.2 0.7 0.2]
        three: top vs rest [0 0 1] [0.2 0.2 0.7]
    """
    labels = class_labels(scores)
    if labels or SCORE in scores.outputs:
        scores = of_known_class(scores)
    if not labels:
        return [scores]
    if len(scores) and scores.label.max() >= len(labels):
        found = f"{scores.source}: the label of a jet is {scores.label.max()}"
        raise EvaluationError(f"{found}; expected one below {len(labels)}: {', '.join(labels)}")
    signals = list(enumerate(labels))[1:]
    return [
        *(one_against(scores, number, 0, f"{label} vs {labels[0]}") for number, label in signals),
        *(one_against(scores, number, None, f"{label} vs rest") for number, label in enumerate(labels)),
    ]


def require_two_classes(scores: Scores) -> None:
    """Raise an `EvaluationError` if one score is given for jets of more than two classes."""
    if SCORE in scores.outputs and len(scores) and scores.label.max() > 1:
        found = ", ".join(map(str, np.unique(scores.label).tolist()))
        raise EvaluationError(
            f"{scores.source}: the {scores.provenance.rows} are of the classes {found}, but there is one score, of "
            f"{scores.model}; expected 0 (background) or 1 (signal): take a model of all these classes, whose scores "
            "are score_CLASS, or a dataset of two classes"
        )


def of_known_class(scores: Scores) -> Scores:
    """Without the jets whose class is not known; as they are where it is known of all, or of none."""
    known = scores.label != NO_LABEL
    if known.all() or not known.any():
        return scores
    rows, unknown = scores.provenance.rows, len(known) - np.count_nonzero(known)
    warnings.warn(
        f"{scores.source}: {unknown} of {len(known)} {rows} are of no class that the model knows, and are left out",
        SuspiciousJetsWarning,
        stacklevel=3,
    )
    return scores[known]


def one_against(scores: Scores, number: int, other: int | None, name: str) -> Scores:
    """One class as signal, and another one (or, with None, all others) as background.

    Args:
        scores: of several classes.
        number: of the class.
        other: the number of the class that is background.
        name: what is added to the model's name.

    Example:
        >>> outputs = {"score_qcd": [0.6, 0.2], "score_w": [0.1, 0.6], "score_top": [0.3, 0.2]}
        >>> toy = Scores.create(outputs, label=[0, 1], pt=[270.0, 280.0], mass=[60.0, 80.0])
        >>> w = one_against(toy, 1, None, "w against all")
        >>> w.label, w.score
        (array([0, 1], dtype=int8), array([0.1, 0.6]))
        >>> one_against(toy, 1, 0, "w against qcd").score.round(3)
        array([0.143, 0.75 ])
    """
    columns = [scores.outputs[f"{SCORE}_{label}"] for label in class_labels(scores)]
    values, seen = columns[number], scores
    if other is not None:
        total = columns[number] + columns[other]
        values = np.divide(values, total, out=np.full(len(scores), 0.5), where=total > 0)
        chosen = np.isin(scores.label, (number, other, NO_LABEL))
        values, seen = values[chosen], scores[chosen]
    label = np.where(seen.label == NO_LABEL, NO_LABEL, seen.label == number).astype(np.int8)
    return dataclasses.replace(seen, outputs={SCORE: values}, label=label).named(f"{scores.model}: {name}")


def any_signal(scores: Scores) -> Scores:
    """All classes but the background as one signal, with the score $1 - p_0$; scores of two classes as they are.

    Example:
        >>> columns = {"score_qcd": [0.5, 0.25], "score_w": [0.25, 0.5], "score_top": [0.25, 0.25]}
        >>> both = any_signal(Scores.create(columns, label=[0, 2], pt=[270.0] * 2, mass=[80.0] * 2))
        >>> both.score, both.label
        (array([0.5 , 0.75]), array([0, 1], dtype=int8))
    """
    labels = class_labels(scores)
    if not labels:
        return scores
    background = scores.outputs[f"{SCORE}_{labels[0]}"]
    return dataclasses.replace(scores, outputs={SCORE: 1 - background}, label=np.minimum(scores.label, 1))
