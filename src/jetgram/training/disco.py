r"""Distance correlation of two numbers per jet, as a penalty in training (DisCo, arXiv:2001.05310).

With $a_{ij} = |x_i - x_j|$, $b_{ij} = |y_i - y_j|$, weights $w_i$ that sum to 1, and $A_{ij}$, $B_{ij}$ the same after
their weighted means over rows and columns are taken off,

$$ \mathrm{dCov}^2(x, y) = \sum_{ij} w_i w_j A_{ij} B_{ij} , \qquad
   \mathrm{dCor}^2(x, y) = \frac{\mathrm{dCov}^2(x, y)}{\sqrt{\mathrm{dCov}^2(x, x) \, \mathrm{dCov}^2(y, y)}} . $$

It is 0 only for independent numbers, and 1 for linear ones. Of few jets it is larger than 0 by chance: batches of 500
jets or more are better than the paper's 64.
"""

from __future__ import annotations

import torch
from torch import Tensor


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
