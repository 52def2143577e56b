"""The sections of the report on taggers, each as HTML."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from jetgram.collisions.truth import MATCHED
from jetgram.evaluation.classes import any_signal
from jetgram.evaluation.evaluate import Evaluation, ModelResult, by_model
from jetgram.evaluation.scores import Scores
from jetgram.evaluation.selection import Window
from jetgram.inspection import Summary
from jetgram.models.lund_importance import lund_importance
from jetgram.notation import percent, with_error
from jetgram.report.calibration import mass_sculptings, reliability_curves
from jetgram.report.contestants import TrainedModel
from jetgram.report.distributions import score_distributions
from jetgram.report.explorer import explore_dataset, numbered_jets
from jetgram.report.explorer_data import has_importance
from jetgram.report.html import details, facts, paragraph, section, subheading, table
from jetgram.report.learning import training_curves
from jetgram.report.lund import lund_planes
from jetgram.report.roc import interactive_roc
from jetgram.report.sample import sample_distributions
from jetgram.report.working_point import working_point
from jetgram.roc import Rejection
from jetgram.storage.dataset import Dataset

LUND_JETS = 1000  # of each class, whose branchings are averaged


def lead(report: Evaluation, trained: int) -> str:
    """The outcome in a sentence: the best of the trained models."""
    best = max(report.models[:trained], key=lambda model: model.auc.mean)
    return f"Best model: {best.model}, AUC {auc(best)}, {efficiency(report)} {rejection(best)} ({judged(report)})."


def efficiency(report: Evaluation) -> str:
    """At which efficiency of signal the rejection is quoted."""
    return f"R at {percent(report.efficiencies[0])}"


def judged(report: Evaluation) -> str:
    """The rows that count, in words."""
    return str(report.window).replace("jets", report.rows).replace("<=", "≤")


def auc(model: ModelResult) -> str:
    """The area under the ROC curve with its error."""
    return with_error(f"{model.auc.mean:.3f}", model.errors.auc if model.errors else None, ".3f")


def rejection(model: ModelResult) -> str:
    """The background rejection at the first efficiency with its error."""
    value = Rejection(model.rejection[0].mean, model.is_bound[0])
    return value.with_error(model.errors.rejection[0] if model.errors else None)


def results(inside: Evaluation, everywhere: Evaluation) -> str:
    """The table: AUC and R of all contestants in the window and, if that is less, of all jets, with their test sets."""
    windowed = inside.window != everywhere.window
    reports = [inside, everywhere] if windowed else [inside]
    rows = []
    for each in zip(*(report.models for report in reports), strict=True):
        seed = next(seed for seed in inside.seeds if seed.model == each[0].model)
        counts = f"{seed.signal:,} / {seed.background:,}"
        rows.append([each[0].model, *(cell for model in each for cell in (auc(model), rejection(model))), counts])
    names = ["AUC in the window", f"AUC of all {inside.rows}"] if windowed else ["AUC"]
    head = ["", *(cell for name in names for cell in (name, efficiency(inside))), "signal / background"]
    where = f"In the window ({judged(inside)}) lie" if windowed else f"All {inside.rows} of the test split count:"
    signal, background = inside.seeds[0].signal, inside.seeds[0].background
    return section(
        "Results",
        paragraph(
            f"{where} {signal:,} signal and {background:,} background {inside.rows} of {inside.models[0].model}. R is "
            f"the background rejection 1/FPR where {percent(inside.efficiencies[0])} of the signal pass. Errors are "
            f"statistical (bootstrap, test sample)."
        ),
        table(head, rows),
    )


def curves(scores: Sequence[Scores], efficiency: float, sample: str) -> str:
    """ROC curves, distributions, what a cut does, and calibration; of scores in the window."""
    models = by_model(scores)
    return section(
        "Curves",
        interactive_roc(models, efficiency, sample),
        score_distributions(models, efficiency, sample),
        working_point(models, efficiency, sample),
        reliability_curves(models, sample),
        mass_sculptings(models, efficiency, sample),
    )


def jets_to_explore(dataset: Dataset, trained: Sequence[TrainedModel], window: Window) -> str:
    """Some jets in the window, to look at in each topology with the importance of their nodes."""
    named = trained[::-1]
    return section(
        "What the networks look at",
        paragraph(
            "Test jets of all classes, from the most to the least signal-like. A "
            "branch has the stronger a colour, the more the score depends on it: its importance is the norm of the "
            "gradient of the network's output with respect to the branch's embedding"
            + (" (of several outputs, that of the background)" if named[0].model.settings.head.labels[2:] else "")
            + ". Discs, branches and bars grow with pT; a branching stands at the height of its mass, the harder child "
            "to the left."
        ),
        paragraph(
            "The list gives pT and mass of the jet as it was found; the tree and the plane show it as the network "
            "reads it. Preprocessing boosts, rotates and reflects the jet, which keeps its mass but not its pT, and "
            "trimming drops soft subjets, so that the two differ. The window looks at the jet as the network reads it."
        ),
        explore_dataset(
            dataset,
            {each.name: each.model for each in named},
            {each.name: any_signal(each.scores) for each in named},
            window,
            (named[0].column, named[0].classes),
        ),
    )


def lund_importances(dataset: Dataset, trained: Sequence[TrainedModel], window: Window, sample: str) -> str:
    """Where on the Lund plane the tree networks look; nothing where none reads jets as single trees."""
    shown = [each for each in trained[::-1] if has_importance(each.model)]
    if not shown:
        return ""
    parts = [_lund_planes(dataset, each, window, sample) for each in shown]
    return section(
        "What they learned",
        paragraph(
            "The importance of branchings, averaged over test jets in cells of the Lund plane: Δ is the angle between "
            "the children, kT = pT Δ that of the softer one. Wide angles are on the left, hard branchings above. "
            "Primary branchings are those along the harder child, from the root on."
        ),
        parts[0],
        *(details(f"The same for {each.name}", part) for each, part in zip(shown[1:], parts[1:], strict=True)),
    )


def _lund_planes(dataset: Dataset, trained: TrainedModel, window: Window, sample: str) -> str:
    scores = any_signal(trained.scores)
    inside = window.contains(scores.pt, scores.mass)
    maps = []
    for label in (1, 0):
        numbers = scores.jet[inside & (scores.label == label)][:LUND_JETS]
        maps.append(lund_importance(trained.model, numbered_jets(dataset, numbers)))
    signal, background = maps
    return (
        subheading(f"{trained.name}, primary branchings")
        + lund_planes(signal.primary, background.primary, sample)
        + subheading(f"{trained.name}, all branchings")
        + lund_planes(signal.everything, background.everything, sample)
    )


def trainings(trained: Sequence[TrainedModel]) -> str:
    """How the models learned."""
    kind = trained[0].model.settings.rows if trained else "jets"
    head = ["", "network", "parameters", f"training {kind}", "epochs", "time", "validation AUC"]
    rows = [
        [
            model.name,
            model.model.settings.title,
            f"{model.parameters:,}",
            f"{_learned_from(model.model.record['data'], kind):,}",
            str(len(model.history)),
            str(datetime.timedelta(seconds=round(model.seconds))),
            f"{model.model.record['metrics'].get('validation_auc', float('nan')):.4f}",
        ]
        for model in trained
    ]
    curves = training_curves({model.name: [model.history] for model in trained})
    return section("Training", table(head, rows), curves)


def _learned_from(data: Mapping[str, Any], kind: str) -> int:
    """How many jets or events were trained with; models of old say only how many there were."""
    return int(data.get("training", data.get(kind, 0)))


def data(summary: Summary, sample: str) -> str:
    """What the jets are, and how to generate them again.

    Args:
        summary: of the dataset.
        sample: the jets and their energy, for the plots.
    """
    rows = [[split, *(f"{count:,}" for count in counts.values())] for split, counts in summary.counts.items()]
    matched = ""
    if summary.matched is not None:
        matched = f" {summary.matched:.0%} of the signal jets are truth-matched (ΔR < {MATCHED:g})."
    return section(
        "Data",
        paragraph(f"{sample}: {summary.rows:,} {summary.kind}.{matched}"),
        table(["split", *next(iter(summary.counts.values()))], rows),
        sample_distributions(summary, sample),
        facts({**summary.provenance, "digest": summary.digest}),
    )
