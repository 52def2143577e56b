"""Pictures of jets: everything is in them, every kind of jet can be drawn, and drawing leaves no traces."""

import matplotlib
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from jetgram import kinematics
from jetgram.errors import BadJetError, SettingsError
from jetgram.momenta import Jets
from jetgram.plots import draw_jet, save_figure
from jetgram.trees.topologies import TOPOLOGIES, build_trees


@pytest.fixture(scope="module")
def jets() -> Jets:
    rng = np.random.default_rng(7)
    sizes = (60, 1, 2)
    groups = [
        kinematics.from_ptetaphim(rng.exponential(4.0, n) + 0.1, rng.normal(0, 0.3, n), 3.1 + rng.normal(0, 0.3, n))
        for n in sizes
    ]
    return Jets.from_lists(groups).with_columns(label=np.array([1, 0, 0]))


def trees_in(figure: Figure) -> list[tuple[Axes, LineCollection]]:
    """The panels that hold a tree, and its branches; a colour bar has lines too, but no segments."""
    return [
        (axes, part)
        for axes in figure.axes
        for part in axes.collections
        if isinstance(part, LineCollection) and len(part.get_segments())
    ]


def discs_in(figure: Figure) -> PathCollection:
    return next(part for part in figure.axes[0].collections if isinstance(part, PathCollection))


def test_one_tree(jets) -> None:
    figure = draw_jet(jets, 0, "antikt")
    ((axes, branches),) = trees_in(figure)
    assert len(branches.get_segments()) == 2 * 60 - 1
    assert sum(isinstance(part, Rectangle) and part.get_width() < 1 for part in axes.patches) == 60
    assert f"depth {build_trees(jets[[0]], 'antikt').depth[0]}" in axes.get_title(loc="left")
    assert figure.get_suptitle().startswith("jet 0 (signal),")
    assert f"m = {jets.mass[0]:.1f} GeV" in figure.get_suptitle()


def test_six_trees_share_their_axis(jets) -> None:
    panels = [axes for axes, _ in trees_in(draw_jet(jets, 0, "all"))]
    assert len(panels) == len(TOPOLOGIES)
    labels = {tuple(tick.get_text() for tick in axes.get_yticklabels()) for axes in panels[:1] + panels[3:4]}
    assert len(labels) == 1


@pytest.mark.parametrize("index", [1, -1])
@pytest.mark.parametrize("scale", ["mass", "kt", "angle"])
def test_the_smallest_jets(jets, index: int, scale: str, tmp_path) -> None:
    save_figure(draw_jet(jets, index, "all", scale=scale), tmp_path / "jet.png")
    assert (tmp_path / "jet.png").stat().st_size > 10_000


def test_area_is_in_proportion_to_pt(jets) -> None:
    discs = discs_in(draw_jet(jets, 0))
    area, pt = discs.get_sizes(), np.asarray(discs.get_array())
    large = area > area.min()
    assert np.ptp(area[large] / pt[large]) < 1e-9 * area.max()


def test_a_jet_at_the_seam_of_phi_stays_whole(jets) -> None:
    phi = discs_in(draw_jet(jets, 0)).get_offsets()[:, 1]
    assert np.ptp(kinematics.phi(jets[0])) > 6
    assert np.ptp(phi) < 3


def test_nodes_can_be_coloured(jets) -> None:
    importance = np.linspace(-1, 2, 119)
    figure = draw_jet(jets, 0, "kt", colour=importance)
    ((_, branches),) = trees_in(figure)
    assert sorted(branches.get_array()) == sorted(importance)
    assert (branches.norm.vmin, branches.norm.vmax) == (-2, 2)
    with pytest.raises(SettingsError, match="name one topology"):
        draw_jet(jets, 0, "all", colour=importance)
    with pytest.raises(SettingsError, match=r"colour has shape \(118,\); the tree has 119 nodes"):
        draw_jet(jets, 0, "kt", colour=importance[1:])


def test_the_random_tree_is_that_of_the_jet(jets) -> None:
    pair = jets[[1, 0]]
    drawn = [
        draw_jet(pair, 1, "random"),
        draw_jet(jets[[0]], 0, "random", number=9),
        draw_jet(pair, 1, "random", seed=1),
    ]
    first, alone, other = (np.array(trees_in(figure)[0][1].get_segments()) for figure in drawn)
    assert (first == alone).all()
    assert (first != other).any()


@pytest.mark.parametrize("suffix", [".png", ".pdf", ".svg"])
def test_the_same_jet_is_the_same_file(jets, tmp_path, suffix: str) -> None:
    for name in ("a", "b"):
        save_figure(draw_jet(jets, 0), tmp_path / f"{name}{suffix}")
    assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()


def test_another_suffix_is_refused(jets, tmp_path) -> None:
    with pytest.raises(SettingsError, match=r"ends in \.png, \.pdf, \.svg; found '\.bmp'"):
        save_figure(draw_jet(jets, 0), tmp_path / "jet.bmp")


def test_the_users_style_is_left_alone(jets) -> None:
    before = dict(matplotlib.rcParams)
    draw_jet(jets, 0)
    assert dict(matplotlib.rcParams) == before


def test_a_chain_of_thousands_is_drawn_without_recursion() -> None:
    rng = np.random.default_rng(0)
    momenta = kinematics.from_ptetaphim(rng.exponential(1.0, 3000) + 0.1, rng.normal(size=3000), rng.normal(size=3000))
    figure = draw_jet(Jets.from_lists([momenta]), 0, "asc-pt")
    assert len(trees_in(figure)[0][1].get_segments()) == 5999


@pytest.mark.parametrize("topology", ["kt", "all"])
def test_a_jet_along_the_beam_has_no_direction(topology):
    beam, balanced = [[0.0, 0.0, 50.0, 50.0], [0.0, 0.0, 20.0, 20.1]], [[3.0, 4.0, 5.0, 50.0], [-3.0, -4.0, 5.0, 50.0]]
    for momenta in (beam, balanced):
        with pytest.raises(BadJetError, match="jet 4 has pT = 0; expected jets with a direction"):
            draw_jet(Jets.from_lists([np.array(momenta)]), 0, topology, number=4)
