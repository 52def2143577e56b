"""How every picture looks, and that it is the same file each time."""

import math

import matplotlib.pyplot as plt
import numpy as np
import pytest

from jetgram.evaluation.resilience import Efficiencies, Resilience
from jetgram.evaluation.scores import Scores
from jetgram.plots import draw_distributions, draw_history, style
from jetgram.plots.costs import CostPoint, draw_costs
from jetgram.plots.resilience import draw_resilience

TOY = Scores.create({"score": np.arange(40) / 40}, np.arange(40) % 2, np.full(40, 270.0), np.full(40, 80.0))
MOVED = Resilience(Efficiencies(0.5, 0.02), Efficiencies(0.55, 0.03), 0.1, Efficiencies(0.01, 0.01))
EPOCH = {"epoch": 1, "loss": 0.7, "validation_loss": 0.6}
NAMED = {
    "training": lambda name: draw_history([EPOCH], f"{name}: best epoch 1"),
    "scores": lambda name: draw_distributions({name: [TOY]}),
    "resilience": lambda name: draw_resilience({name: {name: MOVED}}, name),
    "costs": lambda name: draw_costs([CostPoint("kt", "kt", 100.0, 5.0, 1.0, 1.0)], name),
}


@pytest.mark.parametrize("suffix", [".svg", ".pdf"])
def test_panels_do_not_move_by_rounding(tmp_path, suffix):
    """The layout engine's last bits change from run to run, and an SVG names its clip paths by them."""
    files = []
    for nudge in (0.0, 1e-12):
        with style.styled():
            figure, panels = plt.subplots(1, 2, layout="none")
        for number, axes in enumerate(panels):
            axes.plot([0, 1], [number, 2])
            box = axes.get_position().bounds
            axes.set_position((box[0] + nudge, *box[1:]))
        files.append(tmp_path / f"{nudge}{suffix}")
        style.save_figure(figure, files[-1])
        plt.close(figure)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_names_are_shown_as_they_are():
    names = ["_hidden", "$^$", "a $5 tagger", "kt"]
    with style.styled():
        figure, axes = plt.subplots()
    for name in names:
        axes.plot([0, 1], [0, 1], label=style.as_label(name))
    figure.canvas.draw()
    shown = [text.get_text() for text in axes.legend().get_texts()]
    figure.canvas.draw()
    plt.close(figure)
    assert [text.replace("\u200b", "").replace("\\$", "$") for text in shown] == names


@pytest.mark.parametrize("name", [r"$\frac$", "_jets", "jets-\udcce"])
@pytest.mark.parametrize("picture", NAMED)
def test_folders_and_models_of_any_name_are_drawn(tmp_path, picture, name):
    """The picture of a training is drawn before its model is written: a name must not stop it."""
    figure = NAMED[picture](name)
    style.save_figure(figure, tmp_path / "picture.png")
    words = [text.get_text() for text in figure.findobj(plt.Text)]
    assert any(style.as_label(name) in word for word in words)
    assert math.isfinite(sum(axes.get_position().width for axes in figure.axes))


@pytest.mark.parametrize("minor", [False, True])
def test_a_grid_is_below_what_is_drawn(minor):
    with style.styled():
        figure, axes = plt.subplots()
        axes.set(xlim=(0, 1), ylim=(1, 1000), yscale="log")
        style.grid_behind(axes, minor)
    figure.canvas.draw()
    for axis in (axes.xaxis, axes.yaxis):
        assert all(tick.gridline.get_visible() for tick in axis.get_major_ticks())
    assert {tick.gridline.get_visible() for tick in axes.yaxis.get_minor_ticks()} == {minor}
    assert axes.get_axisbelow() is True
    plt.close(figure)
