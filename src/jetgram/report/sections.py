"""The sections of the report on taggers, each as HTML."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

import numpy as np

from jetgram.display.summary import draw_summary
from jetgram.evaluation.evaluate import ModelResult, Report, by_model
from jetgram.evaluation.metrics import Rejection
from jetgram.evaluation.plots import draw_distributions, draw_roc, draw_working_point
from jetgram.evaluation.scores import Scores
from jetgram.evaluation.selection import Window
from jetgram.inspection import Summary
from jetgram.momenta import Jets
from jetgram.report.contestants import TrainedModel, telling_jets
from jetgram.report.html import paragraph, picture, section, table
from jetgram.report.importance import draw_importance
from jetgram.storage.dataset import Dataset
from jetgram.training.curves import draw_history


def lead(report: Report, trained: int) -> str:
    """The outcome in a sentence: the best of the trained models."""
    best = max(report.models[:trained], key=lambda model: model.auc.mean)
    return f"Best model: {best.model}, AUC {auc(best)}, R at 50 % {rejection(best)} ({report.window})."


def auc(model: ModelResult) -> str:
    """The area under the ROC curve with its error."""
    return f"{model.auc.mean:.3f}" + (f" ± {model.errors.auc:.3f}" if model.errors else "")


def rejection(model: ModelResult) -> str:
    """The background rejection at the first efficiency with its error."""
    value = Rejection(model.rejection[0].mean, model.is_bound[0])
    error = model.errors.rejection[0] if model.errors else None
    return str(value) + (f" ± {error:,.{value.decimals}f}" if error is not None else "")


def results(inside: Report, everywhere: Report) -> str:
    """The table: AUC and R of all contestants, in the window and over all jets."""
    rows = [
        [model.model, auc(model), rejection(model), auc(other), rejection(other)]
        for model, other in zip(inside.models, everywhere.models, strict=True)
    ]
    head = ["", "AUC in the window", "R at 50 %", "AUC of all jets", "R at 50 %"]
    signal, background = inside.seeds[0].signal, inside.seeds[0].background
    return section(
        "Results",
        paragraph(
            f"In the window ({inside.window}) lie {signal:,} signal and {background:,} background jets of the test "
            "split. R is the background rejection 1/FPR where half of the signal passes. Errors are those of the "
            "number of test jets, by the bootstrap."
        ),
        table(head, rows),
    )


def curves(scores: Sequence[Scores]) -> str:
    """ROC curves, distributions, and what a cut does; of scores in the window."""
    models = by_model(scores)
    return section(
        "Curves",
        picture(draw_roc(models), "Background rejection against signal efficiency of each model"),
        picture(draw_distributions(models), "Distributions of the scores of signal and background for each model"),
        picture(draw_working_point(models), "Shares of signal and background that pass, against jet pT and mass"),
    )


def jets_as_trees(dataset: Dataset, trained: TrainedModel, window: Window) -> str:
    """Some jets in the window with the importance of their nodes."""
    inside = np.flatnonzero(window.contains(trained.scores.pt, trained.scores.mass))
    scores = trained.scores[inside]
    parts = []
    for what, position in telling_jets(scores).items():
        number = int(scores.jet[position])
        jet = dataset.row(number, "test")
        assert isinstance(jet, Jets)
        figure = draw_importance(trained.model, jet, number)
        caption = f"{what[0].upper()}{what[1:]}: score {scores.score[position]:.3f}."
        parts.append(picture(figure, f"{what}, drawn in the eta-phi plane and as a tree", caption))
    return section(
        "What the network looks at",
        paragraph(
            f"Four test jets as {trained.folder.name} reads them: after the paper's preprocessing, with the leading "
            "subjet in the middle. A branch is the darker the more the score depends on it: its colour is the norm of "
            "the gradient of the network's output with respect to the branch's embedding."
        ),
        *parts,
    )


def trainings(trained: Sequence[TrainedModel]) -> str:
    """How the models learnt."""
    head = ["", "cell", "topology", "parameters", "training jets", "epochs", "time", "validation AUC"]
    rows = [
        [
            model.folder.name,
            model.model.settings.cell,
            model.model.settings.topology,
            f"{model.parameters:,}",
            f"{model.model.record['data'].get('jets', 0):,}",
            str(len(model.history)),
            str(datetime.timedelta(seconds=round(model.seconds))),
            f"{model.model.record['metrics'].get('validation_auc', float('nan')):.4f}",
        ]
        for model in trained
    ]
    drawn = [
        picture(draw_history(model.history, model.folder.name), f"Loss and AUC by epoch of {model.folder.name}")
        for model in trained
        if model.history
    ]
    return section("Training", table(head, rows), *drawn)


def data(summary: Summary) -> str:
    """What the jets are, and how to make them again."""
    classes = sorted({name for counts in summary.counts.values() for name in counts})
    rows = [[split, *(f"{counts.get(name, 0):,}" for name in classes)] for split, counts in summary.counts.items()]
    matched = "" if summary.matched is None else f" {summary.matched:.0%} of the signal jets are the boson's own."
    made = [[name, _plain(value)] for name, value in summary.provenance.items()]
    return section(
        "Data",
        paragraph(f"{summary.rows:,} {summary.kind}.{matched}"),
        table(["split", *classes], rows),
        picture(draw_summary(summary), "Distributions of pT, mass and multiplicity, and the depths of the trees"),
        "<details><summary>Provenance</summary>",
        table(["", "value"], [*made, ["digest", summary.digest]]),
        "</details>",
    )


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_plain(entry)}" for name, entry in value.items())
    if isinstance(value, list | tuple):
        return "; ".join(map(_plain, value))
    return str(value)
