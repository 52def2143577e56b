r"""Log-normal smearing: a positive quantity with the right mean and the right spread, that stays positive.

$x = \exp(a + b z)$ with $z$ standard normal, $b^2 = \ln(1 + \sigma^2/\mu^2)$ and $a = \ln\mu - b^2/2$ has mean $\mu$
and standard deviation $\sigma$. Delphes smears calorimeter energies and track momenta this way.
"""

from __future__ import annotations

import numpy as np

from jetgram.kinematics import Array


def log_normal(mean: Array, sigma: Array, rng: np.random.Generator) -> Array:
    """One draw for each `mean` (not negative) and `sigma`, in their shape; zero where the mean is zero.

    Example:
        >>> x = log_normal(np.full(100_000, 2.0), np.full(100_000, 3.0), np.random.default_rng(1))
        >>> float(x.mean().round(1)), float(x.std().round(1)), bool((x > 0).all())
        (2.0, 3.0, True)
    """
    normal = rng.standard_normal(mean.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.logaddexp(0.0, 2 * (np.log(sigma) - np.log(mean)))  # ln(1 + ratio^2), for a huge ratio as well
        draw = mean * np.exp(np.sqrt(variance) * normal - 0.5 * variance)
    return np.where(mean > 0, draw, 0.0)
