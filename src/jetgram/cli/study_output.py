"""What `jetgram reproduce` and `compare` read and print: seeds, tables next to the paper's, plans, what was merged."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from jetgram.studies.compare.comparison import Comparison
    from jetgram.studies.compare.plan import ComparisonPlan
    from jetgram.studies.judge import Line
    from jetgram.studies.plan import Plan
    from jetgram.studies.refusals import Collected
    from jetgram.studies.tasks import Task
    from jetgram.studies.workspace import Workspace


def result_table(title: str, lines: Sequence[Line]) -> Table:
    """Our numbers, the paper's, and how far they are apart."""
    from jetgram.cli.output import plain_table
    from jetgram.evaluation.selection import EFFICIENCY
    from jetgram.studies.scales import rows_of

    rejection = f"R at {EFFICIENCY[rows_of(lines[0].row.contestant.data)]:.0%}".replace("%", " %")
    headings = ("", "seeds", "AUC", rejection, "paper's AUC", "paper's R", "σ (AUC)", "σ (R)", "minutes")
    table = plain_table(*headings, whole=headings, title=title)
    for before, line in zip([None, *lines], lines, strict=False):
        if before is None or before.row.heading != line.row.heading:
            table.add_row(f"[bold]{line.row.heading}[/]")
        table.add_row(*_cells(line))
    return table


def _cells(line: Line) -> list[str]:
    pairs, minutes = (line.auc, line.rejection), line.minutes
    ours = [pair.ours.text(n, pair.is_bound) if pair.ours else "" for pair, n in zip(pairs, (4, 1), strict=True)]
    paper = [pair.paper.text(n) if pair.paper else "" for pair, n in zip(pairs, (4, 1), strict=True)]
    sigmas = ["" if pair.sigmas is None else f"{pair.sigmas:+.1f}" for pair in pairs]
    return [f"  {line.row.title}", line.seeds, *ours, *paper, *sigmas, "" if minutes is None else f"{minutes:.1f}"]


def parse_seeds(text: str) -> tuple[int, int]:
    """The first and the last seed.

    Example:
        >>> parse_seeds("3"), parse_seeds("4-6")
        ((1, 3), (4, 6))
    """
    first, dash, last = text.rpartition("-")
    if not (last.isdecimal() and (first.isdecimal() or not dash) and 1 <= int(first or 1) <= int(last)):
        raise typer.BadParameter(f"{text!r} seeds; expected a number from 1, or a first and a last seed such as 4-6")
    return int(first or 1), int(last)


def print_plan(console: Console, plan: Plan | ComparisonPlan, workers: int) -> None:
    """Every task with its state, and the time to expect."""
    from jetgram.cli.output import plain_table

    headings = ("", "task", "number", "done", "core time left")
    table = plain_table(*headings, left=["task"], whole=headings)
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
    console.print(f"done: {counts}")
    hours = {stage: seconds / 3600 for stage, seconds in plan.seconds.items()}
    each, total = ", ".join(f"{stage} {time:.2f}" for stage, time in hours.items()), sum(hours.values())
    time = _duration(3600 * total / workers)
    console.print(f"left: {total:.2f} core hours ({each}); expect about {time} with {workers} workers")
    trainings = [task for task in plan.trainings if task.share < 1]
    if trainings:
        timed = sum(task.minutes is not None for task in trainings)
        others = "the others by typical speeds"
        console.print(f"{timed} of {len(trainings)} trainings left are timed by finished seeds, {others}")


def _duration(seconds: float) -> str:
    return str(datetime.timedelta(seconds=round(seconds)))


def print_merged(console: Console, merged: Collected, folder: Workspace | Comparison) -> None:
    """How many lines of which file count, and why the others do not; nothing without a file to merge or a refusal."""
    from jetgram.cli.output import plain, plain_table
    from jetgram.studies.refusals import REFUSED

    if not folder.merge and not merged.refused:
        return
    headings = ("file", "lines", "refused", "why", "first of them")
    table = plain_table(*headings, left=headings[3:], whole=["why"])
    for file, lines in merged.lines.items():
        reasons = [(reason, members) for where, reason, members in merged.summary if where == file]
        table.add_row(plain(file), str(lines), str(sum(len(members) for _, members in reasons)))
        for reason, members in reasons:
            first = f"line {members[0].line}: {members[0].details}"
            table.add_row("", "", str(len(members)), plain(reason), plain(first))
    console.print(table)
    if merged.refused:
        console.print(f"each refused line with its reason: {plain(folder.out / REFUSED)}", soft_wrap=True)
    console.print()
