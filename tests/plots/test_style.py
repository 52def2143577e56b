"""How every picture looks, and that it is the same file each time."""

import matplotlib.pyplot as plt
import pytest

from jetgram.plots import style


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
