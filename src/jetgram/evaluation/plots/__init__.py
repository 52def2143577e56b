"""Pictures of scores: ROC curves, distributions, and what a cut does at each pT and mass."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from jetgram.display import save_figure
from jetgram.evaluation.plots.distributions import draw_distributions
from jetgram.evaluation.plots.roc import draw_roc
from jetgram.evaluation.plots.working_point import draw_working_point

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from jetgram.evaluation.scores import Scores

__all__ = ["draw_distributions", "draw_roc", "draw_working_point", "save_plots"]

DRAWINGS = {"roc": draw_roc, "scores": draw_distributions, "working-point": draw_working_point}


def save_plots(
    models: Mapping[str, Sequence[Scores]], folder: Path | str, efficiency: float = 0.5, suffix: str = ".png"
) -> list[Path]:
    """Draw all pictures into a folder, made if missing.

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
    files = [folder / f"{name}{suffix}" for name in DRAWINGS]
    for file, draw in zip(files, DRAWINGS.values(), strict=True):
        save_figure(draw(models, efficiency), file)
    return files
