import numpy as np
import pytest

from jetgram.collisions.detector import ATLAS
from jetgram.collisions.detector.species import charge, fractions


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


def test_real_collisions_hold_only_species_with_charges_of_pythia(collisions, pythia_charges):
    ids = np.unique(collisions.particles["pdgid"])
    assert {int(abs(i)) for i in ids} <= set(pythia_charges)
    assert set(charge(ids)) == {-1.0, 0.0, 1.0}


@pytest.mark.parametrize(
    ("pdgid", "expected"),
    [(1000020040, 2), (-1000010020, -1), (1000022, 0), (1000024, 1), (4900211, 0), (9010221, 0), (1103, -2 / 3)],
)
def test_charge_of_special_ids(pdgid, expected):
    assert charge(pdgid) == pytest.approx(expected)


def test_charge_keeps_the_shape():
    assert charge(np.full((3, 2), 211)).shape == (3, 2)
    assert charge([]).shape == (0,)


@pytest.mark.parametrize(
    ("pdgids", "expected"),
    [
        ((11, -11, 22, 111), (1.0, 0.0)),
        ((12, -12, 13, -13, 14, 16, 1000022), (0.0, 0.0)),
        ((310, 3122, -3122), (0.3, 0.7)),
        ((211, -321, 2212, -2112, 130, 3312, 521, 1000020040), (0.0, 1.0)),
    ],
)
def test_fractions(pdgids, expected):
    assert np.array_equal(fractions(np.array(pdgids), ATLAS), [expected] * len(pdgids))
