"""The figures of the studies, each as PNG and PDF with its numbers as CSV beside."""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jetgram.display.page import save_figure
from jetgram.storage import atomic
from jetgram.studies.contestants import Contestant, all_topologies, events, fewer, on_pixels, recursive
from jetgram.studies.curves import draw_efficiency, draw_rocs
from jetgram.studies.judge import scores_of
from jetgram.studies.portraits import draw_depths, draw_listening
from jetgram.studies.scales import Scale
from jetgram.studies.tables import Row
from jetgram.studies.workspace import Workspace

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

FOLDER = "figures"
Numbers = Iterable[Sequence[Any]]  # the first row names the columns
Draw = Callable[[Workspace, Sequence[Row]], tuple["Drawing", Numbers]]


@dataclasses.dataclass(frozen=True)
class Figure:
    """A figure.

    Args:
        name: of its files.
        title: what it shows.
        rows: whose models, scores and jets it needs.
        draw: draws it, and gives its numbers.
    """

    name: str
    title: str
    rows: tuple[Row, ...]
    draw: Draw

    def files(self, workspace: Workspace) -> list[Path]:
        """PNG, PDF and CSV."""
        return [workspace.out / FOLDER / f"{self.name}{suffix}" for suffix in (".png", ".pdf", ".csv")]

    def ready_rows(self, workspace: Workspace) -> list[Row]:
        """Those whose scores are there."""
        return [row for row in self.rows if scores_of(workspace, row)]

    def write(self, workspace: Workspace) -> list[Path]:
        """Draw it into the study's folder, and write its numbers; nothing where no scores are."""
        rows = self.ready_rows(workspace)
        if not rows:
            return []
        drawing, numbers = self.draw(workspace, rows)
        files = self.files(workspace)
        files[0].parent.mkdir(parents=True, exist_ok=True)
        for file in files[:2]:
            save_figure(drawing, file)
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(numbers)
        atomic.write_bytes(files[2], text.getvalue().encode())
        return files


def all_figures(scale: Scale) -> list[Figure]:
    """Every figure, at a scale."""
    kt = recursive("particles", "simple", "kt")
    antikt = recursive("particles", "simple", "antikt")
    inputs = [kt, recursive("towers", "simple", "kt"), on_pixels("simple")]
    sizes = [*(fewer(kt, most) for most in scale.sizes), kt]
    return [
        _figure("roc-inputs", "What the network is given", inputs, draw_rocs),
        _figure("roc-topologies", "Which tree it reads", all_topologies("particles", "simple"), draw_rocs),
        _figure("roc-jets", "How many jets of an event it reads", [events(n, "kt") for n in (1, 2, 5)], draw_rocs),
        _figure("importance", "Where the network listens", [kt, antikt], draw_listening),
        _figure("data-efficiency", "How many jets it needs", sizes, draw_efficiency),
        _figure("depth", "How deep the trees are", [kt], draw_depths),
    ]


def _figure(name: str, title: str, contestants: Iterable[Contestant], draw: Draw) -> Figure:
    return Figure(name, title, tuple(Row(title, contestant) for contestant in contestants), draw)
