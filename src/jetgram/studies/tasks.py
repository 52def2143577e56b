"""The tasks of a study. Each has a place of its own, knows whether it is done, and how long it may take."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from jetgram.collisions.generate import finished_rows
from jetgram.collisions.settings import GenerationSettings
from jetgram.errors import SettingsError
from jetgram.evaluation.baselines import score_observables
from jetgram.evaluation.evaluate import evaluate
from jetgram.evaluation.score_files import read_scores, write_scores
from jetgram.models.card import CARD, read_card
from jetgram.models.history import history_so_far, read_history
from jetgram.models.settings import ModelSettings
from jetgram.models.store import load_model
from jetgram.networks.device import using_threads
from jetgram.storage.dataset import Dataset
from jetgram.storage.manifest import MANIFEST
from jetgram.studies.belonging import is_own_model, require_own_model, require_own_scores, stamped
from jetgram.studies.contestants import Contestant
from jetgram.studies.digests import provenance_digest
from jetgram.studies.scenarios import score_scenario
from jetgram.studies.seeds import SeedRecord
from jetgram.training.job import Job

# What one of two busy cores did in a second when the tables of the documentation were made; only the plan's times
# depend on it.
GENERATED = {"jets": 52.0, "events": 40.0}  # at one level or at all: Pythia takes the time
PREPARED = {"jets": 12_000.0, "events": 900.0}
# Jets per second of the training of recursive cells and of other networks; of one that is not listed, the slowest.
TRAINED = {
    **{"simple": 27_000.0, "gated": 3_000.0, "blend": 20_000.0, "maxout": 8_000.0},
    **{"pfn": 6_000.0, "efn": 5_500.0, "lundnet": 1_600.0, "particlenet": 900.0, "part": 450.0},
}
SLOWEST = min(TRAINED.values())
PIXELS = {"spline": 6.0, "shared": 0.6}  # of an image that are not zero, per constituent of a jet
TRAINED_PARTICLES = 900_000.0  # steps of a GRU
SCORED = {"jets": 8_000.0, "events": 2_500.0}
MEASURED = 2_000.0  # jets whose substructure is measured
JUDGED = 100_000.0  # jets whose AUC and R get bootstrap errors
START = 2.0  # seconds before a task begins


class Task(Protocol):
    """A piece of a study."""

    @property
    def group(self) -> str:
        """What it is, in a few words; the tasks of all seeds of a network have the same."""
        ...

    @property
    def share(self) -> float:
        """How much of it is done, from 0 to 1."""
        ...

    @property
    def seconds(self) -> float:
        """Time that the rest takes one core; approximate."""
        ...


@dataclasses.dataclass(frozen=True)
class Generation:
    """Datasets to be made of the same collisions, one per detector level.

    Args:
        wanted: what to make, by folder; see `jetgram.collisions.generate.generate_levels`.
    """

    wanted: Mapping[Path, GenerationSettings]

    @property
    def name(self) -> str:
        """The names of the datasets."""
        return ", ".join(folder.name for folder in self.wanted)

    @property
    def rows(self) -> int:
        """Rows of each dataset."""
        return next(iter(self.wanted.values())).rows

    @property
    def kind(self) -> str:
        """`jets` or `events`."""
        return next(iter(self.wanted.values())).sample.rows

    @property
    def group(self) -> str:
        """The datasets' names and size."""
        return f"{self.name}: {self.rows:,} {self.kind}"

    @property
    def share(self) -> float:
        """Rows on disk."""
        finished = all((folder / MANIFEST).exists() for folder in self.wanted)
        return 1.0 if finished else 0.999 * self.rows_done / self.rows

    @property
    def seconds(self) -> float:
        """Pythia's time for the rows that are missing."""
        return 0.0 if self.share == 1 else (self.rows - self.rows_done) / GENERATED[self.kind]

    @property
    def rows_done(self) -> int:
        """Rows that are there at all levels."""
        return finished_rows(self.wanted)

    def require_own(self) -> None:
        """Raise if a folder holds a dataset with other settings, e.g. made before the sample was changed."""
        for folder, settings in self.wanted.items():
            if (folder / MANIFEST).exists() and Dataset(folder).recipe != settings.model_dump(mode="json"):
                raise SettingsError(f"{folder} holds a dataset with other settings; choose another folder")


@dataclasses.dataclass(frozen=True)
class Training:
    """A network to be trained.

    Args:
        job: with its folder.
        rows: training jets or events.
        prepares: it is the first that reads its jets this way; the others find them prepared.
        needed: whether any number is missing that its model would give.
        minutes: mean of the trainings of this network that are done, if any are.
    """

    job: Job
    rows: int
    prepares: bool
    needed: bool = True
    minutes: float | None = None

    @property
    def group(self) -> str:
        """The network's key."""
        return self.job.out.parent.name

    @property
    def share(self) -> float:
        """Epochs in its history; one that broke off is done, and would break off again."""
        if not self.needed or self.trained:
            return 1.0
        return 0.99 * len(history_so_far(self.job.out)) / self.job.training.epochs

    @property
    def trained(self) -> bool:
        """Whether its model is there; another one is not its, and is refused when it is to be trained.

        Nothing is compared before the dataset is there, nor of one that is taught: its teachers may come first.
        """
        if not (self.job.out / CARD).exists():
            return False
        unknown = self.job.teacher is not None or not (self.job.dataset / MANIFEST).exists()
        return unknown or is_own_model(self.job)

    @property
    def seconds(self) -> float:
        """Of the epochs that are missing."""
        if self.share == 1:
            return 0.0
        whole = self.rows * self.job.training.epochs / training_rate(self.job.model)
        if self.minutes is not None:
            whole = 60 * self.minutes
        reading = self.rows / PREPARED[self.job.model.rows] if self.prepares else 0.0
        return START + reading + whole * (1 - self.share)

    @property
    def stopped(self) -> str:
        """Why it broke off; empty if it did not, or is not needed."""
        return why_stopped(self.job.out) if self.needed else ""


def why_stopped(folder: Path) -> str:
    """Why the training of the model in this folder broke off; empty if it did not, or is not there."""
    if not (folder / CARD).exists():
        return ""
    return str(read_card(folder).metrics.get("stopped", ""))


def training_rate(model: ModelSettings) -> float:
    """Jets, or events, per second on one core, approximately.

    Example:
        >>> training_rate(ModelSettings(cell="gated"))
        3000.0
    """
    read, trees = model.reading, len(model.input.topologies)
    items = read.get("hardest", 1)
    if items == "all":
        items = 10 if trees else 400
    if read.get("event") == "particles":
        return float(TRAINED_PARTICLES / (10 + items))
    rate = TRAINED.get(model.network.kind, TRAINED.get(model.dump().get("cell", ""), SLOWEST))
    pixels = PIXELS[read["image_chain"]] if trees and "image_chain" in read else 1.0
    return float(rate / (max(items * trees, 1) * pixels))


@dataclasses.dataclass(frozen=True)
class Scoring:
    """Test jets to be scored and judged.

    Args:
        name: the model's in the score file.
        dataset: whose test split is scored.
        file: of the scores.
        folder: of the network; of an observable, that of the file.
        contestant: who scores.
        scenario: what is done to the jets first.
        rows: test jets or events.
        settings: digest of all settings; see `jetgram.studies.digests`.
        scale: the study's.
        job: of the network's training; None for an observable.
        known: the numbers are there, from this folder or elsewhere; scores are not needed for them.
    """

    name: str
    dataset: Path
    file: Path
    folder: Path
    contestant: Contestant
    scenario: str
    rows: int
    settings: str
    scale: str
    job: Job | None = None
    known: bool = False

    @property
    def group(self) -> str:
        """The model and the scenario."""
        return self.name

    @property
    def share(self) -> float:
        """Almost done is what has been scored but not judged."""
        return 1.0 if self.known else 0.9 * self.file.exists()

    @property
    def ready(self) -> bool:
        """Whether there is something to score with: an observable, or a network whose training did not break off."""
        return self.contestant.model is None or ((self.folder / CARD).exists() and not why_stopped(self.folder))

    @property
    def seconds(self) -> float:
        """To score, unless that is done, and to judge."""
        if self.known:
            return 0.0
        judging = START + self.rows / JUDGED
        if self.file.exists():
            return judging
        if self.contestant.model is None:
            return judging + 2 * self.rows / MEASURED
        return judging + self.rows / SCORED[self.contestant.model.rows]


def run_scorings(tasks: Sequence[Scoring]) -> list[SeedRecord]:
    """Score with all seeds of a row, write and judge; in a worker with one thread. What has been scored is kept."""
    with using_threads(1):
        missing = [task for task in tasks if not task.file.exists()]
        if missing:
            _score(missing)
        return [judge_scores(task) for task in tasks]


def _score(tasks: Sequence[Scoring]) -> None:
    first = tasks[0]
    dataset, observable = Dataset(first.dataset), first.contestant.observable
    if observable is not None:
        found = [score_observables(dataset, [observable])[observable].named(first.name)]
    else:
        for task in tasks:
            assert task.job is not None
            require_own_model(task.job)
        found = score_scenario([load_model(task.folder) for task in tasks], dataset, first.scenario, first.name)
    for task, scores in zip(tasks, found, strict=True):
        task.file.parent.mkdir(parents=True, exist_ok=True)
        write_scores(task.file, stamped(scores, task.settings))


def judge_scores(task: Scoring) -> SeedRecord:
    """The numbers of a score file, with all that tells where they belong."""
    scores, dataset = read_scores(task.file), Dataset(task.dataset)
    require_own_scores(scores, dataset, task.settings, task.job)
    history = read_history(task.folder)
    return SeedRecord.of(
        evaluate([scores]).seeds[0],
        task.contestant.key,
        task.scenario,
        sum(epoch["seconds"] for epoch in history) / 60 if history else None,
        (dataset.digest, provenance_digest(dataset.provenance), task.settings),
        task.scale,
    )
