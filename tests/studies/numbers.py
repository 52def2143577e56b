"""Lines with numbers that are given instead of trained, e.g. the paper's own."""

import numpy as np

from jetgram.studies.judge import Line
from jetgram.studies.seeds import SeedRecord
from jetgram.studies.study import TABLES

BACKGROUND = 15_580  # jets in the window of the paper's test sample, about
TEST_ERROR = 0.0015  # of an AUC of 0.92
DIGEST = "0" * 16


def standard_values(count):
    """Values of mean 0 and standard deviation 1 (n - 1 in the denominator)."""
    values = np.linspace(-1, 1, count) if count > 1 else np.zeros(1)
    return values / values.std(ddof=1) if count > 1 else values


def line_of(row, auc, auc_spread, r, r_spread, seeds=30, test_error=TEST_ERROR):
    """A row with exactly these means and spreads over seeds, and the statistical error of the paper's test sample."""
    is_network = row.contestant.model is not None
    shifts = standard_values(seeds if is_network else 1)
    digest = {"particles": "a", "towers": "b", "pflow": "c", "events": "d", "event-towers": "e"}[
        row.contestant.data
    ] * 16
    records = [
        SeedRecord(
            key=row.contestant.key,
            scenario=row.scenario,
            seed=seed if is_network else None,
            auc=auc + (auc_spread or 0) * shift,
            auc_error=test_error,
            r=max(r + (r_spread or 0) * shift, 1.0),
            r_error=r * (r / BACKGROUND) ** 0.5,
            r_is_bound=False,
            signal=22_390,
            background=BACKGROUND,
            minutes=1.0 if is_network else None,
            dataset=digest,
            recipe=DIGEST,
            settings=DIGEST,
            version="0.1.0",
            scale="paper",
        )
        for seed, shift in enumerate(shifts, start=1)
    ]
    return Line.of(row, records, 100_000)


def paper_lines():
    """Every row with published numbers, as if we had found the same; an R that is missing is invented."""
    rows = {row.name: row for make in TABLES.values() for row in make().rows if row.published is not None}
    lines = {}
    for name, row in rows.items():
        auc, auc_spread, r, r_spread = row.published.numbers
        lines[name] = line_of(row, auc, auc_spread, 13.0 if r is None else r, r_spread)
    return lines
