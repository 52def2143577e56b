"""The head for numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
import pydantic
from numpy.typing import NDArray

from jetgram.errors import SettingsError, TrainingError
from jetgram.inputs.scaler import Scaler
from jetgram.networks.heads import Array, Head, HeadSettings, Single, require_loss


class Regression(Head):
    """Numbers instead of classes, fitted with squared errors, or with Huber's loss, which forgives outliers.

    The targets are scaled for the network, with median and inter-quartile range of the training jets.

    Args:
        inputs: length of the embedding.
        targets: the names of the numbers.
        hidden: units of each of the two layers, by default as many as inputs.
        loss: `squared` or `huber`.

    Example:
        >>> head = Regression(40, targets=("mass",))
        >>> head.set_scaler(Scaler(np.array([80.0]), np.array([10.0])))
        >>> head.answers(np.array([[0.5]])), head.network_targets(np.array([[70.0]]))
        (array([[85.]]), array([[-1.]], dtype=float32))
    """

    kernel: ClassVar[str] = "layers"
    link = "scale"

    def __init__(
        self,
        inputs: int,
        targets: Sequence[str] = ("target",),
        hidden: Sequence[int] | None = None,
        loss: str = "squared",
    ) -> None:
        if loss in ("logistic", "softmax"):
            raise SettingsError(f"a regressor fits with the loss squared or huber; found {loss!r}")
        super().__init__(inputs, len(targets), hidden, loss)
        self.targets = tuple(targets)
        unit = np.ones(len(targets))
        self._scaler = Scaler(0 * unit, unit)

    @property
    def names(self) -> tuple[str, ...]:
        """Those of the targets."""
        return self.targets

    def answers(self, outputs: NDArray[np.floating[Any]]) -> Array:
        """The numbers in their own units, `(jets, targets)`."""
        return self._scaler.restore(outputs)

    def averaged(self, outputs: Array) -> Array:
        """The numbers themselves: each member of an ensemble has scales of its own."""
        return self.answers(outputs)

    def answers_of_mean(self, mean: Array) -> Array:
        """The mean numbers."""
        return mean

    def learn_targets(self, targets: Array, training: NDArray[np.int64], validation: NDArray[np.int64]) -> None:
        """Fit the scaler to the targets of the training jets."""
        self._scaler = Scaler.fit(targets[training])

    def network_targets(self, targets: Array) -> Single:
        """The scaled targets, `(jets, targets)`; of any value where they are not known."""
        return self._scaler.transform(np.nan_to_num(targets, nan=0.0, posinf=0.0, neginf=0.0))

    def teacher_targets(self, answers: Array) -> Single:
        """The teacher's numbers, scaled."""
        return self.network_targets(answers)

    def class_numbers(self, targets: Array) -> NDArray[np.int64]:
        """There are none."""
        raise TrainingError("class_weight is given, but numbers are learned, not classes; leave it out")

    @property
    def scaler(self) -> Scaler:
        """Of the targets."""
        return self._scaler

    def set_scaler(self, scaler: Scaler | None) -> None:
        """Take a scaler of the targets, as it was saved."""
        found = 0 if scaler is None else len(scaler.center)
        if scaler is None or found != len(self.targets):
            raise SettingsError(f"found {found} scaled targets; expected {', '.join(self.targets)}")
        self._scaler = scaler


class RegressorSettings(HeadSettings):
    """Numbers are learned.

    Args:
        targets: what is learned: the columns of a dataset, or names in `jetgram.training.targets`.
        loss: `squared`, or `huber`, which forgives outliers.
    """

    kind: Literal["regressor"] = "regressor"
    loss: str = "squared"

    @pydantic.field_validator("loss")
    @classmethod
    def _of_numbers(cls, loss: str) -> str:
        return require_loss("a regressor", loss, "squared")

    def build(self, inputs: int, hidden: Sequence[int], one_per_class: bool = False) -> Regression:
        """The head itself."""
        return Regression(inputs, self.targets, hidden, self.loss)
