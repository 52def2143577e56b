"""Watching a training: who is told of every step and epoch, and the line that an epoch leaves."""

from __future__ import annotations

from typing import Any

from jetgram.training.checkpoint import Progress


class Watcher:
    """Is told what happens; does nothing itself."""

    def prepared(self, jets: int, total: int) -> None:
        """So many jets of all are prepared, since the last call."""

    def begin(self, done: Progress, jets: int, epochs: int) -> None:
        """The training begins, or goes on, with so many jets per epoch."""

    def step(self, jets: int, loss: float) -> None:
        """A step with so many jets is done."""

    def epoch(self, record: dict[str, Any], best: dict[str, Any]) -> None:
        """An epoch is done; `best` is the record of the one whose weights are kept so far."""


class EpochLines(Watcher):
    """Prints a line per epoch: what `fit(verbose=True)` shows.

    Args:
        rows: what is trained with, `jets` or `events`.
    """

    def __init__(self, rows: str = "jets") -> None:
        self._rows = rows

    def epoch(self, record: dict[str, Any], best: dict[str, Any]) -> None:
        """Print the line."""
        print(epoch_line(record, self._rows), flush=True)


def epoch_line(record: dict[str, Any], rows: str = "jets") -> str:
    """One epoch in one line.

    Example:
        >>> epoch_line({"epoch": 1, "loss": 0.5, "validation_loss": 0.6, "jets_per_second": 2e4, "seconds": 1.5})
        'epoch   1  loss 0.5000  validation 0.6000    20,000 jets/s     1.5 s'
    """
    judged = f"  AUC {record['validation_auc']:.4f}" if "validation_auc" in record else ""
    losses = f"loss {record['loss']:.4f}  validation {record['validation_loss']:.4f}"
    speed = f"{record['jets_per_second']:>8,.0f} {rows}/s  {record['seconds']:6.1f} s"
    return f"epoch {record['epoch']:3}  {losses}{judged}  {speed}"
