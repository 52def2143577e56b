r"""What to generate: the settings of a dataset, and their cut into shards that can be made anywhere.

Other parton showers of the same hard processes show whether what a tagger learned from one holds in another:

| shower | | $\alpha_s(m_Z)$ |
|---|---|---|
| `pythia` | Pythia's own ("simple") shower, ordered in pT, with the Monash tune | 0.1365 |
| `vincia` | Vincia's sector antenna shower, with Vincia's own tune of hadronisation and multiple interactions | 0.118 |

The two couplings are of different schemes (Vincia's is translated to the CMW scheme inside) and cannot be compared; a
variation is relative to the shower's own. Dire, the third of Pythia 8.3, was removed from Pythia with version 8.316.
"""

from __future__ import annotations

import dataclasses
import platform
from collections.abc import Mapping
from importlib import metadata
from typing import Any, ClassVar, Literal, get_args

import pydantic

from jetgram.collisions.processes import Level as Level
from jetgram.collisions.processes import Process, Sample
from jetgram.settings import GrownSettings
from jetgram.storage.writer import shard_file

Shower = Literal["pythia", "vincia"]

_LINES: Mapping[Shower, tuple[str, ...]] = {
    "pythia": (),
    "vincia": ("PartonShowers:model = 2", "Vincia:tune = 0", "Print:verbosity = 0"),  # without its banner
}
_COUPLINGS: Mapping[Shower, tuple[str, ...]] = {
    "pythia": ("TimeShower:alphaSvalue", "SpaceShower:alphaSvalue"),
    "vincia": ("Vincia:alphaSvalue",),
}


def shower_settings(shower: Shower = "pythia", alpha_s: float | None = None) -> tuple[str, ...]:
    """Lines of Pythia settings; none for Pythia's defaults.

    Args:
        shower: the name of the shower.
        alpha_s: coupling at the Z mass, for initial- and final-state radiation; None leaves the shower's own.

    Example:
        >>> shower_settings(), shower_settings(alpha_s=0.12)
        ((), ('TimeShower:alphaSvalue = 0.12', 'SpaceShower:alphaSvalue = 0.12'))
        >>> shower_settings("vincia")
        ('PartonShowers:model = 2', 'Vincia:tune = 0', 'Print:verbosity = 0')
    """
    couplings = () if alpha_s is None else tuple(f"{name} = {alpha_s}" for name in _COUPLINGS[shower])
    return (*_LINES[shower], *couplings)


REVISION = 2  # raised when the same settings give other bytes; releases that do not change them share their datasets
SHARD_ROWS = (50, 1000)  # a small dataset is cut finer, so that every core has work

LEVELS: tuple[Level, ...] = get_args(Level)
Split = Literal["train", "test"]


class GenerationSettings(GrownSettings):
    """Everything that decides the bytes of a generated dataset.

    Args:
        sample: signal and background.
        rows: jets (or events) in all, half of them signal.
        seed: any integer from 0.
        level: `particles`, `towers` or `pflow`: what the detector makes of the events; the sample's own by default.
        match: where a process has truth particles, keep only jets with one nearer than this; off by default.
        test_share: the fraction of rows in the test split.
        shower: the parton shower, `pythia` or `vincia`.
        alpha_s: strong coupling of the initial- and final-state showers at the Z mass; None leaves the shower's own.
    """

    later: ClassVar[tuple[str, ...]] = ("shower", "alpha_s")

    sample: Sample
    rows: int = pydantic.Field(ge=2)
    seed: int = pydantic.Field(default=1, ge=0)
    level: Level = pydantic.Field(
        default_factory=lambda known: known["sample"].level if "sample" in known else LEVELS[0]
    )
    match: float | None = pydantic.Field(default=None, gt=0)
    test_share: float = pydantic.Field(default=0.5, ge=0, le=1)
    shower: Shower = "pythia"
    alpha_s: float | None = pydantic.Field(default=None, ge=0.06, le=0.25)

    @pydantic.field_validator("shower", mode="before")
    @classmethod
    def _not_dire(cls, value: Any) -> Any:
        if value == "dire":
            raise ValueError("Pythia has no Dire since version 8.316; expected 'pythia' or 'vincia'")
        return value

    @pydantic.model_validator(mode="after")
    def _jets_to_match(self) -> GenerationSettings:
        if self.match is not None and self.sample.rows == "events":
            raise ValueError(f"match is about jets; the rows of {self.sample.name} are events, leave it out")
        return self

    def process(self, label: int) -> Process:
        """The process of a class, with the shower of these settings."""
        process = self.sample.signal if label == 1 else self.sample.background
        return process.with_settings(shower_settings(self.shower, self.alpha_s))

    def at(self, level: str) -> GenerationSettings:
        """The same collisions, seen at another level."""
        return GenerationSettings.create(**{**dict(self), "level": level})

    def provenance(self) -> dict[str, Any]:
        """The settings and the versions of all packages involved; nothing that changes from run to run."""
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
    """One shard of a dataset: enough to make it anywhere, the same bytes every time."""

    settings: GenerationSettings
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
        """The provenance of the dataset, and which shard of it this is."""
        shard = {"index": self.index, "split": self.split, "signal": self.signal, "background": self.background}
        return {**self.settings.provenance(), "shard": shard}
