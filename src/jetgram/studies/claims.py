"""The kinds of statements that the paper makes about its rows, each decided by numbers."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from jetgram.evaluation.safety import NOMINAL
from jetgram.studies.contestants import Contestant
from jetgram.studies.judge import Line
from jetgram.studies.tables import row_name
from jetgram.studies.verdicts import (
    PERTURBED,
    SIGNIFICANT,
    Difference,
    Lines,
    Metric,
    Verdict,
    Word,
    all_of,
    bounds,
    difference,
    errors_of_sum,
    missing,
    weakest,
    word_of,
)

BOTH: tuple[Metric, ...] = ("AUC", "R")
RESOLVED = 0.01  # in AUC: a gain like that of kt over anti-kt must be visible before one says that there is none
LITTLE = 0.1  # of the gain before

Contrast = tuple[str, str]  # the names of the better and the worse row


class Claim(Protocol):
    """Something that numbers can decide."""

    @property
    def names(self) -> Sequence[str]:
        """Of the rows that it needs."""
        ...

    def decide(self, lines: Lines) -> Verdict:
        """The verdict from the rows that are there."""
        ...


@dataclasses.dataclass(frozen=True)
class _OfContrasts:
    """A claim about pairs of rows.

    Args:
        contrasts: the pairs.
        metrics: the numbers that are compared.
    """

    contrasts: tuple[Contrast, ...]
    metrics: tuple[Metric, ...] = BOTH

    @property
    def names(self) -> Sequence[str]:
        """Of the rows that it needs."""
        return [name for contrast in self.contrasts for name in contrast]

    def differences(self, lines: Lines) -> list[Difference]:
        """Those whose rows are there."""
        found = [
            difference(lines[better], lines[worse], metric)
            for better, worse in self.contrasts
            if better in lines and worse in lines
            for metric in self.metrics
        ]
        return [each for each in found if each is not None]

    def verdict(self, lines: Lines, words: Sequence[Word], found: Sequence[Difference], sign: int = 1) -> Verdict:
        """All parts together, with the numbers that decide; a bound leaves a statement open, as a missing row does."""
        absent = missing(lines, self.names)
        if "R" in self.metrics:
            absent += bounds(lines, self.names)
        return Verdict(_with_absent(words, absent), (*weakest(found, sign), *absent))


class Better(_OfContrasts):
    """In each pair the first is significantly better, in each of the metrics."""

    def decide(self, lines: Lines) -> Verdict:
        """By the rule of `jetgram.studies.verdicts`."""
        found = self.differences(lines)
        return self.verdict(lines, [word_of(each) for each in found], found)


class SlightlyBetter(_OfContrasts):
    """In each pair the first is better by so little that the paper does not call it significant."""

    def decide(self, lines: Lines) -> Verdict:
        """Only a significant difference decides."""
        found = self.differences(lines)
        words = [word_of(dataclasses.replace(each, paper=None)) for each in found]
        return self.verdict(lines, words, found)


class AlmostAsGood(_OfContrasts):
    """In each pair the first is better, but in AUC only by less than twice what the paper's two numbers differ by."""

    def decide(self, lines: Lines) -> Verdict:
        """Decided where the difference is 3 sigma from that limit."""
        found = self.differences(lines)
        return self.verdict(lines, [self._word(each) for each in found], found, sign=-1)

    @staticmethod
    def _word(found: Difference) -> Word:
        limit = 2 * (found.paper or 0.0)
        if abs(found.value - limit) < SIGNIFICANT * found.error:
            return "open"
        return "holds" if found.value < limit else "does not hold"


class NoGain(_OfContrasts):
    """In no pair is the first significantly better."""

    def decide(self, lines: Lines) -> Verdict:
        """Open where even a large gain would not be significant."""
        found = self.differences(lines)
        return self.verdict(lines, [self._word(each) for each in found], found, sign=-1)

    @staticmethod
    def _word(found: Difference) -> Word:
        if found.sigmas >= SIGNIFICANT:
            return "does not hold"
        return "holds" if SIGNIFICANT * found.error < RESOLVED else "open"


class BetterOnAverage(_OfContrasts):
    """Averaged over the pairs, the first is significantly better."""

    def decide(self, lines: Lines) -> Verdict:
        """Seeds of different pairs are independent, their test jets are not: those errors are averaged, not reduced."""
        found = self.differences(lines)
        means = []
        for metric in self.metrics:
            members = [each for each in found if each.name.startswith(metric)]
            if members:
                count = len(members)
                paper = [each.paper for each in members if each.paper is not None]
                means.append(
                    Difference(
                        name=f"{metric}, mean over {count} pairs",
                        value=sum(each.value for each in members) / count,
                        training=math.hypot(*(each.training for each in members)) / count,
                        test=sum(each.test for each in members) / count,
                        paper=sum(paper) / count if len(paper) == count else None,
                        decimals=members[0].decimals,
                    )
                )
        return self.verdict(lines, [word_of(mean) for mean in means], means)


@dataclasses.dataclass(frozen=True)
class LittleGain:
    """The step from the second to the third row gains little compared with that from the first to the second.

    Args:
        steps: triples of rows.
    """

    steps: tuple[tuple[str, str, str], ...]

    @property
    def names(self) -> Sequence[str]:
        """Of the rows that it needs."""
        return [name for step in self.steps for name in step]

    def decide(self, lines: Lines) -> Verdict:
        """In AUC: the second gain less a tenth of the first is negative, or positive, by 3 sigma."""
        words: list[Word] = []
        evidence = []
        for first, second, third in self.steps:
            if not {first, second, third} <= set(lines):
                continue
            before = difference(lines[second], lines[first], "AUC")
            after = difference(lines[third], lines[second], "AUC")
            assert before is not None
            assert after is not None  # an AUC is never a bound
            excess = after.value - LITTLE * before.value
            rows = [lines[first], lines[second], lines[third]]
            error = math.hypot(*errors_of_sum(rows, [LITTLE, -1 - LITTLE, 1.0], "AUC"))  # the second is in both gains
            significant = abs(excess) >= SIGNIFICANT * error
            words.append("open" if not significant else "holds" if excess < 0 else "does not hold")
            evidence += [str(before), str(after)]
        absent = missing(lines, self.names)
        return Verdict(_with_absent(words, absent), (*evidence, *absent))


@dataclasses.dataclass(frozen=True)
class MoreRobust:
    """R of one network suffers relatively less from a perturbation than that of another.

    The relative loss $L = 1 - R'/R$ is taken seed by seed, from the same model on perturbed and nominal jets.

    Args:
        robust: key of the one.
        fragile: key of the other.
        scenario: the perturbation.
    """

    robust: str
    fragile: str
    scenario: str

    @property
    def names(self) -> Sequence[str]:
        """Of the rows that it needs."""
        keys = (self.robust, self.fragile)
        return [row_name(key, scenario) for key in keys for scenario in (NOMINAL, self.scenario)]

    def decide(self, lines: Lines) -> Verdict:
        """By the rule of `jetgram.studies.verdicts`, on the difference of the losses."""
        absent = [*missing(lines, self.names), *bounds(lines, self.names)]
        if absent:
            return Verdict("open", tuple(absent))
        robust, fragile = (self._loss(lines, key) for key in (self.robust, self.fragile))
        if robust is None or fragile is None:
            return Verdict("open", ("no seed is there on both nominal and perturbed jets",))
        found = Difference(
            name=f"loss of R, `{self.fragile}` − `{self.robust}`",
            value=fragile.value - robust.value,
            training=math.hypot(robust.training, fragile.training),
            test=math.hypot(robust.test, fragile.test),
            paper=fragile.paper - robust.paper if fragile.paper is not None and robust.paper is not None else None,
            decimals=3,
        )
        return Verdict(word_of(found), (str(robust), str(fragile), str(found)))

    def _loss(self, lines: Lines, key: str) -> Difference | None:
        nominal, changed = (lines[row_name(key, scenario)] for scenario in (NOMINAL, self.scenario))
        before, after = _by_seed(nominal), _by_seed(changed)
        ratios = [after[seed] / before[seed] for seed in before if seed in after]
        if not ratios:
            return None
        ratio = float(np.mean(ratios))
        spread = float(np.std(ratios, ddof=1)) if len(ratios) > 1 else ratio * _published_spread(nominal, changed)
        t1, t2 = (_relative_test_error(line) for line in (nominal, changed))
        theirs = (nominal.rejection.paper, changed.rejection.paper)
        return Difference(
            name=f"loss of R, `{key}` {self.scenario}",
            value=1 - ratio,
            training=spread / math.sqrt(len(ratios)),
            test=ratio * math.sqrt(max(t1**2 + t2**2 - 2 * PERTURBED * t1 * t2, 0.0)),
            paper=1 - theirs[1].mean / theirs[0].mean if theirs[0] and theirs[1] else None,
            decimals=3,
        )


@dataclasses.dataclass(frozen=True)
class Sizes:
    """Networks have as many parameters as the paper says.

    Args:
        parameters: by network, how many.
    """

    parameters: tuple[tuple[Contestant, int], ...]

    @property
    def names(self) -> Sequence[str]:
        """No row is needed: networks are built and counted."""
        return []

    def decide(self, lines: Lines) -> Verdict:
        """Counted."""
        found = []
        for contestant, expected in self.parameters:
            assert contestant.model is not None
            network = contestant.model.build(seed=0)
            found.append((contestant.key, sum(weight.numel() for weight in network.parameters()), expected))
        evidence = tuple(f"`{key}`: {count:,} (paper {expected:,})" for key, count, expected in found)
        return Verdict("holds" if all(count == expected for _, count, expected in found) else "does not hold", evidence)


def _with_absent(words: Sequence[Word], absent: Sequence[str]) -> Word:
    """All parts together; open as long as a row is missing, unless another part fails."""
    return all_of([*words, "open"] if absent else words)


def _relative_test_error(line: Line) -> float:
    pair = line.rejection
    return (pair.test_error or 0.0) / pair.ours.mean if pair.ours else 0.0


def _published_spread(nominal: Line, changed: Line) -> float:
    """Of the ratio of two R of a single seed, relative: from the paper's spreads; infinite where it prints none."""
    theirs = [line.rejection.paper for line in (nominal, changed)]
    return math.hypot(
        *(each.deviation / each.mean if each and each.deviation is not None else math.inf for each in theirs)
    )


def _by_seed(line: Line) -> dict[int | None, float]:
    return {record.seed: record.r for record in line.records}
