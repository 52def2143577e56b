"""What follows the embedding: rectified layers and outputs, and all that these outputs mean.

A head owns its loss, its link function (from outputs to answers), what it makes of targets before they are learned, its
metrics on validation jets, and the names of its answers. Nothing else asks which head a network has. The
heads for classes are in `jetgram.networks.classification`, that for numbers is in `jetgram.networks.regression`.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import pydantic
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from jetgram.errors import SettingsError, require_known
from jetgram.inputs.scaler import Scaler
from jetgram.networks.initialisation import DEFAULT_SCHEME, Generator, Initialised, Scheme, fill_layers
from jetgram.settings import Settings

Array = NDArray[np.float64]
Single = NDArray[np.float32]
Label = int | str
Link = Literal["sigmoid", "softmax", "scale"]


class Loss(NamedTuple):
    """What training minimises.

    Args:
        compute: the loss of each jet, `(jets,)`, from outputs and targets, `(jets, outputs)`.
        reads: what the outputs are: one `logit` of signal, the `logits` of several classes, or `numbers`.
        kernel: its name in the native core; None where only PyTorch knows it.
    """

    compute: Callable[[Tensor, Tensor], Tensor]
    reads: Literal["logit", "logits", "numbers"]
    kernel: str | None = None


def _cross_entropy(outputs: Tensor, targets: Tensor) -> Tensor:
    return -(targets * torch.log_softmax(outputs, dim=1)).sum(dim=1)


def _mean(loss: Callable[..., Tensor]) -> Callable[[Tensor, Tensor], Tensor]:
    return lambda outputs, targets: loss(outputs, targets, reduction="none").mean(dim=1)


LOSSES: dict[str, Loss] = {
    "logistic": Loss(_mean(nn.functional.binary_cross_entropy_with_logits), "logit", kernel="logistic"),
    "softmax": Loss(_cross_entropy, "logits", kernel="softmax"),
    "squared": Loss(_mean(nn.functional.mse_loss), "numbers", kernel="squared"),
    "huber": Loss(_mean(nn.functional.huber_loss), "numbers", kernel="huber"),
}


def require_loss(head: str, loss: str, default: str) -> str:
    """The loss, if it reads what the default loss of a head reads; else a `ValueError` that names those that do."""
    wanted = [name for name, known in LOSSES.items() if known.reads == LOSSES[default].reads]
    if loss not in wanted:
        known = f"{', '.join(wanted)}, or one that you register with jetgram.register"
        raise ValueError(f"{head} is not trained with the loss {loss}; expected {known}")
    return loss


class Head(Initialised):
    r"""Two layers of rectified units and a linear output: $f(h) = W_3 \sigma(W_2 \sigma(W_1 h + b_1) + b_2) + b_3$.

    Args:
        inputs: length of the embedding $h$.
        outputs: length of the last layer.
        hidden: units of each of the two layers, by default as many as inputs.
        loss: what training minimises.
    """

    output_bias: ClassVar[float] = 0.0  # as published, where the initialisation follows the paper
    weight_scale: ClassVar[float] = 0.1  # times Glorot's, likewise
    link: ClassVar[Link | None] = None  # what `answers` computes, by name, for other formats; None if that has no name

    def __init__(self, inputs: int, outputs: int, hidden: Sequence[int] | None, loss: str) -> None:
        super().__init__()
        self.widths = (inputs, *((inputs, inputs) if hidden is None else hidden), outputs)
        if min(self.widths) < 1:
            raise SettingsError(f"a head needs sizes of at least 1; found {', '.join(map(str, self.widths))}")
        require_known("no loss", loss, LOSSES)
        self.loss = loss
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(self.widths, self.widths[1:], strict=False))
        self.fill()

    def fill(self, scheme: Scheme = DEFAULT_SCHEME, generator: Generator = None) -> None:
        """Fill the weights of all layers."""
        layers = [layer for layer in self.layers if isinstance(layer, nn.Linear)]
        fill_layers(layers, scheme, generator, self.weight_scale, self.output_bias)

    @property
    def outputs(self) -> int:
        """How many numbers the head gives per jet."""
        return self.widths[-1]

    def forward(self, embedding: Tensor) -> Tensor:
        """The outputs, `(jets, outputs)`, for embeddings `(jets, inputs)`."""
        *rectified, last = self.layers
        for layer in rectified:
            embedding = torch.relu(layer(embedding))
        outputs: Tensor = last(embedding)
        return outputs

    def losses(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """The loss of each jet, `(jets,)`, from what the head gives and what it should give, `(jets, outputs)`."""
        return LOSSES[self.loss].compute(outputs, targets)

    @property
    @abc.abstractmethod
    def names(self) -> tuple[str, ...]:
        """The names of the answers, one per output."""

    @abc.abstractmethod
    def answers(self, outputs: NDArray[np.floating[Any]]) -> Array:
        """The link function: probabilities, or numbers in their own units, `(jets, outputs)`."""

    def averaged(self, outputs: Array) -> Array:
        """What ensembles take the mean of, `(jets, outputs)`: by default the outputs, such as logits."""
        return outputs

    def answers_of_mean(self, mean: Array) -> Array:
        """The answers of an ensemble, `(jets, outputs)`, from the mean of what `averaged` gives."""
        return self.answers(mean)

    @abc.abstractmethod
    def learn_targets(self, targets: Array, training: NDArray[np.int64], validation: NDArray[np.int64]) -> None:
        """Take what the transform of targets needs from those of the training jets; raise if they cannot be learned.

        Args:
            targets: of all jets, `(jets, targets)`.
            training: numbers of the training jets.
            validation: numbers of the jets kept aside.
        """

    @abc.abstractmethod
    def network_targets(self, targets: Array) -> Single:
        """What the outputs should be, `(jets, outputs)`, for targets `(jets, targets)`."""

    def teacher_targets(self, answers: Array) -> Single:
        """What the outputs should be, `(jets, outputs)`, to answer as a teacher does: its probabilities."""
        return answers.astype(np.float32)

    @abc.abstractmethod
    def class_numbers(self, targets: Array) -> NDArray[np.int64]:
        """The class of each jet, from 0, for targets `(jets, targets)`; raises where there are no classes."""

    def require_weight(self, targets: Array, weights: Array, what: str) -> None:
        """Raise a `TrainingError` where jets that must be learned from all have the weight 0.

        Args:
            targets: `(jets, targets)`.
            weights: `(jets,)`.
            what: the jets are.
        """

    def metrics(self, outputs: NDArray[np.floating[Any]], targets: Single, weights: Single) -> dict[str, float]:
        """What is measured on validation jets besides the loss; `auc`, where there is one, chooses the best epoch.

        Args:
            outputs: of the head, `(jets, outputs)`.
            targets: as `network_targets` gives them.
            weights: of the jets.
        """
        return {}

    @property
    def scaler(self) -> Scaler | None:
        """Of the targets; None where they are not scaled."""
        return None

    def set_scaler(self, scaler: Scaler | None) -> None:
        """Take a scaler of the targets, as it was saved."""
        if scaler is not None:
            found = f"{len(scaler.center)} scaled targets"
            raise SettingsError(f"found {found}; the targets of this {type(self).__name__} are not scaled")


class HeadSettings(Settings, abc.ABC):
    """What a network gives, and what it learns from.

    Every class has a field `kind`, by which settings in a file are told apart, and says which `loss` is minimised.

    Args:
        targets: what is learned: the columns of a dataset, or names in `jetgram.training.targets`.
    """

    kind: str
    targets: tuple[str, ...] = pydantic.Field(default=("target",), min_length=1)

    @pydantic.field_validator("targets", mode="before")
    @classmethod
    def _one_target(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value

    @property
    def label_column(self) -> str:
        """The column of a dataset that says what a jet is."""
        return "label"

    @property
    def labels(self) -> tuple[Label, ...]:
        """Of the classes, the background first; empty where numbers are learned."""
        return ()

    @property
    def has_names(self) -> bool:
        """Whether there are classes, and they have names."""
        return bool(self.labels) and all(isinstance(label, str) for label in self.labels)

    @abc.abstractmethod
    def build(self, inputs: int, hidden: Sequence[int], one_per_class: bool = False) -> Head:
        """The head itself.

        Args:
            inputs: length of the embedding.
            hidden: units of its rectified layers.
            one_per_class: whether signal and background have an output each.
        """

    def flat(self) -> dict[str, Any]:
        """By the flat names of `ModelSettings`."""
        values = self.model_dump(mode="json")
        return {"head": values.pop("kind"), **values}
