"""The figures of the paper, each as PNG and PDF with its numbers as CSV beside."""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from jetgram.display.page import save_figure
from jetgram.evaluation.metrics import roc_curve
from jetgram.evaluation.plots.roc import EFFICIENCIES, Band, draw_roc
from jetgram.evaluation.scores import Scores
from jetgram.evaluation.selection import EFFICIENCY, Window, select
from jetgram.storage import atomic
from jetgram.studies.contestants import all_topologies, events, recursive
from jetgram.studies.judge import scores_of
from jetgram.studies.scales import Scale
from jetgram.studies.tables import Row
from jetgram.studies.workspace import Workspace

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

FOLDER = "figures"
Numbers = Iterable[Sequence[Any]]  # the first row names the columns
Draw = Callable[[Workspace, Sequence[Row]], tuple["Drawing", Numbers]]


@dataclasses.dataclass(frozen=True)
class Figure:
    """A figure.

    Args:
        name: of its files.
        title: what it shows.
        rows: whose scores it needs.
        draw: draws it, and gives its numbers.
    """

    name: str
    title: str
    rows: tuple[Row, ...]
    draw: Draw

    def write(self, workspace: Workspace) -> list[Path]:
        """Draw it into the study's folder, and write its numbers; nothing where no scores are."""
        rows = [row for row in self.rows if scores_of(workspace, row)]
        if not rows:
            return []
        drawing, numbers = self.draw(workspace, rows)
        folder = workspace.out / FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        files = [folder / f"{self.name}{suffix}" for suffix in (".png", ".pdf", ".csv")]
        for file in files[:2]:
            save_figure(drawing, file)
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(numbers)
        atomic.write_bytes(files[2], text.getvalue().encode())
        return files


def all_figures(scale: Scale) -> list[Figure]:
    """Every figure of the studies."""
    return [
        _roc("roc-inputs", "What the network is given", [recursive(data, "simple", "kt") for data in LEVELS]),
        _roc("roc-topologies", "Which tree it reads", all_topologies("particles", "simple")),
        _roc("roc-jets", "How many jets of an event", [events(hardest, "kt") for hardest in (1, 2, 5)]),
    ]


LEVELS = ("particles", "towers")


def _roc(name: str, title: str, contestants: Iterable[Any]) -> Figure:
    return Figure(name, title, tuple(Row(title, contestant) for contestant in contestants), draw_rocs)


def draw_rocs(workspace: Workspace, rows: Sequence[Row]) -> tuple[Drawing, Numbers]:
    """1/FPR against TPR, with bands over seeds."""
    models = selected_scores(workspace, rows)
    kind = next(iter(models.values()))[0].provenance.rows
    return draw_roc(models, EFFICIENCY[kind]), roc_numbers(models)


def selected_scores(workspace: Workspace, rows: Sequence[Row]) -> dict[str, list[Scores]]:
    """The scores of each row's seeds in the paper's window, by title."""
    found = {}
    for row in rows:
        scores = scores_of(workspace, row)
        window = Window.usual(scores[0].provenance.rows)
        found[_title(row)] = [select(each, window) for each in scores]
    return found


def _title(row: Row) -> str:
    model = row.contestant.model
    if model is None or model.event is None:
        return row.contestant.title
    return f"{model.hardest} jet{'s' if model.hardest != 1 else ''}"


def roc_numbers(models: Mapping[str, Sequence[Scores]]) -> Numbers:
    """The bands, thinned to whole percents."""
    yield ["model", "tpr", "rejection", "low", "high"]
    for model, seeds in models.items():
        band = Band.of([roc_curve(each.score, each.label, each.weight) for each in seeds])
        for point in np.flatnonzero(np.isclose(np.round(EFFICIENCIES, 2), EFFICIENCIES) & np.isfinite(band.middle)):
            numbers = (band.middle[point], band.low[point], band.high[point])
            yield [model, f"{EFFICIENCIES[point]:.2f}", *(f"{number:.3f}" for number in numbers)]
