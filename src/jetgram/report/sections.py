"""The sections of the report on taggers, each as HTML."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from jetgram.display.summary import draw_summary
from jetgram.evaluation.evaluate import ModelResult, Report, by_model
from jetgram.evaluation.metrics import Rejection
from jetgram.evaluation.plots import draw_distributions, draw_working_point
from jetgram.evaluation.scores import Scores
from jetgram.evaluation.selection import Window
from jetgram.inspection import Summary
from jetgram.report.contestants import TrainedModel
from jetgram.report.explorer import explore_dataset
from jetgram.report.html import facts, paragraph, picture, section, table
from jetgram.report.learning import training_curves
from jetgram.report.roc import interactive_roc
from jetgram.storage.dataset import Dataset


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
        interactive_roc(models),
        picture(draw_distributions(models), "Distributions of the scores of signal and background for each model"),
        picture(draw_working_point(models), "Shares of signal and background that pass, against jet pT and mass"),
    )


def jets_to_explore(dataset: Dataset, trained: Sequence[TrainedModel], window: Window) -> str:
    """Some jets in the window, to look at in each topology with the importance of their nodes."""
    named = trained[::-1]
    return section(
        "What the networks look at",
        paragraph(
            "Test jets of both classes, from the most to the least signal-like, as the networks read "
            "them: after the paper's preprocessing, with the leading subjet in the middle. A branch has the stronger a "
            "colour, the more the score depends on it: its importance is the norm of the gradient of the network's "
            "output with respect to the branch's embedding. Discs, branches and bars grow with pT; a branching stands "
            "at the height of its mass, the harder child to the left."
        ),
        explore_dataset(
            dataset,
            {each.folder.name: each.model for each in named},
            {each.folder.name: each.scores for each in named},
            window,
        ),
    )


def trainings(trained: Sequence[TrainedModel]) -> str:
    """How the models learnt."""
    head = ["", "network", "parameters", "training jets", "epochs", "time", "validation AUC"]
    rows = [
        [
            model.folder.name,
            model.model.settings.title,
            f"{model.parameters:,}",
            f"{model.model.record['data'].get('jets', 0):,}",
            str(len(model.history)),
            str(datetime.timedelta(seconds=round(model.seconds))),
            f"{model.model.record['metrics'].get('validation_auc', float('nan')):.4f}",
        ]
        for model in trained
    ]
    curves = training_curves({model.folder.name: [model.history] for model in trained})
    return section("Training", table(head, rows), curves)


def data(summary: Summary) -> str:
    """What the jets are, and how to make them again."""
    classes = sorted({name for counts in summary.counts.values() for name in counts})
    rows = [[split, *(f"{counts.get(name, 0):,}" for name in classes)] for split, counts in summary.counts.items()]
    matched = (
        "" if summary.matched is None else f" {summary.matched:.0%} of the signal jets are truth-matched (ΔR < 1)."
    )
    return section(
        "Data",
        paragraph(f"{summary.rows:,} {summary.kind}.{matched}"),
        table(["split", *classes], rows),
        picture(draw_summary(summary), "Distributions of pT, mass and multiplicity, and the depths of the trees"),
        facts({**summary.provenance, "digest": summary.digest}),
    )
