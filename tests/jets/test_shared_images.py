import numpy as np
import pytest

from jetgram import kinematics
from jetgram.jets import images as all_chains
from jetgram.jets.image_chains import HALF, SHARED_SIZE
from jetgram.jets.subjets import trim
from jetgram.momenta import Jets
from jetgram.ragged import sum_groups
from jetgram.validity import require_good


def jet_images(jets: Jets) -> all_chains.Images:
    return all_chains.jet_images(jets, chain="shared")


def one_jet(pt, eta, phi) -> Jets:
    momenta = kinematics.from_ptetaphim(pt, eta, phi)
    return Jets(momenta, np.array([0, len(momenta)]))


def test_squares_sum_to_one_and_nothing_is_negative(qcd_jets):
    images = jet_images(qcd_jets)
    assert images.pixels.shape == (len(qcd_jets), 25, 25)
    np.testing.assert_allclose((images.pixels**2).sum(axis=(1, 2)), 1, rtol=1e-12)
    assert np.all(images.pixels >= 0)


def test_pt_is_in_the_image_or_was_cropped(qcd_jets):
    images = jet_images(qcd_jets)
    trimmed = trim(qcd_jets, 0.05)
    total = sum_groups(kinematics.pt(trimmed.momenta), trimmed.offsets)
    np.testing.assert_allclose(images.pt.sum(axis=(1, 2)) + images.cropped, total, rtol=1e-12)
    assert images.cropped.sum() < 0.01 * total.sum()


def test_the_leading_subjet_is_in_the_middle_and_the_second_below():
    eta, phi = 0.8, 3.0  # the second subjet lies beyond phi = pi
    for angle in np.linspace(0, 2 * np.pi, 9)[:-1]:
        jet = one_jet([100.0, 50.0], [eta, eta + 0.6 * np.cos(angle)], [phi, phi + 0.6 * np.sin(angle)])
        image = jet_images(jet).pt[0]
        assert image[HALF, HALF] == pytest.approx(100)
        assert image[: HALF - 4, HALF - 1 : HALF + 2].sum() == pytest.approx(50)


def test_a_third_subjet_lies_on_the_right():
    for side in (-1, 1):
        jet = one_jet([100.0, 50.0, 20.0], [0.0, 0.0, 0.5 * side], [0.0, -0.6, 0.0])
        assert jet_images(jet).pt[0, HALF, HALF + 5] == pytest.approx(20)


def test_one_subjet_spreads_along_phi_and_below():
    jet = one_jet([100.0, 20.0, 20.0], [0.0, 0.1, 0.2], [0.0, 0.0, 0.0])
    image = jet_images(jet).pt[0]
    # The axis of the subjet lies at eta = 6 / 140: within the first particle's pixel.
    np.testing.assert_allclose(image[HALF - 2 : HALF + 1, HALF], [20, 20, 100], rtol=1e-12)


@pytest.mark.parametrize("turn", [0.5, np.pi / 2, 2.0])
def test_where_the_jet_points_does_not_matter(qcd_jets, turn):
    cos, sin = np.cos(turn), np.sin(turn)
    massless = qcd_jets.momenta.copy()
    massless[:, 3] = kinematics.momentum(massless)
    jets = Jets(massless, qcd_jets.offsets)
    moved = kinematics.boost_z(massless, 0.4)
    moved[:, :2] = moved[:, :2] @ np.array([[cos, sin], [-sin, cos]])
    moved_images, images = jet_images(Jets(moved, jets.offsets)), jet_images(jets)
    # The subjets themselves are massive: a boost moves their eta, and with it a few particles to the next pixel.
    overlap = (moved_images.pixels * images.pixels).sum(axis=(1, 2))
    assert np.median(overlap) > 0.99


def test_images_turn_back_into_momenta(qcd_jets):
    images = jet_images(qcd_jets)
    jets = images.to_jets()
    require_good(jets)
    assert len(jets) == len(qcd_jets)
    np.testing.assert_array_equal(jets.multiplicity, np.count_nonzero(images.pixels, axis=(1, 2)))
    np.testing.assert_allclose(sum_groups(kinematics.pt(jets.momenta), jets.offsets), images.pt.sum(axis=(1, 2)))
    np.testing.assert_allclose(kinematics.mass(jets.momenta), 0, atol=1e-5)
    # Every particle sits in the middle of the pixel it came from.
    column = np.rint(kinematics.eta(jets.momenta) / SHARED_SIZE).astype(int) + HALF
    row = np.rint(kinematics.phi(jets.momenta) / SHARED_SIZE).astype(int) + HALF
    np.testing.assert_allclose(images.pt[jets.group, row, column], kinematics.pt(jets.momenta))


def test_the_jet_is_recognisable_in_its_image(qcd_jets):
    trimmed, seen = trim(qcd_jets, 0.05), jet_images(qcd_jets).to_jets()
    heavy = trimmed.mass > 30
    assert np.median(np.abs(seen.mass / trimmed.mass - 1)[heavy]) < 0.1


def test_jets_do_not_influence_each_other(qcd_jets):
    together = jet_images(qcd_jets[:12])
    for jet in range(12):
        np.testing.assert_array_equal(together.pixels[jet], jet_images(qcd_jets[jet : jet + 1]).pixels[0])


@pytest.mark.parametrize("momentum", [(0.0, 0.0, 5.0, 5.0), (3.0, 4.0, 0.0, 5.0)])
def test_one_particle(momentum):
    image = jet_images(Jets(np.array([momentum]), np.array([0, 1])))
    assert image.pt[0, HALF, HALF] == pytest.approx(np.hypot(*momentum[:2]))
    assert np.all(np.isfinite(image.pixels))


def test_no_jets():
    images = jet_images(Jets(np.empty((0, 4)), np.array([0])))
    assert images.pixels.shape == (0, 25, 25)
    assert len(images.to_jets()) == 0
