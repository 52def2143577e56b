"""How networks learn: the course of a training, and what more training jets are worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from jetgram.evaluation.uncertainty import Spread
from jetgram.plots.style import CLASS_COLOURS, MODEL_COLOURS, as_label, grid_behind, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


CURVES = "curves.png"


def draw_history(history: Sequence[Mapping[str, Any]], title: str = "") -> Figure:
    """The loss of training and validation jets by epoch, and next to it the validation AUC of a classifier.

    Args:
        history: one record per epoch, as in `history.jsonl`.
        title: above the picture.

    Example:
        >>> losses = [(0.6, 0.5), (0.5, 0.45)]
        >>> history = [{"epoch": i, "loss": a, "validation_loss": b} for i, (a, b) in enumerate(losses, start=1)]
        >>> [line.get_label() for line in draw_history(history).axes[0].lines]
        ['training', 'validation']
    """
    from matplotlib.figure import Figure

    judged = "validation_auc" in history[0]
    with styled():
        figure = Figure(figsize=(9 if judged else 5, 3.4), layout="constrained")
        axes = figure.subplots(1, 2 if judged else 1, squeeze=False)[0]
        _draw(axes[0], history, {"loss": "training", "validation_loss": "validation"}, "loss")
        if judged:
            _draw(axes[1], history, {"validation_auc": "validation"}, "area under the ROC curve")
        figure.suptitle(as_label(title), x=0.01, ha="left", fontsize=11)
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


def draw_data_efficiency(jets: Sequence[int], quantities: Mapping[str, Sequence[Spread]]) -> Figure:
    """What more training jets are worth: one panel per quantity, with the spread over seeds.

    Args:
        jets: how many the networks were trained with.
        quantities: by the label of its axis, one spread for each number of jets.

    Example:
        >>> figure = draw_data_efficiency([1000, 10000], {"AUC": [Spread.of([0.89, 0.90]), Spread.of([0.91, 0.92])]})
        >>> [label.get_text() for label in figure.axes[0].get_xticklabels()]
        ['1,000', '10,000']
    """
    from matplotlib.figure import Figure

    with styled():
        figure = Figure(figsize=(4.5 * len(quantities), 4.0), layout="constrained")
        panels = figure.subplots(1, len(quantities), squeeze=False)[0]
        for axes, (name, spreads), colour in zip(panels, quantities.items(), MODEL_COLOURS, strict=False):
            means, errors = [each.mean for each in spreads], [each.deviation or 0.0 for each in spreads]
            axes.errorbar(jets, means, errors, marker="o", color=colour, capsize=3)
            axes.set(xscale="log", xlabel="training jets", ylabel=name)
            axes.set_xticks(jets, [f"{count:,}" for count in jets])
            axes.minorticks_off()
            grid_behind(axes)
    return figure
