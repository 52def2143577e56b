"""The objective of a batch: without penalties it is the loss, on either engine, of any head."""

import numpy as np
import pytest
import torch

from jetgram.models.model import JetModel
from jetgram.models.recipes import TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.networks.network import TrainingStep
from jetgram.training.feed import Batch
from jetgram.training.objective import Objective


def gradient(step):
    return step.parameters.gradient.clone()


@pytest.mark.parametrize("engine", ["native", "torch"])
@pytest.mark.parametrize(
    "settings", [{}, {"classes": ("a", "b", "c")}, {"head": "regressor", "targets": ("x", "y")}], ids=str
)
def test_without_penalties_it_is_the_loss(labelled_jets, settings, engine):
    model = JetModel.untrained(
        ModelSettings(hidden=6, engine=engine, initialisation="uniform", **settings), labelled_jets
    )
    rng, trees, step = np.random.default_rng(1), model.read(labelled_jets), TrainingStep(model.network)
    jets = rng.permutation(len(labelled_jets))[:50]
    targets = rng.dirichlet(np.ones(4), 50)[:, : model.network.head.outputs].astype(np.float32)
    batch = Batch(trees, jets, targets, rng.uniform(0.5, 2, 50).astype(np.float32), 50)
    loss = step(*batch[:4])
    expected, objective = gradient(step), Objective(model.network.head)
    assert step.minimise(trees, jets, lambda outputs: objective(outputs, batch)) == pytest.approx(loss, rel=1e-5)
    torch.testing.assert_close(gradient(step), expected, rtol=1e-4, atol=1e-6)


def test_a_jet_that_is_its_own_copy_is_consistent(labelled_jets):
    model = JetModel.untrained(ModelSettings(hidden=6, initialisation="uniform"), labelled_jets)
    jets, trees = np.arange(40), model.read(labelled_jets)
    targets, weights = (np.arange(40) % 2)[:, None].astype(np.float32), np.ones(40, np.float32)
    outputs = torch.from_numpy(model.network.predict(trees, jets))
    plain = Objective(model.network.head)(outputs, Batch(trees, jets, targets, weights, len(jets)))
    objective = Objective(model.network.head, consistency=5.0)
    paired = Batch(trees, jets, targets, weights, len(jets), copies=jets)
    assert float(objective(torch.cat([outputs, outputs]), paired)) == pytest.approx(float(plain))
    both = torch.cat([outputs, outputs + 0.1])
    without = float(Objective(model.network.head)(both, paired))
    assert float(objective(both, paired)) == pytest.approx(without + 5.0 * 0.1**2)


def test_a_training_without_penalties_has_none():
    head = ModelSettings().build().head
    assert Objective.of(head, TrainingSettings()) is None
    assert Objective.of(head, TrainingSettings(augment="collinear1")) is None
    assert Objective.of(head, TrainingSettings(disco=1.0)).disco == 1.0
