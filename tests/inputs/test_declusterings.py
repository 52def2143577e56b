"""Declusterings: the Lund variables of every splitting, against their definitions."""

import numpy as np

from jetgram import kinematics
from jetgram.inputs.declusterings import COLUMNS, DeclusteringInput, declustering_features
from jetgram.jets.cleaning import clean
from jetgram.trees.topologies import build_trees


def test_lund_variables_of_real_jets(qcd_jets):
    trees = build_trees(clean(qcd_jets[:20]), "ca")
    found = declustering_features(trees)
    inner = ~trees.is_leaf
    assert np.isnan(found[~inner]).all()
    left, right = (trees.momenta[trees.children[inner][:, side] + trees.first[inner]] for side in (0, 1))
    pt = kinematics.pt(left), kinematics.pt(right)
    angle = np.hypot(
        kinematics.rapidity(left) - kinematics.rapidity(right),
        kinematics.delta_phi(kinematics.phi(left), kinematics.phi(right)),
    )
    values = dict(zip(COLUMNS, found[inner].T, strict=True))
    wide = angle > 2e-3  # below, logarithms are cut off
    np.testing.assert_allclose(values["ln Delta_LR"][wide], np.log(angle[wide]), rtol=1e-6)
    np.testing.assert_allclose(values["ln kT"][wide], np.log((pt[1] * angle)[wide]), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(values["ln z"], np.log(pt[1] / (pt[0] + pt[1])), rtol=1e-6)
    assert (np.abs(values["psi"]) <= np.pi).all()
    assert values["psi"].std() > 1  # all directions


def test_one_row_per_node_with_the_root_first(qcd_jets):
    found = DeclusteringInput().read(qcd_jets[:5])
    inputs, jets = found.inputs, clean(qcd_jets[:5])
    np.testing.assert_array_equal(np.diff(inputs.offsets), 2 * np.diff(jets.offsets) - 1)
    mass = inputs.features[inputs.offsets[:-1], COLUMNS.index("ln m")]
    np.testing.assert_allclose(mass, np.log(found.pt_and_mass[1]), rtol=1e-5)
