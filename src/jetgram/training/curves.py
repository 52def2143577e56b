"""The course of a training as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from jetgram.display.style import CLASS_COLOURS, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CURVES = "curves.png"


def draw_history(history: Sequence[Mapping[str, Any]], title: str = "") -> Figure:
    """The loss of training and validation jets by epoch, and beside it the validation AUC of a classifier.

    Args:
        history: one record an epoch, as in `history.jsonl`.
        title: above the picture.
    """
    from matplotlib.figure import Figure

    judged = "validation_auc" in history[0]
    with styled():
        figure = Figure(figsize=(9 if judged else 5, 3.4), layout="constrained")
        axes = figure.subplots(1, 2 if judged else 1, squeeze=False)[0]
        _draw(axes[0], history, {"loss": "training", "validation_loss": "validation"}, "loss")
        if judged:
            _draw(axes[1], history, {"validation_auc": "validation"}, "area under the ROC curve")
        figure.suptitle(title, x=0.01, ha="left", fontsize=11)
    return figure


def _draw(axes: Axes, history: Sequence[Mapping[str, Any]], names: Mapping[str, str], label: str) -> None:
    from matplotlib.ticker import MaxNLocator

    epochs = [record["epoch"] for record in history]
    for (name, meaning), colour in zip(names.items(), CLASS_COLOURS, strict=False):
        axes.plot(epochs, [record[name] for record in history], "o-", color=colour, markersize=3, label=meaning)
    axes.set_xlabel("epoch")
    axes.set_ylabel(label)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.legend(frameon=False)
