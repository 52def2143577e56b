"""The figures of the studies, each as PNG and PDF, with its numbers as CSV."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from jetgram.models.card import CARD
from jetgram.plots import save_figure
from jetgram.storage.csv_files import write_csv
from jetgram.storage.manifest import MANIFEST
from jetgram.studies.contestants import Contestant, all_topologies, events, fewer, on_pixels, recursive
from jetgram.studies.curves import compare_rocs, efficiency_curve, portray_depths, portray_importance
from jetgram.studies.judge import Line, judge, scorings_of
from jetgram.studies.scales import Scale
from jetgram.studies.tables import Row
from jetgram.studies.workspace import Workspace

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

FOLDER = "figures"
Numbers = Iterable[Sequence[Any]]  # the first row names the columns
Needs = Literal["numbers", "scores", "models"]
Draw = Callable[[Workspace, Sequence[Line]], tuple["Drawing", Numbers]]


@dataclasses.dataclass(frozen=True)
class Figure:
    """A figure.

    Args:
        name: of its files.
        title: what it shows.
        rows: whom it shows.
        draw: draws it, and gives its numbers.
        needs: what it is drawn from: the `numbers` of seeds, from anywhere, or `scores`, or jets and `models` as well,
            which must be in the study's folder.
    """

    name: str
    title: str
    rows: tuple[Row, ...]
    draw: Draw
    needs: Needs = "scores"

    def files(self, workspace: Workspace) -> list[Path]:
        """PNG, PDF and CSV."""
        return [workspace.out / FOLDER / f"{self.name}{suffix}" for suffix in (".png", ".pdf", ".csv")]

    def ready_lines(self, workspace: Workspace) -> list[Line]:
        """Those of which there is what the figure needs."""
        lines = judge(workspace, self.rows)
        if self.needs == "numbers":
            return lines
        scored = [line for line in lines if scorings_of(workspace, line)]
        return scored if self.needs == "scores" else [line for line in scored if has_models(workspace, line)]

    def write(self, workspace: Workspace) -> list[Path]:
        """Draw it into the study's folder, and write its numbers; nothing where none of its rows is ready."""
        lines = self.ready_lines(workspace)
        if not lines:
            return []
        drawing, numbers = self.draw(workspace, lines)
        files = self.files(workspace)
        files[0].parent.mkdir(parents=True, exist_ok=True)
        for file in files[:2]:
            save_figure(drawing, file)
        write_csv(files[2], numbers)
        return files


def has_models(workspace: Workspace, line: Line) -> bool:
    """Whether a line's jets are in the study's folder, and the models behind its score files."""
    models = all((task.folder / CARD).exists() for task in scorings_of(workspace, line))
    return models and (workspace.dataset(line.row.contestant.data) / MANIFEST).exists()


def all_figures(scale: Scale) -> list[Figure]:
    """Every figure, at a scale."""
    kt = recursive("particles", "simple", "kt")
    antikt = recursive("particles", "simple", "antikt")
    inputs = [kt, recursive("towers", "simple", "kt"), on_pixels("simple")]
    sizes = [*(fewer(kt, most) for most in scale.sizes), kt]
    return [
        _figure("roc-inputs", "What the network is given", inputs, compare_rocs),
        _figure("roc-topologies", "Which tree it reads", all_topologies("particles", "simple"), compare_rocs),
        _figure("roc-jets", "How many jets of an event it reads", [events(n, "kt") for n in (1, 2, 5)], compare_rocs),
        _figure("importance", "Which branches matter", [kt, antikt], portray_importance, "models"),
        _figure("data-efficiency", "How many jets it needs", sizes, efficiency_curve, "numbers"),
        _figure("depth", "How deep the trees are", [kt], portray_depths, "models"),
    ]


def _figure(name: str, title: str, contestants: Iterable[Contestant], draw: Draw, needs: Needs = "scores") -> Figure:
    return Figure(name, title, tuple(Row(title, contestant) for contestant in contestants), draw, needs)
