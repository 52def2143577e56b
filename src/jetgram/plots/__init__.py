"""Every picture: jets, events and their trees, datasets, scores, and how networks learn.

Each `draw_...` gives a matplotlib figure of what it is handed; `save_figure` writes it as PNG, PDF or SVG.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from jetgram.extras import needed_for
from jetgram.plots.calibration import draw_calibration, draw_sculpting
from jetgram.plots.costs import draw_costs
from jetgram.plots.dataset import draw_depths, draw_levels, draw_summary
from jetgram.plots.event import draw_event
from jetgram.plots.jet import draw_importance, draw_importances, draw_jet
from jetgram.plots.learning import draw_data_efficiency, draw_history
from jetgram.plots.resilience import draw_resilience
from jetgram.plots.scores import draw_distributions, draw_shifts
from jetgram.plots.style import SUFFIXES, save_figure
from jetgram.plots.working_point import draw_roc, draw_working_point

with needed_for("drawing"):
    import matplotlib as matplotlib

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.figure import Figure

    from jetgram.evaluation.scores import Scores

__all__ = [
    "SUFFIXES",
    "draw_calibration",
    "draw_costs",
    "draw_data_efficiency",
    "draw_depths",
    "draw_distributions",
    "draw_event",
    "draw_history",
    "draw_importance",
    "draw_importances",
    "draw_jet",
    "draw_levels",
    "draw_resilience",
    "draw_roc",
    "draw_sculpting",
    "draw_shifts",
    "draw_summary",
    "draw_working_point",
    "save_figure",
    "save_plots",
]

# The pictures of an evaluation, by the name of their file.
OF_SCORES: Mapping[str, Callable[[Mapping[str, Sequence[Scores]], float], Figure]] = {
    "roc": draw_roc,
    "scores": draw_distributions,
    "working-point": draw_working_point,
    "calibration": lambda models, _: draw_calibration(models),  # needs no working point
    "mass-sculpting": draw_sculpting,
}


def save_plots(
    models: Mapping[str, Sequence[Scores]], folder: Path | str, efficiency: float = 0.5, suffix: str = ".png"
) -> list[Path]:
    """Draw the pictures of an evaluation into a folder, made if missing.

    Args:
        models: the scores of each model's seeds, in the window; see `jetgram.evaluation.evaluate.by_model`.
        folder: where to.
        efficiency: signal efficiency of the working point.
        suffix: `.png`, `.pdf` or `.svg`.

    Returns:
        The files.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"{name}{suffix}" for name in OF_SCORES]
    for file, draw in zip(files, OF_SCORES.values(), strict=True):
        save_figure(draw(models, efficiency), file)
    return files
