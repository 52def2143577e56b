"""What follows the embedding: two rectified layers, then a logit or the regressed numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Literal

import torch
from torch import Tensor, nn

from jetgram.errors import SettingsError
from jetgram.networks.initialisation import DEFAULT_SCHEME, Generator, Initialised, Scheme, fill_layers

LossName = Literal["logistic", "squared", "huber"]

_LOSSES: dict[LossName, Callable[..., Tensor]] = {
    "logistic": nn.functional.binary_cross_entropy_with_logits,
    "squared": nn.functional.mse_loss,
    "huber": nn.functional.huber_loss,
}


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

    def __init__(self, inputs: int, outputs: int, hidden: Sequence[int] | None, loss: LossName) -> None:
        super().__init__()
        self.widths = (inputs, *((inputs, inputs) if hidden is None else hidden), outputs)
        if min(self.widths) < 1:
            raise SettingsError(f"a head needs sizes of at least 1; found {', '.join(map(str, self.widths))}")
        if loss not in _LOSSES:
            raise SettingsError(f"no loss is called {loss!r}; expected one of {', '.join(_LOSSES)}")
        self.loss: LossName = loss
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(self.widths, self.widths[1:], strict=False))
        self.fill()

    def fill(self, scheme: Scheme = DEFAULT_SCHEME, generator: Generator = None) -> None:
        """Fill the weights of all layers."""
        layers = [layer for layer in self.layers if isinstance(layer, nn.Linear)]
        fill_layers(layers, scheme, generator, self.weight_scale, self.output_bias)

    @property
    def outputs(self) -> int:
        """How many numbers the head gives for a jet."""
        return self.widths[-1]

    def forward(self, embedding: Tensor) -> Tensor:
        """The outputs, `(jets, outputs)`, for embeddings `(jets, inputs)`."""
        *rectified, last = self.layers
        for layer in rectified:
            embedding = torch.relu(layer(embedding))
        outputs: Tensor = last(embedding)
        return outputs

    def losses(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """The loss of each jet, `(jets,)`: the mean over its outputs."""
        return _LOSSES[self.loss](outputs, targets, reduction="none").mean(dim=1)


class Classifier(Head):
    r"""Signal against background: one logit $f$, with $p = 1 / (1 + e^{-f})$ the probability of signal.

    Example:
        >>> sum(weight.numel() for weight in Classifier(40).parameters())
        3321
    """

    output_bias = 1.0

    def __init__(self, inputs: int, hidden: Sequence[int] | None = None) -> None:
        super().__init__(inputs, 1, hidden, "logistic")


class TwoClassHead(Head):
    r"""Signal against background with one number a class, $p = e^{f_1} / (e^{f_0} + e^{f_1})$, as image networks have.

    What it gives is the logit $f_1 - f_0$: loss and probability are then those of `Classifier`.

    Example:
        >>> TwoClassHead(128, (64, 25))(torch.zeros(3, 128)).shape
        torch.Size([3, 1])
    """

    weight_scale = 1.0

    def __init__(self, inputs: int, hidden: Sequence[int] | None = None) -> None:
        super().__init__(inputs, 2, hidden, "logistic")

    @property
    def outputs(self) -> int:
        """One: the logit."""
        return 1

    def forward(self, embedding: Tensor) -> Tensor:
        """The logits, `(jets, 1)`, for embeddings `(jets, inputs)`."""
        both = super().forward(embedding)
        return both[:, 1:] - both[:, :1]


class Regressor(Head):
    """Numbers instead of classes, fitted with squared errors, or with Huber's loss, which forgives outliers."""

    def __init__(
        self, inputs: int, targets: int = 1, hidden: Sequence[int] | None = None, loss: LossName = "squared"
    ) -> None:
        if loss == "logistic":
            raise SettingsError("a regressor fits with the loss squared or huber; found 'logistic'")
        super().__init__(inputs, targets, hidden, loss)
