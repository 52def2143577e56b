"""What a comparison found: averages over seeds, R50 over that of the best network on the same jets, table and page."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from jetgram.evaluation.evaluate import common_window
from jetgram.evaluation.score_files import read_scores
from jetgram.evaluation.selection import select
from jetgram.evaluation.uncertainty import Spread, resample
from jetgram.notation import measured
from jetgram.plots.learning import draw_costs
from jetgram.plots.style import save_figure
from jetgram.report.html import document, facts, paragraph, picture, section, table
from jetgram.roc import roc_curve
from jetgram.storage import atomic
from jetgram.storage.dataset import Dataset
from jetgram.studies.compare.comparison import Comparison
from jetgram.studies.compare.record import EFFICIENCIES, SCORES, Record, known_records
from jetgram.studies.seeds import DIGITS

Array = NDArray[np.float64]

TABLE, PAGE, PLOT = "comparison.md", "comparison.html", "comparison.png"
HEAD = (
    *("network", "parameters", "rate", "seeds", "AUC", "R50", "R50 / best", "R30", "AUC, all jets", "R50, all jets"),
    *("training CPU-s", "network jets/s", "jets/s"),
)
GUIDE = (
    "AUC, and R = 1/(background efficiency) at signal efficiencies of 50 % and 30 %, in the window of the sample by "
    "pT and mass of the jets as they were found; mean and standard deviation over seeds, or the statistical error "
    "(bootstrap, test sample) of a single one. R50 / best: paired, with the bootstrap of the same test jets. Speeds "
    "are per core: of the network on inputs that are ready, and from jets as they were found."
)


@dataclasses.dataclass(frozen=True)
class Ratio:
    """R50 over that of the best network.

    Args:
        value: the ratio.
        error: its statistical error, both on the same replicas of the test jets.
    """

    value: float
    error: float


@dataclasses.dataclass(frozen=True)
class Line:
    """A network with its numbers.

    Args:
        network: its name.
        records: one per seed.
        ratio: R50 over that of the best network; None for itself, or where scores are missing.
    """

    network: str
    records: tuple[Record, ...]
    ratio: Ratio | None = None

    def spread(self, name: str) -> Spread:
        """Mean and standard deviation of a number over seeds."""
        return Spread.of([getattr(record, name) for record in self.records])

    @property
    def r50_error(self) -> float | None:
        """Standard deviation over seeds; of a single one the statistical error."""
        return self.records[0].r50_error if len(self.records) == 1 else self.spread("r50").deviation

    @property
    def cells(self) -> list[str]:
        """As text, under `HEAD`."""
        first, auc = self.records[0], self.spread("auc")
        auc_error = first.auc_error if len(self.records) == 1 else auc.deviation
        bound = "> " if any(record.r50_is_bound for record in self.records) else ""
        ratio = "1" if self.ratio is None else measured(self.ratio.value, self.ratio.error, 2)
        return [
            *(self.network, f"{first.parameters:,}", f"{first.rate:g}", str(len(self.records))),
            *(measured(auc.mean, auc_error, 4), bound + measured(self.spread("r50").mean, self.r50_error, 1)),
            *(ratio, f"{self.spread('r30').mean:.0f}"),
            *(f"{self.spread('auc_all').mean:.4f}", f"{self.spread('r50_all').mean:.1f}"),
            f"{self.spread('cpu_seconds').mean:,.0f}",
            *(f"{self.spread(name).mean:,.0f}" for name in ("network_jets_per_second", "jets_per_second")),
        ]


def judge(comparison: Comparison, advance: Callable[[int], None] = lambda count: None) -> list[Line]:
    """The networks with numbers, the best R50 first; with all seeds that are in the file of numbers.

    Args:
        comparison: with its scores on disk; without them there are no ratios.
        advance: is called with 1 after each network.
    """
    dataset = Dataset(comparison.dataset).digest[:DIGITS]
    found: dict[str, list[Record]] = {}
    for record in known_records(comparison.numbers):
        wanted = record.dataset == dataset and record.network in comparison.networks
        if wanted and record.settings == comparison.settings_digest(record.network, record.rate):
            found.setdefault(record.network, []).append(record)
    lines = [Line(network, _of_best_rate(records)) for network, records in found.items()]
    lines.sort(key=lambda line: -line.spread("r50").mean)
    return _with_ratios(comparison, lines, advance)


def _of_best_rate(records: Sequence[Record]) -> tuple[Record, ...]:
    """Those of one rate, if with more rates another one came out best later."""
    best = min(records, key=lambda record: (record.seed, record.validation_loss)).rate
    return tuple(sorted((record for record in records if record.rate == best), key=lambda record: record.seed))


def _with_ratios(comparison: Comparison, lines: Sequence[Line], advance: Callable[[int], None]) -> list[Line]:
    rates = []
    for line in lines:
        rates.append(_false_positives(comparison, line))
        advance(1)
    if not rates or rates[0] is None:
        return list(lines)
    (best, best_replicas), told = rates[0], list(lines[:1])
    for line, found in zip(lines[1:], rates[1:], strict=True):
        if found is None:
            told.append(line)
            continue
        nominal, replicas = found
        error = float(np.std(best_replicas / replicas, ddof=1))
        told.append(dataclasses.replace(line, ratio=Ratio(best / nominal, error)))
    return told


def _false_positives(comparison: Comparison, line: Line) -> tuple[float, Array] | None:
    """Background efficiency at 50 %, averaged over seeds, of the test jets and `(replicas,)` of their replicas."""
    nominal, replicas = [], []
    for record in line.records:
        file = comparison.job(line.network, record.rate, record.seed).out / SCORES
        if not file.exists():
            return None
        scores = read_scores(file)
        chosen = select(scores, common_window([scores]))
        floor = 0.5 / np.count_nonzero(chosen.label == 0)  # where no background passes
        arguments = (chosen.score, chosen.label, chosen.weight)
        nominal.append(max(float(roc_curve(*arguments).fpr_at(EFFICIENCIES[0])), floor))
        replicas.append(np.maximum(resample(*arguments, EFFICIENCIES[:1])[1][:, 0], floor))
    return float(np.mean(nominal)), np.mean(replicas, axis=0)


def write_results(comparison: Comparison, lines: Sequence[Line]) -> list[Path]:
    """Write the table as Markdown and as a page with the plot, and the plot alone; returns the files."""
    figure = draw_costs(
        [(line.network, line.spread("r50").mean, line.r50_error, _costs(line)) for line in lines],
        _title(comparison),
    )
    files = [comparison.out / name for name in (TABLE, PAGE, PLOT)]
    save_figure(figure, files[2])
    rows = [line.cells for line in lines]
    text = "\n".join("| " + " | ".join(cells) + " |" for cells in (HEAD, ("---",) * len(HEAD), *rows))
    atomic.write_bytes(files[0], f"{text}\n\n{GUIDE}\n".encode())
    records = {f"{r.network}, seed {r.seed}": r.model_dump(mode="json") for line in lines for r in line.records}
    parts = [
        section("Accuracy and cost", table(HEAD, rows), paragraph(GUIDE)),
        section("Accuracy against cost", picture(figure, "R50 against the cost of training and inference")),
        section("Numbers", facts(records, "Every network and seed")),
    ]
    lead = f"{len(lines)} networks on the jets of {comparison.dataset.name}, each with its recipe and its best rate."
    atomic.write_bytes(files[1], document("Networks compared", lead, parts).encode())
    return files


def _costs(line: Line) -> tuple[float, float]:
    return line.spread("cpu_seconds").mean, line.spread("network_jets_per_second").mean


def _title(comparison: Comparison) -> str:
    dataset = Dataset(comparison.dataset)
    jets = min(dataset.rows("train"), comparison.most or dataset.rows("train"))
    return f"{dataset.sample or comparison.dataset.name}, {jets:,} jets to train with"
