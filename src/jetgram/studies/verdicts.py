r"""Whether a statement of the paper holds: differences between rows, their errors, and a rule for the verdict.

Two rows of ours are compared by the difference d of their means and its error,

$$ \sigma^2 = \frac{s_1^2}{n_1} + \frac{s_2^2}{n_2} + t_1^2 + t_2^2 - 2 \rho\, t_1 t_2 , $$

with the spreads s over n seeds and the statistical errors t of the test sample. A single seed has no spread: the one
that the paper prints is taken, or that of the row it is compared with. Rows that are judged on the same jets
share most of the latter: their numbers move together, with the correlation $\rho$. Rows on other inputs, or in other
windows, are taken to be independent, which makes the error too large rather than too small.

A statement that one row is significantly better

- holds, if d is at least 3 sigma above zero;
- does not hold, if it is 3 sigma below zero; or if it is less than 3 sigma above zero and at the same time 3 sigma
  below half of the difference in the paper, so that anything of its size is excluded;
- is open otherwise, and where a number is missing.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Literal

from jetgram.evaluation.pair import Pair
from jetgram.notation import with_error
from jetgram.studies.judge import Line

Metric = Literal["AUC", "R"]
Word = Literal["holds", "does not hold", "open"]
Lines = Mapping[str, Line]  # by the names of their rows

SIGNIFICANT = 3.0  # sigma
# Correlations of two networks over bootstrap replicas of the same jets. `validation/correlation.py` found 0.74 to 0.93
# for AUC and 0.33 to 0.67 for R (kt, anti-kt, descending pT, gated kt; 20,000 training and 40,000 test jets): not more
# is claimed than the lowest.
CORRELATION: Mapping[Metric, float] = {"AUC": 0.7, "R": 0.3}
PERTURBED = 0.65  # the same of R, of one network on nominal and on perturbed jets, where 0.67 to 1.00 was found
SHOWN = 4  # differences, or missing rows, that are named one by one
DECIMALS: Mapping[Metric, int] = {"AUC": 4, "R": 1}


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What became of a statement.

    Args:
        word: in a word.
        evidence: the numbers that decide, a line each.
    """

    word: Word
    evidence: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Difference:
    """Of two rows.

    Args:
        name: of what.
        value: of our means.
        training: its error from the seeds; infinite where no spread is known, so that nothing is decided.
        test: its statistical error from the test sample.
        paper: of the paper's means; None where the paper has none.
        decimals: to print.
    """

    name: str
    value: float
    training: float
    test: float
    paper: float | None = None
    decimals: int = 4

    @property
    def error(self) -> float:
        """All in all."""
        return math.hypot(self.training, self.test)

    @property
    def sigmas(self) -> float:
        """In units of its error."""
        return self.value / self.error if self.error else math.copysign(math.inf, self.value) if self.value else 0.0

    def __str__(self) -> str:
        paper = "" if self.paper is None else f"; paper {self.paper:+z.{self.decimals}f}"
        text = f"{self.value:+z.{self.decimals}f}"
        if math.isinf(self.error):
            return f"{self.name}: {text} (of single seeds, whose spread is not known{paper})"
        return f"{self.name}: {with_error(text, self.error, f'.{self.decimals}f')} ({self.sigmas:+z.1f} σ{paper})"


def pair_of(line: Line, metric: Metric) -> Pair:
    """Our number of a row, next to the paper's."""
    return line.auc if metric == "AUC" else line.rejection


def same_jets(first: Line, second: Line) -> bool:
    """Whether two rows are judged on the same jets: of one dataset, with as many of each class in the window."""
    one, other = first.records[0], second.records[0]
    return (one.dataset, one.signal, one.background) == (other.dataset, other.signal, other.background)


def difference(better: Line, worse: Line, metric: Metric) -> Difference | None:
    """How much better one row is than another; None where R is only a bound."""
    first, second = pair_of(better, metric), pair_of(worse, metric)
    if first.is_bound or second.is_bound or first.ours is None or second.ours is None:
        return None
    training, test = errors_of_sum([better, worse], [1.0, -1.0], metric)
    known = first.paper is not None and second.paper is not None
    return Difference(
        name=f"{metric}, `{better.row.name}` − `{worse.row.name}`",
        value=first.ours.mean - second.ours.mean,
        training=training,
        test=test,
        paper=first.paper.mean - second.paper.mean if known and first.paper and second.paper else None,
        decimals=DECIMALS[metric],
    )


def errors_of_sum(rows: Sequence[Line], factors: Sequence[float], metric: Metric) -> tuple[float, float]:
    """The errors from seeds and from the test sample of a sum of rows, each times its factor.

    Args:
        rows: two or more; one without a spread of its own takes that of the row before, the first that of the second.
        factors: of their numbers.
        metric: the numbers.
    """
    others = [rows[1], *rows[:-1]]
    trainings = [_training_error(row, other, metric) for row, other in zip(rows, others, strict=True)]
    tests = [factor * (pair_of(row, metric).test_error or 0.0) for row, factor in zip(rows, factors, strict=True)]
    shared = sum(
        2 * CORRELATION[metric] * tests[i] * tests[j]
        for i, j in itertools.combinations(range(len(rows)), 2)
        if same_jets(rows[i], rows[j])
    )
    training = math.hypot(*(factor * error for factor, error in zip(factors, trainings, strict=True)))
    return training, math.sqrt(max(sum(error**2 for error in tests) + shared, 0.0))


def _training_error(line: Line, other: Line, metric: Metric) -> float:
    """Of the mean of a row, from the spread over seeds: its own, the paper's, or that of the row next to it."""
    own = pair_of(line, metric)
    if line.row.contestant.model is None:  # an observable has no seeds
        return 0.0
    if own.training_error is not None:
        return own.training_error
    second = pair_of(other, metric)
    known = [each.deviation for each in (second.ours, second.paper) if each is not None and each.deviation is not None]
    return known[0] / math.sqrt(own.ours.count) if known and own.ours is not None else math.inf


def word_of(found: Difference) -> Word:
    """The rule above.

    Example:
        >>> word_of(Difference("AUC", 0.009, 0.001, 0.001, paper=0.009))
        'holds'
        >>> word_of(Difference("AUC", 0.000, 0.001, 0.001, paper=0.009))
        'does not hold'
        >>> word_of(Difference("AUC", 0.001, 0.001, 0.001, paper=0.002))
        'open'
    """
    if found.sigmas >= SIGNIFICANT:
        return "holds"
    if found.sigmas <= -SIGNIFICANT:
        return "does not hold"
    if found.paper is not None and found.value <= found.paper / 2 - SIGNIFICANT * found.error:
        return "does not hold"
    return "open"


def all_of(words: Sequence[Word]) -> Word:
    """Of a statement in several parts: it holds if all of them do, and fails if one does.

    Example:
        >>> all_of(["holds", "open"]), all_of(["open", "does not hold"])
        ('open', 'does not hold')
    """
    if "does not hold" in words:
        return "does not hold"
    return "holds" if words and all(word == "holds" for word in words) else "open"


def missing(lines: Lines, names: Sequence[str]) -> list[str]:
    """Rows without a number, as evidence."""
    return _listed("not run", [name for name in names if name not in lines])


def bounds(lines: Lines, names: Sequence[str]) -> list[str]:
    """Rows whose R is only a bound, as evidence."""
    return _listed("R is only a bound", [name for name in names if name in lines and lines[name].rejection.is_bound])


def _listed(what: str, names: Sequence[str]) -> list[str]:
    found = [f"`{name}`" for name in dict.fromkeys(names)]
    if not found:
        return []
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN + 1 else ""
    return [f"{what}: {', '.join(found[:SHOWN] if more else found)}{more}"]


def weakest(found: Sequence[Difference], sign: int = 1) -> list[str]:
    """The differences that decide: of many, those with the lowest significance (for a sign of -1, the highest)."""
    if len(found) <= SHOWN + 1:
        return [str(each) for each in found]
    ranked = sorted(found, key=lambda each: sign * each.sigmas)
    sigmas = sorted(each.sigmas for each in ranked[SHOWN:])
    rest = f"and {len(sigmas)} more, from {sigmas[0]:+.1f} to {sigmas[-1]:+.1f} σ"
    return [*map(str, ranked[:SHOWN]), rest]
