"""The learning rate of each step."""

from __future__ import annotations

import math

from jetgram.models.recipes import TrainingSettings


def rate_at(settings: TrainingSettings, epoch: int, done: float) -> float:
    r"""The learning rate of a step.

    Exponential: $\eta \, d^{epoch}$. Cosine: $\frac{\eta}{2} (1 + \cos \pi x)$, with $x$ from 0 after the warm-up to 1
    at the end. During the warm-up the rate rises from 0 to $\eta$.

    Args:
        settings: of the training.
        epoch: how many are done.
        done: the fraction of this epoch that is done.

    Example:
        >>> cosine = TrainingSettings(rate=0.01, epochs=10, schedule="cosine", warm_up=0.2)
        >>> [round(rate_at(cosine, epoch, 0.0), 4) for epoch in (0, 1, 2, 6, 9)]
        [0.0, 0.005, 0.01, 0.005, 0.0004]
        >>> round(rate_at(TrainingSettings(rate=0.01, decay=0.5), 2, 0.3), 6)
        0.0025
    """
    seen, warm = (epoch + done) / settings.epochs, settings.warm_up
    if seen < warm:
        return settings.rate * seen / warm
    if settings.schedule == "exponential":
        return settings.rate * settings.decay**epoch
    return settings.rate * 0.5 * (1 + math.cos(math.pi * (seen - warm) / (1 - warm)))
