"""`jetgram reproduce`: the paper's tables and figures."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from jetgram.evaluation.uncertainty import Spread
    from jetgram.studies.judge import Line
    from jetgram.studies.plan import Plan
    from jetgram.studies.study import Study
    from jetgram.studies.tasks import Task


def reproduce(
    what: Annotated[list[str], typer.Argument(help="table1, table2, table3, variants, figures, or all.")],
    out: Annotated[Path, typer.Option(help="Folder of the study; what is done there is not done again.")],
    scale: Annotated[str, typer.Option(help="quick (10 minutes), standard (a night) or paper (days).")] = "quick",
    seeds: Annotated[int | None, typer.Option(min=1, metavar="N", help="Trainings of each network.")] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="KEY", help="Only these rows, e.g. 'particles-*-kt'; repeat it.")
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Print the tasks and the time to expect, and stop.")] = False,
    workers: Annotated[int, typer.Option(min=1, help="Processes on this machine.")] = 2,
    dask: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Use this Dask cluster instead.")] = None,
) -> None:
    """Make tables and figures of arXiv:1702.00748 again, beside the paper's numbers.

    Example: [bold]jetgram reproduce all --scale quick --out study[/]

    What would be done: [bold]jetgram reproduce table1 --scale paper --out study --plan[/]

    Two rows with three seeds: [bold]jetgram reproduce table1 --scale standard --only 'particles-*-kt' --out study[/]

    Every dataset, training and score file is a task of its own: stopped anywhere, the same command goes on.
    """
    from jetgram.cli.output import wide_console
    from jetgram.studies.scales import find_scale
    from jetgram.studies.study import make_study
    from jetgram.studies.workspace import Workspace

    size = find_scale(scale)
    workspace = Workspace(out, size, seeds or size.seeds)
    study = make_study(workspace, what, only or [])
    workspace.require_own()
    console = wide_console()
    if plan:
        _print_plan(console, study.plan, workers)
        return
    with workspace.occupied():
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
    from jetgram.studies.run import Shows, run_plan

    plan = study.plan
    if plan.finished:
        return []
    shows = Shows(lambda what, total, unit, done: progress(what, total, unit, done=done), EnsembleDisplay)
    with open_executor(workers, dask) as executor:
        return run_plan(plan, executor, shows, study.workspace.prepared)


def _finish(console: Console, study: Study) -> None:
    """Print what was asked for; judge, draw and report all that is in the folder."""
    from jetgram.cli.progress import progress
    from jetgram.studies.report import sections, write_report
    from jetgram.studies.study import draw_figures, everything, judge_tables

    whole = everything(study.workspace)
    with progress("judging", len(whole.tables), "tables") as advance:
        found = judge_tables(whole, advance)
    for table in study.tables:
        lines = [line for line in found[table.name] if line.row in table.rows]
        if lines:
            console.print(_result_table(f"{table.title} ({study.workspace.scale.name})", lines))
            console.print(f"[yellow]{study.workspace.scale.remark}[/]\n", soft_wrap=True)
    with progress("drawing", len(whole.figures), "figures") as advance:
        draw_figures(whole, advance)
    with progress("writing the report", sections(whole), "sections") as advance:
        report = write_report(whole, found, advance)
    console.print(f"written: {study.workspace.out}; to read: {report}", soft_wrap=True)


def _result_table(title: str, lines: Sequence[Line]) -> Table:
    """Our numbers, the paper's, and how far they are apart."""
    from rich.table import Table

    rejection = "R at 80 %" if lines[0].row.contestant.data == "events" else "R at 50 %"
    table = Table(title=title, title_justify="left", box=None, header_style="bold", padding=(0, 2, 0, 0))
    own = ("AUC, own", "R, own") if lines[0].own else ()
    for heading in ("", "seeds", "AUC", rejection, *own, "paper's AUC", "paper's R", "minutes"):
        table.add_column(heading, justify="right" if heading else "left", no_wrap=True)
    for before, line in zip([None, *lines], lines, strict=False):
        if before is None or before.row.heading != line.row.heading:
            table.add_row(f"[bold]{line.row.heading}[/]")
        table.add_row(*_cells(line))
    return table


def _cells(line: Line) -> list[str]:
    paper = (line.auc.paper, line.rejection.paper)
    ours = [line.auc, line.rejection, *(line.own_pairs or ())]
    numbers = [_number(pair.ours, decimals, pair.is_bound) for pair, decimals in zip(ours, (4, 1, 4, 1), strict=False)]
    minutes = "" if line.minutes is None else f"{line.minutes:.1f}"
    return [f"  {line.row.title}", line.seeds, *numbers, *map(_number, paper, (4, 1)), minutes]


def _number(value: Spread | None, decimals: int, is_bound: bool = False) -> str:
    if value is None:
        return ""
    error = "" if value.deviation is None else f" ± {value.deviation:.{decimals}f}"
    return f"{'> ' * is_bound}{value.mean:.{decimals}f}{error}"


def _print_plan(console: Console, plan: Plan, workers: int) -> None:
    """Every task with its state, and the time to expect."""
    from rich.table import Table

    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("", "task", "number", "done", "core time left"):
        table.add_column(heading, justify="left" if heading in ("", "task") else "right", no_wrap=True)
    for stage, tasks in plan.stages.items():
        groups: dict[str, list[Task]] = {}
        for task in tasks:
            groups.setdefault(task.group, []).append(task)
        for group, members in groups.items():
            done, left = sum(task.share for task in members), sum(task.seconds for task in members)
            table.add_row(stage, group, str(len(members)), f"{done:.3g}", _duration(left) if left else "")
    console.print(table)
    counts = ", ".join(
        f"{sum(task.share == 1 for task in tasks)} of {len(tasks)} to {stage}" for stage, tasks in plan.stages.items()
    )
    console.print(f"done: {counts}; expect about {_duration(plan.seconds / workers)} with {workers} workers")


def _duration(seconds: float) -> str:
    return str(datetime.timedelta(seconds=round(seconds)))
