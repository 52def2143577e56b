"""The folder of a study: where everything is, and what each part of it is made with.

OUT/
  study.json                              the scale
  data/particles/                         a dataset
  prepared/                               trees and features, while they are needed
  models/particles-simple-kt/
    seed-001/                             a model directory, and its scores:
      scores-nominal.parquet
      scores-collinear10.parquet
  seeds.csv                               the numbers of every finished seed, and those that were merged
  table1.csv, figures/, report.html
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from jetgram.boundary import parsing
from jetgram.errors import SettingsError
from jetgram.models.recipes import TrainingSettings
from jetgram.storage import atomic
from jetgram.storage.lock import FolderLock
from jetgram.studies.belonging import require_revision, revision_note
from jetgram.studies.contestants import Contestant
from jetgram.studies.digests import settings_digest
from jetgram.studies.scales import Scale, generation_settings
from jetgram.studies.seeds import SEEDS
from jetgram.studies.tables import Row
from jetgram.studies.tasks import Generation, Scoring, Training
from jetgram.training.job import Job

STUDY = "study.json"
LOCK = "study.lock"
MODELS = "models"


@dataclasses.dataclass(frozen=True)
class Workspace:
    """A study's folder, scale and seeds.

    Args:
        out: the folder.
        scale: the size of everything.
        seeds: the last seed that each model is trained with.
        first: the first one.
        merge: files of seeds from other folders and machines, whose numbers count as done.
    """

    out: Path
    scale: Scale
    seeds: int
    first: int = 1
    merge: tuple[Path, ...] = ()

    def require_own(self) -> None:
        """Raise if the folder is that of a study at another scale: what is done there is not what is wanted here."""
        file = self.out / STUDY
        if not file.exists():
            return
        with parsing(file, SettingsError):
            found = json.loads(file.read_bytes())
        if isinstance(found, dict):
            require_revision(found, self.out)
        if found != self._identity:
            name = found.get("name") if isinstance(found, dict) else None
            raise SettingsError(
                f"{self.out} holds a study at the scale {name!r}, of other sizes; choose another folder for "
                f"{self.scale.name!r}"
            )

    @contextlib.contextmanager
    def occupied(self) -> Iterator[None]:
        """Make the folder that of a study at this scale, and keep other runs out of it until the block ends.

        Two runs would train the same networks into the same folders.
        """
        self.require_own()
        with FolderLock(self.out, SettingsError, name=LOCK):
            atomic.write_bytes(self.out / STUDY, (json.dumps(self._identity, indent=2) + "\n").encode())
            yield

    @property
    def _identity(self) -> dict[str, object]:
        """What decides the numbers, besides the seeds, of which there can be more later."""
        sizes = self.scale.model_dump(mode="json", include={"name", "jets", "events", "epochs", "sizes"})
        return {**sizes, **revision_note()}

    @property
    def prepared(self) -> Path:
        """Where trees are kept while networks are trained on them."""
        return self.out / "prepared"

    @property
    def seeds_file(self) -> Path:
        """Where the numbers of seeds are kept."""
        return self.out / SEEDS

    def dataset(self, data: str) -> Path:
        """The folder of a dataset."""
        return self.out / "data" / data

    def seeds_of(self, contestant: Contestant) -> Sequence[int | None]:
        """The seeds to train; an observable has none, and is there once."""
        return [None] if contestant.model is None else range(self.first, self.seeds + 1)

    def with_all_seeds(self, known: Collection[int]) -> Workspace:
        """The same with every seed that was wanted, is in the folder, or is known from elsewhere."""
        found = (folder.name.removeprefix("seed-") for folder in self.out.glob(f"{MODELS}/*/seed-*"))
        there = {*known, *(int(seed) for seed in found if seed.isdecimal())}
        return dataclasses.replace(self, first=min({self.first, *there}), seeds=max({self.seeds, *there}))

    def folder(self, contestant: Contestant, seed: int | None) -> Path:
        """Of one training, or of an observable."""
        folder = self.out / MODELS / contestant.key
        return folder if seed is None else folder / f"seed-{seed:03d}"

    def generation(self, data: Sequence[str]) -> Generation:
        """The task of making datasets of the same collisions."""
        return Generation({self.dataset(name): generation_settings(name, self.scale) for name in data})

    def training_settings(self, contestant: Contestant, seed: int = 0) -> TrainingSettings:
        """How a network is trained.

        With `all_steps` few jets are seen as many times more often as there are more jets in all, and the rate falls
        from step to step as with all of them.
        """
        training = TrainingSettings(seed=seed, epochs=self.scale.epochs, most=contestant.most)
        if not contestant.all_steps or contestant.most is None:
            return training
        times = self._rows(contestant) / contestant.most
        changes = {"epochs": round(training.epochs * times), "decay": training.decay ** (1 / times)}
        return training.model_copy(update=changes)

    def _rows(self, contestant: Contestant) -> int:
        """Of the training split, and of the test split."""
        return generation_settings(contestant.data, self.scale).rows // 2

    def job(self, contestant: Contestant, seed: int | None) -> Job | None:
        """The training of a network; None for an observable."""
        if contestant.model is None or seed is None:
            return None
        training, folder = self.training_settings(contestant, seed), self.folder(contestant, seed)
        return Job(self.dataset(contestant.data), folder, contestant.model, training, cache=self.prepared)

    def training(
        self,
        contestant: Contestant,
        seed: int,
        needed: bool = True,
        prepares: bool = True,
        minutes: float | None = None,
    ) -> Training:
        """The task of training a network.

        Args:
            contestant: the network.
            seed: of the training.
            needed: whether it is needed; see `Training`, as for the following.
            prepares: whether it reads the dataset.
            minutes: what it takes, if that is known.
        """
        rows, job = self._rows(contestant), self.job(contestant, seed)
        assert job is not None
        return Training(job, min(rows, contestant.most or rows), prepares, needed, minutes)

    def scoring(self, row: Row, seed: int | None, known: bool = False) -> Scoring:
        """The task of scoring the test jets of a row.

        Args:
            row: the row.
            seed: of the network; None for an observable.
            known: whether the numbers are there already.
        """
        contestant = row.contestant
        folder = self.folder(contestant, seed)
        return Scoring(
            name=row.name,
            dataset=self.dataset(contestant.data),
            file=folder / f"scores-{row.scenario.replace(' ', '-')}.parquet",
            folder=folder,
            contestant=contestant,
            scenario=row.scenario,
            rows=self._rows(contestant),
            settings=settings_digest(contestant, row.scenario, self.training_settings(contestant)),
            scale=self.scale.name,
            job=self.job(contestant, seed),
            known=known,
        )
