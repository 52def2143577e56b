"""Charges and kinds of particles, against the tables of Pythia and of the package `particle`."""

import numpy as np
import pytest

from jetgram.pdg import charge, is_hadron


@pytest.fixture(scope="module")
def pythia_charges():
    """Three times the charge of every lepton, boson and hadron in Pythia's own table, by PDG id."""
    import pythia8mc

    table = pythia8mc.Pythia("", False).particleData
    charges, pdgid = {}, 1
    while pdgid > 0:
        if pdgid < 1_000_000 and not (40 <= pdgid < 100):  # beyond: R-hadrons, octets; 40 to 99: leptoquarks, copies
            charges[pdgid] = table.chargeType(pdgid)
        pdgid = table.nextId(pdgid)
    return charges


def test_charges_are_those_of_pythia(pythia_charges):
    ids = np.array(list(pythia_charges))
    assert len(ids) > 300
    np.testing.assert_allclose(3 * charge(ids), list(pythia_charges.values()), atol=1e-12)


def test_antiparticles_have_the_opposite_charge(pythia_charges):
    ids = np.array(list(pythia_charges))
    assert np.array_equal(charge(-ids), -charge(ids))


@pytest.mark.parametrize(
    ("pdgid", "expected"),
    [(1000020040, 2), (-1000010020, -1), (1000022, 0), (1000024, 1), (4900211, 0), (9010221, 0), (1103, -2 / 3)],
)
def test_charge_of_special_ids(pdgid, expected):
    assert charge(pdgid) == pytest.approx(expected)


def test_charge_keeps_the_shape():
    assert charge(np.full((3, 2), 211)).shape == (3, 2)
    assert charge([]).shape == (0,)


def test_hadrons_are_those_of_the_review_of_particle_physics():
    """All but tetraquarks, which have nine digits, and of which none lives long enough to be seen."""
    particle = pytest.importorskip("particle")
    ids = [each.pdgid for each in particle.Particle.all() if abs(each.pdgid) < 10_000_000]
    known = [each.is_hadron for each in ids]
    assert sum(known) > 300
    assert is_hadron([int(each) for each in ids]).tolist() == known


@pytest.mark.parametrize("pdgid", [0, 21, 22, 11, 12, 24, 2101, 1103, 1000022, 1009213, 4900211, 1000020040])
def test_what_is_no_hadron(pdgid):
    assert not is_hadron(pdgid)
    assert not is_hadron(-pdgid)
