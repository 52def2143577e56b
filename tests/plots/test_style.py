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
