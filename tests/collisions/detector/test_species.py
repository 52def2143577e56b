import numpy as np
import pytest

from jetgram import pdg
from jetgram.collisions.detector import ATLAS
from jetgram.collisions.detector.species import fractions


def test_real_collisions_hold_only_charges_of_one(collisions):
    assert set(pdg.charge(np.unique(collisions.particles["pdgid"]))) == {-1.0, 0.0, 1.0}


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
