"""Progress with rate and time left: a bar in a terminal, a line now and then elsewhere.

Example:
    >>> with progress("growing", total=3, unit="trees") as advance:
    ...     for _ in range(3):
    ...         advance(1)
"""

from __future__ import annotations

import contextlib
import datetime
import time
from collections.abc import Iterator

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from jetgram.cli.output import new_console
from jetgram.progress import Advance

SECONDS_BETWEEN_LINES = 15.0


@contextlib.contextmanager
def progress(
    what: str,
    total: int,
    unit: str,
    *,
    done: int = 0,
    since: float | None = None,
    console: Console | None = None,
) -> Iterator[Advance]:
    """A context that gives `advance(n)`: call it with the number of items finished since the last call.

    Args:
        what: the work in one word or two, such as "generating"; names in it are shown as they are.
        total: items in all.
        unit: what is counted, in the plural.
        done: items that an earlier run has finished; they do not count in the rate.
        since: when the first item was begun, by `time.monotonic`; now by default.
        console: where to print; standard error by default, so that standard output stays clean for a pipe.
    """
    console = console or new_console(stderr=True)
    start = time.monotonic() if since is None else since
    shown = _bar if console.is_terminal else _lines
    with shown(what, total, unit, done, start, console) as advance:
        yield advance


class _Rate(ProgressColumn):
    """Items per second, averaged over the last half minute."""

    def __init__(self, unit: str) -> None:
        self.unit = unit
        super().__init__()

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text(f"{_short(speed)} {self.unit}/s" if speed else f"- {self.unit}/s", style="cyan")


def _short(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}"


@contextlib.contextmanager
def _bar(what: str, total: int, unit: str, done: int, start: float, console: Console) -> Iterator[Advance]:
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        _Rate(unit),
        TimeRemainingColumn(compact=True, elapsed_when_finished=True),
    )
    with Progress(*columns, console=console, get_time=time.monotonic) as bar:
        task = bar.add_task(what, total=total, completed=done)
        bar.tasks[0].start_time = start
        yield lambda n: bar.advance(task, n)


@contextlib.contextmanager
def _lines(what: str, total: int, unit: str, done: int, start: float, console: Console) -> Iterator[Advance]:
    last, count = start, done

    def line(now: float) -> str:
        rate = (count - done) / max(now - start, 1e-9)
        text = f"{what}: {count:,} of {total:,} {unit}, {_short(rate)} {unit}/s"
        if count < total and rate > 0:
            text += f", {datetime.timedelta(seconds=round((total - count) / rate))} left"
        return text

    def advance(n: int) -> None:
        nonlocal count, last
        count += n
        now = time.monotonic()
        if now - last >= SECONDS_BETWEEN_LINES and count < total:
            last = now
            _print_line(console, line(now))

    yield advance
    _print_line(console, line(time.monotonic()))


def _print_line(console: Console, line: str) -> None:
    """Print a line that holds names as they are."""
    console.print(line, markup=False, emoji=False, highlight=False, soft_wrap=True)
