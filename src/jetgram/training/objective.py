r"""What a training minimises beyond the loss of each jet: penalties that look at several jets at once.

$$ L = \frac1B \sum_i w_i \, \ell_i + \lambda_D \, \mathrm{dCor}^2(s, m) +
       \lambda_C \, \frac1B \sum_i w_i \, | f(t_i) - f(t'_i) |^2 $$

DisCo ($\lambda_D$ = `disco`) decorrelates the score $s$ from the jet mass $m$, over the background jets of the batch.
The consistency term ($\lambda_C$ = `consistency`) ties the outputs of a jet to those of its perturbed copy $t'_i$;
$\ell_i$ is then the mean of the losses of both.

The distance correlation (DisCo, arXiv:2001.05310) of two numbers per jet is as follows. With $a_{ij} = |x_i - x_j|$,
$b_{ij} = |y_i - y_j|$, weights $w_i$ that sum to 1, and $A_{ij}$, $B_{ij}$ the same with their weighted means over
rows and columns subtracted,

$$ \mathrm{dCov}^2(x, y) = \sum_{ij} w_i w_j A_{ij} B_{ij} , \qquad
   \mathrm{dCor}^2(x, y) = \frac{\mathrm{dCov}^2(x, y)}{\sqrt{\mathrm{dCov}^2(x, x) \, \mathrm{dCov}^2(y, y)}} . $$

It is 0 only for independent numbers, and 1 for linear ones. For few jets it is larger than 0 by chance: batches of 500
jets or more are better than the paper's 64.
"""

from __future__ import annotations

import dataclasses

import torch
from torch import Tensor

from jetgram.errors import SettingsError
from jetgram.models.recipes import TrainingSettings
from jetgram.networks.heads import Head
from jetgram.training.feed import Batch


@dataclasses.dataclass(frozen=True)
class Objective:
    """The loss of a batch with its penalties, from the outputs of the network.

    Args:
        head: whose loss it is.
        disco: the weight of the distance correlation of score and mass of background jets.
        consistency: the weight of the squared difference of the outputs of a jet and of its copy.
    """

    head: Head
    disco: float = 0.0
    consistency: float = 0.0

    @classmethod
    def of(cls, head: Head, training: TrainingSettings) -> Objective | None:
        """That of a training; None where it is the loss of each jet alone."""
        if training.disco and not hasattr(head, "classes"):
            raise SettingsError("disco decorrelates the score of a classifier; this is a regressor, leave it out")
        if not (training.disco or training.consistency):
            return None
        return cls(head, training.disco, training.consistency)

    def __call__(self, outputs: Tensor, batch: Batch) -> Tensor:
        """The loss of a batch.

        Args:
            outputs: of the jets of the batch and, if it has some, behind them of their copies.
            batch: with masses (for DisCo) and copies (for consistency).
        """
        targets, weights = (torch.as_tensor(values).to(outputs) for values in (batch.targets, batch.weights))
        jets = outputs[: len(targets)]
        losses = self.head.losses(jets, targets)
        if batch.copies is not None:
            copies = outputs[len(targets) :]
            losses = (losses + self.head.losses(copies, targets)) / 2
            losses = losses + self.consistency * ((jets - copies) ** 2).sum(dim=1)
        loss = (losses * weights).mean()
        if self.disco and batch.mass is not None:
            loss = loss + self.disco * self.correlation(jets, torch.as_tensor(batch.mass).to(jets), weights)
        return loss

    def correlation(self, outputs: Tensor, mass: Tensor, weights: Tensor) -> Tensor:
        """$dCor^2$ of the score and the mass of background jets, whose mass is not NaN."""
        background = ~torch.isnan(mass)
        scores = torch.sigmoid(outputs[:, 0]) if outputs.shape[1] == 1 else -torch.softmax(outputs, dim=1)[:, 0]
        chosen = (values[background].double() for values in (scores, mass, weights))
        return squared_distance_correlation(*chosen).to(outputs)


def squared_distance_correlation(x: Tensor, y: Tensor, weights: Tensor | None = None) -> Tensor:
    """$dCor^2$ of two vectors `(jets,)`, with gradients; 0 where one of them is constant.

    Args:
        x: one number per jet.
        y: another one.
        weights: of the jets, not negative; equal by default.

    Example:
        >>> x = torch.linspace(-1, 1, 101, dtype=torch.float64)
        >>> round(float(squared_distance_correlation(x, 3 - 2 * x)), 6)
        1.0
        >>> round(float(squared_distance_correlation(x, x**2)), 3)  # not independent, though not correlated
        0.242
    """
    w = torch.ones_like(x) if weights is None else weights.to(x)
    w = w / w.sum().clamp_min(torch.finfo(x.dtype).tiny)
    a, b = _centred(x, w), _centred(y.to(x), w)
    both, own, other = (w @ (one * two) @ w for one, two in ((a, b), (a, a), (b, b)))
    size = own * other
    if not size > torch.finfo(x.dtype).tiny:
        return 0.0 * x.sum()
    return both / size.sqrt()


def _centred(x: Tensor, w: Tensor) -> Tensor:
    distances = (x[:, None] - x).abs()
    rows = distances @ w
    return distances - rows - rows[:, None] + w @ rows
