"""How large a study is: from ten minutes to the paper's own size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import pydantic

from jetgram.collisions.processes import sample
from jetgram.collisions.settings import GenerationSettings, Level
from jetgram.errors import require_known
from jetgram.settings import Settings

SEED = 1  # of the collisions


class Scale(Settings):
    """The size of everything in a study.

    Args:
        name: what tables call it.
        jets: jets of each detector level, half for training and half for testing.
        events: whole events, split alike.
        seeds: trainings of each model.
        epochs: of each training.
        sizes: numbers of training jets of the data-efficiency curve, besides all there are.
        remark: what a reader of the numbers must know.
    """

    name: str
    jets: int = pydantic.Field(ge=4)
    events: int = pydantic.Field(ge=4)
    seeds: int = pydantic.Field(ge=1)
    epochs: int = pydantic.Field(default=25, ge=1)
    sizes: tuple[int, ...]
    remark: str = ""


QUICK = Scale(
    name="quick",
    jets=6_000,
    events=2_000,
    seeds=2,
    epochs=5,
    sizes=(300, 1_000),
    remark="A quick look with small samples and short trainings: the numbers are far from what the networks can do.",
)
STANDARD = Scale(
    name="standard",
    jets=200_000,
    events=200_000,
    seeds=3,
    sizes=(1_000, 3_000, 10_000, 30_000),
    remark="The paper's numbers of jets and events and its recipe, fewer seeds.",
)
PAPER = Scale(
    name="paper",
    jets=200_000,
    events=200_000,
    seeds=30,
    sizes=(1_000, 3_000, 10_000, 30_000),
)

SCALES: Mapping[str, Scale] = {scale.name: scale for scale in (QUICK, STANDARD, PAPER)}

# The datasets of the studies: sample and detector level.
DATA: Mapping[str, tuple[str, Level]] = {
    "particles": ("w-vs-qcd", "particles"),
    "towers": ("w-vs-qcd", "towers"),
    "pflow": ("w-vs-qcd", "pflow"),
    "events": ("wprime-vs-qcd", "particles"),
    "event-towers": ("wprime-vs-qcd", "towers"),
}


def find_scale(name: str) -> Scale:
    """The scale of that name.

    Example:
        >>> find_scale("quick").seeds
        2
        >>> find_scale("slow")
        Traceback (most recent call last):
        jetgram.errors.SettingsError: no scale 'slow'; there are: quick, standard, paper
    """
    require_known("no scale", name, SCALES)
    return SCALES[name]


def generation_settings(data: str, scale: Scale) -> GenerationSettings:
    """How a dataset of the studies is made at a scale.

    Example:
        >>> found = generation_settings("towers", QUICK)
        >>> found.sample.name, found.level, found.rows
        ('w-vs-qcd', 'towers', 6000)
    """
    name, level = DATA[data]
    rows = scale.events if rows_of(data) == "events" else scale.jets
    return GenerationSettings.create(sample=sample(name), rows=rows, seed=SEED, level=level)


def rows_of(data: str) -> Literal["jets", "events"]:
    """What the rows of a dataset of the studies are.

    Example:
        >>> rows_of("towers"), rows_of("event-towers")
        ('jets', 'events')
    """
    return sample(DATA[data][0]).rows
