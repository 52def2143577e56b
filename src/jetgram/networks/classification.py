"""Heads for classes: signal against background, or several classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pydantic
from numpy.typing import NDArray
from torch import Tensor

from jetgram.errors import SettingsError, TrainingError
from jetgram.networks.heads import Array, Head, HeadSettings, Label, Single, require_loss
from jetgram.roc import SCORE, roc_auc

MOST_CLASSES = 100  # scores keep the number of a class in a byte


class Classification(Head):
    """What heads for two and for more classes have in common: targets are the numbers of classes, in one column.

    Args:
        inputs: length of the embedding.
        outputs: length of the last layer.
        hidden: units of each of the layers between.
        loss: what training minimises.
        classes: the labels of the classes, the background first.
        target: the name of the column.
    """

    def __init__(
        self,
        inputs: int,
        outputs: int,
        hidden: Sequence[int] | None,
        loss: str,
        classes: Sequence[Label],
        target: str,
    ) -> None:
        super().__init__(inputs, outputs, hidden, loss)
        self.classes, self.target = tuple(classes), target
        if len(set(self.classes)) != len(self.classes):
            raise SettingsError(f"the classes {', '.join(map(str, self.classes))} are not all different")

    def learn_targets(self, targets: Array, training: NDArray[np.int64], validation: NDArray[np.int64]) -> None:
        """Raise unless all targets are numbers of classes, and every class is among training and validation jets."""
        everything = targets[np.concatenate([training, validation]), 0]
        strange = ~np.isin(everything, range(len(self.classes)))
        if strange.any():
            meaning = " or ".join(f"{number} ({self._meaning(number)})" for number in range(len(self.classes)))
            raise TrainingError(f"{self.target} is {everything[strange][0]} for a jet; expected {meaning}")
        parts = {"jets": everything, "training jets": targets[training, 0], "validation jets": targets[validation, 0]}
        advice = "; another split_seed keeps other jets aside, and a split val, or fit(validation=), gives your own"
        for what, some in parts.items():
            for number in np.setdiff1d(range(len(self.classes)), some):
                found = f"there is no {self._meaning(number)} among the {len(some)} {what}"
                raise TrainingError(f"{found}: {self.target} is never {number}{advice if number in everything else ''}")

    def require_weight(self, targets: Array, weights: Array, what: str) -> None:
        """Raise a `TrainingError` for a class whose jets all have the weight 0."""
        for number in range(len(self.classes)):
            if not weights[targets[:, 0] == number].any():
                found = f"all {what} jets that are {self._meaning(number)} have the weight 0"
                raise TrainingError(f"{found}; expected some that have not")

    def _meaning(self, number: int) -> str:
        """A class in words."""
        return ("background", "signal")[number] if self.classes == (0, 1) else repr(self.classes[number])

    def class_numbers(self, targets: Array) -> NDArray[np.int64]:
        """The class of each jet, `(jets,)`; 0 where it is not known."""
        return np.nan_to_num(targets[:, 0], nan=0.0, posinf=0.0, neginf=0.0).astype(np.int64)


class Binary(Classification):
    r"""Signal against background: one logit $f$, with $p = 1 / (1 + e^{-f})$ the probability of signal.

    Args:
        inputs: length of the embedding.
        hidden: units of each of the two layers, by default as many as inputs.
        classes: the labels of background and signal.
        target: the name of the column with their numbers.
        loss: what training minimises.

    Example:
        >>> head = Binary(40)
        >>> sum(weight.numel() for weight in head.parameters())
        3321
        >>> head.names, head.answers(np.array([[0.0], [2.0]])).round(3)
        (('score',), array([[0.5  ], [0.881]]))
    """

    kernel: ClassVar[str] = "layers"
    link = "sigmoid"
    output_bias = 1.0
    last: ClassVar[int] = 1  # units of the last layer

    def __init__(
        self,
        inputs: int,
        hidden: Sequence[int] | None = None,
        classes: Sequence[Label] = (0, 1),
        target: str = "label",
        loss: str = "logistic",
    ) -> None:
        if len(classes) != 2:
            raise SettingsError(f"signal against background are 2 classes; found {len(classes)}")
        super().__init__(inputs, self.last, hidden, loss, classes, target)

    @property
    def names(self) -> tuple[str, ...]:
        """The score: the probability of signal."""
        return (SCORE,)

    def answers(self, outputs: NDArray[np.floating[Any]]) -> Array:
        """The probability of signal, `(jets, 1)`."""
        return probability(outputs)

    def network_targets(self, targets: Array) -> Single:
        """0 and 1, `(jets, 1)`."""
        return self.class_numbers(targets)[:, None].astype(np.float32)

    def metrics(self, outputs: NDArray[np.floating[Any]], targets: Single, weights: Single) -> dict[str, float]:
        """The area under the ROC curve."""
        return {"auc": roc_auc(outputs[:, 0], targets[:, 0], weights)}


class TwoClass(Binary):
    r"""Signal against background with one number per class, $p = e^{f_1} / (e^{f_0} + e^{f_1})$: of image networks.

    What it gives is the logit $f_1 - f_0$: loss and probability are then those of `Binary`.

    Example:
        >>> import torch
        >>> TwoClass(128, (64, 25))(torch.zeros(3, 128)).shape
        torch.Size([3, 1])
    """

    link = "sigmoid"
    output_bias = 0.0
    weight_scale = 1.0
    last = 2

    @property
    def outputs(self) -> int:
        """One: the logit."""
        return 1

    def forward(self, embedding: Tensor) -> Tensor:
        """The logits, `(jets, 1)`, for embeddings `(jets, inputs)`."""
        both = super().forward(embedding)
        return both[:, 1:] - both[:, :1]


class MultiClass(Classification):
    r"""Several classes: $p_c = e^{f_c} / \sum_k e^{f_k}$, trained with the cross-entropy $-\log p_c$ of the true class.

    Args:
        inputs: length of the embedding.
        classes: the labels of the classes, the background first.
        hidden: units of each of the two layers, by default as many as inputs.
        target: the name of the column with the numbers of classes.
        loss: what training minimises.

    Example:
        >>> head = MultiClass(40, ("qcd", "w", "top"))
        >>> head.names
        ('score_qcd', 'score_w', 'score_top')
        >>> head.answers(np.log([[1.0, 2.0, 5.0]]))
        array([[0.125, 0.25 , 0.625]])
    """

    kernel: ClassVar[str] = "layers"
    link = "softmax"

    def __init__(
        self,
        inputs: int,
        classes: Sequence[Label],
        hidden: Sequence[int] | None = None,
        target: str = "label",
        loss: str = "softmax",
    ) -> None:
        super().__init__(inputs, len(classes), hidden, loss, classes, target)

    @property
    def names(self) -> tuple[str, ...]:
        """One score per class."""
        return tuple(f"{SCORE}_{label}" for label in self.classes)

    def answers(self, outputs: NDArray[np.floating[Any]]) -> Array:
        """The probabilities of the classes, `(jets, classes)`."""
        above = np.exp(outputs - outputs.max(axis=1, keepdims=True), dtype=np.float64)
        result: Array = above / above.sum(axis=1, keepdims=True)
        return result

    def network_targets(self, targets: Array) -> Single:
        """1 for the class of the jet, else 0, `(jets, classes)`."""
        return np.eye(len(self.classes), dtype=np.float32)[self.class_numbers(targets)]

    def metrics(self, outputs: NDArray[np.floating[Any]], targets: Single, weights: Single) -> dict[str, float]:
        """The mean over classes of the area under the ROC curve of one class against the rest; and the accuracy."""
        scores = self.answers(outputs)
        areas = [roc_auc(scores[:, number], targets[:, number], weights) for number in range(len(self.classes))]
        right = outputs.argmax(axis=1) == targets.argmax(axis=1)
        return {"auc": float(np.mean(areas)), "accuracy": float(np.average(right, weights=weights))}


def _default_loss(data: dict[str, Any]) -> str:
    return "softmax" if len(data.get("classes") or ()) > 2 else "logistic"


class ClassifierSettings(HeadSettings):
    """Classes are told apart.

    Args:
        targets: the column with the number of the class of each jet.
        classes: the labels of the classes, the background first; None is background and signal, 0 and 1.
        loss: by default `logistic`, or `softmax` of more than two classes; or one that was registered.

    Example:
        >>> ClassifierSettings(classes=("qcd", "w", "top")).loss
        'softmax'
    """

    kind: Literal["classifier"] = "classifier"
    targets: tuple[str, ...] = ("label",)
    classes: Annotated[tuple[Label, ...], pydantic.Field(min_length=2, max_length=MOST_CLASSES)] | None = None
    loss: str = pydantic.Field(default_factory=_default_loss)

    @pydantic.field_validator("targets")
    @classmethod
    def _one_label(cls, targets: tuple[str, ...]) -> tuple[str, ...]:
        if len(targets) != 1:
            raise ValueError(f"a classifier has one target, the number of a class; found {len(targets)}")
        return targets

    @pydantic.field_validator("classes")
    @classmethod
    def _different_classes(cls, classes: tuple[Label, ...] | None) -> tuple[Label, ...] | None:
        if classes is not None and len(set(map(str, classes))) < len(classes):
            raise ValueError("expected different labels")
        return None if classes == (0, 1) else classes

    @pydantic.field_validator("loss")
    @classmethod
    def _of_the_classes(cls, loss: str, info: pydantic.ValidationInfo) -> str:
        return require_loss("a classifier", loss, _default_loss(info.data))

    @property
    def label_column(self) -> str:
        """The column that is learned."""
        return self.targets[0]

    @property
    def labels(self) -> tuple[Label, ...]:
        """Of the classes, the background first."""
        return self.classes or (0, 1)

    def flat(self) -> dict[str, Any]:
        """By the flat names of `ModelSettings`; without classes where they are background and signal."""
        values = super().flat()
        if self.classes is None:
            del values["classes"]
        return values

    def build(self, inputs: int, hidden: Sequence[int], one_per_class: bool = False) -> Classification:
        """The head itself."""
        classes, (target,) = self.labels, self.targets
        if len(classes) > 2:
            return MultiClass(inputs, classes, hidden, target, self.loss)
        return (TwoClass if one_per_class else Binary)(inputs, hidden, classes, target, self.loss)


def probability(logits: NDArray[np.floating[Any]]) -> Array:
    r"""The probability of signal $1 / (1 + e^{-f})$ for logits $f$."""
    decay = np.exp(-np.abs(logits, dtype=np.float64))
    result: Array = np.where(logits >= 0, 1.0, decay) / (1.0 + decay)
    return result
