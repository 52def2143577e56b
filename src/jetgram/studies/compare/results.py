"""What a comparison found, from its lines alone: averages over seeds, and each network next to the best one."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from jetgram.evaluation.uncertainty import Spread
from jetgram.notation import measured, with_error
from jetgram.studies.compare.comparison import NUMBERS, TRIED, Comparison
from jetgram.studies.compare.known import Known, collect
from jetgram.studies.compare.networks import EVERYBODY, title_of
from jetgram.studies.compare.record import ENSEMBLE, Record

Array = NDArray[np.float64]

ALL_JETS = ("AUC, all jets", "R50, all jets")
HEAD = (
    *("network", "parameters", "rate", "seeds", "AUC", "AUC - best", "R50", "R50 / best", "R30"),
    *(*ALL_JETS, "training CPU-s", "network jets/s", "jets/s"),
)


@dataclasses.dataclass(frozen=True)
class Paired:
    """A number of a network relative to that of the best one, both on the same test jets.

    Args:
        value: the ratio, or the difference.
        error: from the same replicas of the test jets, and from the spreads over seeds.
    """

    value: float
    error: float


@dataclasses.dataclass(frozen=True)
class Line:
    """A network, or the ensemble of its seeds, with its numbers.

    Args:
        network: its name.
        records: one per seed; a single one of an ensemble.
        ratio: R50 over that of the best network; None for that itself, where replicas are of other jets, or one of the
            two is a bound.
        difference: of the AUC, likewise; a bound does not matter to it.
    """

    network: str
    records: tuple[Record, ...]
    ratio: Paired | None = None
    difference: Paired | None = None

    @property
    def is_ensemble(self) -> bool:
        """Whether it is the mean answer of several trainings."""
        return self.records[0].seed == ENSEMBLE

    @property
    def title(self) -> str:
        """Its name in tables and pictures."""
        title = title_of(self.network)
        return f"{title}, mean of {self.records[0].trainings}" if self.is_ensemble else title

    def spread(self, name: str) -> Spread:
        """Mean and standard deviation of a number over seeds."""
        return Spread.of([getattr(record, name) for record in self.records])

    def error(self, name: str) -> float | None:
        """Of `auc` or `r50`: standard deviation over seeds, of a single one the statistical error; None of a bound."""
        if name == "r50" and self.is_bound(name):
            return None
        if len(self.records) > 1:
            return self.spread(name).deviation
        error: float | None = getattr(self.records[0], f"{name}_error")
        return error

    def is_bound(self, name: str) -> bool:
        """Whether `r50`, `r30` or `r50_all` is a lower bound, of one seed at least."""
        return any(record.bounds[name] for record in self.records)

    def seed_variance(self, name: str, spare: Line) -> float:
        """Of the mean, relative to it, from the spread over seeds; of a single training that of another network's.

        Args:
            name: `auc` or `r50`.
            spare: the other network; if that has no spread either, none counts.
        """
        source = next((line.spread(name) for line in (self, spare) if len(line.records) > 1), None)
        if source is None or source.deviation is None:
            return 0.0
        return (source.deviation / source.mean) ** 2 / sum(record.trainings for record in self.records)

    @property
    def cells(self) -> dict[str, str]:
        """As text, by the headings of `HEAD`."""
        first = self.records[0]
        bound, bound30, bound_all = ("> " if self.is_bound(name) else "" for name in ("r50", "r30", "r50_all"))
        trainings = sum(record.trainings for record in self.records)
        texts = [
            *(self.title, f"{first.parameters:,}", f"{first.rate:g}", str(trainings)),
            *(measured(self.spread("auc").mean, self.error("auc"), 4), _paired(self.difference, "+z.4f")),
            *(bound + measured(self.spread("r50").mean, self.error("r50"), 1), _paired(self.ratio, ".2f")),
            f"{bound30}{self.spread('r30').mean:.0f}",
            *(f"{self.spread('auc_all').mean:.4f}", f"{bound_all}{self.spread('r50_all').mean:.1f}"),
            f"{self.spread('cpu_seconds').mean:,.0f}{self._teachers}",
            *(f"{self.spread(name).mean:,.0f}" for name in ("network_jets_per_second", "jets_per_second")),
        ]
        return dict(zip(HEAD, texts, strict=True))

    @property
    def _teachers(self) -> str:
        """What their training costs, where there are any."""
        costs = [record.teacher_cpu_seconds for record in self.records if record.teacher_cpu_seconds is not None]
        return f" (teachers {Spread.of(costs).mean:,.0f})" if costs else ""

    @property
    def false_positives(self) -> tuple[float, Array]:
        """Background efficiency at 50 %, averaged over seeds, of the test jets and `(replicas,)` of their replicas."""
        return self.spread("fpr").mean, np.mean([record.fprs for record in self.records], axis=0)


def has_window(lines: Sequence[Line]) -> bool:
    """Whether the sample has a window, so that its numbers are other ones than those of all test jets."""
    return any((each.auc, each.r50) != (each.auc_all, each.r50_all) for line in lines for each in line.records)


def make_table(lines: Sequence[Line]) -> tuple[list[str], list[list[str]]]:
    """Headings and rows; without a window, what would only say the same of all test jets is left out."""
    head = [name for name in HEAD if has_window(lines) or name not in ALL_JETS]
    return head, [[line.cells[name] for name in head] for line in lines]


def _paired(found: Paired | None, form: str) -> str:
    return "" if found is None else with_error(f"{found.value:{form}}", found.error, form.removeprefix("+z"))


def judge(comparison: Comparison, known: Known | None = None) -> list[Line]:
    """The networks with numbers, the best R50 first; with all seeds that are known, wanted now or not.

    The best network is that of the smallest mean background efficiency of single trainings; ensembles stand next to it,
    but are not it.

    Args:
        comparison: what is compared.
        known: what is known; by default what `collect` finds.
    """
    known = known or collect(comparison)
    lines = [line for network in comparison.networks for line in _lines(known, network)]
    lines.sort(key=lambda line: line.false_positives[0])
    best = next((line for line in lines if not line.is_ensemble), None)
    return [line if best is None or line is best else next_to(best, line) for line in lines]


def read_lines(file: Path) -> list[Line]:
    """The table of a file of numbers, wherever it was made; its trials are in a file of that name, with `trials` in it.

    Datasets are not asked for: the file may be read where there is none.

    Args:
        file: such as `comparison-w-vs-qcd.csv`, with `trials-w-vs-qcd.csv` next to it.
    """
    trials = file.with_name(file.name.replace(Path(NUMBERS).stem, Path(TRIED).stem))
    files = tuple(each for each in (file, trials) if each.exists())
    return judge(Comparison(file, file, tuple(EVERYBODY), merge=files))  # there are no jets in a file


def _lines(known: Known, network: str) -> list[Line]:
    """A network with its seeds, and its largest ensemble."""
    rate = known.chosen_rate(network)
    records = [] if rate is None else known.of(network, rate)
    seeds = tuple(record for record in records if record.seed != ENSEMBLE)
    ensembles = tuple(record for record in records if record.seed == ENSEMBLE)
    return [Line(network, each) for each in (seeds, ensembles[-1:]) if each]


def next_to(best: Line, line: Line) -> Line:
    """The line with its numbers relative to those of the best, if both are of the same test jets."""
    if _jets(best.records) != _jets(line.records):
        return line
    (top, top_replicas), (fpr, fprs) = best.false_positives, line.false_positives
    aucs, top_aucs = (np.mean([record.aucs for record in each.records], axis=0) for each in (line, best))
    seeds = {name: line.seed_variance(name, best) + best.seed_variance(name, line) for name in ("auc", "r50")}
    auc, top_auc = line.spread("auc").mean, best.spread("auc").mean
    difference = Paired(auc - top_auc, math.hypot(np.std(aucs - top_aucs, ddof=1), auc * math.sqrt(seeds["auc"])))
    ratio = Paired(top / fpr, math.hypot(np.std(top_replicas / fprs, ddof=1), top / fpr * math.sqrt(seeds["r50"])))
    is_bound = line.is_bound("r50") or best.is_bound("r50")
    return dataclasses.replace(line, ratio=None if is_bound else ratio, difference=difference)


def relative_speed(line: Line, other: Line) -> float | None:
    """Jets per second of a network alone over those of another one, on the processor on which both were measured.

    Of several such processors the one with most of the line's seeds counts; None where there is no such processor.
    """
    ours, theirs = (_speeds(each) for each in (line, other))
    shared = sorted(set(ours) & set(theirs), key=lambda processor: (-len(ours[processor]), processor))
    return Spread.of(ours[shared[0]]).mean / Spread.of(theirs[shared[0]]).mean if shared else None


def _speeds(line: Line) -> dict[str, list[float]]:
    """Jets per second of the network alone, of each seed, by processor."""
    found: dict[str, list[float]] = {}
    for record in line.records:
        found.setdefault(record.processor, []).append(record.network_jets_per_second)
    return found


def _jets(records: Sequence[Record]) -> set[tuple[str, int, int]]:
    return {(record.dataset, record.signal, record.background) for record in records}
