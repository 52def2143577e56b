"""Training that begins with the weights of a model instead of random ones."""

from __future__ import annotations

from jetgram.errors import TrainingError
from jetgram.models.model import JetModel
from jetgram.models.settings import ModelSettings
from jetgram.networks.network import JetNetwork

FREE = ("engine", "initialisation")  # settings that do not matter for given weights


def take_weights(network: JetNetwork, settings: ModelSettings, start: JetModel) -> None:
    """Give a network the weights of a trained model, and its head the scaler of the model's targets.

    Args:
        network: of the settings.
        settings: of the training that begins.
        start: the model it begins with; it reads the same inputs, with the same network, and gives the same.
    """
    wanted, found = settings.dump(), start.settings.dump()
    for name in {**wanted, **found}:
        if name not in FREE and wanted.get(name) != found.get(name):
            what = f"the model to start from has {name} = {found.get(name)!r}"
            raise TrainingError(f"{what}; this training has {wanted.get(name)!r}. Take the settings of that model")
    network.load_state_dict(start.network.state_dict())
    network.head.set_scaler(start.network.head.scaler)
