import numpy as np
import pytest

from jetgram.errors import BadJetError
from jetgram.trees.topologies import build_trees
from jetgram.trees.trees import Trees

MOMENTA = np.array(
    [[1.0, 0.0, 0.0, 1.0], [2.0, 0.0, 0.0, 2.0], [4.0, 0.0, 0.0, 4.0], [3.0, 0.0, 0.0, 3.0], [7.0, 0.0, 0.0, 7.0]]
)
CHILDREN = np.array([[-1, -1], [-1, -1], [-1, -1], [1, 0], [2, 3]], dtype=np.int32)


def tree(**changes: list[int] | list[float]) -> Trees:
    """Three particles of 1, 2 and 4 GeV, the softest joined first; `child3=[0, 1]` changes one row of children."""
    momenta, children = MOMENTA.copy(), CHILDREN.copy()
    for name, value in changes.items():
        (children if name.startswith("child") else momenta)[int(name[-1])] = value
    return Trees(momenta, children, np.array([0, 5]))


def test_depth_and_height_of_a_chain():
    chain = tree()
    np.testing.assert_array_equal(chain.node_depth, [2, 2, 1, 1, 0])
    np.testing.assert_array_equal(chain.height, [0, 0, 0, 1, 2])
    np.testing.assert_array_equal(chain.depth, [2])
    np.testing.assert_array_equal(chain.n_leaves, [3])


def test_depths_of_real_trees(qcd_jets):
    for topology in ("kt", "desc-pt"):
        trees = build_trees(qcd_jets, topology)
        parent = np.full(len(trees.momenta), -1)
        inner = np.flatnonzero(~trees.is_leaf)
        parent[trees.children[inner] + trees.first[inner, None]] = inner[:, None]
        below = parent >= 0
        np.testing.assert_array_equal(trees.node_depth[below], trees.node_depth[parent[below]] + 1)
        assert np.all(trees.height[parent[below]] > trees.height[below])
        np.testing.assert_array_equal(trees.height[trees.root], trees.depth)
    np.testing.assert_array_equal(trees.depth, qcd_jets.multiplicity - 1)


def test_a_selection_of_trees(qcd_jets):
    trees = build_trees(qcd_jets)
    chosen = trees[[7, 2]]
    chosen.check()
    np.testing.assert_array_equal(chosen.n_leaves, qcd_jets.multiplicity[[7, 2]])
    np.testing.assert_array_equal(chosen.momenta[chosen.root], trees.momenta[trees.root][[7, 2]])
    assert len(trees[5]) == 1
    assert len(trees[trees.n_leaves < 0]) == 0


def test_a_tree_as_promised_passes():
    tree().check()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"child0": [1, 2]}, r"node 0 with children \[1, 2\]: a leaf has no children"),
        ({"child3": [-1, -1]}, "node 3 .*: children come before their parents"),
        ({"child3": [1, 4]}, "node 3 .*: children come before their parents"),
        ({"child3": [1, 1]}, "node 0 .*: every node but the root has one parent"),
        ({"child3": [0, 1]}, r"node 3 with children \[0, 1\]: the left child has the higher pT"),
        ({"momentum2": [4.0, 0.0, np.nan, 4.0]}, "node 2 .*: momenta are finite"),
        ({"momentum4": [7.0, 0.0, 0.0, 7.001]}, "node 4 .*: a momentum is the sum of its children's"),
    ],
)
def test_a_broken_rule_is_named(changes, message):
    with pytest.raises(BadJetError, match=f"tree 0, {message}"):
        tree(**changes).check()


def test_the_tree_and_the_node_are_counted_within_the_jet():
    pair = Trees(np.tile(MOMENTA, (2, 1)), np.vstack([CHILDREN, CHILDREN[:3], [[0, 1], [2, 3]]]), np.array([0, 5, 10]))
    with pytest.raises(BadJetError, match="tree 1, node 3 with children"):
        pair.check()


def test_shapes_that_do_not_fit():
    with pytest.raises(BadJetError, match=r"momenta \(5, 4\) and children \(4, 2\)"):
        Trees(MOMENTA, CHILDREN[:4], np.array([0, 5]))
    with pytest.raises(BadJetError, match="offsets"):
        Trees(MOMENTA, CHILDREN, np.array([0, 3]))
    with pytest.raises(BadJetError, match="tree 0 has 2 nodes; a binary tree has an odd number"):
        Trees(MOMENTA, CHILDREN, np.array([0, 2, 5]))
