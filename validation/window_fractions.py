"""The fraction of test jets in the paper's window, of each way to read a jet, next to the counts of its authors.

Their notebooks print how many of 100,000 test jets have 250 < pT < 300 GeV and 50 <= m <= 110 GeV. pT and mass are
those of the jet that a network is given: in the frame of its subjets, trimmed before that, or the sum of the pixels of
its image. Nothing else that is public says so much about how the paper's files were made: the fractions follow from the
limits in pT-hat and from what is asked of jets and bosons.

    python validation/window_fractions.py FOLDER

FOLDER holds the datasets `particles` and `towers`, as `jetgram generate w-vs-qcd --level particles,towers --out FOLDER`
makes them. Exit code 1 if a fraction is further from the authors' than `--tolerance`.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from jetgram.cli.progress import progress
from jetgram.evaluation.selection import Window
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Jets
from jetgram.storage.dataset import Dataset

MATCHED = 1.0
AUTHORS_JETS = 100_000
TRIM = 0.05


@dataclasses.dataclass(frozen=True)
class Reading:
    """A way to read jets: the dataset, the settings of a model that reads them so, and the authors' fraction."""

    name: str
    data: str
    settings: ModelSettings
    authors: float


READINGS = (
    Reading("particles", "particles", ModelSettings(), 0.3797),
    Reading("particles, trimmed", "particles", ModelSettings(trim=TRIM), 0.2493),
    Reading("towers", "towers", ModelSettings(), 0.2941),
    Reading("images of towers", "towers", ModelSettings(input="pixels"), 0.1809),
)


@dataclasses.dataclass(frozen=True, eq=False)
class Found:
    """Of each test jet: its class, whether it is in the window, whether its boson is near; `(jets,)` each."""

    signal: NDArray[np.bool_]
    inside: NDArray[np.bool_]
    matched: NDArray[np.bool_]

    def fraction(self, label: bool | None = None) -> float:
        """Of all jets, or of one class, in the window."""
        return float(self.inside[slice(None) if label is None else self.signal == label].mean())

    def truth(self, inside: bool) -> float:
        """Of the signal jets, or of those in the window, that are truth-matched."""
        return float(self.matched[self.signal & (self.inside if inside else True)].mean())

    def sigma(self, authors: float) -> float:
        """The statistical error of the difference to the authors' fraction."""
        ours = self.fraction()
        return math.sqrt(ours * (1 - ours) / len(self.inside) + authors * (1 - authors) / AUTHORS_JETS)


def measure(reading: Reading, root: Path) -> Found:
    """Read the test jets shard by shard."""
    dataset, window = Dataset(root / reading.data), Window()
    parts: list[Found] = []
    rows = sum(shard.rows for shard in dataset.shards("test"))
    with progress(reading.name, rows, "jets") as advance:
        for jets in dataset.stream("test", columns=("label", "boson_dr")):
            assert isinstance(jets, Jets)
            read = reading.settings.tree_input.leaves(jets)
            inside = window.contains(read.pt, read.mass)
            parts.append(Found(jets.columns["label"] == 1, inside, jets.columns["boson_dr"] < MATCHED))
            advance(len(jets))
    return Found(
        *(np.concatenate([getattr(part, field.name) for part in parts]) for field in dataclasses.fields(Found))
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 beyond the tolerance."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tolerance", type=float, default=0.02, help="of a fraction; default 0.02")
    chosen = parser.parse_args(arguments)
    table = Table(title="Test jets with 250 < pT < 300 GeV, 50 <= m <= 110 GeV")
    for heading in ("jets read as", "all", "authors", "difference", "signal", "background", "truth-matched", "of all"):
        table.add_column(heading, justify="left" if heading == "jets read as" else "right")
    good = True
    for reading in READINGS:
        found = measure(reading, chosen.folder)
        difference, sigma = found.fraction() - reading.authors, found.sigma(reading.authors)
        good &= abs(difference) <= chosen.tolerance
        table.add_row(
            reading.name,
            *(f"{100 * value:.2f} %" for value in (found.fraction(), reading.authors)),
            f"{100 * difference:+.2f} ± {100 * sigma:.2f}",
            *(f"{100 * found.fraction(label):.1f} %" for label in (True, False)),
            *(f"{100 * found.truth(inside):.1f} %" for inside in (True, False)),
        )
    console = Console()
    console.print(table)
    console.print(
        f"truth-matched: signal jets in the window, and of all, with the W at ΔR < {MATCHED:g}; errors: both samples'"
    )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
