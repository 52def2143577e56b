"""Jets of real collisions, before and after the detector."""

import numpy as np
import pytest

from jetgram import kinematics
from jetgram.collisions.detector import simulate


def two_jets(events):
    """The two hardest anti-kt R = 1 jets of each event, shape `(events, 2, 4)`."""
    import awkward as ak
    import fastjet

    particles = ak.zip(
        {name: events.momenta[:, i] for i, name in enumerate(kinematics.COLUMNS)}, with_name="Momentum4D"
    )
    definition = fastjet.JetDefinition(fastjet.antikt_algorithm, 1.0)
    jets = fastjet.ClusterSequence(ak.unflatten(particles, events.multiplicity), definition).inclusive_jets(min_pt=20.0)
    hardest = jets[ak.argsort(np.hypot(jets.px, jets.py), axis=1, ascending=False)][:, :2]
    return np.stack([ak.to_numpy(hardest[name]) for name in kinematics.COLUMNS], axis=-1)


@pytest.mark.parametrize(
    ("level", "objects", "response", "resolution"),
    [("towers", (150, 260), (0.93, 1.0), (0.03, 0.07)), ("pflow", (240, 420), (0.96, 1.01), (0.02, 0.06))],
)
def test_jets_keep_most_of_their_momentum(collisions, level, objects, response, resolution):
    seen = simulate(collisions, level, seed=1)
    assert objects[0] < seen.multiplicity.mean() < objects[1]
    truth, found = two_jets(collisions)[:, :1], two_jets(seen)
    near = np.argmin(kinematics.delta_r(truth, found), axis=1)
    partner = found[np.arange(len(found)), near]
    central = (np.abs(kinematics.eta(truth[:, 0])) < 2) & (kinematics.delta_r(truth[:, 0], partner) < 0.3)
    assert central.sum() > 100
    ratio = (kinematics.pt(partner) / kinematics.pt(truth[:, 0]))[central]
    low, middle, high = np.percentile(ratio, [16, 50, 84])
    assert response[0] < middle < response[1]
    assert resolution[0] < (high - low) / (2 * middle) < resolution[1]
