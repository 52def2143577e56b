"""What a training begins with: split, scalers, weights of the jets, and a network that has learned nothing yet."""

from __future__ import annotations

import dataclasses

import numpy as np
import torch
from numpy.typing import NDArray

from jetgram.errors import TrainingError
from jetgram.evaluation.metrics import roc_auc
from jetgram.inputs.scaler import Scaler
from jetgram.inputs.sequences import Inputs
from jetgram.models.build import build_network
from jetgram.models.inputs import fit_scaler, scale
from jetgram.models.model import JetModel
from jetgram.models.recipe import TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.networks.network import JetNetwork
from jetgram.training.feed import Feed, Resident, Streamed
from jetgram.training.order import Numbers, some_jets, split_jets
from jetgram.training.prepared import Prepared, collect

Array = NDArray[np.float64]

SCALER_JETS = 20_000  # median and quartiles of their two million nodes are known to better than 0.1 %


@dataclasses.dataclass(frozen=True)
class Validation:
    """The jets that choose the best epoch.

    Args:
        trees: scaled.
        targets: as the network is to give them, `(jets, outputs)`.
        weights: `(jets,)`.
    """

    trees: Inputs
    targets: NDArray[np.float32]
    weights: NDArray[np.float32]

    def judge(self, network: JetNetwork) -> dict[str, float]:
        """The mean loss `validation_loss`, and of a classifier `validation_auc`, the area under the ROC curve."""
        outputs = network.predict(self.trees)
        losses = network.head.losses(torch.as_tensor(outputs), torch.as_tensor(self.targets)).double().numpy()
        found = {"validation_loss": float(np.average(losses, weights=self.weights))}
        if network.head.loss == "logistic":
            found["validation_auc"] = roc_auc(outputs[:, 0], self.targets[:, 0], self.weights)
        return found


@dataclasses.dataclass(frozen=True)
class Setup:
    """All that a training needs besides its settings.

    Args:
        model: untrained.
        feed: the batches.
        validation: the jets kept aside.
        unusable: jets that were left out, because they have no target.
    """

    model: JetModel
    feed: Feed
    validation: Validation
    unusable: int


def set_up(
    prepared: Prepared,
    settings: ModelSettings,
    training: TrainingSettings,
    stream: bool = False,
    kept_aside: Numbers | None = None,
) -> Setup:
    """Split the jets, fit the scalers to the training part, weight the jets, and initialise the network.

    Args:
        prepared: the jets.
        settings: of the model.
        training: the recipe.
        stream: read the trees again in every epoch, instead of keeping them in memory.
        kept_aside: rising numbers of the jets for validation; by default the settings choose them.
    """
    _check_weights(prepared.weights)
    usable: NDArray[np.bool_] = np.asarray(np.isfinite(prepared.targets).all(axis=1))
    if kept_aside is None:
        jets, kept_aside = split_jets(usable, training.validation, training.split_seed)
    else:
        kept_aside = kept_aside[usable[kept_aside]]
        jets = np.setdiff1d(np.flatnonzero(usable), kept_aside)
    jets = some_jets(jets, training.most, training.split_seed)
    if settings.head == "classifier":
        _check_classes(prepared.targets[usable], prepared.targets[kept_aside], settings.targets[0])
    sample = np.sort(np.random.default_rng([training.split_seed, 1]).permutation(jets)[:SCALER_JETS])
    for_scaler, for_validation = collect(prepared, sample, kept_aside)
    scaler = fit_scaler(for_scaler)
    target_scaler = Scaler.fit(prepared.targets[jets]) if settings.head == "regressor" else None
    targets = _network_targets(prepared.targets, target_scaler)
    weights = jet_weights(prepared, jets, training)
    source = (Streamed if stream else Resident)(prepared, scaler)
    feed = Feed(source, prepared.starts, jets, targets, weights, training.batch, training.seed)
    validation = Validation(scale(for_validation, scaler), targets[kept_aside], weights[kept_aside])
    model = JetModel(settings, build_network(settings, training.seed), scaler, target_scaler)
    return Setup(model, feed, validation, int(np.count_nonzero(~usable)))


def jet_weights(prepared: Prepared, jets: Numbers, training: TrainingSettings) -> NDArray[np.float32]:
    """The weight of each jet: its own times that of its class, 1 on average over the training jets."""
    weights = prepared.weights.copy()
    if training.class_weight is not None:
        signal = prepared.targets[:, 0] == 1
        weights *= np.where(signal, *reversed(_class_weights(weights[jets], signal[jets], training)))
    normalised: NDArray[np.float32] = (weights / weights[jets].mean()).astype(np.float32)
    return normalised


def _class_weights(weights: Array, signal: NDArray[np.bool_], training: TrainingSettings) -> tuple[float, float]:
    """The weights of background and signal; balanced ones give both classes the same sum."""
    if isinstance(training.class_weight, tuple):
        return training.class_weight
    return 1 / float(weights[~signal].sum()), 1 / float(weights[signal].sum())


def _network_targets(targets: Array, scaler: Scaler | None) -> NDArray[np.float32]:
    """As the network is to give them; those of unusable jets are never looked at."""
    finite = np.nan_to_num(targets, nan=0.0, posinf=0.0, neginf=0.0)
    return finite.astype(np.float32) if scaler is None else scaler.transform(finite)


def _check_weights(weights: Array) -> None:
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        jet = int(np.argmax(bad))
        raise TrainingError(f"jet {jet} has the weight {weights[jet]}; expected a finite number that is not negative")


def _check_classes(targets: Array, kept_aside: Array, name: str) -> None:
    strange = ~np.isin(targets, (0, 1))
    if strange.any():
        raise TrainingError(f"{name} is {targets[strange][0]} for a jet; expected 0 (background) or 1 (signal)")
    for some, what in ((targets, "jets"), (kept_aside, "validation jets")):
        for value, meaning in ((0, "background"), (1, "signal")):
            if not (some == value).any():
                raise TrainingError(f"there is no {meaning} among the {len(some)} {what}: {name} is never {value}")
