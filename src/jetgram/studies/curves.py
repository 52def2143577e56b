"""Figures of scores: ROC curves, and what more training jets are worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jetgram.display.style import styled
from jetgram.evaluation.evaluate import evaluate
from jetgram.evaluation.metrics import roc_curve
from jetgram.evaluation.plots.bands import EFFICIENCIES, Band
from jetgram.evaluation.plots.look import MODEL_COLOURS
from jetgram.evaluation.plots.roc import draw_roc
from jetgram.evaluation.scores import Scores
from jetgram.evaluation.selection import EFFICIENCY, select
from jetgram.models.recipe import TrainingSettings
from jetgram.studies.judge import judge, scores_of
from jetgram.studies.scales import recipe
from jetgram.studies.tables import Row
from jetgram.studies.workspace import Workspace
from jetgram.training.order import LARGEST_SHARE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Line = list[str]


def draw_rocs(workspace: Workspace, rows: Sequence[Row]) -> tuple[Figure, Iterator[Line]]:
    """1/FPR against TPR with bands over seeds."""
    models = selected_scores(workspace, rows)
    kind = next(iter(models.values()))[0].provenance.rows
    return draw_roc(models, EFFICIENCY[kind]), roc_numbers(models)


def selected_scores(workspace: Workspace, rows: Sequence[Row]) -> dict[str, list[Scores]]:
    """The scores of each row's seeds in the paper's window, by title; without failed models, as in the tables."""
    found = {}
    for row in rows:
        scores = scores_of(workspace, row)
        report = evaluate(scores, replicas=0)
        kept = [each for each, judged in zip(scores, report.seeds, strict=True) if not judged.dropped]
        found[_title(row)] = [select(each, report.window) for each in kept]
    return found


def _title(row: Row) -> str:
    """As in a table; of events, where the heading of the table says how many jets, with their number."""
    model = row.contestant.model
    if model is not None and model.input == "pixels":
        return f"{row.contestant.title}, as an image"
    if model is None or model.event is None:
        return row.contestant.title
    return f"{model.hardest} jet{'s' if model.hardest != 1 else ''}"


def roc_numbers(models: Mapping[str, Sequence[Scores]]) -> Iterator[Line]:
    """The bands, thinned to whole percents."""
    yield ["model", "tpr", "rejection", "low", "high"]
    for model, seeds in models.items():
        band = Band.of([roc_curve(each.score, each.label, each.weight) for each in seeds])
        whole = np.isclose(np.round(EFFICIENCIES, 2), EFFICIENCIES)
        for point in np.flatnonzero(whole & np.isfinite(band.middle)):
            numbers = (band.middle[point], band.low[point], band.high[point])
            yield [model, f"{EFFICIENCIES[point]:.2f}", *(f"{number:.3f}" for number in numbers)]


def draw_efficiency(workspace: Workspace, rows: Sequence[Row]) -> tuple[Figure, Iterator[Line]]:
    """AUC and R against the number of training jets."""
    from matplotlib.figure import Figure

    lines = judge(workspace, rows)
    jets = [training_jets(workspace, line.row) for line in lines]
    panels = {"AUC": [line.result.auc for line in lines], "R at 50 %": [line.result.rejection[0] for line in lines]}
    with styled():
        figure = Figure(figsize=(9.0, 4.0), layout="constrained")
        for axes, (name, spreads), colour in zip(figure.subplots(1, 2), panels.items(), MODEL_COLOURS, strict=False):
            means, errors = [each.mean for each in spreads], [each.deviation or 0.0 for each in spreads]
            axes.errorbar(jets, means, errors, marker="o", color=colour, capsize=3)
            axes.set(xscale="log", xlabel="training jets", ylabel=name)
            axes.set_xticks(jets, [f"{count:,}" for count in jets])
            axes.minorticks_off()
            axes.grid(color="0.92", linewidth=0.7)
            axes.set_axisbelow(True)

    def numbers() -> Iterator[Line]:
        yield ["training_jets", "seeds", "auc", "auc_spread", "r", "r_spread"]
        for count, auc, r in zip(jets, *panels.values(), strict=True):
            errors = [auc.deviation, r.deviation]
            shown = ["" if error is None else f"{error:.5f}" for error in errors]
            yield [str(count), str(auc.count), f"{auc.mean:.5f}", shown[0], f"{r.mean:.3f}", shown[1]]

    return figure, numbers()


def training_jets(workspace: Workspace, row: Row) -> int:
    """Jets that the networks of a row were trained with; those for validation do not count."""
    rows = recipe(row.contestant.data, workspace.scale).rows // 2
    rest = rows - min(TrainingSettings().validation, rows // LARGEST_SHARE)
    return min(rest, row.contestant.most or rest)
