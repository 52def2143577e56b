"""What is compared: networks, each with its recipe, on the jets of one dataset.

OUT/
  comparison.json                what is compared
  prepared/                      inputs, while they are needed
  trials/pfn-0.001/epochs-005/   a short training, by which the rate is chosen
  models/pfn-0.001/seed-001/     a model directory and its scores; the rate is part of the name
  comparison.csv                 the numbers of every network and seed
  comparison.md, .html, .png     the table and the plot
"""

from __future__ import annotations

import contextlib
import dataclasses
import fnmatch
import json
import math
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from jetgram.boundary import parsing
from jetgram.errors import SettingsError
from jetgram.models.card import CARD, read_card
from jetgram.models.recipes import TrainingSettings
from jetgram.models.settings import ModelSettings, make_settings
from jetgram.storage import atomic
from jetgram.storage.dataset import Dataset
from jetgram.storage.lock import FolderLock
from jetgram.storage.sealed import digest_of
from jetgram.studies.seeds import DIGITS
from jetgram.training.train import Job

IDENTITY, LOCK, MODELS, NUMBERS = "comparison.json", "comparison.lock", "models", "comparison.csv"
TRIALS = "trials"
STEP = 3.0  # from one rate that is tried to the next
SHORTER = 4  # by this factor, trials than trainings
FIRST_SEED = 1  # with it rates are tried

# By name: their settings.
NETWORKS: dict[str, dict[str, Any]] = {
    "modern": {"recipe": "modern"},
    "simple-kt": {"recipe": "paper"},
    **{name: {"recipe": name} for name in ("pfn", "efn", "lundnet", "particlenet", "part")},
}
OTHERS: dict[str, dict[str, Any]] = {
    "gated-ca": {"recipe": "paper", "cell": "gated", "topology": "ca"},
    "gated-kt": {"recipe": "paper", "cell": "gated"},
}


@dataclasses.dataclass(frozen=True)
class Comparison:
    """Networks to compare.

    Args:
        dataset: folder of the jets; training uses the split `train`, and `test` is scored once.
        out: the folder of the comparison.
        networks: names in `NETWORKS` or `OTHERS`.
        rates: learning rates that are tried: that of the recipe, and others by factors of 3.
        seeds: trainings of each network with the rate that was best in the trials.
        epochs: of every training; None takes each recipe's.
        most: training jets at most; None takes all.
        trial_epochs: of the training that tries a rate, with all jets and the whole schedule in these epochs; None
            takes a quarter of those of the training.

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

    @property
    def prepared(self) -> Path:
        """Where inputs are kept while networks are trained on them."""
        return self.out / "prepared"

    @property
    def numbers(self) -> Path:
        """The file with the numbers of every network and seed."""
        return self.out / NUMBERS

    @property
    def all_seeds(self) -> range:
        """The seeds of each network."""
        return range(FIRST_SEED, FIRST_SEED + self.seeds)

    def settings(
        self, network: str, rate: float | None = None, seed: int = 0
    ) -> tuple[ModelSettings, TrainingSettings]:
        """Of a network, with the rate of its recipe or another."""
        changed = {"rate": rate, "epochs": self.epochs, "most": self.most}
        given = {name: value for name, value in changed.items() if value is not None}
        return make_settings(**{**NETWORKS, **OTHERS}[network], seed=seed, **given)

    def settings_digest(self, network: str, rate: float) -> str:
        """Of everything but dataset and seed that decides the numbers of a network."""
        model, training = self.settings(network, rate)
        return digest_of({"model": model.dump(), "training": training.dump()})[:DIGITS]

    def rates_of(self, network: str) -> list[float]:
        """The rates to try, from the smallest."""
        middle = self.settings(network)[1].rate
        factors = (STEP ** (number - self.rates // 2) for number in range(self.rates))
        return [float(f"{middle * factor:.2g}") for factor in factors]

    def job(self, network: str, rate: float, seed: int) -> Job:
        """A training."""
        folder = self.out / MODELS / f"{network}-{rate:g}" / f"seed-{seed:03d}"
        return Job(self.dataset, folder, *self.settings(network, rate, seed), cache=self.prepared)

    def trials(self, network: str) -> dict[float, Job]:
        """The trainings that try the rates, by rate; none where there is one rate alone.

        A trial as long as the training is the training itself, with the first seed.
        """
        rates = self.rates_of(network)
        return {rate: self._trial(network, rate) for rate in rates} if len(rates) > 1 else {}

    def _trial(self, network: str, rate: float) -> Job:
        job = self.job(network, rate, FIRST_SEED)
        whole = job.training.epochs
        epochs = min(self.trial_epochs or -(-whole // SHORTER), whole)
        if epochs == whole:
            return job
        training = job.training.model_copy(update={"epochs": epochs})
        return dataclasses.replace(
            job, out=self.out / TRIALS / job.out.parent.name / f"epochs-{epochs:03d}", training=training
        )

    def best_rate(self, network: str, given_up: Collection[Path] = ()) -> float | None:
        """The rate with the smallest validation loss; None as long as one has not been tried, or where none works.

        Args:
            network: its name.
            given_up: folders of trials that failed before their first epoch was done.
        """
        trials, losses = self.trials(network), {}
        if not trials:
            return self.rates_of(network)[0]
        for rate, job in trials.items():
            if (job.out / CARD).exists():
                losses[rate] = trial_loss(job.out)
            elif job.out in given_up:
                losses[rate] = math.inf
            else:
                return None
        best = min(losses, key=losses.__getitem__)
        return best if math.isfinite(losses[best]) else None

    @contextlib.contextmanager
    def occupied(self) -> Iterator[None]:
        """Make the folder that of this comparison, and keep other runs out of it until the block ends."""
        self.require_own()
        with FolderLock(self.out, SettingsError, name=LOCK):
            atomic.write_bytes(self.out / IDENTITY, (json.dumps(self._identity, indent=2) + "\n").encode())
            yield

    def require_own(self) -> None:
        """Raise if the folder is that of another comparison; more networks, rates or seeds are welcome."""
        file = self.out / IDENTITY
        if not file.exists():
            return
        with parsing(file, SettingsError):
            found = json.loads(file.read_bytes())
        if found != self._identity:
            raise SettingsError(
                f"{self.out} holds a comparison with {found}; expected {self._identity}: choose another folder"
            )

    @property
    def _identity(self) -> dict[str, Any]:
        return {"dataset": Dataset(self.dataset).digest, "epochs": self.epochs, "most": self.most}


def trial_loss(folder: Path) -> float:
    """The validation loss of the best epoch of a model; infinite if its training broke off."""
    metrics = read_card(folder).metrics
    return math.inf if metrics.get("stopped") else float(metrics["validation_loss"])


def choose_networks(patterns: Sequence[str]) -> tuple[str, ...]:
    """The networks that match one of the patterns; the default ones without patterns.

    Example:
        >>> choose_networks(["p*"]), choose_networks(["gated-kt"])
        (('pfn', 'particlenet', 'part'), ('gated-kt',))
    """
    if not patterns:
        return tuple(NETWORKS)
    everybody = (*NETWORKS, *OTHERS)
    strange = [pattern for pattern in patterns if not fnmatch.filter(everybody, pattern)]
    if strange:
        raise SettingsError(f"no network matches {strange[0]!r}; there are: {', '.join(everybody)}")
    return tuple(name for name in everybody if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns))
