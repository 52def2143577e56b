"""The report on the safety of any scorer: a table of scenarios, the scores behind it, and a picture of their shifts."""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Iterator, Mapping
from pathlib import Path

from jetgram.display import save_figure
from jetgram.errors import EvaluationError
from jetgram.evaluation.plots.shifts import draw_shifts
from jetgram.evaluation.safety import (
    NOMINAL,
    SCENARIOS,
    SOFT,
    Advance,
    SafetyLine,
    Scorer,
    possible_scenarios,
    safety,
    score_perturbed,
    title_of,
)
from jetgram.evaluation.score_files import write_scores
from jetgram.evaluation.scores import Scores
from jetgram.evaluation.selection import Window, select
from jetgram.evaluation.uncertainty import REPLICAS
from jetgram.models.model import JetModel
from jetgram.storage import atomic
from jetgram.storage.dataset import Dataset

TABLE = "safety.csv"
PICTURE = "shifts.png"
HEADINGS = ("jets", "AUC", "change", "R at 50 %", "change", "mean shift", "5 % shift more than")
COLUMNS = (
    *("scenario", "signal", "background", "auc", "auc_test_error", "auc_change"),
    *("r", "r_test_error", "r_is_bound", "r_change", "mean_shift", "large_shift", "remark"),
)
REASONS = {
    SOFT: "left out: soft particles must go in before the jets are found; datasets of `jetgram generate` have them, "
    "this one does not"
}


@dataclasses.dataclass(frozen=True, eq=False)
class SafetyReport:
    """What soft particles and collinear splits do to a scorer; printed, it is a table.

    Args:
        name: of the scorer.
        window: the jets that counted.
        lines: one a scenario, the nominal one first.
        scores: of the same jets, by scenario.
        left_out: why a scenario is missing, by scenario.
    """

    name: str
    window: Window
    lines: tuple[SafetyLine, ...]
    scores: Mapping[str, Scores]
    left_out: Mapping[str, str]

    def __str__(self) -> str:
        rows = [HEADINGS, *map(_cells, self.lines)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        table = ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows]
        remarks = [f"{scenario}: {why}" for scenario, why in self.left_out.items()]
        return "\n".join([f"{self.name}, {self.window}", *table, *remarks])

    def write(self, folder: Path | str) -> None:
        """Write the table as CSV, a score file for each scenario, and the picture of the shifts; see `draw_shifts`."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([COLUMNS, *_csv_rows(self)])
        atomic.write_bytes(folder / TABLE, text.getvalue().encode())
        for scenario, scores in self.scores.items():
            write_scores(folder / f"scores-{scenario}.parquet", scores)
        save_figure(draw_shifts(self.scores, self.window), folder / PICTURE)


def safety_report(
    scorer: JetModel | Scorer,
    dataset: Dataset,
    out: Path | str | None = None,
    window: Window | None = None,
    split: str = "test",
    name: str = "",
    replicas: int = REPLICAS,
    advance: Advance | None = None,
) -> SafetyReport:
    """Judge how a scorer bears soft particles and collinear splits: the paper's Table 2 for any function of jets.

    All that can be known to fail is checked before the first jet is scored. Where the dataset keeps no soft particles
    beside its jets the scenario `soft` is left out, and the report says why.

    Args:
        scorer: a classifier (of a `JetTagger`, its `model`), or any function from jets to one number a jet, larger for
            signal.
        dataset: of jets with the column `label`.
        out: folder for table, scores and picture; see `SafetyReport.write`. None writes nothing.
        window: the jets that count; the paper's by default.
        split: the split to score.
        name: of the scorer; by default what it is called.
        replicas: of the bootstrap for the errors; 0 for none.
        advance: is told how many jets are scored since the last call, over all of `possible_scenarios`.

    Example:
        >>> import numpy as np, tempfile
        >>> from jetgram.momenta import Jets
        >>> from jetgram.storage.dataset import save
        >>> momenta = np.array([[30.0, 40.0, 0.0, 50.0], [3.0, 0.0, 4.0, 5.0], [60.0, 80.0, 0.0, 100.0]])
        >>> jets = Jets(momenta, np.array([0, 2, 3]), {"label": np.array([1, 0])})
        >>> def multiplicity(jets):
        ...     return jets.multiplicity
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     own = save(folder, jets, {"source": "by hand"}, split="test")
        ...     report = safety_report(multiplicity, own, window=Window.everything(), replicas=0)
        >>> [(line.scenario, line.mean_shift) for line in report.lines[1:3]]
        [('collinear1', 1.0), ('collinear10', 10.0)]
        >>> list(report.left_out)
        ['soft']
    """
    _require_scorer(scorer)
    scenarios, window, name = possible_scenarios(dataset, split), window or Window(), name or title_of(scorer)
    if out is not None:
        Path(out).mkdir(parents=True, exist_ok=True)
    scores = {}
    for scenario in scenarios:
        scores[scenario] = score_perturbed(scorer, dataset, scenario, split, name, advance)
        if scenario == NOMINAL:
            select(scores[scenario], window)  # jets without labels, or none in the window, are an error at once
    left_out = {scenario: REASONS[scenario] for scenario in SCENARIOS if scenario not in scenarios}
    report = SafetyReport(name, window, tuple(safety(scores, window, replicas)), scores, left_out)
    if out is not None:
        report.write(out)
    return report


def _require_scorer(scorer: object) -> None:
    """Raise an `EvaluationError` for what has no score."""
    if isinstance(scorer, JetModel):
        if scorer.settings.head != "classifier":
            raise EvaluationError(f"{scorer.title} is a {scorer.settings.head}; expected a classifier")
    elif not callable(scorer):
        found = f"a {type(scorer).__name__} is no scorer"
        raise EvaluationError(f"{found}; expected a JetModel (of a JetTagger, its `model`) or a function of jets")


def _cells(line: SafetyLine) -> tuple[str, ...]:
    """A row of the printed table."""
    errors, rejection = line.result.errors, line.result.rejection[0]
    error = errors.rejection[0] if errors else None
    return (
        line.scenario,
        f"{line.result.auc:.4f}" + (f" ± {errors.auc:.4f}" if errors else ""),
        f"{line.auc_change:+.2%}",
        str(rejection) + (f" ± {error:,.{rejection.decimals}f}" if error is not None else ""),
        f"{line.rejection_change:+.1%}",
        f"{line.mean_shift:.3g}",
        f"{line.large_shift:.3g}",
    )


def _csv_rows(report: SafetyReport) -> Iterator[list[object]]:
    """A row of the file for each scenario; of one that is left out, only why."""
    for line in report.lines:
        result = line.result
        rejection, errors = result.rejection[0], result.errors
        auc_error, error = (errors.auc, errors.rejection[0]) if errors else (None, None)
        yield [
            *(line.scenario, result.signal, result.background, result.auc, auc_error, line.auc_change),
            *(rejection.value, error, int(rejection.is_bound), line.rejection_change),
            *(line.mean_shift, line.large_shift, ""),
        ]
    for scenario, why in report.left_out.items():
        yield [scenario, *[""] * (len(COLUMNS) - 2), why]
