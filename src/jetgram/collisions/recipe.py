"""What to generate: the settings of a dataset, and their cut into shards that can be made anywhere."""

from __future__ import annotations

import dataclasses
import platform
from importlib import metadata
from typing import Any, Literal, get_args

import pydantic

from jetgram.collisions.processes import Sample
from jetgram.settings import Settings
from jetgram.storage.writer import shard_file

REVISION = 2  # raised when the same recipe gives other bytes; releases that do not change them share their datasets
SHARD_ROWS = (50, 1000)  # a small dataset is cut finer, so that every core has work

Level = Literal["particles", "towers", "pflow"]
LEVELS: tuple[Level, ...] = get_args(Level)
Split = Literal["train", "test"]


class Recipe(Settings):
    """Everything that decides the bytes of a generated dataset.

    Args:
        sample: signal and background.
        rows: jets (or events) in all, half of them signal.
        seed: any integer from 0.
        level: `particles`, `towers` or `pflow`: what the detector makes of the events.
        match: where a process has bosons, keep only jets with one nearer than this; off by default, as in the paper.
        test_share: the share of rows in the test split.
    """

    sample: Sample
    rows: int = pydantic.Field(ge=2)
    seed: int = pydantic.Field(default=1, ge=0)
    level: Level = "particles"
    match: float | None = pydantic.Field(default=None, gt=0)
    test_share: float = pydantic.Field(default=0.5, ge=0, le=1)

    def at(self, level: Level) -> Recipe:
        """The same collisions, seen at another level."""
        return Recipe.create(**{**dict(self), "level": level})

    def provenance(self) -> dict[str, Any]:
        """The recipe and the versions it was followed with; nothing that changes from run to run."""
        packages = ("numpy", "awkward", "pyarrow", "fastjet", "pythia8mc")
        return {
            "recipe": self.model_dump(mode="json"),
            "versions": {"generator": REVISION, **{name: metadata.version(name) for name in packages}},
            "machine": platform.machine(),
        }

    def shards(self) -> list[ShardTask]:
        """The shards in order: exact counts, each shard balanced, each in one split."""
        test = round(self.rows * self.test_share)
        size = min(max(-(-self.rows // 16), SHARD_ROWS[0]), SHARD_ROWS[1])
        tasks: list[ShardTask] = []
        splits: tuple[tuple[Split, int], ...] = (("train", self.rows - test), ("test", test))
        for split, rows in splits:
            pieces = -(-rows // size)
            signal = rows // 2
            for piece in range(pieces):
                share = [n * (piece + 1) // pieces - n * piece // pieces for n in (signal, rows - signal)]
                tasks.append(ShardTask(self, len(tasks), split, signal=share[0], background=share[1]))
        return tasks


@dataclasses.dataclass(frozen=True)
class ShardTask:
    """One shard of a recipe: enough to make it anywhere, the same bytes every time."""

    recipe: Recipe
    index: int
    split: Split
    signal: int
    background: int

    @property
    def file(self) -> str:
        """The shard's file name."""
        return shard_file(self.split, self.index)

    @property
    def rows(self) -> int:
        """Rows of the shard."""
        return self.signal + self.background

    def provenance(self) -> dict[str, Any]:
        """The recipe's provenance and this shard's place in it."""
        place = {"index": self.index, "split": self.split, "signal": self.signal, "background": self.background}
        return {**self.recipe.provenance(), "shard": place}
