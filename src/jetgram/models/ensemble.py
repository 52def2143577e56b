r"""Several models as one: the mean of what they say.

Of classifiers it is the mean logit, $f = \frac1M \sum_m f_m$ (of several classes, of each output before the softmax):
the geometric mean of the odds. Of regressors it is the mean of the numbers. The members may differ in everything but
what they are given and what they answer.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jetgram.errors import ModelError, SettingsError
from jetgram.inputs.representation import Representation
from jetgram.joining import chunks
from jetgram.models.card import CARD, read_card
from jetgram.models.model import CHUNK, JetModel
from jetgram.models.settings import ModelSettings
from jetgram.models.store import load_model
from jetgram.momenta import Momenta
from jetgram.storage.sealed import digest_of

Array = NDArray[np.float64]

SEEDS = "seed-*"  # the models that `jetgram train --seeds` writes into a folder


@dataclasses.dataclass(frozen=True, eq=False)
class Ensemble:
    """Models whose mean is taken; it scores as a `JetModel` does.

    Args:
        members: at least one; all are given jets, or events, and have the same answers.

    Example:
        >>> from jetgram.kinematics import from_ptetaphim
        >>> from jetgram.momenta import Jets
        >>> jets = Jets.from_lists([from_ptetaphim([50.0, 40.0, 1.0], [0.0, 0.3, 0.2], [0.0, 0.1, 0.1])])
        >>> members = tuple(JetModel.untrained(ModelSettings(topology=name), jets) for name in ("kt", "ca"))
        >>> both = Ensemble(members)
        >>> both.title, both.predict(jets).shape
        ('mean of 2: simple kt, simple ca', (1, 1))
    """

    members: tuple[JetModel, ...]

    def __post_init__(self) -> None:
        if not self.members:
            raise SettingsError("an ensemble without models; expected one or more")
        first = self.members[0]
        for each in self.members:
            found, wanted = (one.settings.question for one in (each, first))
            if found != wanted:
                raise SettingsError(f"the members of an ensemble are alike; found {found}, expected {wanted}")

    @property
    def settings(self) -> ModelSettings:
        """Those of the first member: what is scored, and what the answers mean."""
        return self.members[0].settings

    @property
    def reading(self) -> ModelSettings:
        """How the first member reads jets, whose pT and mass windows go by."""
        return self.members[0].reading

    @property
    def record(self) -> Mapping[str, Any]:
        """A digest of all members, and the data of the first."""
        return {"digest": self.digest, "data": self.members[0].record.get("data")}

    @property
    def digest(self) -> str:
        """That of the files of all members; empty where one was made in memory."""
        digests = [model.digest for model in self.members]
        return digest_of({"members": digests}) if all(digests) else ""

    @property
    def other(self) -> Mapping[str, Any]:
        """What scores record of the ensemble: the titles of its members."""
        return {"ensemble": [model.title for model in self.members]}

    @property
    def title(self) -> str:
        """The ensemble in a few words, as tables call it."""
        titles = dict.fromkeys(model.title for model in self.members)
        return f"mean of {len(self.members)}: {', '.join(titles)}"

    def on(self, device: str) -> Ensemble:
        """The same members, moved; see `JetModel.on`."""
        return Ensemble(tuple(model.on(device) for model in self.members))

    def with_topology(self, topology: str) -> Ensemble:
        """The same members on other trees than they were trained on; see `JetModel.with_topology`."""
        return Ensemble(tuple(model.with_topology(topology) for model in self.members))

    def predict(self, jets: Momenta, first_jet: int = 0) -> Array:
        """The mean answers, `(jets, outputs)`; see `JetModel.predict`."""
        parts = [
            self.predict_inputs(self.reading.read(part, first_jet + begin).inputs, first_jet + begin, part)
            for begin, part in chunks(jets, CHUNK)
        ]
        return np.concatenate(parts)

    def predict_inputs(self, inputs: Representation, first: int, rows: Momenta) -> Array:
        """The same for what the first member reads of the rows, not scaled; what others read is read here, once each.

        Args:
            inputs: a few thousand jets or events at most.
            first: the number of the first, for messages.
            rows: what was read.
        """
        read = {repr(self.reading.reading): inputs}
        averaged = []
        for model in self.members:
            key = repr(model.reading.reading)
            if key not in read:
                read[key] = model.reading.read(rows, first).inputs
            averaged.append(model.network.head.averaged(model.outputs_of(read[key], first, rows)))
        return self.members[0].network.head.answers_of_mean(np.mean(averaged, axis=0))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the answers."""
        return self.members[0].names

    def named(self, answers: Array) -> dict[str, Array]:
        """The columns of what `predict` gives by their names."""
        return self.members[0].named(answers)


Scoring = JetModel | Ensemble


def load_scoring(where: Path | str) -> Scoring:
    """A model from its folder; or the ensemble of several, joined by commas, or of all seeds in a folder.

    Args:
        where: `simple-kt`, `simple-kt,gated-ca`, or a folder that `jetgram train --seeds` has filled.
    """
    models = tuple(map(load_model, _all_folders(where)))
    return models[0] if len(models) == 1 else Ensemble(models)


def member_digests(where: Path | str) -> list[str]:
    """The digests of the models that `load_scoring` would load."""
    return [read_card(folder).digest for folder in _all_folders(where)]


def _all_folders(where: Path | str) -> list[Path]:
    with contextlib.suppress(OSError):  # many names together may be longer than a path
        if (Path(where) / CARD).exists():  # also where there is a comma in its name
            return [Path(where)]
    return [folder for name in str(where).split(",") for folder in _model_folders(Path(name))]


def _model_folders(folder: Path) -> list[Path]:
    """The folder itself, or those of the seeds in it."""
    if (folder / CARD).exists():
        return [folder]
    seeds = sorted(folder.glob(SEEDS)) if folder.is_dir() else []
    unfinished = [seed for seed in seeds if not (seed / CARD).exists()]
    if unfinished:
        raise ModelError(f"{unfinished[0]} holds no finished model; train the other seeds first (--resume)")
    for seed in seeds:
        stopped = read_card(seed).metrics.get("stopped")
        if stopped:
            raise ModelError(f"the training of {seed} broke off ({stopped}); name the others, joined by commas")
    return seeds or [folder]  # what is wrong with it is said where it is loaded
