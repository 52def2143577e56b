"""A number of ours and the paper's, and how many standard deviations they differ by."""

from __future__ import annotations

import dataclasses
import math

from jetgram.evaluation.uncertainty import Spread

FAR = 3.0  # sigmas from which on a difference is emphasised


@dataclasses.dataclass(frozen=True)
class Pair:
    r"""A number of ours and the paper's; either may be missing.

    Both are means over n trainings, judged on a finite test sample. Their difference is counted in units of

    $$ \sigma^2 = \frac{s^2}{n} + t^2 + \frac{s_p^2}{n_p} + t_p^2 + \frac{\delta^2}{12} . $$

    s and s_p are the spreads of a single training over seeds, ours and the paper's: a mean of n is known to
    $s/\sqrt n$. t is the statistical error of our test sample, by the bootstrap; all seeds are judged on the same jets,
    so that more seeds do not make it smaller. The paper's number has such an error as well, $t_p$, from other jets; the
    paper does not print it. If both measure the same quantity, the two errors are in the ratio of the roots of the
    sample sizes, and equal for samples of equal size. $\delta$ is the unit of the last digit that the paper prints.

    A single training of ours has no spread: the paper's s_p is taken for it. Any other term that is not known is left
    out: an observable has no seeds, and the paper prints no spread for some rows. There is no difference in sigmas
    where neither s nor t is known, nor to a bound.

    Args:
        ours: mean and spread over our seeds; of deviation None for an observable or a single seed.
        paper: mean and spread that the paper prints; of deviation None where it prints none.
        is_bound: our mean is only a lower bound, because no background passes.
        test_error: t, of ours.
        paper_test_error: t_p.
        unit: $\delta$; 0 leaves it out.

    Example:
        >>> tau21 = Pair(Spread(0.785, None, 1), Spread(0.764, None, 1), test_error=0.003, paper_test_error=0.004)
        >>> f"{tau21.sigmas:+.1f}"
        '+4.2'
        >>> kt = Pair(Spread(0.917, 0.002, 4), Spread(0.919, 0.003, 30), test_error=0.0)
        >>> f"{kt.error:.5f}"
        '0.00114'
    """

    ours: Spread | None = None
    paper: Spread | None = None
    is_bound: bool = False
    test_error: float | None = None
    paper_test_error: float | None = None
    unit: float = 0.0

    @property
    def training_error(self) -> float | None:
        """Of our mean, from the spread over seeds (of a single seed: the paper's); None where neither is known."""
        if self.ours is None:
            return None
        spread = self.ours.deviation
        if spread is None and self.paper is not None:
            spread = self.paper.deviation
        return None if spread is None else spread / math.sqrt(self.ours.count)

    @property
    def error(self) -> float | None:
        """Of the difference between ours and the paper's; None where none of our own errors is known."""
        if self.ours is None or self.paper is None or (self.ours.deviation is None and self.test_error is None):
            return None
        paper = None if self.paper.deviation is None else self.paper.deviation / math.sqrt(self.paper.count)
        parts = (self.training_error, self.test_error, paper, self.paper_test_error, self.unit / math.sqrt(12))
        return math.hypot(*(part for part in parts if part is not None))

    @property
    def sigmas(self) -> float | None:
        """The difference in units of its error; None where that is not known."""
        error = self.error
        if not error or self.is_bound or self.ours is None or self.paper is None:
            return None
        return (self.ours.mean - self.paper.mean) / error
