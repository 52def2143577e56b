"""The training loop: Adam, the best epoch kept, and a state that survives a kill."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from jetgram.errors import EvaluationError, LostProcessError, TrainingError
from jetgram.models.history import write_history
from jetgram.models.model import JetModel
from jetgram.models.recipes import TrainingSettings
from jetgram.networks.engine.capability import choose_engine
from jetgram.networks.engine.parameters import Adam
from jetgram.networks.network import JetNetwork, TrainingStep
from jetgram.networks.recursive import RecursiveEmbedding
from jetgram.training.checkpoint import Checkpoint, Progress, load_checkpoint, save_checkpoint
from jetgram.training.feed import Batch
from jetgram.training.group import Group, SingleProcess
from jetgram.training.interrupt import Interrupt, deferred_interrupt
from jetgram.training.objective import Objective
from jetgram.training.schedule import rate_at
from jetgram.training.start import Setup
from jetgram.training.watching import Watcher


@contextlib.contextmanager
def quiet_torch(network: JetNetwork) -> Iterator[None]:
    """One thread for PyTorch while the native engine has them all: what is left for PyTorch is too small to share."""
    embeddings = [part for part in network.modules() if isinstance(part, RecursiveEmbedding)]
    before = torch.get_num_threads()
    if all(choose_engine(part.cell, part.engine) == "native" for part in embeddings):
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def is_finite(values: Tensor) -> bool:
    """Whether all numbers are finite; from the two extremes, which is many times faster than asking each."""
    smallest, largest = values.aminmax()
    return math.isfinite(smallest.item()) and math.isfinite(largest.item())


@dataclasses.dataclass(frozen=True)
class RunDirectory:
    """Where a training keeps its state.

    Args:
        folder: of the model.
        fingerprint: tells settings and data from others.
        seconds: between two checkpoints; the end of an epoch is always one.
    """

    folder: Path
    fingerprint: str
    seconds: float = 60.0


class Trainer:
    """Trains the model of a setup; `run` does it all, or goes on where a checkpoint stands.

    Args:
        setup: model, batches, validation.
        settings: of the training.
        directory: where checkpoints and the history go; None keeps everything in memory.
        watcher: is told what happens.
        group: the processes that train together.
    """

    def __init__(
        self,
        setup: Setup,
        settings: TrainingSettings,
        directory: RunDirectory | None = None,
        watcher: Watcher | None = None,
        group: Group | None = None,
    ) -> None:
        self.setup, self.settings, self.directory = setup, settings, directory
        self.watcher, self.group = watcher or Watcher(), group or SingleProcess()
        self.step = TrainingStep(setup.model.network)
        self.objective = Objective.of(setup.model.network.head, settings)
        self.adam = Adam(self.step.parameters, settings.rate, weight_decay=settings.weight_decay, clip=settings.clip)
        self.best = self.step.parameters.values.clone()
        self._may_draw = setup.model.network.engine() == "torch"  # such as dropout; native kernels draw nothing
        self.progress = Progress()
        self._mark = self._saved = time.monotonic()
        self._cpu_mark = time.process_time()
        if directory is not None:
            self._resume(directory)

    @property
    def finished(self) -> bool:
        """All epochs are done, or patience is at its end."""
        progress, patience = self.progress, self.settings.patience
        impatient = patience is not None and progress.epoch - progress.best_epoch >= patience
        return progress.epoch >= self.settings.epochs or impatient

    def run(self) -> None:
        """Train; `best_model` is the result."""
        self.watcher.begin(self.progress, len(self.setup.feed), self.settings.epochs)
        with deferred_interrupt() as interrupt, quiet_torch(self.step.network), torch.random.fork_rng([]):
            while not self.finished:
                self._train_epoch(interrupt)
                self._finish_epoch()

    def best_model(self, data: Mapping[str, Any]) -> JetModel:
        """The model of the best epoch so far.

        Args:
            data: what its card is to say of the training jets.
        """
        self.step.parameters.values.copy_(self.best)
        best = self.progress.best or {}
        metrics = {name: value for name, value in best.items() if name.startswith(("epoch", "validation"))}
        record = {"training": self.settings.dump(), "data": data, "metrics": metrics}
        return dataclasses.replace(self.setup.model, record=record)

    def _train_epoch(self, interrupt: Interrupt) -> None:
        progress = self.progress
        self._mark, self._cpu_mark = time.monotonic(), time.process_time()
        self.step.network.train()
        for batch in self.setup.feed.batches(progress.epoch, progress.step, self.group.rank, self.group.size):
            middle = (progress.jets + 0.5 * batch.all_jets) / len(self.setup.feed)
            self.adam.rate = progress.rate = rate_at(self.settings, progress.epoch, middle)
            loss, stop = self._one_step(batch, interrupt.requested)
            progress.step += 1
            progress.loss += loss * batch.all_jets
            progress.jets += batch.all_jets
            self.watcher.step(batch.all_jets, loss)
            if stop:
                self._save()
                raise KeyboardInterrupt
            if self.directory and time.monotonic() - self._saved >= self.directory.seconds:
                self._save()

    def _one_step(self, batch: Batch, stop: bool) -> tuple[float, bool]:
        if self._may_draw:
            self._seed_draws()
        loss = self._loss(batch) if len(batch.jets) else self._nothing()
        gradient = self.step.parameters.gradient
        try:
            loss, stop = self.group.combine(gradient, loss, len(batch.jets), stop)
        except LostProcessError:
            self._save()
            raise
        if not (math.isfinite(loss) and is_finite(gradient)):
            self._save()
            step = f"of step {self.progress.step + 1}"
            broken = f"the gradient {step} is not finite, with a loss of {loss:.4g}"
            raise self._diverged(broken if math.isfinite(loss) else f"the loss {step} is {loss}")
        self.adam.step()
        return loss, stop

    def _seed_draws(self) -> None:
        """What PyTorch draws in a step follows from its number, so that a training that was stopped goes on alike."""
        numbers = [self.settings.seed, self.progress.epoch, self.progress.step, self.group.rank]
        torch.manual_seed(int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0]))

    def _loss(self, batch: Batch) -> float:
        """The loss of a batch; its gradient is in the parameters."""
        objective = self.objective
        if objective is None:
            return self.step(batch.trees, batch.jets, batch.targets, batch.weights)
        jets = batch.jets if batch.copies is None else np.concatenate([batch.jets, batch.copies])
        return self.step.minimise(batch.trees, jets, lambda outputs: objective(outputs, batch))

    def _nothing(self) -> float:
        """A process without a jet in this batch has no say in it."""
        self.step.parameters.gradient.zero_()
        return 0.0

    def _finish_epoch(self) -> None:
        progress = self.progress
        try:
            judged = self.setup.validation.judge(self.step.network, self.objective)
        except EvaluationError as error:
            self._save()
            raise self._diverged(f"validation fails: {error}") from error
        score = self._score(judged)
        progress.epoch += 1
        if progress.best_score is None or score > progress.best_score:
            progress.best_score, progress.best_epoch = score, progress.epoch
            self.best.copy_(self.step.parameters.values)
        self._take_time()
        record = {
            "epoch": progress.epoch,
            "loss": progress.loss / progress.jets,
            **judged,
            "rate": progress.rate,
            "jets_per_second": progress.jets / progress.seconds,
            "seconds": progress.seconds,
            "cpu_seconds": progress.cpu_seconds,
        }
        progress.history.append(record)
        progress.step, progress.loss, progress.jets, progress.seconds, progress.cpu_seconds = 0, 0.0, 0, 0.0, 0.0
        self._save()
        self.watcher.epoch(record, progress.best or record)

    def _score(self, judged: Mapping[str, float]) -> list[float]:
        """What the best epoch has most of: AUC, then less loss; with DisCo, the least loss with its penalty."""
        if "validation_disco" in judged and self.objective is not None:
            return [-judged["validation_loss"] - self.objective.disco * judged["validation_disco"]]
        return [judged[name] for name in ("validation_auc",) if name in judged] + [-judged["validation_loss"]]

    def _save(self) -> None:
        self._take_time()
        if self.directory is None or self.group.rank != 0:
            return
        state = Checkpoint(self.progress, self.step.parameters.values, self.best, self.adam.state())
        save_checkpoint(self.directory.folder, state, self.directory.fingerprint)
        write_history(self.directory.folder, self.progress.history)
        self._saved = time.monotonic()

    def _take_time(self) -> None:
        now, cpu = time.monotonic(), time.process_time()
        self.progress.seconds += now - self._mark
        self.progress.cpu_seconds += cpu - self._cpu_mark
        self._mark, self._cpu_mark = now, cpu

    def _resume(self, directory: RunDirectory) -> None:
        values = self.step.parameters.values
        found = load_checkpoint(directory.folder, directory.fingerprint, len(values))
        if found is None:
            return
        self.progress = found.progress
        values.copy_(found.parameters)
        self.best.copy_(found.best)
        self.adam.load_state(found.adam)

    def _diverged(self, what: str) -> TrainingError:
        return TrainingError(f"epoch {self.progress.epoch + 1}: {what}; {self._way_on()}")

    def _way_on(self) -> str:
        """What is left of a training that cannot go on, and what can be done."""
        best, again = self.progress.best_epoch, f"train with a smaller rate than {self.settings.rate:g}"
        if self.directory is None:
            return f"{f'what epoch {best} learned is kept' if best else 'nothing is learned'}; {again}"
        folder, again = self.directory.folder, f"{again} in another folder"
        if not best:
            return f"{folder} keeps the state before it, from which --resume comes to the same; {again}"
        return f"{folder} keeps the model of epoch {best}; {again}, from the beginning or --from {folder}"
