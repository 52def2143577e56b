"""The figures of docs/beyond.md: accuracy against cost, from the lines of docs/results/comparison-*.csv alone.

Run as `python docs/figures/comparison.py [RESULTS [FIGURES]]`; it takes seconds.
"""

from __future__ import annotations

import sys
from pathlib import Path

from jetgram.plots import save_figure
from jetgram.studies.compare.pages import draw
from jetgram.studies.compare.results import read_lines

DOCS = Path(__file__).parents[1]


def draw_all(results: Path, figures: Path) -> list[Path]:
    """One picture for each file with lines; returns the pictures."""
    found = {figures / f"{file.stem}.png": read_lines(file) for file in sorted(results.glob("comparison-*.csv"))}
    drawn = {picture: lines for picture, lines in found.items() if lines}
    for picture, lines in drawn.items():
        save_figure(draw(lines), picture)
    return list(drawn)


if __name__ == "__main__":
    results, figures = (*map(Path, sys.argv[1:]), *(DOCS / "results", DOCS / "figures")[len(sys.argv) - 1 :])
    for picture in draw_all(results, figures):
        print(picture)
