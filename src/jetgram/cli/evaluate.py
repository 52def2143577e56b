"""`jetgram evaluate`: how good the scores of one or many models are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from jetgram.evaluation.evaluate import ModelResult, Report
    from jetgram.evaluation.scores import Scores
    from jetgram.evaluation.selection import Window


def evaluate(
    scores: Annotated[list[Path], typer.Argument(help="Score files; those of one model are its seeds.")],
    efficiency: Annotated[
        list[float] | None, typer.Option(help="Signal efficiency of R (0.5; events 0.8); repeat for more.")
    ] = None,
    all_pt: Annotated[
        bool | None,
        typer.Option("--all-pt/--window", help="All; or, as usual for jets, 250-300 GeV and 50-110 GeV in mass."),
    ] = None,
    flat: Annotated[
        bool | None, typer.Option("--flat/--no-flat", help="Weights flat in pT, or not; by default only in the window.")
    ] = None,
    bootstrap: Annotated[int, typer.Option(metavar="N", help="Replicas for the errors; 0 for none.")] = 200,
    out: Annotated[Path | None, typer.Option(help="Draw the pictures into this folder.")] = None,
    picture: Annotated[str, typer.Option("--format", help="Of the pictures: png, pdf or svg.")] = "png",
    json: Annotated[bool, typer.Option("--json", help="Print all numbers as JSON.")] = False,
) -> None:
    """Print AUC and background rejection R = 1/FPR of models with their errors, and draw their curves.

    Example: [bold]jetgram evaluate simple-*.parquet gated-*.parquet --efficiency 0.5 --out pictures[/]

    The jets that count and their weights are the paper's unless --all-pt is given; of events, all count.
    """
    from jetgram.cli.output import print_json
    from jetgram.evaluation.evaluate import scored_rows
    from jetgram.evaluation.score_files import read_scores
    from jetgram.evaluation.selection import Window

    found = [read_scores(file) for file in scores]
    usual = Window.usual(scored_rows(found))
    window = usual if all_pt is None else Window.everything() if all_pt else Window()
    if flat is not None:
        window = window.model_copy(update={"flat_pt": flat})
    chosen, report = _judge(found, window, efficiency, bootstrap)
    if json:
        print_json(report)
    else:
        print_report(report)
    if out is not None:
        _draw(chosen, report, out, f".{picture}")


def _judge(
    scores: Sequence[Scores], window: Window, efficiencies: Sequence[float] | None, replicas: int
) -> tuple[list[Scores], Report]:
    """The scores in the window, and what they are worth."""
    from jetgram.cli.progress import progress
    from jetgram.evaluation.evaluate import evaluate
    from jetgram.evaluation.selection import select

    chosen = [select(each, window) for each in scores]
    if len(chosen) == 1:
        return chosen, evaluate(chosen, window, efficiencies, replicas)
    with progress("evaluating", len(chosen), "files") as advance:
        return chosen, evaluate(chosen, window, efficiencies, replicas, advance=advance)


def _draw(chosen: Sequence[Scores], report: Report, folder: Path, suffix: str) -> None:
    from rich.console import Console

    from jetgram.evaluation.evaluate import by_model
    from jetgram.evaluation.plots import save_plots

    kept = [scores for scores, seed in zip(chosen, report.seeds, strict=True) if not seed.dropped]
    for file in save_plots(by_model(kept), folder, report.efficiencies[0], suffix):
        Console(stderr=True, soft_wrap=True, highlight=False).print(f"drawn: {file}")


def print_report(report: Report) -> None:
    """Print the table of models."""
    from jetgram.cli.output import wide_console

    console = wide_console()
    window = str(report.window).replace("jets", report.rows)
    console.print(f"[bold]{window}[/]: {_counts(report)}\n", soft_wrap=True)
    console.print(_table(report))
    if report.models[0].errors is not None:
        console.print(f"\n[dim]bootstrap: the error that comes from the number of test {report.rows}[/]")
    for model in report.models:
        if model.dropped:
            console.print(f"{model.model}: {model.dropped} of {model.seeds} seeds dropped, their R is too far off")
    if not report.same_jets:
        console.print("[yellow]not all of these scores are of the same dataset[/]")


def _counts(report: Report) -> str:
    """Jets in the window; a range where files differ."""

    def span(counts: Sequence[int]) -> str:
        return f"{min(counts):,}" + (f" to {max(counts):,}" if max(counts) > min(counts) else "")

    signal, background = ([getattr(seed, name) for seed in report.seeds] for name in ("signal", "background"))
    return f"{span(signal)} signal and {span(background)} background {report.rows}"


def _table(report: Report) -> Table:
    from rich.markup import escape
    from rich.table import Table

    seeds = any(model.seeds > 1 for model in report.models)
    errors = report.models[0].errors is not None
    names = ["AUC", *(f"R at {100 * efficiency:.4g} %" for efficiency in report.efficiencies)]
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("model", overflow="fold")
    for heading in ["seeds"] * seeds + [n for name in names for n in (name, *_headings(seeds, errors))]:
        table.add_column(heading, justify="right", no_wrap=True)
    for model in report.models:
        table.add_row(escape(model.model), *[_seeds(model)] * seeds, *_numbers(model, seeds, errors))
    return table


def _headings(seeds: bool, errors: bool) -> list[str]:
    return ["over seeds"] * seeds + ["bootstrap"] * errors


def _seeds(model: ModelResult) -> str:
    return str(model.seeds) if not model.dropped else f"{model.seeds - model.dropped} of {model.seeds}"


def _numbers(model: ModelResult, seeds: bool, errors: bool) -> list[str]:
    """Each number and its errors, as far as they are shown."""
    from jetgram.evaluation.metrics import Rejection

    values = [(f"{model.auc.mean:.4f}", model.auc.deviation, model.errors and model.errors.auc, 4)]
    for i, spread in enumerate(model.rejection):
        value = Rejection(spread.mean, model.is_bound[i])
        values.append((str(value), spread.deviation, model.errors and model.errors.rejection[i], value.decimals))
    cells: list[str] = []
    for text, deviation, error, decimals in values:
        shown = [deviation] * seeds + [error] * errors
        cells += [text, *("" if each is None else f"± {each:,.{decimals}f}" for each in shown)]
    return cells
