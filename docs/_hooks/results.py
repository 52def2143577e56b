"""Puts the results of `jetgram reproduce` and `jetgram compare` into pages: the very numbers of the files.

`<!-- results: FILE.csv -->` becomes the rows of a table. `<!-- referee: table1 -->` becomes a table of the paper with
every number next to ours, `<!-- referee: statements -->` its statements with our verdicts, and
`<!-- referee: summary -->` a sentence; these are made from `seeds.csv`, with the numbers of every seed.
`<!-- comparison: SAMPLE -->` becomes the table and the picture of `comparison-SAMPLE.csv`, from lines of every seed.
"""

import csv
import functools
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from jetgram.studies import referee
from jetgram.studies.compare.results import has_window, read_lines
from jetgram.studies.judge import Line
from jetgram.studies.seeds import SEEDS

RESULTS = re.compile(r"<!-- results: (\S+\.csv) -->")
REFEREE = re.compile(r"<!-- referee: (\w+) -->")
COMPARISON = re.compile(r"<!-- comparison: (\S+) -->")
FOLDER = Path(__file__).parents[1] / "results"
# Of a comparison; the others are in its own table.
SHOWN = (
    *("network", "parameters", "seeds", "AUC", "AUC - best", "R50", "R50 / best", "R30"),
    *("training CPU-s", "network jets/s", "jets/s"),
)
ERRORS = "± is the standard deviation over seeds; of one seed or an ensemble it is the statistical error (bootstrap)."
NO_COMPARISON = "No numbers of a full comparison are kept here yet; the commands below give them."


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The page with its tables."""
    markdown = RESULTS.sub(lambda found: table(FOLDER / found[1]), markdown)
    markdown = REFEREE.sub(lambda found: referee_part(found[1], lines_of(FOLDER / SEEDS)), markdown)
    return COMPARISON.sub(lambda found: comparison_part(found[1]), markdown)


def comparison_part(name: str) -> str:
    """A comparison: its sample, its table, and its picture if that was drawn; a sentence where no line is of today."""
    file = FOLDER / f"comparison-{name}.csv"
    lines = read_lines(file) if file.exists() else []
    if not lines:
        return NO_COMPARISON
    first, picture = lines[0].records[0], FOLDER.parent / "figures" / f"{file.stem}.png"
    parts = [
        f"`{name}`: {first.training_jets:,} jets to train with, {first.signal:,} signal "
        f"and {first.background:,} background jets in {'the window of ' if has_window(lines) else ''}the test sample.",
        markdown_table(SHOWN, [[line.cells[name] for name in SHOWN] for line in lines]),
        ERRORS,
    ]
    if picture.exists():
        parts.append(f"![R50 against the cost of training and of inference](figures/{picture.name})")
    return "\n\n".join(parts)


@functools.cache
def lines_of(file: Path) -> dict[str, Line]:
    """The rows with numbers in a file of seeds."""
    return referee.read_lines(file)


def referee_part(name: str, lines: dict[str, Line]) -> str:
    """A part of the page for referees as Markdown."""
    if name == "summary":
        return str(referee.summarise(lines))
    if name == "statements":
        rows = [
            [section, text, f"**{verdict.word}**", "<br>".join(verdict.evidence)]
            for section, text, verdict in referee.decided(lines)
        ]
        return markdown_table(referee.STATEMENTS_HEAD, rows, numbers=False)
    (chosen,) = (each for each in referee.published_tables() if each.name == name)
    return markdown_table(referee.NUMBERS_HEAD, referee.number_rows(chosen, lines))


def table(file: Path) -> str:
    """A CSV table of `jetgram.studies` as Markdown."""
    with file.open() as opened:
        rows = list(csv.DictReader(opened))
    efficiency = "80 %" if rows[0]["key"].startswith("events") else "50 %"
    lines: list[list[str]] = []
    heading = None
    for row in rows:
        if row["heading"] != heading:
            heading = row["heading"]
            lines.append([heading])
        lines.append(cells(row))
    return markdown_table(["", "AUC", "paper", f"R at {efficiency}", "paper", "seeds", "minutes"], lines)


def cells(row: dict[str, str]) -> list[str]:
    """One line."""
    bound = "> " if row["r_is_bound"] == "1" else ""
    of = f"{int(row['seeds']) - int(row['dropped'])} of {row['seeds']}" if row["dropped"] != "0" else row["seeds"]
    return [
        row["row"],
        number(row["auc"], row["auc_spread"], 4),
        number(row["paper_auc"], row["paper_auc_spread"], 4),
        bound + number(row["r"], row["r_spread"], 1),
        number(row["paper_r"], row["paper_r_spread"], 1),
        of,
        number(row["minutes"], "", 1),
    ]


def number(value: str, error: str, decimals: int) -> str:
    """A mean with its spread."""
    if not value:
        return ""
    return f"{float(value):.{decimals}f}" + (f" ± {float(error):.{decimals}f}" if error else "")


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]], numbers: bool = True) -> str:
    """A table; a row of one cell is a heading."""
    width = len(head)
    lines = [f"| {' | '.join(head)} |", "|---|" + ("---:|" if numbers else "---|") * (width - 1)]
    for row in rows:
        lines.append(f"| **{row[0]}** |" + " |" * (width - 1) if len(row) == 1 else f"| {' | '.join(row)} |")
    return "\n".join(lines)
