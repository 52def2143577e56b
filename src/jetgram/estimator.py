"""What taggers and regressors have in common: they take jets or events in many forms, learn, embed, save and load."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jetgram.errors import BadJetError, DiscardedWeightsWarning, ModelError, SettingsError
from jetgram.joining import concatenate
from jetgram.models.ensemble import Scoring, load_scoring
from jetgram.models.estimator_settings import SettingsEstimator, recorded_settings
from jetgram.models.history import read_history
from jetgram.models.model import JetModel
from jetgram.models.recipes import TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.models.store import load_model, save_model
from jetgram.momenta import M, Momenta
from jetgram.networks.device import CPU
from jetgram.ragged import integers, numbers_or_bools, real_numbers
from jetgram.training.augmentation import SOFT, pools
from jetgram.training.distillation import require_same_answers, require_teacher
from jetgram.training.fine_tuning import origins, require_same_model
from jetgram.training.loop import Trainer
from jetgram.training.masses import masses_of, needs_masses
from jetgram.training.prepare import jets_digest, prepare_jets
from jetgram.training.start import Setup, set_up
from jetgram.training.targets import number_column, require_classifier
from jetgram.training.watching import EpochLines, Watcher
from jetgram.validity import require_good

if TYPE_CHECKING:
    import awkward as ak

Array = NDArray[np.float64]
RowsLike: TypeAlias = "Momenta | ak.Array | tuple[ArrayLike, ArrayLike]"
Validation: TypeAlias = "int | tuple[Any, ...] | None"
Start: TypeAlias = "JetModel | JetEstimator | Path | str | None"
Teacher: TypeAlias = "Scoring | JetEstimator | Path | str | None"


def as_rows(kind: type[M], rows: Any) -> M:
    """Jets (or events) as they are, from an Awkward array of lists of particles, or from `(momenta, offsets)`.

    Example:
        >>> from jetgram import Jets
        >>> as_rows(Jets, ([[3.0, 4.0, 0.0, 5.0], [0.0, 6.0, 8.0, 10.0]], [0, 1, 2]))
        <Jets: 2 with 2 momenta>
    """
    if isinstance(rows, kind):
        return rows
    if isinstance(rows, tuple) and len(rows) == 2:
        return kind(real_numbers(rows[0], "momenta"), integers(rows[1], "offsets"))
    if type(rows).__module__.startswith("awkward"):
        return kind.from_awkward(rows)
    wanted = f"{kind.__name__}, an Awkward array, or (momenta, offsets)"
    raise BadJetError(f"found {type(rows).__name__}; expected {wanted}")


class JetEstimator(SettingsEstimator):
    """What taggers and regressors have in common; they are estimators of scikit-learn.

    Args:
        topology: one of the six trees, or two joined by `+`; by default that of the recipe.
        cell: `simple`, `gated` or `blend`; by default that of the recipe.
        settings: any other of `ModelSettings` and `TrainingSettings` by its flat name, such as `epochs=5` or `seed=3`;
            `recipe`, a name in `jetgram.models.recipes`, by default `modern`, or `paper` where a part of a network is
            named; and `device`, where PyTorch computes, which is no part of a saved model; see
            `jetgram.networks.device`.
    """

    def __init__(self, topology: str | None = None, cell: str | None = None, **settings: Any) -> None:
        chosen = {name: value for name, value in (("topology", topology), ("cell", cell)) if value is not None}
        super().__init__(**chosen, **settings)
        self.history: list[dict[str, Any]] = []
        self._model: JetModel | None = None
        self._loaded = False

    def set_params(self, **params: Any) -> Self:
        """Change settings; what was learned stays until the next `fit`, and moves to another `device` at once."""
        super().set_params(**params)
        if self._model is not None:
            self._model.on(self.device)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return self._model is not None

    @property
    def model(self) -> JetModel:
        """The fitted model: network, scaler, settings."""
        if self._model is None:
            raise ModelError(f"this {type(self).__name__} has not learned anything yet; call fit or load")
        return self._model

    def fit(
        self,
        jets: RowsLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        validation: Validation = None,
        watcher: Watcher | None = None,
        start_from: Start = None,
        verbose: bool = False,
        teacher: Teacher = None,
    ) -> Self:
        """Learn, and keep the state of the epoch that is best on the validation jets.

        Args:
            jets: as they were found.
            y: what is to be learned, one (or a row) per jet.
            sample_weight: one per jet, not negative; by default the column of the jets that the setting `weight` names.
            validation: how many of the jets to keep aside, at most a fifth of them, or other jets `(jets, y)` or
                `(jets, y, sample_weight)`; by default as many as the settings say.
            watcher: is told of every step and epoch.
            start_from: a model, an estimator, or the folder of one, with the same settings: begin with its weights, and
                keep its scalers. By default weights are random.
            verbose: print a line per epoch.
            teacher: a model, an ensemble, an estimator, or where `load_scoring` finds one: its answers are learned
                too, with the weight `teacher_weight`; it answers for jets without columns.
        """
        if verbose and watcher is not None:
            raise SettingsError("found verbose and a watcher, which both report epochs; leave one out")
        teacher = self._teacher(teacher)
        require_teacher(self.training, teacher, self._given["recipe"])
        require_classifier(self.training, self.settings)
        start = self._start(start_from)
        settings = self._settings_for(y)
        if start is not None:
            require_same_model(settings, start)
        training = self.training
        if validation is not None and not isinstance(validation, tuple):
            training = type(training).create(**{**training.model_dump(), "validation": validation})
        aside = validation if isinstance(validation, tuple) else None
        setup, data = self._set_up(settings, training, (jets, y, sample_weight), aside, start, teacher)
        if verbose:
            watcher = EpochLines(settings.rows)
        trainer = Trainer(setup, training, watcher=watcher)
        try:
            trainer.run()
        finally:  # what was learned before Ctrl-C is not lost
            if trainer.progress.history:
                self.history = trainer.progress.history
                self._model, self._loaded = trainer.best_model(data), False
        return self

    def _set_up(
        self,
        settings: ModelSettings,
        training: TrainingSettings,
        learned: tuple[Any, ...],
        aside: tuple[Any, ...] | None,
        start: JetModel | None,
        teacher: Scoring | None,
    ) -> tuple[Setup, dict[str, Any]]:
        """What a training begins with, and what the model's card says of its jets.

        A function of its own so that unscaled inputs, as large as the scaled ones, are gone before the first epoch.

        Args:
            settings: of the model.
            training: its settings.
            learned: jets, targets, and weights or None.
            aside: the same of the validation jets; None where they are among the others.
            start: the model to begin with.
            teacher: whose answers are learned too.
        """
        if teacher is not None:
            require_same_answers(teacher, settings)
        perturbations = pools(training, settings)
        read = set(settings.input.particle_columns)
        for member in () if teacher is None else teacher.members:
            read |= set(member.settings.input.particle_columns)
        parts = [self._checked(settings, read, "", *learned)]
        kept_aside = None
        if aside is not None:
            parts.append(self._checked(settings, read, "validation ", *aside))
            kept_aside = len(parts[0][0]) + np.arange(len(parts[1][0]))
        everything, targets, weights = zip(*parts, strict=True)
        jets = concatenate(everything)
        prepared = prepare_jets(jets, np.concatenate(targets), np.concatenate(weights), settings)
        digest = jets_digest(jets, prepared.targets, prepared.weights, settings)
        copies = [
            prepare_jets(jets, prepared.targets, prepared.weights, settings, perturbation=pool)
            for pool in perturbations
        ]
        setup = set_up(
            prepared,
            settings,
            training,
            kept_aside=kept_aside,
            start_from=start,
            taught=None if teacher is None else teacher.predict(jets),
            mass=masses_of(jets, settings) if needs_masses(training, settings) else None,
            copies=copies,
            device=self.device,
        )
        teachers = None if teacher is None else [member.digest for member in teacher.members]
        data = {"digest": digest, settings.rows: len(targets[0]), "training": len(setup.feed)}
        return setup, {**data, **origins(None if start is None else start.digest, teachers)}

    def _start(self, start_from: Start) -> JetModel | None:
        """The model to begin with; a warning where one that was loaded is not it."""
        if start_from is None and self._loaded:
            message = "fit begins with random weights, and those that were loaded are lost"
            warnings.warn(f"{message}; fit(..., start_from=) goes on with them", DiscardedWeightsWarning, stacklevel=3)
        if isinstance(start_from, JetEstimator):
            return start_from.model
        return load_model(start_from) if isinstance(start_from, Path | str) else start_from

    def _teacher(self, teacher: Teacher) -> Scoring | None:
        """The teacher itself, from an estimator or a folder."""
        if isinstance(teacher, JetEstimator):
            return teacher.model
        return load_scoring(teacher) if isinstance(teacher, Path | str) else teacher

    def embed(self, jets: RowsLike) -> Array:
        """The embeddings of the jets, `(jets, hidden)`; of two topologies side by side; of events `(events, state)`."""
        return self.model.embed(as_rows(self.rows, jets))

    def save(self, path: Path | str) -> str:
        """Write a model directory; returns the model's digest."""
        return save_model(path, self.model, self.history)

    @classmethod
    def load(cls, path: Path | str, device: str = CPU) -> Self:
        """From a model directory, with the settings of its training; not `teacher_weight`, since no teacher is saved.

        Args:
            path: the folder.
            device: where PyTorch computes.
        """
        model = load_model(path)
        if model.settings.head.kind != cls.head:
            raise ModelError(f"{path} holds a {model.settings.head.kind}, which is no {cls.__name__}")
        if model.settings.rows != cls.rows.__name__.lower():
            raise ModelError(f"{path} holds a model of {model.settings.rows}, which is no {cls.__name__}")
        estimator = cls(**recorded_settings(model), device=device)
        estimator._model, estimator.history = model.on(device), read_history(Path(path))
        estimator._loaded = True
        return estimator

    def _settings_for(self, y: ArrayLike) -> ModelSettings:
        """The settings with which these targets are learned."""
        return self.settings

    def _targets_of(self, settings: ModelSettings, y: ArrayLike) -> ArrayLike:
        """What is learned, as numbers, `(jets,)` or `(jets, outputs)`."""
        return y

    def _checked(
        self,
        settings: ModelSettings,
        read: Collection[str],
        what: str,
        jets: Any,
        y: ArrayLike,
        weight: ArrayLike | None = None,
    ) -> tuple[Momenta, Array, Array]:
        """Jets without columns but those of particles in `read`, targets `(jets, outputs)` and weights `(jets,)`."""
        found = as_rows(self.rows, jets)
        targets = numbers_or_bools(self._targets_of(settings, y), "targets")
        targets = targets[:, None] if targets.ndim == 1 else targets
        weights = self._weights_of(found, weight)
        outputs = len(settings.head.targets)
        if targets.shape != (len(found), outputs) or weights.shape != (len(found),):
            wanted = f"({len(found)}, {outputs}) and ({len(found)},)"
            raise BadJetError(f"y and sample_weight have shapes {targets.shape} and {weights.shape}; expected {wanted}")
        particles = {name: found.particles[name] for name in read if name in found.particles}
        require_good(found, what + self.rows.__name__.lower().removesuffix("s"))
        settings.input.require_particles(found)
        if SOFT in self.training.augment and SOFT not in found.ragged:
            raise BadJetError(
                f"augment = soft, but these {what}jets have no soft particles; jetgram generate keeps them"
            )
        soft = {SOFT: found.ragged[SOFT]} if SOFT in self.training.augment else {}
        bare = self.rows(
            found.momenta, found.offsets, particles=particles, ragged=soft, preprocessed=found.preprocessed
        )
        return bare, targets, weights

    def _weights_of(self, found: Momenta, weight: ArrayLike | None) -> Array:
        """The given weights, or those of the column that the settings name, or 1."""
        name = self.training.weight
        if weight is not None and name is not None:
            raise SettingsError(f"found sample_weight and the setting weight = {name!r}; leave one out")
        if name is not None:
            return number_column(found, name)
        return np.ones(len(found)) if weight is None else numbers_or_bools(weight, "weights")
