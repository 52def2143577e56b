import numpy as np
import pytest

from jetgram import kinematics
from jetgram.jets.image_chains import CELL, CELLS, ENLARGE, REACH, SPLINE_SIZE, kernel
from jetgram.jets.images import jet_images
from jetgram.jets.subjet_plane import principal_axis, subjet_plane, turn_below
from jetgram.jets.subjets import trim
from jetgram.momenta import Jets

MIDDLE = CELL * (np.arange(CELLS) - CELLS / 2 + 0.5)


def one_jet(pt, eta, phi) -> Jets:
    momenta = kinematics.from_ptetaphim(pt, eta, phi)
    return Jets(momenta, np.array([0, len(momenta)]))


def rotated(image: np.ndarray, turn: complex) -> np.ndarray:
    """The spline through an image, rows along phi, taken where each of its cells was before the turn."""
    where = (MIDDLE + 1j * MIDDLE[:, None]) / turn
    rows, columns = (kernel((part[..., None] - MIDDLE) / CELL) for part in (where.imag, where.real))
    return np.clip(np.einsum("ijr,ijc,rc->ij", rows, columns, image), 0, image.max())


def by_definition(jet: Jets) -> np.ndarray:
    """The pixels of one jet, step by step on whole images."""
    plane = subjet_plane(jet, 0.05)
    edges = np.linspace(-REACH, REACH, CELLS + 1)
    p = plane.jets.momenta
    et = p[:, 3] * np.sin(kinematics.theta(p))
    image = np.histogram2d(plane.place.imag, plane.place.real, (edges, edges), weights=et * (et > 0.1))[0]
    if plane.second[0] == 0:
        cell = MIDDLE + 1j * MIDDLE[:, None]
        flat = Jets(np.zeros((CELLS**2, 4)), np.array([0, CELLS**2]))
        turn = turn_below(principal_axis(cell.ravel(), image.ravel(), flat))[0]
        image = rotated(image, turn)
        image = image[::-1, ::-1] if image[10:].sum() > image[:10].sum() else image
    else:
        turn = turn_below(plane.second)[0]
        image = rotated(image, turn)
    side = (plane.third[0] * turn).real if plane.third[0] != 0 else image[:, 10:].sum() - image[:, :10].sum()
    image = image[:, ::-1] if side < 0 else image
    place = (np.arange(25) + 0.5) * CELLS / 25 - 0.5
    enlarge = np.array([[kernel(x - cell) for cell in range(CELLS)] for x in place])
    image = np.clip(enlarge @ image @ enlarge.T, 0, image.max())
    return image * plane.jets.pt[0] / image.sum()


def test_the_kernel_is_that_of_cubic_convolution():
    np.testing.assert_allclose(kernel(np.arange(-3.0, 4.0)), [0, 0, 0, 1, 0, 0, 0], atol=1e-15)
    place, cells = np.linspace(0, 1, 21), np.arange(-3, 5)
    weights = kernel(place[:, None] - cells)
    for power in range(3):  # constants, straight lines and parabolas pass unchanged
        np.testing.assert_allclose(weights @ cells.astype(float) ** power, place**power, atol=1e-14)
    np.testing.assert_allclose(ENLARGE[2:-2].sum(axis=1), 1, rtol=1e-14)


def test_images_are_those_of_the_definition(qcd_jets):
    images = jet_images(qcd_jets).pt
    plane = subjet_plane(qcd_jets[:60], 0.05)
    assert set(1 + (plane.second != 0) + (plane.third != 0)) == {1, 2, 3}  # subjets
    for jet in range(60):
        np.testing.assert_allclose(images[jet], by_definition(qcd_jets[[jet]]), atol=1e-6)


def test_pixels_sum_to_the_trimmed_pt_and_none_is_negative(qcd_jets):
    images = jet_images(qcd_jets)
    assert images.pixels.shape == (len(qcd_jets), 25, 25)
    assert images.pixel_size == SPLINE_SIZE == pytest.approx(0.08)
    np.testing.assert_allclose((images.pixels**2).sum(axis=(1, 2)), 1, rtol=1e-12)
    np.testing.assert_allclose(images.pt.sum(axis=(1, 2)), trim(qcd_jets, 0.05).pt, rtol=1e-12)
    assert np.all(images.pixels >= 0)


def test_a_spline_rings(qcd_jets):
    shared = np.count_nonzero(jet_images(qcd_jets, chain="shared").pixels, axis=(1, 2))
    found = np.count_nonzero(jet_images(qcd_jets).pixels, axis=(1, 2))
    assert 2 < np.mean(found) / np.mean(shared) < 5
    assert np.mean(found) < 300


def test_the_leading_subjet_is_in_the_middle_and_the_second_below():
    eta, phi = 0.8, 3.0  # the second subjet lies beyond phi = pi
    for angle in np.linspace(0, 2 * np.pi, 9)[:-1]:
        jet = one_jet([100.0, 50.0], [eta, eta + 0.6 * np.cos(angle)], [phi, phi + 0.6 * np.sin(angle)])
        image = jet_images(jet).pt[0]
        np.testing.assert_allclose(image.sum(), jet.pt[0])
        row, column = np.indices((25, 25))[:, image > 0]
        pt = image[image > 0]
        upper = row > 8
        centre = [np.average(where[part], weights=pt[part]) for part in (upper, ~upper) for where in (row, column)]
        np.testing.assert_allclose(centre, [12, 12, 12 - 0.6 / SPLINE_SIZE, 12], atol=1.2)  # a cell is 1.25 pixels


@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize("turn", [0.0, 2.0])
def test_a_third_subjet_lies_on_the_right(side, turn):
    place = np.array([0.0, -0.7j, 0.5 * side]) * np.exp(1j * turn)
    image = jet_images(one_jet([100.0, 50.0, 20.0], place.real, place.imag)).pt[0]
    assert image[8:17, 16:].sum() > 10
    assert image[8:17, :9].sum() < 1


def test_one_subjet_lies_along_phi_and_more_of_it_below():
    jet = one_jet([100.0, 30.0], [0.0, 0.15], [0.0, 0.0])
    image = jet_images(jet).pt[0]
    row, column = (np.average(where, weights=image) for where in np.indices((25, 25)))
    spread = [
        np.average((where - mean) ** 2, weights=image)
        for where, mean in zip(np.indices((25, 25)), (row, column), strict=True)
    ]
    assert spread[0] > spread[1]
    assert row < 12


def test_soft_constituents_are_left_out():
    whole = jet_images(one_jet([100.0, 50.0, 0.09], [0.0, 0.5, 0.5], [0.0, 0.0, 0.0]))
    without = jet_images(one_jet([100.0, 50.0], [0.0, 0.5], [0.0, 0.0]))
    np.testing.assert_allclose(whole.pixels, without.pixels, atol=1e-12)
    assert whole.cropped[0] == pytest.approx(0.09)
    assert without.cropped[0] == 0


def test_constituents_far_away_are_left_out():
    jet = one_jet([100.0, 50.0, 20.0], [0.0, 0.5, 0.0], [0.0, 0.0, 1.2])
    images = jet_images(jet)
    assert images.cropped[0] == pytest.approx(20)
    assert images.pt.sum() == pytest.approx(jet.pt[0])
    assert images.pixels[0, :, 16:].sum() == 0  # where the third subjet would be


@pytest.mark.parametrize("chain", ["spline", "shared"])
def test_the_total_is_that_of_the_pixels_as_particles(qcd_jets, chain):
    images = jet_images(qcd_jets, chain=chain)
    jets = images.to_jets()
    np.testing.assert_array_equal(jets.multiplicity, np.count_nonzero(images.pixels, axis=(1, 2)))
    np.testing.assert_allclose(images.total, jets.total, rtol=1e-12, atol=1e-10)
    np.testing.assert_allclose(kinematics.mass(jets.momenta), 0, atol=1e-5)


def test_the_jet_is_recognisable_in_its_image(qcd_jets):
    trimmed, seen = trim(qcd_jets, 0.05), jet_images(qcd_jets)
    heavy = trimmed.mass > 30
    assert np.median(np.abs(kinematics.mass(seen.total) / trimmed.mass - 1)[heavy]) < 0.12
    assert np.all(kinematics.pt(seen.total) < trimmed.pt * (1 + 1e-12))


def test_jets_do_not_influence_each_other(qcd_jets):
    together = jet_images(qcd_jets[:12])
    for jet in range(12):
        np.testing.assert_array_equal(together.pixels[jet], jet_images(qcd_jets[jet : jet + 1]).pixels[0])


@pytest.mark.parametrize("momentum", [(0.0, 0.0, 5.0, 5.0), (0.0, 0.0, 0.0, 5.0), (0.03, 0.04, 0.0, 0.05)])
def test_nothing_to_see_is_an_empty_image(momentum):
    images = jet_images(Jets(np.array([momentum]), np.array([0, 1])))
    assert np.all(images.pixels == 0)
    assert images.norm[0] == 0
    assert images.cropped[0] == pytest.approx(np.hypot(*momentum[:2]))


def test_no_jets():
    images = jet_images(Jets(np.empty((0, 4)), np.array([0])))
    assert images.pixels.shape == (0, 25, 25)
    assert len(images.to_jets()) == len(images.total) == 0
