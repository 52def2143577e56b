"""What is compared: networks, each with its recipe, on the jets of one dataset.

OUT/
  comparison.json                what is compared
  prepared/                      inputs, while they are needed
  trials/pfn-0.001/epochs-005/   a short training, by which the rate is chosen
  models/pfn-0.001/seed-001/     a model directory and its scores; the rate is part of the name
  trials.csv                     the validation loss of every rate that was tried, here or elsewhere
  comparison.csv                 the numbers of every network and seed, and of ensembles
  refused.csv                    lines that do not count, each with its reason
  comparison.md, .html, .png     the table and the plot
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from jetgram.boundary import parsing
from jetgram.errors import SettingsError
from jetgram.evaluation.uncertainty import REPLICAS
from jetgram.models.recipes import TrainingSettings
from jetgram.models.settings import ModelSettings, make_settings
from jetgram.storage import atomic
from jetgram.storage.dataset import Dataset
from jetgram.storage.lock import FolderLock
from jetgram.storage.manifest import MANIFEST
from jetgram.studies.belonging import require_revision, revision_note
from jetgram.studies.compare.networks import EVERYBODY, NETWORKS, TAUGHT, TEACHERS, lineage
from jetgram.studies.compare.rates import all_rates, rates_to_try
from jetgram.studies.digests import network_digest, provenance_digest
from jetgram.studies.records import DIGITS
from jetgram.training.job import Job

IDENTITY, LOCK, MODELS, TRIALS = "comparison.json", "comparison.lock", "models", "trials"
NUMBERS, TRIED = "comparison.csv", "trials.csv"
EFFICIENCIES = (0.5, 0.3)  # of signal, at which R is wanted
SHORTER = 4  # by this factor, trials than trainings
FIRST_SEED = 1  # with it rates are tried


@dataclasses.dataclass(frozen=True)
class Comparison:
    """Networks to compare.

    Args:
        dataset: folder of the jets; training uses the split `train`, and `test` is scored once. Where all numbers are
            known it need not be there.
        out: the folder of the comparison.
        networks: names in `jetgram.studies.compare.networks`.
        rates: learning rates that are tried: that of the recipe, and others by factors of 3; from three on also the
            next ones, as long as the best is the largest or the smallest.
        seeds: the last seed that each network is trained with, at the rate that was best in the trials.
        epochs: of every training; None takes each recipe's.
        most: training jets at most; None takes all.
        trial_epochs: of the training that tries a rate, with all jets and the whole schedule in these epochs; None
            takes a quarter of those of the training.
        first: the first seed.
        merge: files of numbers or of trials from other folders and machines, whose lines count as done.

    Example:
        >>> comparison = Comparison(Path("jets"), Path("out"), ("pfn",))
        >>> comparison.rates_of("pfn")
        [0.00033, 0.001, 0.003]
    """

    dataset: Path
    out: Path
    networks: tuple[str, ...] = tuple(NETWORKS)
    rates: int = 3
    seeds: int = 1
    epochs: int | None = None
    most: int | None = None
    trial_epochs: int | None = None
    first: int = FIRST_SEED
    merge: tuple[Path, ...] = ()

    @property
    def prepared(self) -> Path:
        """Where inputs are kept while networks are trained on them."""
        return self.out / "prepared"

    @property
    def numbers(self) -> Path:
        """The file with the numbers of every network and seed."""
        return self.out / NUMBERS

    @property
    def tried(self) -> Path:
        """The file with the trials of all rates."""
        return self.out / TRIED

    @property
    def all_seeds(self) -> range:
        """The seeds of each network."""
        return range(self.first, self.seeds + 1)

    @property
    def with_teachers(self) -> tuple[str, ...]:
        """The networks, and those that others among them learn from."""
        teachers = [teacher for network in self.networks for teacher in lineage(network)[1:]]
        return tuple(dict.fromkeys([*self.networks, *teachers]))

    def settings(
        self, network: str, rate: float | None = None, seed: int = 0
    ) -> tuple[ModelSettings, TrainingSettings]:
        """Of a network, with the rate of its recipe or another."""
        changed = {"rate": rate, "epochs": self.epochs, "most": self.most}
        given = {name: value for name, value in changed.items() if value is not None}
        return make_settings(**EVERYBODY[network], seed=seed, **given)

    def rates_of(self, network: str, losses: Mapping[float, float] | None = None) -> list[float]:
        """The rates to try, from the smallest.

        Args:
            network: its name.
            losses: the validation losses that are known, by rate: they may ask for more rates.
        """
        return rates_to_try(self.recipe_rate(network), self.rates, losses or {})

    def recipe_rate(self, network: str) -> float:
        """The rate of the network's recipe."""
        return self.settings(network)[1].rate

    def job(self, network: str, rate: float, seed: int) -> Job:
        """A training; of a network that is taught, with its teachers."""
        settings, teachers = self.settings(network, rate, seed), self.teachers(network, rate)[: len(TEACHERS)]
        return Job(
            self.dataset,
            self._folder(network, rate, seed),
            *settings,
            cache=self.prepared,
            teacher=",".join(map(str, teachers)) or None,
        )

    def teachers(self, network: str, rate: float) -> list[Path]:
        """The folders of all that a network is taught by: its teachers first, then theirs."""
        return [self._folder(teacher, rate, seed) for teacher in lineage(network)[1:] for seed in TEACHERS]

    def _folder(self, network: str, rate: float, seed: int) -> Path:
        return self.out / MODELS / f"{network}-{rate:g}" / f"seed-{seed:03d}"

    def trial(self, network: str, rate: float) -> Job:
        """The training that tries a rate; one as long as the training is the training itself, with the first seed."""
        job = self.job(network, rate, FIRST_SEED)
        whole = job.training.epochs
        epochs = min(self.trial_epochs or -(-whole // SHORTER), whole)
        if epochs == whole:
            return job
        training = job.training.model_copy(update={"epochs": epochs})
        return dataclasses.replace(
            job, out=self.out / TRIALS / job.out.parent.name / f"epochs-{epochs:03d}", training=training
        )

    def trials(self, network: str, losses: Mapping[float, float] | None = None) -> dict[float, Job]:
        """The trainings that try the rates, by rate; none where there is one rate alone, or that of a teacher.

        Args:
            network: its name.
            losses: as for `rates_of`.
        """
        return self._trials_of(network, self.rates_of(network, losses))

    def possible_trials(self, network: str) -> dict[float, Job]:
        """The same for all rates that may ever be tried."""
        return self._trials_of(network, all_rates(self.recipe_rate(network)))

    def _trials_of(self, network: str, rates: Iterable[float]) -> dict[float, Job]:
        is_tried = self.rates > 1 and network not in TAUGHT
        return {rate: self.trial(network, rate) for rate in rates} if is_tried else {}

    @property
    def has_dataset(self) -> bool:
        """Whether the jets are there."""
        return (self.dataset / MANIFEST).exists()

    @property
    def data(self) -> tuple[str | None, str | None]:
        """The digests of the dataset's provenance and of its bytes, of the jets or as noted before; None: not known."""
        noted = {**self._noted, **self._identity}
        return noted.get("recipe"), noted.get("dataset")

    @contextlib.contextmanager
    def occupied(self) -> Iterator[None]:
        """Keep other runs out of the folder until the block ends; done, it is the folder of this comparison."""
        self.require_own()
        with FolderLock(self.out, SettingsError, name=LOCK):
            yield
            self.note()

    def note(self) -> None:
        """Make the folder that of this comparison: of these jets, which should have been found to be possible."""
        content = {**self._noted, **self._identity}
        atomic.write_bytes(self.out / IDENTITY, (json.dumps(content, indent=2) + "\n").encode())

    def require_own(self) -> None:
        """Raise if the folder is that of another comparison; more networks, rates or seeds are welcome.

        One that was begun without the jets names none, and goes on with any: lines of other jets do not count.
        """
        found = self._noted
        if found:
            require_revision(found, self.out)
        if any(found[name] != value for name, value in self._identity.items() if name in found):
            raise SettingsError(
                f"{self.out} holds a comparison with {found}; expected {self._identity}: choose another folder"
            )

    @property
    def _noted(self) -> dict[str, Any]:
        """What the folder says of itself."""
        file = self.out / IDENTITY
        if not file.exists():
            return {}
        with parsing(file, SettingsError):
            found = json.loads(file.read_bytes())
        if not isinstance(found, dict):
            raise SettingsError(f"{file} holds a {type(found).__name__}; expected what is compared: remove it")
        return found

    @property
    def _identity(self) -> dict[str, Any]:
        wanted: dict[str, Any] = {"epochs": self.epochs, "most": self.most, **revision_note()}
        if not self.has_dataset:
            return wanted
        dataset = Dataset(self.dataset)
        recipe = provenance_digest(dataset.provenance)
        return {"dataset": dataset.digest[:DIGITS], "recipe": recipe[:DIGITS], **wanted}


def job_digest(job: Job, network: str) -> str:
    """Of everything but dataset and seed that decides the numbers of a training."""
    _, *teachers = lineage(network)
    taught = ({"teachers": TEACHERS} if teachers else {}) | ({"lineage": teachers} if len(teachers) > 1 else {})
    return network_digest(job.model, job.training, efficiencies=EFFICIENCIES, replicas=REPLICAS, **taught)[:DIGITS]
