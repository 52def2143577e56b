import itertools
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nasty_jets import nasty_jets

from jetgram import backend, kinematics
from jetgram.errors import BadJetError, SettingsError
from jetgram.jets.cleaning import clean
from jetgram.kinematics import from_ptetaphim
from jetgram.momenta import Jets
from jetgram.trees import reference
from jetgram.trees.features import node_features
from jetgram.trees.lund import lund_features
from jetgram.trees.topologies import TOPOLOGIES, build_trees
from jetgram.trees.trees import Trees

every_topology = pytest.mark.parametrize("topology", TOPOLOGIES)
every_clustering = pytest.mark.parametrize(("topology", "power"), [("kt", 1), ("ca", 0), ("antikt", -1)])


def reference_trees(jets: Jets, topology: str, seed: int = 0) -> Trees:
    """`build_trees` as it is without the native core."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backend, "native_core", lambda: None)
        return build_trees(jets, topology, seed)


def assert_same(a: Trees, b: Trees) -> None:
    np.testing.assert_array_equal(a.offsets, b.offsets)
    np.testing.assert_array_equal(a.children, b.children)
    np.testing.assert_array_equal(a.momenta, b.momenta)


def spread_jet(particles: int, seed: int) -> np.ndarray:
    """Particles around one axis, no two distances equal."""
    rng = np.random.default_rng(seed)
    return from_ptetaphim(rng.exponential(5.0, particles), *rng.normal(0.0, 0.4, (2, particles)), 0.13957)


@every_topology
def test_trees_of_real_jets_have_the_promised_layout(qcd_jets, topology):
    trees = build_trees(qcd_jets, topology)
    trees.check()
    assert trees.topology == topology
    np.testing.assert_array_equal(trees.n_leaves, qcd_jets.multiplicity)
    np.testing.assert_array_equal(trees.momenta[trees.is_leaf], qcd_jets.momenta)
    np.testing.assert_allclose(trees.momenta[trees.root], qcd_jets.total, rtol=0, atol=1e-9)


@every_topology
def test_real_jets_have_the_trees_of_the_reference(qcd_jets, topology):
    jets = qcd_jets[:20]
    assert_same(build_trees(jets, topology, seed=3), reference_trees(jets, topology, seed=3))


@every_topology
@given(jets=nasty_jets)
def test_nasty_jets_have_the_trees_of_the_reference(jets, topology):
    trees = build_trees(jets, topology, seed=5)
    trees.check()
    np.testing.assert_allclose(trees.momenta[trees.root], jets.total, rtol=1e-13, atol=1e-13 * jets.total[:, 3].max())
    assert_same(trees, reference_trees(jets, topology, seed=5))


def test_the_two_tables_have_the_same_names(qcd_jets):
    for name in TOPOLOGIES:
        build_trees(qcd_jets[:1], name)
    native = pytest.importorskip("jetgram._native")
    with pytest.raises(ValueError, match="no topology 'median-pt'"):
        native.build_trees(
            np.ones((1, 4)), np.array([0, 1]), "median-pt", 0, 1, np.ones((1, 4)), np.ones((1, 2), dtype=np.int32)
        )


@every_clustering
@pytest.mark.parametrize("particles", [2, 3, 7, 30])
def test_the_pair_of_smallest_distance_is_joined_first(topology, power, particles):
    """The definition, over all pairs: d_ij = min(pT_i^2p, pT_j^2p) ((y_i - y_j)^2 + (phi_i - phi_j)^2)."""
    jet = spread_jet(particles, seed=particles)
    trees = build_trees(Jets.from_lists([jet]), topology)
    left = dict(enumerate(jet))

    def distance(pair: tuple[int, int]) -> float:
        p, q = left[pair[0]], left[pair[1]]
        angle = np.hypot(
            kinematics.rapidity(p) - kinematics.rapidity(q), kinematics.delta_phi(*map(kinematics.phi, (p, q)))
        )
        return float(min(kinematics.pt2(p) ** power, kinematics.pt2(q) ** power) * angle**2)

    for node in range(particles, 2 * particles - 1):
        pair = min(itertools.combinations(left, 2), key=distance)
        assert set(pair) == set(trees.children[node].tolist())
        left[node] = left.pop(pair[0]) + left.pop(pair[1])


@every_clustering
def test_azimuths_meet_at_pi(topology, power):
    jet = from_ptetaphim([10.0, 10.0, 10.0], [0.0, 0.0, 0.0], [3.1, -3.1, 2.5])
    np.testing.assert_array_equal(build_trees(Jets.from_lists([jet]), topology).children[3:], [[0, 1], [3, 2]])


def test_chains_run_from_soft_to_hard_and_back():
    jet = from_ptetaphim([2.0, 8.0, 4.0, 1.0], 0.0, 0.0)
    jets = Jets.from_lists([jet])
    np.testing.assert_array_equal(build_trees(jets, "desc-pt").children[4:], [[0, 3], [2, 4], [1, 5]])
    np.testing.assert_array_equal(build_trees(jets, "asc-pt").children[4:], [[1, 2], [4, 0], [5, 3]])


@every_topology
def test_of_equal_pt_the_lower_index_is_left(topology):
    jet = from_ptetaphim([1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0])
    children = build_trees(Jets.from_lists([jet[:2]]), topology).children
    np.testing.assert_array_equal(children, [[-1, -1], [-1, -1], [0, 1]])


@every_topology
def test_a_single_particle_is_a_tree_of_one_node(topology):
    jets = Jets(np.array([[3.0, 4.0, 0.0, 5.0], [0.0, 0.0, 1.0, 1.0]]), np.array([0, 1, 2]))
    trees = build_trees(jets, topology)
    np.testing.assert_array_equal(trees.offsets, [0, 1, 2])
    np.testing.assert_array_equal(trees.momenta, jets.momenta)
    np.testing.assert_array_equal(trees.children, [[-1, -1], [-1, -1]])


@every_topology
def test_no_jets_are_no_trees(topology):
    trees = build_trees(Jets(np.empty((0, 4)), np.array([0])), topology)
    assert len(trees) == 0
    trees.check()


@pytest.mark.parametrize("topology", [name for name in TOPOLOGIES if name != "random"])
@given(seed=st.integers(0, 2**32), particles=st.integers(1, 50))
def test_the_order_of_the_particles_is_only_a_numbering(topology, seed, particles):
    jet = spread_jet(particles, seed)
    order = np.random.default_rng(seed).permutation(particles)
    trees, shuffled = (build_trees(Jets.from_lists([p]), topology) for p in (jet, jet[order]))
    number = np.append(order, np.arange(particles, 2 * particles - 1))
    np.testing.assert_array_equal(number[shuffled.children[particles:]], trees.children[particles:])
    np.testing.assert_array_equal(shuffled.momenta, trees.momenta[number])


@every_topology
@pytest.mark.parametrize("threads", ["1", "2", "7"])
def test_threads_change_nothing(qcd_jets, topology, threads, monkeypatch):
    trees = build_trees(qcd_jets, topology, seed=1)
    monkeypatch.setenv("JETGRAM_THREADS", threads)
    assert_same(build_trees(qcd_jets, topology, seed=1), trees)


@pytest.mark.skipif(backend.load()[0] is None, reason="there is no native core")
@pytest.mark.parametrize("path", ["portable", "avx2"])
def test_the_paths_of_other_machines_give_the_same_bits(qcd_jets, tmp_path, path):
    if path == "avx2" and backend.load()[0].cpu_path() == "portable":
        pytest.skip("this machine has no AVX2")
    program = """
import sys
import numpy as np
from jetgram import Jets, _native, build_trees, clean, node_features
from jetgram.trees.lund import lund_features
assert _native.cpu_path() == sys.argv[3]
with np.load(sys.argv[1]) as arrays:
    jets = Jets(arrays["momenta"], arrays["offsets"])
trees = {name: build_trees(jets, name) for name in ("kt", "ca", "antikt")}
children = {name: tree.children for name, tree in trees.items()}
lund, cleaned = lund_features(trees["kt"]), clean(jets).momenta
np.savez(sys.argv[2], features=node_features(trees["kt"]), lund=lund, cleaned=cleaned, **children)
"""
    np.savez(tmp_path / "jets.npz", momenta=qcd_jets.momenta, offsets=qcd_jets.offsets)
    command = [sys.executable, "-c", program, str(tmp_path / "jets.npz"), str(tmp_path / "trees.npz"), path]
    subprocess.run(command, check=True, env={**os.environ, "JETGRAM_CPU_PATH": path})
    with np.load(tmp_path / "trees.npz") as other:
        for name in ("kt", "ca", "antikt"):
            np.testing.assert_array_equal(other[name], build_trees(qcd_jets, name).children)
        trees = build_trees(qcd_jets, "kt")
        np.testing.assert_array_equal(other["features"], node_features(trees))
        np.testing.assert_array_equal(other["lund"], lund_features(trees))
        np.testing.assert_array_equal(other["cleaned"], clean(qcd_jets).momenta)


def test_a_random_tree_depends_on_the_seed_and_the_momenta_of_the_jet_only(qcd_jets):
    trees = build_trees(qcd_jets, "random", seed=11)
    assert_same(build_trees(qcd_jets[30:40], "random", seed=11), trees[30:40])
    assert_same(build_trees(qcd_jets[[39, 7, 39]], "random", seed=11), trees[[39, 7, 39]])
    assert np.any(build_trees(qcd_jets, "random", seed=12).children != trees.children)


def test_a_random_tree_does_not_depend_on_the_order_of_the_constituents(qcd_jets):
    rng = np.random.default_rng(5)
    for jet in range(20):
        order = rng.permutation(len(qcd_jets[jet]))
        tree = build_trees(qcd_jets[[jet]], "random", seed=4)
        shuffled = build_trees(Jets.from_lists([qcd_jets[jet][order]]), "random", seed=4)
        inner = len(order)
        number = np.concatenate([order, np.arange(inner, 2 * inner - 1)])  # of each shuffled node in the other tree
        np.testing.assert_array_equal(number[shuffled.children[inner:]], tree.children[inner:])
        np.testing.assert_array_equal(shuffled.momenta[inner:], tree.momenta[inner:])


def test_the_sign_of_zero_does_not_change_a_random_tree():
    particles = from_ptetaphim([50.0, 40.0, 30.0, 20.0, 10.0], [0.0, 0.0, 0.3, 0.2, 0.1], [0.0, 0.0, 0.1, 0.4, 0.2])
    assert np.count_nonzero(particles == 0)
    minus = np.where(particles == 0, -0.0, particles)
    trees = [build_trees(Jets.from_lists([each]), "random").children for each in (particles, minus)]
    np.testing.assert_array_equal(*trees)


def test_random_pairs_are_equally_likely():
    """Four particles: six first pairs; in a third of the trees the second join is of the two others."""
    count = 30_000
    scale = np.repeat(np.linspace(1.0, 2.0, count), 4)[:, None]  # no two jets alike
    jets = Jets(np.tile(spread_jet(4, seed=0), (count, 1)) * scale, np.arange(count + 1) * 4)
    nodes = np.sort(build_trees(jets, "random", seed=2).children.reshape(count, 7, 2)[:, 4:], axis=2)
    first, frequency = np.unique(nodes[:, 0], axis=0, return_counts=True)
    assert len(first) == 6
    assert np.sum((frequency - count / 6) ** 2 / (count / 6)) < 20.5  # chi^2, 5 degrees of freedom: p = 0.001
    pairs = np.mean(nodes[:, 1].max(axis=1) < 4)
    assert abs(pairs - 1 / 3) < 4 * np.sqrt(2 / 9 / count)


@pytest.mark.skipif(backend.load()[0] is None, reason="takes long without the native core")
@every_topology
@pytest.mark.parametrize("kind", ["spread", "equal", "beam"])
def test_ten_thousand_particles(topology, kind):
    particles = spread_jet(10_000, seed=1)
    if kind == "equal":  # half of them in one place: neighbours are lost by the thousand
        particles[5_000:] = particles[0]
    if kind == "beam":
        particles[:, :2] = 0.0
        particles[:, 3] = np.abs(particles[:, 2])
    trees = build_trees(Jets.from_lists([particles]), topology)
    trees.check()
    if topology in ("asc-pt", "desc-pt"):
        assert trees.depth[0] == 9_999


@pytest.mark.skipif(backend.load()[0] is None, reason="takes long without the native core")
def test_an_antikt_tree_of_a_hard_core_is_almost_a_chain():
    core = from_ptetaphim(1e4, 0.0, 0.0)
    halo = spread_jet(9_999, seed=4) * 1e-6
    assert build_trees(Jets.from_lists([np.vstack([core, halo])]), "antikt").depth[0] > 9_000


@pytest.mark.parametrize(
    ("name", "hint"), [("anti-kt", "did you mean 'antikt'"), ("KT", "there are: kt, ca"), ("desc_pt", "'desc-pt'")]
)
def test_an_unknown_topology_is_told_the_nearest(name, hint):
    with pytest.raises(SettingsError, match=hint):
        build_trees(Jets.from_lists([spread_jet(3, 0)]), name)


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_a_seed_out_of_range_is_refused(seed):
    with pytest.raises(SettingsError, match=f"seed = {seed}; expected a number from 0 to"):
        build_trees(Jets.from_lists([spread_jet(3, 0)]), "random", seed)


@pytest.mark.parametrize(
    ("particles", "message"),
    [
        (np.empty((0, 4)), "jet 1 is empty"),
        ([[0.0, 0.0, np.nan, 1.0]], "jet 1, particle 0: NaN"),
        ([[1.0, 0.0, 0.0, 1.0], [3.0, 0.0, 0.0, 1.0]], "jet 1, particle 1: E < |p|"),
        ([[1e120, 0.0, 0.0, 1e120]], "jet 1, particle 0: too large"),
    ],
)
def test_bad_jets_are_named(particles, message):
    with pytest.raises(BadJetError, match=message.replace("|", r"\|")):
        build_trees(Jets.from_lists([spread_jet(3, 0), np.array(particles)]))


@given(jets=nasty_jets)
def test_the_reference_uses_the_formulas_of_kinematics(jets):
    points = np.array([reference._point(p, lambda pt2: pt2) for p in jets.momenta])
    phi = kinematics.phi(jets.momenta) * (kinematics.pt2(jets.momenta) > 0)
    np.testing.assert_allclose(points[:, 0], kinematics.rapidity(jets.momenta), rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(np.exp(1j * points[:, 1]), np.exp(1j * phi), rtol=0, atol=1e-14)
    np.testing.assert_array_equal(points[:, 2], kinematics.pt2(jets.momenta))
    assert np.all((points[:, 1] >= 0) & (points[:, 1] < 2 * np.pi))
