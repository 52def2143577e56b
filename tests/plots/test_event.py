"""The display of an event: every particle is there, each jet in its colour, each tree in its panel."""

import itertools

import numpy as np
import pytest

from jetgram.errors import SettingsError
from jetgram.jets.clustering import find_jets
from jetgram.plots import draw_event, save_figure
from jetgram.plots.event import jet_colour
from jetgram.trees.topologies import build_trees


def drawn(event, jets, **more):
    found = find_jets(event, hardest=jets)
    return found, draw_event(event, found, build_trees(found, "kt"), **more)


def axes_of(figure):
    left, right = figure.subfigs
    return left.axes[0], right.axes


@pytest.mark.parametrize("count", [1, 2, 5])
def test_particles_and_trees(qcd_events, count):
    event = qcd_events[[3]]
    jets, figure = drawn(event, count, number=17)
    particles, panels = axes_of(figure)
    everything, *of_jets = particles.collections
    assert len(everything.get_offsets()) == len(event.momenta)
    assert [len(discs.get_offsets()) for discs in of_jets] == jets.multiplicity.tolist()
    assert len({jet_colour(jet) for jet in range(6)}) == 6
    shown = [axes for axes in panels if axes.get_visible()]
    assert [axes.get_title(loc="left").split(",")[0] for axes in shown] == [f"jet {n + 1}" for n in range(count)]
    assert figure.get_suptitle().startswith("event 17,")


def test_importance_is_shown(qcd_events, tmp_path):
    event = qcd_events[[3]].with_columns(label=np.array([1]))
    found = find_jets(event, hardest=2)
    trees = build_trees(found, "desc-pt")
    nodes = np.linspace(0, 4, len(trees.momenta))
    figure = draw_event(event, found, trees, of_jets=[2.0, 1.0], of_nodes=nodes)
    _, panels = axes_of(figure)
    assert panels[1].get_title(loc="left").endswith("importance 0.50")
    assert [axes.collections[0].norm.vmax for axes in panels[:2]] == [1.0, 1.0]
    assert "(signal)" in figure.get_suptitle()
    save_figure(figure, tmp_path / "event.png")
    assert (tmp_path / "event.png").stat().st_size > 10_000


def test_importance_is_relative_to_jets_that_are_not_drawn(qcd_events):
    event = qcd_events[[3]]
    found = find_jets(event, hardest=None)
    trees = build_trees(found, "kt")
    assert len(found) > 6
    of_jets = np.arange(1.0, len(found) + 1)  # the softest jet, and the last node, matter most
    of_nodes = np.arange(1.0, len(trees.momenta) + 1)
    figure = draw_event(event, found, trees, of_jets=of_jets, of_nodes=of_nodes, hardest=2)
    particles, panels = axes_of(figure)
    assert len(particles.collections) == 3
    titles = [axes.get_title(loc="left") for axes in panels[:2]]
    assert [title.split("importance ")[1] for title in titles] == [f"{n / len(found):.2f}" for n in (1, 2)]
    drawn = panels[1].collections[0]
    assert drawn.norm.vmax == 1.0
    assert drawn.get_array().max() < trees.offsets[2] / len(trees.momenta) + 1e-12
    assert figure.get_supxlabel().endswith(f"Drawn: the 2 hardest of {len(found)} jets.")
    assert "Drawn" not in draw_event(event, found[:2], trees[:2], hardest=6).get_supxlabel()


@pytest.mark.parametrize("count", [2, 4, 6])
def test_titles_stand_apart(qcd_events, count):
    event = qcd_events[[3]]
    found = find_jets(event, hardest=count)
    trees = build_trees(found, "kt")
    figure = draw_event(event, found, trees, of_jets=np.ones(count), of_nodes=np.ones(len(trees.momenta)))
    figure.draw_without_rendering()
    _, panels = axes_of(figure)
    boxes = [axes._left_title.get_window_extent() for axes in panels[:count]]
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))


def test_too_many_jets(qcd_events):
    with pytest.raises(SettingsError, match="found 1 events, 7 jets and 7 trees; an event is drawn with 1 to 6 jets"):
        drawn(qcd_events[[0]], 7)
