"""Calibration and mass sculpting of models, as `jetgram evaluate` prints and writes them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from jetgram.evaluation.evaluate import Evaluation, SeedResult

CALIBRATION, SCULPTING = "calibration.csv", "mass-sculpting.csv"


def trust_table(report: Evaluation) -> Table | None:
    """One row per model, means over its seeds; None where nothing is known."""
    from rich.table import Table

    from jetgram.cli.output import plain

    cut = f"1/JSD at {100 * report.efficiencies[0]:.4g} %"
    rows = [_row([seed for seed in report.seeds if seed.model == model.model]) for model in report.models]
    if not any(map(any, rows)):
        return None
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("model", overflow="fold")
    for heading in ("ECE", "stat.", "if perfect", cut, "stat.", "no sculpting"):
        table.add_column(heading, justify="right", no_wrap=True)
    for model, row in zip(report.models, rows, strict=True):
        table.add_row(plain(model.model), *row)
    return table


def _row(seeds: Sequence[SeedResult]) -> list[str]:
    """ECE, its error and that of perfect scores; 1/JSD, its error and that without sculpting; empty if not known."""
    kept = [seed for seed in seeds if not seed.dropped]
    curves = [seed.calibration for seed in kept if seed.calibration is not None]
    cuts = [seed.sculpting for seed in kept if seed.sculpting is not None]
    ece, error, floor = (_mean(getattr(each, name) for each in curves) for name in ("ece", "error", "floor"))
    inverse, limit = (_mean(getattr(each, name) for each in cuts) for name in ("inverse", "limit"))
    spread = _mean(each.error for each in cuts if each.error is not None)
    return [
        *(_shown(ece, 4), _shown_error(error, 4), _shown(floor, 4)),
        *(_shown(inverse, 1), _shown_error(spread, 1), _shown(limit, 1)),
    ]


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return sum(found) / len(found) if found else None


def _shown(value: float | None, decimals: int) -> str:
    return "" if value is None else f"{value:,.{decimals}f}"


def _shown_error(error: float | None, decimals: int) -> str:
    from jetgram.notation import plus_minus

    return "" if error is None else plus_minus(error, f",.{decimals}f")


def write_curves(seeds: Sequence[SeedResult], folder: Path) -> list[Path]:
    """Write reliability curves and mass distributions as CSV; returns the files.

    Args:
        seeds: what was judged.
        folder: where to.
    """
    from jetgram.evaluation.calibration import calibration_rows
    from jetgram.evaluation.sculpting import sculpting_rows
    from jetgram.storage import atomic

    tables = {
        CALIBRATION: calibration_rows((seed.model, seed.seed, seed.calibration) for seed in seeds),
        SCULPTING: sculpting_rows((seed.model, seed.seed, seed.sculpting) for seed in seeds),
    }
    for name, rows in tables.items():
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(rows)
        atomic.write_bytes(folder / name, text.getvalue().encode())
    return [folder / name for name in tables]
