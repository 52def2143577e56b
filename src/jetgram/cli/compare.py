"""`jetgram compare`: networks side by side on one dataset."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from jetgram.studies.compare.comparison import Comparison
    from jetgram.studies.compare.results import Line


def compare(
    dataset: Annotated[Path, typer.Argument(help="A dataset's folder, with the splits train and test.")],
    out: Annotated[Path, typer.Option(help="Folder of the comparison; what is done there is not done again.")],
    only: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only these networks, e.g. pfn or 'p*'; repeat it.")
    ] = None,
    rates: Annotated[
        int,
        typer.Option(
            min=1,
            max=9,
            help="Learning rates to try on the validation jets; of three or more, also the next ones while the best is "
            "the largest or the smallest.",
        ),
    ] = 3,
    seeds: Annotated[
        str,
        typer.Option(
            metavar="N", help="Trainings of each network with its best rate; or from a first to a last seed: 2-3."
        ),
    ] = "1",
    epochs: Annotated[int | None, typer.Option(min=1, help="Of every training; by default each recipe's.")] = None,
    trial_epochs: Annotated[
        int | None, typer.Option(min=1, help="Of the trainings that try rates; by default a quarter of the training's.")
    ] = None,
    most: Annotated[int | None, typer.Option(min=1, metavar="JETS", help="Train with so many jets at most.")] = None,
    merge: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Take finished trials and seeds from another comparison's trials.csv or comparison.csv, or from its "
            "folder; repeat it.",
        ),
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Print the tasks and the time to expect, and stop.")] = False,
    workers: Annotated[int, typer.Option(min=1, help="Processes on this machine.")] = 2,
    dask: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Use this Dask cluster instead.")] = None,
) -> None:
    """Compare networks by accuracy and by what training and inference cost, each with its recipe and its best rate.

    Example: [bold]jetgram compare w-vs-qcd --seeds 3 --out comparison[/]

    What would be done: [bold]jetgram compare w-vs-qcd --seeds 3 --out comparison --plan[/]

    Two networks, quickly: [bold]jetgram compare w-vs-qcd --only modern --only pfn --rates 1 --epochs 3 --out quick[/]

    Collect what other machines have done: [bold]jetgram compare w-vs-qcd --seeds 3 --out whole --merge a --merge b[/]

    There are modern, simple-kt, pfn, efn, lundnet, particlenet and part; with --only also gated-kt, gated-ca, and
    student and student-32: modern networks of 64 and 32 units that learn from the mean answer of seeds 1 to 3 of the
    modern one, and second-student, which learns from three students. Rates are tried in short trainings; all seeds are
    trained with the one that has the smallest validation loss, and score the test jets once. Every training and score
    file is a task of its own: stopped anywhere, the same command goes on. Every rate that was tried leaves a line in
    trials.csv, every finished seed one in comparison.csv, and so does the mean answer of all seeds of a network.
    """
    from jetgram.cli.output import plain, wide_console
    from jetgram.cli.progress import progress
    from jetgram.cli.study_output import parse_seeds, print_merged, print_plan
    from jetgram.studies.compare.comparison import Comparison
    from jetgram.studies.compare.ensembles import average_seeds
    from jetgram.studies.compare.known import collect, merge_lines
    from jetgram.studies.compare.networks import EVERYBODY, choose_networks
    from jetgram.studies.compare.pages import write_results
    from jetgram.studies.compare.plan import make_plan
    from jetgram.studies.compare.results import judge

    first, last = parse_seeds(seeds)
    networks = choose_networks(only or [])
    comparison = Comparison(dataset, out, networks, rates, last, epochs, most, trial_epochs, first, tuple(merge or ()))
    comparison.require_own()
    console = wide_console()
    if plan:
        print_plan(console, make_plan(comparison), workers)
        return
    with comparison.occupied():
        print_merged(console, merge_lines(comparison), comparison)
        failures = _run(comparison, workers, dask)
        for failure in failures:
            typer.echo(failure, err=True)
        with progress("averaging seeds", len(networks), "networks") as advance:
            average_seeds(comparison, collect(comparison), advance)
        lines = judge(dataclasses.replace(comparison, networks=tuple(EVERYBODY)))
        if lines:
            console.print(_table(lines))
            files = [comparison.numbers, *write_results(out, lines)]
            console.print(f"written: {', '.join(plain(file) for file in files)}")
    found = {(line.network, record.seed) for line in lines for record in line.records}
    missing = [
        f"{name}, seed {seed}" for name in networks for seed in comparison.all_seeds if (name, seed) not in found
    ]
    if missing:
        typer.echo(f"without numbers: {'; '.join(missing)}; the same command tries again", err=True)
        raise typer.Exit(1)


def _run(comparison: Comparison, workers: int, dask: str | None) -> list[str]:
    """Do the tasks; what failed, a line each."""
    from jetgram.cli.progress import progress
    from jetgram.cli.training import EnsembleDisplay
    from jetgram.fanout import open_executor
    from jetgram.studies.compare.plan import make_plan
    from jetgram.studies.compare.run import run_comparison
    from jetgram.studies.run import ProgressDisplays

    if make_plan(comparison).finished:
        return []
    shows = ProgressDisplays(lambda what, total, unit, done: progress(what, total, unit, done=done), EnsembleDisplay)
    with open_executor(workers, dask) as executor:
        return run_comparison(comparison, executor, shows)


def _table(lines: list[Line]) -> Table:
    from jetgram.cli.output import plain_table
    from jetgram.studies.compare.results import make_table

    head, rows = make_table(lines)
    table = plain_table(*head, whole=head)
    for row in rows:
        table.add_row(*row)
    return table
