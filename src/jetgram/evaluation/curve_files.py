"""The curves behind an evaluation as CSV files: reliability, and masses of background jets before and after the cut."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jetgram.evaluation.calibration import calibration_rows
from jetgram.evaluation.evaluate import SeedResult
from jetgram.evaluation.sculpting import sculpting_rows
from jetgram.storage.csv_files import write_csv

CALIBRATION, SCULPTING = "calibration.csv", "mass-sculpting.csv"


def write_curves(seeds: Sequence[SeedResult], folder: Path) -> list[Path]:
    """Write reliability curves and mass distributions as CSV; returns the files.

    Args:
        seeds: what was judged.
        folder: where to.
    """
    tables = {
        CALIBRATION: calibration_rows((seed.model, seed.seed, seed.calibration) for seed in seeds),
        SCULPTING: sculpting_rows((seed.model, seed.seed, seed.sculpting) for seed in seeds),
    }
    for name, rows in tables.items():
        write_csv(folder / name, rows)
    return [folder / name for name in tables]
