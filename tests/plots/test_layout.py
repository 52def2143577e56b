"""Where nodes are drawn: no crossing lines, and heights that mean what they say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jetgram import kinematics
from jetgram.errors import SettingsError
from jetgram.momenta import Jets
from jetgram.plots.layout import FLOOR, SCALES, horizontal_positions, splitting_scales
from jetgram.trees.topologies import TOPOLOGIES, build_trees


def random_jet(leaves: int, seed: int) -> Jets:
    rng = np.random.default_rng(seed)
    momenta = kinematics.from_ptetaphim(
        rng.exponential(5.0, leaves) + 0.1, rng.normal(0, 0.4, leaves), rng.normal(0, 0.4, leaves), 0.13957
    )
    return Jets.from_lists([momenta])


def leaves_below(children: np.ndarray, node: int) -> list[int]:
    found, stack = [], [node]
    while stack:
        current = stack.pop()
        left, right = children[current]
        if left < 0:
            found.append(current)
        else:
            stack += [left, right]
    return found


@given(leaves=st.integers(1, 40), seed=st.integers(0, 1000), topology=st.sampled_from(list(TOPOLOGIES)))
def test_lines_do_not_cross(leaves: int, seed: int, topology: str) -> None:
    children = build_trees(random_jet(leaves, seed), topology).children
    x = horizontal_positions(children)
    assert sorted(x[:leaves]) == list(range(leaves))
    for node in range(leaves, 2 * leaves - 1):
        below = sorted(x[leaves_below(children, node)])
        assert below == list(np.arange(below[0], below[0] + len(below))), "the leaves under a node stand side by side"
        left, right = children[node]
        assert x[left] < x[right]
        assert x[node] == (x[left] + x[right]) / 2


@given(leaves=st.integers(2, 40), seed=st.integers(0, 1000), topology=st.sampled_from(list(TOPOLOGIES)))
def test_mass_never_falls_towards_the_root(leaves: int, seed: int, topology: str) -> None:
    tree = build_trees(random_jet(leaves, seed), topology)
    mass = splitting_scales(tree, "mass")
    assert mass[-1] == pytest.approx(kinematics.mass(tree.momenta[-1]))
    for node in range(leaves, 2 * leaves - 1):
        for child in tree.children[node]:
            if child >= leaves:
                assert mass[child - leaves] <= mass[node - leaves]


def test_scales_of_two_particles() -> None:
    tree = build_trees(Jets.from_lists([kinematics.from_ptetaphim([50.0, 20.0], [0.0, 0.3], [0.1, 0.5])]), "kt")
    assert splitting_scales(tree, "angle") == pytest.approx([0.5])
    assert splitting_scales(tree, "kt") == pytest.approx([20.0 * 0.5])
    assert splitting_scales(tree, "mass") == pytest.approx([np.sqrt(2 * 50 * 20 * (np.cosh(0.3) - np.cos(0.4)))])


@pytest.mark.parametrize("scale", SCALES)
def test_collinear_particles_stand_on_the_floor(scale: str) -> None:
    tree = build_trees(Jets.from_lists([[[3.0, 4.0, 0.0, 5.0], [6.0, 8.0, 0.0, 10.0]]]), "kt")
    assert splitting_scales(tree, scale) == [FLOOR]


def test_an_unknown_scale_is_named() -> None:
    with pytest.raises(SettingsError, match="no splitting scale 'masss'; did you mean 'mass'"):
        splitting_scales(build_trees(random_jet(3, 0), "kt"), "masss")
