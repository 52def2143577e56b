"""How a training is shown: a line per epoch, and in a terminal a bar with loss, AUC, rate and time left."""

from __future__ import annotations

import contextlib
import datetime
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from jetgram.cli.output import new_console
from jetgram.cli.progress import progress
from jetgram.progress import Advance
from jetgram.training.checkpoint import Progress as Done
from jetgram.training.ensemble import EnsembleWatcher
from jetgram.training.watching import Watcher, epoch_line

COLUMNS = (
    TextColumn("epoch {task.fields[epoch]} of {task.fields[epochs]}"),
    BarColumn(bar_width=None),
    TextColumn("loss {task.fields[loss]:.4f}  best {task.fields[best]}"),
    TextColumn("{task.fields[rate]}", style="cyan"),
    TimeRemainingColumn(compact=True),
)
SMOOTHING = 0.02  # the loss that is shown is a mean over the last 50 steps or so


class Display(Watcher):
    """Shows the preparation of jets, with a bar for each dataset and topology; a context manager.

    Args:
        console: where to print; standard error by default.
        rows: what is trained with, `jets` or `events`.
    """

    def __init__(self, console: Console | None = None, rows: str = "jets") -> None:
        self._console, self._rows = console or new_console(stderr=True), rows
        self._open = contextlib.ExitStack()
        self._preparing: Advance | None = None
        self._left = 0
        self._since = time.monotonic()  # the first jets are told of when they are ready

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def prepared(self, jets: int, total: int) -> None:
        """Show how many jets are prepared."""
        if self._preparing is None:
            self._left = total
            bar = progress("preparing", total, self._rows, since=self._since, console=self._console)
            self._preparing = self._open.enter_context(bar)
        self._preparing(jets)
        self._left -= jets
        if self._left <= 0:
            self._open.close()
            self._preparing, self._since = None, time.monotonic()


class TrainingDisplay(Display):
    """Shows the preparation, then a line per epoch and, in a terminal, a bar; a context manager.

    Args:
        console: where to print; standard error by default.
        rows: what is trained with, `jets` or `events`.
    """

    def __init__(self, console: Console | None = None, rows: str = "jets") -> None:
        super().__init__(console, rows)
        self._bar: Progress | None = None
        self._loss: float | None = None
        self._best: dict[str, Any] | None = None
        self._epochs = 0

    def begin(self, done: Done, jets: int, epochs: int) -> None:
        """Show what an earlier run has done, and begin the bar."""
        self._open.close()
        self._epochs = epochs
        self._best = done.best
        if done.epoch or done.step:
            self._console.print(f"going on after {done.epoch} epochs and {done.step} steps", highlight=False)
        if self._console.is_terminal:
            self._bar = self._open.enter_context(Progress(*COLUMNS, console=self._console))
            fields: dict[str, Any] = {
                "epoch": done.epoch + 1,
                "epochs": epochs,
                "loss": float("nan"),
                "best": self._shown(),
                "rate": "",
            }
            self._bar.add_task("", total=jets * epochs, completed=jets * done.epoch + done.jets, **fields)

    def step(self, jets: int, loss: float) -> None:
        """Move the bar."""
        self._loss = loss if self._loss is None else self._loss + SMOOTHING * (loss - self._loss)
        if self._bar is not None:
            task = self._bar.tasks[0]
            rate = f"{task.speed:,.0f} {self._rows}/s" if task.speed else ""
            self._bar.update(task.id, advance=jets, loss=self._loss, rate=rate)

    def epoch(self, record: dict[str, Any], best: dict[str, Any]) -> None:
        """Print a line."""
        self._best = best
        left = datetime.timedelta(seconds=round((self._epochs - record["epoch"]) * record["seconds"]))
        self._console.print(f"{epoch_line(record, self._rows)}  {left} left", highlight=False, soft_wrap=True)
        if self._bar is not None:
            self._bar.update(self._bar.tasks[0].id, epoch=record["epoch"] + 1, best=self._shown())

    def _shown(self) -> str:
        if self._best is None:
            return "-"
        if "validation_auc" in self._best:
            return f"AUC {self._best['validation_auc']:.4f}"
        return f"{self._best['validation_loss']:.4f}"


class EnsembleDisplay(Display, EnsembleWatcher):
    """Shows the preparation, then the epochs of all seeds together, in one bar.

    Args:
        epochs: of all seeds.
        console: where to print; standard error by default.
        rows: what is trained with, `jets` or `events`.
    """

    def __init__(self, epochs: int, console: Console | None = None, rows: str = "jets") -> None:
        super().__init__(console, rows)
        self._total = epochs
        self._advance: Advance | None = None
        self._shown = -1

    def epochs(self, histories: Sequence[Sequence[dict[str, Any]]]) -> None:
        """Move the bar."""
        done = sum(map(len, histories))
        if self._shown < 0:
            self._open.close()
            bar = progress("training", self._total, "epochs", done=done, console=self._console)
            self._advance, self._shown = self._open.enter_context(bar), done
        assert self._advance is not None
        self._advance(done - self._shown)
        self._shown = done
