"""What a training begins with: split, scalers, weights of the jets, and a new network, or that of another model."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from jetgram.errors import EvaluationError, TrainingError
from jetgram.inputs.representation import Representation
from jetgram.inputs.scaler import Scaler
from jetgram.models.model import JetModel
from jetgram.models.recipes import TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.networks.device import CPU, find_device
from jetgram.networks.heads import Head
from jetgram.networks.network import JetNetwork, require_weights_alone
from jetgram.training.distillation import soft_targets
from jetgram.training.feed import Feed, Resident, Source, Streamed, WithCopies
from jetgram.training.fine_tuning import take_weights
from jetgram.training.masses import planing_factors
from jetgram.training.objective import Objective
from jetgram.training.order import Numbers, at_most, split_jets
from jetgram.training.prepared import Prepared, collect

Array = NDArray[np.float64]

DISCO_JETS = 2000  # whose distances, of all pairs, are looked at after each epoch
FARTHEST = 1e18  # scaled target; the square of a number ten times larger is none in single precision
SCALER_JETS = 20_000  # median and quartiles of their two million nodes are known to better than 0.1 %


@dataclasses.dataclass(frozen=True)
class Validation:
    """The jets that choose the best epoch.

    Args:
        trees: scaled.
        targets: as the network is to give them, `(jets, outputs)`.
        weights: `(jets,)`.
        mass: of background jets, NaN of others, `(jets,)`; None where nothing looks at it.
    """

    trees: Representation
    targets: NDArray[np.float32]
    weights: NDArray[np.float32]

    mass: NDArray[np.float32] | None = None

    def judge(self, network: JetNetwork, objective: Objective | None = None) -> dict[str, float]:
        """The mean loss `validation_loss`, and the metrics of the head: of a classifier `validation_auc`.

        Args:
            network: what is judged.
            objective: of its training; with DisCo, `validation_disco` is $dCor^2$ of score and mass.
        """
        outputs = network.eval().predict(self.trees)
        losses = network.head.losses(torch.as_tensor(outputs), torch.as_tensor(self.targets)).double().numpy()
        if not np.isfinite(losses).all():  # a best epoch without a number would never be beaten
            raise EvaluationError(f"the loss of a validation jet is {losses[~np.isfinite(losses)][0]}")
        found = {"loss": float(np.average(losses, weights=self.weights))}
        found |= network.head.metrics(outputs, self.targets, self.weights)
        if objective is not None and objective.disco and self.mass is not None:
            background = np.flatnonzero(~np.isnan(self.mass))
            some = background[:: len(background) // DISCO_JETS + 1]  # from all of them, in whatever order they are
            arrays = (torch.as_tensor(values[some]) for values in (outputs, self.mass, self.weights))
            found["disco"] = float(objective.correlation(*arrays))
        return {f"validation_{name}": value for name, value in found.items()}


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
    start_from: JetModel | None = None,
    device: str = CPU,
    taught: Array | None = None,
    mass: Array | None = None,
    copies: Sequence[Prepared] = (),
) -> Setup:
    """Split the jets, fit the scalers to the training part, weight the jets, and initialise the network.

    Training that starts from a model has its weights and its scalers.

    Args:
        prepared: the jets.
        settings: of the model.
        training: settings of the training.
        stream: read the trees again in every epoch, instead of keeping them in memory.
        kept_aside: rising numbers of the jets for validation; by default the settings choose them.
        start_from: the model to begin with; None for random weights.
        device: where PyTorch computes. The weights of a seed are the same everywhere.
        taught: what a teacher answers for each jet, `(jets, outputs)`; None without one.
        mass: of all jets, `(jets,)`, where the training looks at it.
        copies: the same jets perturbed, one pool after the other.
    """
    where = find_device(device)
    _check_weights(prepared.weights)
    usable: NDArray[np.bool_] = np.asarray(np.isfinite(prepared.targets).all(axis=1))
    if kept_aside is None:
        jets, kept_aside = split_jets(usable, training.validation, training.split_seed)
    else:
        kept_aside = kept_aside[usable[kept_aside]]
        jets = np.setdiff1d(np.flatnonzero(usable), kept_aside)
    if not len(kept_aside):
        raise TrainingError("no validation jet has a target; expected some, by which the best epoch is chosen")
    jets = at_most(jets, training.most, training.split_seed)
    network = settings.build(training.seed)
    require_weights_alone(network)
    head = network.head
    head.learn_targets(prepared.targets, jets, kept_aside)
    if start_from is not None:
        take_weights(network, settings, start_from)
    network.to(where)
    sample = np.sort(np.random.default_rng([training.split_seed, 1]).permutation(jets)[:SCALER_JETS])
    for_scaler, for_validation = collect(prepared, sample, kept_aside)
    scaler = for_scaler.fit_scaler(settings.input.scaling) if start_from is None else start_from.scaler
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused
        targets = head.network_targets(prepared.targets)
    _require_near(head, prepared.targets, targets, np.union1d(jets, kept_aside))
    for some, what in ((jets, "training"), (kept_aside, "validation")):
        _require_some_weight(prepared.weights[some], what)
        head.require_weight(prepared.targets[some], prepared.weights[some], what)
    weights = jet_weights(prepared, jets, training, head, mass)
    if training.planing:
        head.require_weight(prepared.targets[kept_aside], weights[kept_aside].astype(np.float64), "planed validation")
    source = _source(prepared, copies, scaler, stream)
    background = _background_masses(mass, head, prepared.targets) if mass is not None and training.disco else None
    learned = targets if taught is None else soft_targets(head, targets, taught, training.teacher_weight)
    feed = Feed(
        source,
        prepared.starts,
        jets,
        learned,
        weights,
        training.batch,
        training.seed,
        background,
        len(copies),
        bool(training.consistency),
    )
    judged_mass = None if background is None else background[kept_aside]
    validation = Validation(for_validation.scaled(scaler), targets[kept_aside], weights[kept_aside], judged_mass)
    return Setup(JetModel(settings, network, scaler), feed, validation, int(np.count_nonzero(~usable)))


def _source(prepared: Prepared, copies: Sequence[Prepared], scaler: Scaler, stream: bool) -> Source:
    nominal, *pools = ((Streamed if stream else Resident)(each, scaler) for each in (prepared, *copies))
    return WithCopies(nominal, pools) if pools else nominal


def _background_masses(mass: Array, head: Head, targets: Array) -> NDArray[np.float32]:
    """The masses of background jets; NaN for others."""
    return np.where(head.class_numbers(targets) == 0, mass, np.nan).astype(np.float32)


def jet_weights(
    prepared: Prepared, jets: Numbers, training: TrainingSettings, head: Head, mass: Array | None = None
) -> NDArray[np.float32]:
    """The weight of each jet: its own times that of its class and of its mass, 1 on average over the training jets."""
    weights = prepared.weights.copy()
    if training.class_weight is not None:
        number = head.class_numbers(prepared.targets)
        weights *= _class_weights(weights[jets], number[jets], int(number.max()) + 1, training)[number]
    if training.planing and mass is not None:
        weights *= planing_factors(mass, head.class_numbers(prepared.targets), weights, jets)
    _require_some_weight(weights[jets], "training")
    normalised: NDArray[np.float32] = (weights / weights[jets].mean()).astype(np.float32)
    return normalised


def _class_weights(weights: Array, number: Numbers, classes: int, training: TrainingSettings) -> Array:
    """The weight of each class, the background's first; balanced ones give all classes the same sum."""
    if not isinstance(training.class_weight, tuple):
        return np.array([1 / float(weights[number == one].sum()) for one in range(classes)])
    if len(training.class_weight) != classes:
        found = f"class_weight has {len(training.class_weight)} weights"
        raise TrainingError(f"{found}; expected one for each of {classes} classes")
    return np.array(training.class_weight)


def _require_some_weight(weights: NDArray[Any], what: str) -> None:
    if not weights.any():
        raise TrainingError(f"all weights of the {len(weights)} {what} jets are 0; expected some that are not")


def _require_near(head: Head, targets: Array, scaled: NDArray[np.float32], jets: Numbers) -> None:
    """Raise if the loss of one of these jets would overflow."""
    far = ~(np.abs(scaled[jets]) < FARTHEST)  # NaN is far too
    if head.scaler is None or not far.any():
        return
    row, column = np.argwhere(far)[0]
    found = f"jet {jets[row]} has {head.names[column]} = {targets[jets[row], column]:.4g}"
    center, spread = head.scaler.center[column], head.scaler.scale[column]
    expected = f"expected numbers near the others (median {center:.4g}, quartiles {spread:.4g} apart)"
    raise TrainingError(f"{found}; {expected}; for a target that is not known give NaN, which leaves the jet out")


def _check_weights(weights: Array) -> None:
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        jet = int(np.argmax(bad))
        raise TrainingError(f"jet {jet} has the weight {weights[jet]}; expected a finite number that is not negative")
