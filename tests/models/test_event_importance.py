import numpy as np
import pytest
import torch

from jetgram.errors import SettingsError
from jetgram.models.event_importance import event_importance
from jetgram.models.model import JetModel
from jetgram.models.settings import ModelSettings

SETTINGS = ModelSettings(event="jets", hardest=3, hidden=5, state=6)


@pytest.fixture(scope="module")
def model(qcd_events):
    return JetModel.untrained(SETTINGS, qcd_events[:50], seed=3)


def test_a_jet_matters_as_finite_differences_say(model, qcd_events):
    """Moving what the unit reads of one jet, in double precision, moves the output."""
    found = event_importance(model, qcd_events[[7]])
    network, events = model.network.double(), model.read(qcd_events[[7]])
    x = torch.cat([torch.from_numpy(events.momenta).double(), network.embedding.jets(events.trees)], dim=1).detach()
    for jet in range(3):
        slopes = []
        for column in range(9):
            step = torch.zeros_like(x)
            step[jet, column] = 1e-6
            up, down = (network.head(network.embedding.gru(moved.flip(0), [1, 1, 1])) for moved in (x + step, x - step))
            slopes.append((up - down).item() / 2e-6)
        assert found.of_jets[jet] == pytest.approx(np.linalg.norm(slopes), rel=1e-3)
    network.float()


def test_every_node_of_every_jet_has_its_importance(model, qcd_events):
    found = event_importance(model, qcd_events[[2]])
    assert found.of_nodes.shape == (len(found.trees.momenta),)
    assert (np.diff(found.jets.pt) <= 0).all()
    roots = found.of_nodes[found.trees.root]
    assert (roots <= found.of_jets * (1 + 1e-6)).all()  # a jet's inputs are its momentum and its root's state


def test_the_readout_of_jets_is_the_models(qcd_events):
    model = JetModel.untrained(SETTINGS.model_copy(update={"readout": "children"}), qcd_events[:50], seed=3)
    found = event_importance(model, qcd_events[[2]])
    assert not found.of_nodes[found.trees.root].any()
    assert (found.of_jets > 0).all()


def test_what_has_no_such_importance(model, qcd_events):
    with pytest.raises(SettingsError, match="one event at a time; found 2"):
        event_importance(model, qcd_events[:2])
    momenta = JetModel.untrained(ModelSettings(event="jet-momenta"), qcd_events[:9])
    with pytest.raises(SettingsError, match="this model reads 2 jet momenta"):
        event_importance(momenta, qcd_events[[0]])
