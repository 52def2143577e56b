import numpy as np
import pytest

from jetgram.errors import BadJetError
from jetgram.momenta import Jets
from jetgram.trees.topologies import TOPOLOGIES, build_trees
from jetgram.trees.trees import trees_from_history


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_a_tree_comes_back_from_its_history(qcd_jets, topology):
    trees = build_trees(qcd_jets, topology)
    again = trees_from_history(qcd_jets, trees.children[:, ::-1], topology)
    again.check()
    np.testing.assert_array_equal(again.children, trees.children)
    np.testing.assert_array_equal(again.momenta, trees.momenta)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([[-1, -1], [-1, -1]], r"pairs have shape \(2, 2\).* need \(3, 2\)"),
        ([[-1, -1], [-1, -1], [0, 2]], "node 2 .*: children come before their parents"),
        ([[-1, -1], [-1, -1], [0, 0]], "node 0 .*: every node but the root has one parent"),
        ([[-1, -1], [0, 0], [0, 1]], "node 1 .*: a leaf has no children"),
    ],
)
def test_a_history_that_is_none(pairs, message):
    jets = Jets.from_lists([[[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]]])
    with pytest.raises(BadJetError, match=message):
        trees_from_history(jets, np.array(pairs))
