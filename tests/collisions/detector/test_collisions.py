"""Jets of real collisions, before and after the detector."""

import numpy as np
import pytest

from jetgram import kinematics
from jetgram.collisions.detector import simulate
from jetgram.jets.clustering import find_jets


@pytest.mark.parametrize(
    ("level", "objects", "response", "resolution"),
    [("towers", (150, 260), (0.93, 1.0), (0.03, 0.07)), ("pflow", (240, 420), (0.96, 1.01), (0.02, 0.06))],
)
def test_jets_keep_most_of_their_momentum(collisions, level, objects, response, resolution):
    """The hardest R = 1 jet of an event against the nearer of the two hardest that the detector sees."""
    seen = simulate(collisions, level, seed=1)
    assert objects[0] < seen.multiplicity.mean() < objects[1]
    truth = find_jets(collisions).total
    found = find_jets(seen, hardest=2).total.reshape(len(seen), 2, 4)
    near = np.argmin(kinematics.delta_r(truth[:, None], found), axis=1)
    partner = found[np.arange(len(found)), near]
    central = (np.abs(kinematics.eta(truth)) < 2) & (kinematics.delta_r(truth, partner) < 0.3)
    assert central.sum() > 100
    ratio = (kinematics.pt(partner) / kinematics.pt(truth))[central]
    low, middle, high = np.percentile(ratio, [16, 50, 84])
    assert response[0] < middle < response[1]
    assert resolution[0] < (high - low) / (2 * middle) < resolution[1]
