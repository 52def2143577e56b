"""`jetgram reproduce`: the paper's tables and figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from jetgram.studies.study import Study


def reproduce(
    what: Annotated[list[str], typer.Argument(help="table1, table2, table3, variants, figures, or all.")],
    out: Annotated[Path, typer.Option(help="Folder of the study; what is done there is not done again.")],
    scale: Annotated[str, typer.Option(help="quick (10 minutes), standard (a night) or paper (days).")] = "quick",
    seeds: Annotated[
        str | None, typer.Option(metavar="N", help="Trainings of each network; or from a first to a last seed: 4-6.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="KEY", help="Only these rows, e.g. 'particles-*-kt'; repeat it.")
    ] = None,
    merge: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Take finished seeds from another study's seeds.csv; repeat it."),
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Print the tasks and the time to expect, and stop.")] = False,
    workers: Annotated[int, typer.Option(min=1, help="Processes on this machine.")] = 2,
    dask: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Use this Dask cluster instead.")] = None,
) -> None:
    """Reproduce tables and figures of arXiv:1702.00748, next to the paper's numbers.

    Example: [bold]jetgram reproduce all --scale quick --out study[/]

    What would be done: [bold]jetgram reproduce table1 --scale paper --out study --plan[/]

    Two rows with three seeds: [bold]jetgram reproduce table1 --scale standard --only 'particles-*-kt' --out study[/]

    Collect what other machines have done: [bold]jetgram reproduce all --scale standard --out study --merge
    a/seeds.csv --merge b/seeds.csv[/]

    Every dataset, training and score file is a task of its own: stopped anywhere, the same command goes on. Every
    finished seed leaves a line in seeds.csv.
    """
    from jetgram.cli.output import wide_console
    from jetgram.cli.study_output import parse_seeds, print_merged, print_plan
    from jetgram.studies.scales import find_scale
    from jetgram.studies.study import make_study, merge_seeds
    from jetgram.studies.workspace import Workspace

    size = find_scale(scale)
    first, last = parse_seeds(seeds) if seeds else (1, size.seeds)
    workspace = Workspace(out, size, last, first, tuple(merge or ()))
    study = make_study(workspace, what, only or [])
    workspace.require_own()
    console = wide_console()
    if plan:
        print_plan(console, study.plan, workers)
        return
    with workspace.occupied():
        print_merged(console, merge_seeds(workspace), workspace)
        failures = dict.fromkeys([*_run(study, workers, dask), *study.plan.failures])
        for failure in failures:
            typer.echo(failure, err=True)
        _finish(console, study)
    if failures:
        raise typer.Exit(1)


def _run(study: Study, workers: int, dask: str | None) -> list[str]:
    """Do the tasks; what failed, a line each."""
    from jetgram.cli.progress import progress
    from jetgram.cli.training import EnsembleDisplay
    from jetgram.fanout import open_executor
    from jetgram.studies.run import ProgressDisplays, run_study, unjudged

    if study.plan.finished and not unjudged(study.workspace):
        return []
    shows = ProgressDisplays(lambda what, total, unit, done: progress(what, total, unit, done=done), EnsembleDisplay)
    with open_executor(workers, dask) as executor:
        return run_study(study, executor, shows)


def _finish(console: Console, study: Study) -> None:
    """Print what was asked for; judge, draw and report all that is in the folder."""
    from jetgram.cli.output import plain
    from jetgram.cli.progress import progress
    from jetgram.cli.study_output import result_table
    from jetgram.studies.report import sections, write_report
    from jetgram.studies.study import draw_figures, everything, judge_tables

    whole = everything(study.workspace)
    with progress("judging", len(whole.tables), "tables") as advance:
        found = judge_tables(whole, advance)
    for table in study.tables:
        lines = [line for line in found[table.name] if line.row in table.rows]
        if lines:
            console.print(result_table(f"{table.title} ({study.workspace.scale.name})", lines))
            console.print(f"[yellow]{study.workspace.scale.remark}[/]\n", soft_wrap=True)
    with progress("drawing", len(whole.figures), "figures") as advance:
        draw_figures(whole, advance)
    with progress("writing the report", sections(whole), "sections") as advance:
        report = write_report(whole, found, advance)
    console.print(f"written: {plain(study.workspace.out)}; to read: {plain(report)}", soft_wrap=True)
