"""The report on the resilience of any scorers: a table, and a file of numbers."""

from __future__ import annotations

import dataclasses
import math
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from jetgram.errors import EvaluationError, SuspiciousJetsWarning
from jetgram.evaluation.resilience import Resilience, measure_resilience
from jetgram.evaluation.safety import NOMINAL, Scorer, score_perturbed
from jetgram.evaluation.safety_report import require_scorer
from jetgram.evaluation.scores import Scores
from jetgram.evaluation.selection import Window, select
from jetgram.evaluation.uncertainty import REPLICAS, require_spread
from jetgram.inspection import sample_title
from jetgram.models.ensemble import Scoring
from jetgram.notation import aligned, measured, with_error
from jetgram.progress import Advance
from jetgram.storage.csv_files import write_csv
from jetgram.storage.dataset import Dataset

TABLE = "resilience.csv"
HEADINGS = ("model", "varied", "signal", "background", "signal shift", "background shift", "performance", "resilience")
COLUMNS = (
    *("model", "varied", "signal", "background", "varied_signal", "varied_background"),
    *("performance", "performance_error", "signal_shift", "signal_shift_error"),
    *("background_shift", "background_shift_error", "resilience", "resilience_error", "is_bound", "bound"),
    "performance_is_bound",
)


@dataclasses.dataclass(frozen=True, eq=False)
class ResilienceReport:
    """What other samples of the same physics do to scorers; printed, it is a table.

    Args:
        title: the nominal sample.
        window: the jets that counted.
        efficiency: of the nominal signal, which fixed the cuts.
        found: by scorer and varied sample.
    """

    title: str
    window: Window
    efficiency: float
    found: Mapping[str, Mapping[str, Resilience]]

    def lines(self) -> Iterator[tuple[str, str, Resilience]]:
        """Scorer, varied sample and what was found."""
        for model, variations in self.found.items():
            for name, each in variations.items():
                yield model, name, each

    def records(self) -> list[dict[str, object]]:
        """Every number, a record for each line; None where one is infinite or not known."""
        return [dict(zip(COLUMNS, _numbers(*line), strict=True)) for line in self.lines()]

    def __str__(self) -> str:
        table = aligned([HEADINGS, *(_cells(*line) for line in self.lines())], left=2)
        return "\n".join([f"{self.title}, {self.window}, cut at a signal efficiency of {self.efficiency:.12g}", *table])

    def write(self, folder: Path | str) -> None:
        """Write the table as CSV; `jetgram.plots.resilience.draw_resilience` draws it."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        write_csv(folder / TABLE, [COLUMNS, *(each.values() for each in self.records())])


def resilience_report(
    scorers: Mapping[str, Scoring | Scorer],
    nominal: Dataset,
    varied: Mapping[str, Dataset],
    out: Path | str | None = None,
    window: Window | None = None,
    split: str = "test",
    efficiency: float = 0.5,
    replicas: int = REPLICAS,
    advance: Advance | None = None,
) -> ResilienceReport:
    """Judge how robust scorers are to other showers, couplings and detectors.

    Args:
        scorers: classifiers, or functions from jets to one number per jet, larger for signal, by name.
        nominal: the dataset on which the cuts are fixed.
        varied: other datasets of the same sample, by name.
        out: folder for the table; see `ResilienceReport.write`. None writes nothing.
        window: the jets that count; by default the paper's for its samples, everything for others.
        split: the split to score.
        efficiency: of the nominal signal, which fixes the cuts.
        replicas: of the bootstrap for the errors; 0 for none.
        advance: is told how many jets are scored since the last call, over all scorers and datasets.
    """
    for scorer in scorers.values():
        require_scorer(scorer)
    if not (scorers and varied):
        raise EvaluationError(
            f"{len(scorers)} scorers and {len(varied)} varied datasets; expected at least one of each"
        )
    if replicas:
        require_spread(replicas)
    require_same_sample(nominal, varied.values())
    window = window or Window.of_sample(nominal.sample)
    found: dict[str, dict[str, Resilience]] = {}
    for name, scorer in scorers.items():
        fixed = _score(scorer, nominal, split, name, advance)
        select(fixed, window)  # jets without labels, or none in the window, are an error at once
        found[name] = {
            variation: measure_resilience(
                fixed, _score(scorer, other, split, name, advance), window, efficiency, replicas
            )
            for variation, other in varied.items()
        }
    report = ResilienceReport(sample_title(nominal.provenance, nominal.path.name), window, efficiency, found)
    if out is not None:
        report.write(out)
    return report


def require_same_sample(nominal: Dataset, varied: Iterable[Dataset]) -> None:
    """Refuse datasets of another sample than the nominal one."""
    for other in varied:
        if other.sample != nominal.sample:
            both = f"{other.path} is a dataset of {other.sample}, {nominal.path} one of {nominal.sample}"
            raise EvaluationError(f"{both}; expected the same sample, generated or seen in another way")


def _score(scorer: Scoring | Scorer, dataset: Dataset, split: str, name: str, advance: Advance | None) -> Scores:
    """Scores of one dataset; that a model meets another level than in its training is what is asked for here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "this model was trained on", SuspiciousJetsWarning)
        return score_perturbed(scorer, dataset, NOMINAL, split, name, advance)


def _cells(model: str, varied: str, found: Resilience) -> tuple[str, ...]:
    """A row of the printed table."""
    return (
        model,
        varied,
        f"{found.varied.signal:.3f}",
        f"{found.varied.background:.4f}",
        *(
            "" if math.isnan(shift) else with_error(f"{shift:+.1%}", _known(error), ".1%")
            for shift, error in zip(found.shifts, found.shift_errors, strict=True)
        ),
        _performance(found),
        str(found),
    )


def _performance(found: Resilience) -> str:
    if found.performance_is_bound:
        return f"> {found.performance:.2f}"
    return measured(found.performance, _known(found.performance_error), 2)


def _known(error: float) -> float | None:
    return error if math.isfinite(error) else None


def _numbers(model: str, varied: str, found: Resilience) -> list[object]:
    shifts = [
        value
        for shift, error in zip(found.shifts, found.shift_errors, strict=True)
        for value in (shift, math.nan if math.isnan(shift) else error)
    ]
    error = math.nan if found.performance_is_bound else found.performance_error
    numbers = [
        *(*found.nominal, *found.varied, found.performance, error, *shifts),
        *(found.value, found.error, int(found.is_bound), found.bound, int(found.performance_is_bound)),
    ]
    return [model, varied, *(number if math.isfinite(number) else None for number in numbers)]
