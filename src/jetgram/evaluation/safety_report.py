"""The report on the safety of any scorer: a table of scenarios, and the scores behind it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from jetgram.errors import EvaluationError
from jetgram.evaluation.safety import (
    NOMINAL,
    SCENARIOS,
    SOFT,
    SafetyLine,
    Scorer,
    possible_scenarios,
    safety,
    score_perturbed,
    shifts,
    title_of,
)
from jetgram.evaluation.score_files import write_scores
from jetgram.evaluation.scores import Scores
from jetgram.evaluation.selection import Window, select
from jetgram.evaluation.uncertainty import REPLICAS, require_spread
from jetgram.models.ensemble import Scoring
from jetgram.notation import aligned, with_error
from jetgram.progress import Advance
from jetgram.roc import SCORE
from jetgram.storage.csv_files import write_csv
from jetgram.storage.dataset import Dataset

TABLE = "safety.csv"
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
        lines: one per scenario, the nominal one first.
        scores: of the same jets, by scenario.
        left_out: why a scenario is missing, by scenario.
    """

    name: str
    window: Window
    lines: tuple[SafetyLine, ...]
    scores: Mapping[str, Scores]
    left_out: Mapping[str, str]

    def __str__(self) -> str:
        table = aligned([HEADINGS, *map(_cells, self.lines)])
        remarks = [f"{scenario}: {why}" for scenario, why in self.left_out.items()]
        return "\n".join([f"{self.name}, {self.window}", *table, *remarks])

    @property
    def shifts(self) -> dict[str, NDArray[np.float64]]:
        """How far the score of each jet moves, by scenario, `(jets,)` each; of jets that were in the window before."""
        nominal = self.scores[NOMINAL]
        perturbed = {scenario: each for scenario, each in self.scores.items() if scenario != NOMINAL}
        return {scenario: np.abs(shifts(nominal, each, self.window)) for scenario, each in perturbed.items()}

    def write(self, folder: Path | str) -> None:
        """Write the table as CSV, and a score file for each scenario; `jetgram.plots.draw_shifts` draws the shifts."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        write_csv(folder / TABLE, [COLUMNS, *_csv_rows(self)])
        for scenario, scores in self.scores.items():
            write_scores(folder / f"scores-{scenario}.parquet", scores)


def safety_report(
    scorer: Scoring | Scorer,
    dataset: Dataset,
    out: Path | str | None = None,
    window: Window | None = None,
    split: str = "test",
    name: str = "",
    replicas: int = REPLICAS,
    advance: Advance | None = None,
) -> SafetyReport:
    """Judge how robust a scorer is to soft particles and collinear splits: the paper's Table 2 for any scorer.

    All that can be known to fail is checked before the first jet is scored. Where the dataset keeps no soft particles
    next to its jets the scenario `soft` is left out, and the report says why.

    Args:
        scorer: a classifier (of a `JetTagger`, its `model`), or any function from jets to one number per jet, larger
            for signal.
        dataset: of jets with the column `label`.
        out: folder for table and scores; see `SafetyReport.write`. None writes nothing.
        window: the jets that count; by default the paper's for its samples, everything for others.
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
    require_scorer(scorer)
    if replicas:
        require_spread(replicas)
    scenarios, window, name = (
        possible_scenarios(dataset, split),
        window or Window.of_sample(dataset.sample),
        name or title_of(scorer),
    )
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


def require_scorer(scorer: object) -> None:
    """Raise an `EvaluationError` for what has no score."""
    if isinstance(scorer, Scoring):
        names = scorer.names
        if SCORE not in names:
            found = f"{scorer.title} gives {', '.join(names)}"
            raise EvaluationError(f"{found}; expected a classifier of signal and background, which gives one score")
    elif not callable(scorer):
        found = f"a {type(scorer).__name__} is no scorer"
        raise EvaluationError(f"{found}; expected a JetModel (of a JetTagger, its `model`) or a function of jets")


def _cells(line: SafetyLine) -> tuple[str, ...]:
    """A row of the printed table."""
    errors, rejection = line.result.errors, line.result.rejection[0]
    return (
        line.scenario,
        with_error(f"{line.result.auc:.4f}", errors.auc if errors else None, ".4f"),
        "" if line.auc_change is None else f"{line.auc_change:+.2%}",
        rejection.with_error(errors.rejection[0] if errors else None),
        "" if line.rejection_change is None else f"{line.rejection_change:+.1%}",
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
