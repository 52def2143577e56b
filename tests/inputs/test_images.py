import numpy as np
import pytest

from jetgram.errors import BadJetError
from jetgram.inputs.images import SparseImages, read_images
from jetgram.inputs.representation import concatenate
from jetgram.jets.images import jet_images
from jetgram.kinematics import from_ptetaphim
from jetgram.models.model import JetModel
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Jets
from jetgram.trees.topologies import build_trees

IMAGE, PIXELS = ModelSettings(input="image"), ModelSettings(input="pixels")


def same(a, b):
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("pixels", "intensities", "offsets"))


def test_the_pixels_are_those_of_the_image(qcd_jets):
    found = IMAGE.read(qcd_jets).inputs
    np.testing.assert_array_equal(found.dense(), jet_images(qcd_jets, 0.05).pixels.reshape(-1, 625).astype(np.float32))
    untrimmed = ModelSettings(input="image", trim=None).read(qcd_jets).inputs
    assert len(untrimmed.pixels) > len(found.pixels)


def test_the_chain_is_that_of_the_settings(qcd_jets):
    shared = jet_images(qcd_jets, 0.05, "shared")
    found = ModelSettings(input="image", image_chain="shared").read(qcd_jets).inputs
    np.testing.assert_array_equal(found.dense(), shared.pixels.reshape(-1, 625).astype(np.float32))
    trees = ModelSettings(input="pixels", image_chain="shared").read(qcd_jets).inputs
    np.testing.assert_array_equal(np.diff(trees.offsets), 2 * shared.to_jets().multiplicity - 1)


def test_scaled_images_have_pixels_of_order_one(qcd_jets):
    found = read_images(qcd_jets, 0.05)
    scaled = found.scaled(found.fit_scaler())
    squares = np.add.reduceat(scaled.intensities**2, scaled.offsets[:-1])
    np.testing.assert_allclose(squares, 625, rtol=1e-5)


def test_cut_joined_and_stored_they_are_the_same(qcd_jets):
    whole = read_images(qcd_jets[:20], 0.05)
    assert same(whole[5:], read_images(qcd_jets[5:20], 0.05))
    assert same(concatenate([whole[:3], whole[[3]], whole[4:]]), whole)
    assert same(SparseImages.from_arrays(whole.to_arrays()), whole)


def test_trees_of_pixels_undo_the_normalisation(qcd_jets):
    images = jet_images(qcd_jets, 0.05)
    trees = build_trees(images.to_jets(), "ca")
    found = ModelSettings(input="pixels", topology="ca").read(qcd_jets).inputs
    np.testing.assert_array_equal(found.offsets, trees.offsets)
    leaf_pt = np.where(found.inner, 0.0, found.features[:, 5])
    np.testing.assert_allclose(np.add.reduceat(leaf_pt, found.offsets[:-1]), images.pt.sum(axis=(1, 2)), rtol=1e-5)


@pytest.mark.parametrize("settings", [IMAGE, PIXELS], ids=lambda settings: settings.input.kind)
def test_a_jet_of_one_pixel_has_a_score(qcd_jets, settings):
    model = JetModel.untrained(settings, Jets(qcd_jets.momenta, qcd_jets.offsets))
    lonely = Jets.from_lists([from_ptetaphim([50.0], [0.3], [1.0]), from_ptetaphim([30.0, 20.0], [0.3, 0.31], [1, 1])])
    assert np.diff(read_images(lonely, 0.05, "shared").offsets).tolist() == [1, 1]
    assert np.all(np.diff(read_images(lonely, 0.05).offsets) < 25)  # a spline has rings around one cell
    assert np.isfinite(model.predict(lonely)).all()


@pytest.mark.parametrize("settings", [IMAGE, PIXELS], ids=lambda settings: settings.input.kind)
@pytest.mark.parametrize("momentum", [(0.0, 0.0, 5.0, 5.0), (0.0, 0.0, 0.0, 1.0), (1e-250, 0.0, 0.0, 1e-250)])
def test_a_jet_that_makes_no_image_is_named(settings, momentum):
    jets = Jets(np.array([[50.0, 0.0, 0.0, 50.0], momentum]), np.array([0, 1, 2]))
    with pytest.raises(BadJetError, match=r"jet 8 has an empty image: its pT is .* GeV; 1 of 2 such jets"):
        settings.read(jets, 7)


def test_pixels_outside_the_image_are_refused():
    with pytest.raises(BadJetError, match="pixel 625 is not among the 625"):
        SparseImages(np.array([3, 625]), np.ones(2), np.array([0, 2]))
    with pytest.raises(BadJetError, match="expected one per pixel"):
        SparseImages(np.array([3, 62]), np.ones(3), np.array([0, 2]))
    one = SparseImages(np.array([3]), np.ones(1), np.array([0, 1]))
    with pytest.raises(IndexError, match="jet 1 is not among the 1 images"):
        one.take([0, 1])
