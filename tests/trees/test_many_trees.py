"""Jets that are clustered in step have the trees of exact coordinates; those in doubt are built again."""

import numpy as np
import pytest
from fastjet_shim import histories

from jetgram import backend
from jetgram.joining import concatenate
from jetgram.kinematics import from_ptetaphim
from jetgram.momenta import Jets
from jetgram.trees.topologies import build_trees
from jetgram.trees.trees import Trees

if backend.load()[0] is None:
    pytest.skip("the native core was not built", allow_module_level=True)

every_clustering = pytest.mark.parametrize("topology", ["kt", "ca", "antikt"])


def in_doubt(jets: Jets, topology: str) -> int:
    """How many of the trees were built again with exact coordinates."""
    core = backend.native_core()
    nodes = 2 * len(jets.momenta) - len(jets)
    momenta, children = np.empty((nodes, 4)), np.empty((nodes, 2), dtype=np.int32)
    return core.build_trees(jets.momenta, jets.offsets, topology, 0, 1, momenta, children)


def reference_trees(jets: Jets, topology: str) -> Trees:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backend, "native_core", lambda: None)
        return build_trees(jets, topology)


def assert_same_as_the_reference(jets: Jets, topology: str) -> None:
    found, wanted = build_trees(jets, topology), reference_trees(jets, topology)
    np.testing.assert_array_equal(found.children, wanted.children)
    np.testing.assert_array_equal(found.momenta, wanted.momenta)


def two_pairs(gap: float, seed: int, size: float = 0.01) -> np.ndarray:
    """Two pairs of the same momenta, the second one wider by a fraction; and others around them."""
    rng = np.random.default_rng(seed)
    others = from_ptetaphim(rng.uniform(20.0, 40.0, 12), *rng.uniform(-1.0, 1.0, (2, 12)))
    phi = np.array([0.3, 0.3 + size, 1.3, 1.3 + size * (1 + gap)])
    return np.concatenate([others, from_ptetaphim([3.0, 2.0, 3.0, 2.0], [0.1, 0.1, -0.2, -0.2], phi)])


@every_clustering
def test_real_jets_are_certain(qcd_jets, topology):
    assert in_doubt(qcd_jets, topology) <= 0.01 * len(qcd_jets)


@every_clustering
@pytest.mark.parametrize("gap", [0.0, 1e-16, -1e-16, 1e-15, -1e-15, 1e-14, -1e-14, 1e-12, -1e-12, 1e-10, -1e-10])
def test_near_ties_are_seen_and_settled_exactly(topology, gap):
    jets = Jets.from_lists([two_pairs(gap, seed) for seed in range(20)])
    if topology != "antikt":  # which joins the hardest ones first: the pairs never meet
        assert in_doubt(jets, topology) == len(jets)
    assert_same_as_the_reference(jets, topology)


@every_clustering
@pytest.mark.parametrize("gap", [1e-6, -1e-6, 1e-5, -1e-5, 1e-4, -1e-4, 1e-3, -1e-3])
def test_other_gaps_are_no_ties(topology, gap):
    jets = Jets.from_lists([two_pairs(gap, seed) for seed in range(20)])
    assert in_doubt(jets, topology) == 0
    assert_same_as_the_reference(jets, topology)


def test_a_few_in_doubt_in_single_precision_are_built_exactly(qcd_jets):
    """Doubles would tell these pairs apart, but lanes that are almost all empty take longer than one jet."""
    close = [two_pairs(1e-6, seed) for seed in range(3)]
    jets = Jets.from_lists([*(qcd_jets[i] for i in range(20)), *close])
    assert in_doubt(jets, "ca") == 3
    assert_same_as_the_reference(jets, "ca")


@every_clustering
@pytest.mark.parametrize("spread", [0.3, 1.0, 2.0, 2.9, 3.1, 4.0, 8.0])
def test_jets_of_any_width_and_at_any_azimuth(topology, spread):
    """Single precision measures from the first leaf, and not around the cylinder: wider jets are for doubles."""
    rng = np.random.default_rng(5)
    groups = []
    for middle in np.linspace(0.0, 2 * np.pi, 24):
        eta, phi = rng.uniform(-spread / 2, spread / 2, (2, 30))
        groups.append(from_ptetaphim(rng.exponential(8.0, 30) + 0.1, 1.5 + eta, middle + phi))
    jets = Jets.from_lists(groups)
    assert in_doubt(jets, topology) <= 3  # too few for another step with doubles
    assert_same_as_the_reference(jets, topology)


@pytest.mark.parametrize("topology", ["kt", "antikt"])
def test_two_neighbours_at_the_same_distance(topology):
    """The soft one in the middle has the smallest d_ij with both of its neighbours; alone, neither of them tells."""
    rng = np.random.default_rng(3)
    groups = []
    for _ in range(20):
        pt = np.array([0.5, 30.0, 40.0]) if topology == "kt" else np.array([90.0, 3.0, 4.0])
        triple = from_ptetaphim(pt, [0.1, 0.1, 0.1], [0.5, 0.5 - 0.02, 0.5 + 0.02])
        groups.append(np.concatenate([triple, from_ptetaphim(rng.uniform(10, 20, 9), *rng.uniform(-1, 1, (2, 9)))]))
    jets = Jets.from_lists(groups)
    assert in_doubt(jets, topology) == len(jets)
    assert_same_as_the_reference(jets, topology)


@every_clustering
def test_where_coordinates_are_not_sure(topology):
    """Along the beam, at rapidities beyond 20, with vanishing pT, and nearer to each other than can be told."""
    around = from_ptetaphim([10.0, 20.0, 30.0], [0.1, 0.4, -0.3], [0.0, 0.5, 6.2])
    for strange in (
        [[0.0, 0.0, 5.0, 5.0]],
        from_ptetaphim([1e-12], [25.0], [0.1]),
        [[1e-20, 0.0, 1.0, 2.0]],
        from_ptetaphim([1.0, 1.0], [0.7, 0.7], [0.7, 0.7 + 1e-6]),
    ):
        jets = Jets.from_lists([np.concatenate([around, strange])] * 3)
        assert in_doubt(jets, topology) == 3
        assert_same_as_the_reference(jets, topology)


@every_clustering
def test_the_smallest_jets(topology):
    """Of one to three particles, in every number of jets up to more than there are lanes."""
    rng = np.random.default_rng(6)
    groups = [from_ptetaphim(*rng.uniform(0.1, 0.9, (3, 1 + i % 3))) for i in range(35)]
    for count in range(1, 36):
        assert_same_as_the_reference(Jets.from_lists(groups[-count:]), topology)


@every_clustering
def test_where_most_are_in_doubt_the_rest_is_not_tried(qcd_jets, topology):
    """Particles twice: all distances to their copies are zero."""
    twice = Jets(np.repeat(qcd_jets.momenta, 2, axis=0), 2 * qcd_jets.offsets)
    several = concatenate([twice] * 3)
    assert 32 <= in_doubt(several, topology) < len(several)
    assert_same_as_the_reference(twice[:8], topology)


@every_clustering
def test_any_company_and_any_size(qcd_jets, topology):
    """One jet alone, of one particle, with larger ones, and one that is too large to go in step."""
    rng = np.random.default_rng(1)
    large = from_ptetaphim(rng.exponential(5.0, 1500), *rng.normal(0.0, 0.6, (2, 1500)))
    groups = [qcd_jets[i][: 1 + i] for i in range(40)]
    jets = Jets.from_lists([*groups, large, groups[7]])
    trees = build_trees(jets, topology)
    theirs = histories(jets.momenta, jets.offsets, topology)
    np.testing.assert_array_equal(np.sort(trees.children, axis=1), np.sort(theirs.parents, axis=1))
    for i in (0, 1, 7, 39):
        np.testing.assert_array_equal(build_trees(Jets.from_lists([groups[i]]), topology).children, trees[i].children)
