"""What follows the embedding: two rectified layers, then a logit or the regressed numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Literal

import torch
from torch import Tensor, nn

from jetgram.errors import SettingsError

LossName = Literal["logistic", "squared", "huber"]

_LOSSES: dict[LossName, Callable[..., Tensor]] = {
    "logistic": nn.functional.binary_cross_entropy_with_logits,
    "squared": nn.functional.mse_loss,
    "huber": nn.functional.huber_loss,
}


class Head(nn.Module):
    r"""Two layers of rectified units and a linear output: $f(h) = W_3 \sigma(W_2 \sigma(W_1 h + b_1) + b_2) + b_3$.

    Args:
        inputs: length of the embedding $h$.
        outputs: length of $f(h)$.
        hidden: units of each layer, by default as many as inputs.
        loss: what training minimises.
    """

    output_bias: ClassVar[float] = 0.0  # as published, where the initialisation follows the paper

    def __init__(self, inputs: int, outputs: int, hidden: int | None, loss: LossName) -> None:
        super().__init__()
        hidden = inputs if hidden is None else hidden
        if min(inputs, outputs, hidden) < 1:
            raise SettingsError(f"a head needs sizes of at least 1; found {inputs}, {hidden}, {outputs}")
        if loss not in _LOSSES:
            raise SettingsError(f"no loss is called {loss!r}; expected one of {', '.join(_LOSSES)}")
        self.loss: LossName = loss
        self.widths = (inputs, hidden, hidden, outputs)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(self.widths, self.widths[1:], strict=False))

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

    def __init__(self, inputs: int, hidden: int | None = None) -> None:
        super().__init__(inputs, 1, hidden, "logistic")


class Regressor(Head):
    """Numbers instead of classes, fitted with squared errors, or with Huber's loss, which forgives outliers."""

    def __init__(self, inputs: int, targets: int = 1, hidden: int | None = None, loss: LossName = "squared") -> None:
        if loss == "logistic":
            raise SettingsError("a regressor fits with the loss squared or huber; found 'logistic'")
        super().__init__(inputs, targets, hidden, loss)
