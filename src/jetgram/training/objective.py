r"""What a training minimises beyond the loss of each jet: penalties that look at several jets at once.

$$ L = \frac1B \sum_i w_i \, \ell_i + \lambda_D \, \mathrm{dCor}^2(s, m) +
       \lambda_C \, \frac1B \sum_i w_i \, | f(t_i) - f(t'_i) |^2 $$

DisCo ($\lambda_D$ = `disco`) decorrelates the score $s$ from the jet mass $m$, over the background jets of the batch.
The consistency term ($\lambda_C$ = `consistency`) ties the outputs of a jet to those of its perturbed copy $t'_i$;
$\ell_i$ is then the mean of the losses of both.
"""

from __future__ import annotations

import dataclasses

import torch
from torch import Tensor

from jetgram.errors import SettingsError
from jetgram.models.recipe import TrainingSettings
from jetgram.networks.heads import Head
from jetgram.training.disco import squared_distance_correlation
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
