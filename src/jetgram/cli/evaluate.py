"""`jetgram evaluate`: how good the scores of one or many models are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jetgram.cli.window import AllPt, Flat, MassRange, PtRange, choose_window

if TYPE_CHECKING:
    from rich.table import Table

    from jetgram.evaluation.evaluate import Evaluation, ModelResult
    from jetgram.evaluation.scores import Scores
    from jetgram.evaluation.selection import Window


def evaluate(
    scores: Annotated[list[Path], typer.Argument(help="Score files; those of one model are its seeds.")],
    efficiency: Annotated[
        list[float] | None, typer.Option(help="Signal efficiency of R (0.5; events 0.8); repeat for more.")
    ] = None,
    all_pt: AllPt = None,
    pt: PtRange = None,
    mass: MassRange = None,
    flat: Flat = None,
    bootstrap: Annotated[int, typer.Option(metavar="N", help="Replicas for the errors; 0 for none.")] = 200,
    out: Annotated[
        Path | None, typer.Option(help="Draw the pictures into this folder, with the curves as CSV.")
    ] = None,
    picture: Annotated[str, typer.Option("--format", help="Of the pictures: png, pdf or svg.")] = "png",
    json: Annotated[bool, typer.Option("--json", help="Print all numbers as JSON.")] = False,
) -> None:
    """Print AUC and background rejection R = 1/FPR of models with their errors, and draw their curves.

    A second table tells whether scores are probabilities (the expected calibration error, ECE) and how little a cut
    sculpts the mass of background jets (1/JSD). With --out the reliability curves are in calibration.csv too.

    Example: [bold]jetgram evaluate simple-*.parquet gated-*.parquet --efficiency 0.5 --out pictures[/]

    On the paper's samples of jets, its window and its weights are the default; of other jets, and of events, all count.
    """
    from jetgram.cli.output import prepare_out, print_json
    from jetgram.evaluation.classes import binary_scores
    from jetgram.evaluation.evaluate import common_window, scored_rows
    from jetgram.evaluation.score_files import read_scores

    if out is not None:
        require_picture(picture)
        prepare_out(out, folder=True)
    found = [pair for file in scores for pair in binary_scores(read_scores(file))]
    scored_rows(found)  # jets and events are not judged together
    window = choose_window(common_window(found), all_pt, pt, mass, flat)
    chosen, report = _judge(found, window, efficiency, bootstrap)
    if json:
        print_json(report)
    else:
        print_report(report)
    if out is not None:
        _draw(chosen, report, out, f".{picture}")


def require_picture(form: str) -> None:
    """Raise unless pictures can have this format."""
    from jetgram.errors import require_known
    from jetgram.plots import SUFFIXES

    require_known("no format of pictures", form.lower(), [suffix.removeprefix(".") for suffix in SUFFIXES])


def _judge(
    scores: Sequence[Scores], window: Window, efficiencies: Sequence[float] | None, replicas: int
) -> tuple[list[Scores], Evaluation]:
    """The scores in the window, and what they are worth."""
    from jetgram.cli.progress import progress
    from jetgram.evaluation.evaluate import evaluate
    from jetgram.evaluation.selection import select

    chosen = [select(each, window) for each in scores]
    if len(chosen) == 1:
        return chosen, evaluate(chosen, window, efficiencies, replicas)
    with progress("evaluating", len(chosen), "files") as advance:
        return chosen, evaluate(chosen, window, efficiencies, replicas, advance=advance)


def _draw(chosen: Sequence[Scores], report: Evaluation, folder: Path, suffix: str) -> None:
    from jetgram.cli.output import new_console, plain
    from jetgram.evaluation.curve_files import write_curves
    from jetgram.evaluation.evaluate import by_model
    from jetgram.plots import save_plots

    console = new_console(stderr=True, soft_wrap=True)
    kept = [scores for scores, seed in zip(chosen, report.seeds, strict=True) if not seed.dropped]
    for file in save_plots(by_model(kept), folder, report.efficiencies[0], suffix):
        console.print(f"drawn: {plain(file)}")
    for file in write_curves(report.seeds, folder):
        console.print(f"written: {plain(file)}")


def print_report(report: Evaluation) -> None:
    """Print the table of models."""
    from jetgram.cli.calibration_sculpting import calibration_sculpting_table
    from jetgram.cli.output import plain, wide_console

    console = wide_console()
    window = str(report.window).replace("jets", report.rows)
    console.print(f"[bold]{window}[/]: {_counts(report)}\n", soft_wrap=True)
    console.print(_table(report))
    if report.models[0].errors is not None:
        console.print(f"\n[dim]bootstrap: statistical error of the test {report.rows}[/]")
    second = calibration_sculpting_table(report)
    if second is not None:
        console.print()
        console.print(second)
    for model in report.models:
        if model.dropped:
            console.print(
                f"{plain(model.model)}: {model.dropped} of {model.seeds} seeds dropped, their R is too far off"
            )
    if not report.same_jets:
        console.print("[yellow]not all of these scores are of the same dataset[/]")


def _counts(report: Evaluation) -> str:
    """Jets in the window; a range where files differ."""

    def span(counts: Sequence[int]) -> str:
        return f"{min(counts):,}" + (f" to {max(counts):,}" if max(counts) > min(counts) else "")

    signal, background = ([getattr(seed, name) for seed in report.seeds] for name in ("signal", "background"))
    return f"{span(signal)} signal and {span(background)} background {report.rows}"


def _table(report: Evaluation) -> Table:
    from jetgram.cli.output import plain, plain_table
    from jetgram.notation import percent

    seeds = any(model.seeds > 1 for model in report.models)
    errors = report.models[0].errors is not None
    names = ["AUC", *(f"R at {percent(efficiency)}" for efficiency in report.efficiencies)]
    headings = ["seeds"] * seeds + [n for name in names for n in (name, *_headings(seeds, errors))]
    table = plain_table("model", *headings, whole=headings, fold=["model"])
    for model in report.models:
        table.add_row(plain(model.model), *[_seeds(model)] * seeds, *_numbers(model, seeds, errors))
    return table


def _headings(seeds: bool, errors: bool) -> list[str]:
    return ["over seeds"] * seeds + ["bootstrap"] * errors


def _seeds(model: ModelResult) -> str:
    return str(model.seeds) if not model.dropped else f"{model.seeds - model.dropped} of {model.seeds}"


def _numbers(model: ModelResult, seeds: bool, errors: bool) -> list[str]:
    """Each number and its errors, as far as they are shown; a bound has none."""
    from jetgram.notation import plus_minus
    from jetgram.roc import Rejection

    values = [(f"{model.auc.mean:.4f}", model.auc.deviation, model.errors.auc if model.errors else None, 4)]
    for i, spread in enumerate(model.rejection):
        value = Rejection(spread.mean, model.is_bound[i])
        error = model.errors.rejection[i] if model.errors else None
        both = (None, None) if value.is_bound else (spread.deviation, error)
        values.append((str(value), *both, value.decimals))
    cells: list[str] = []
    for text, deviation, error, decimals in values:
        shown = [deviation] * seeds + [error] * errors
        cells += [text, *("" if each is None else plus_minus(each, f",.{decimals}f") for each in shown)]
    return cells
