"""Puts the results of `jetgram reproduce` and `jetgram compare` into pages: the very numbers of the files.

`<!-- results: FILE.csv -->` becomes the rows of a table. `<!-- referee: table1 -->` becomes a table of the paper with
every number next to ours, `<!-- referee: statements -->` its statements with our verdicts, and
`<!-- referee: summary -->` a sentence; these are made from `seeds.csv`, with the numbers of every seed.
`<!-- comparison: SAMPLE -->` becomes the table and the picture of `comparison-SAMPLE.csv`, from lines of every seed,
`<!-- paired: SAMPLE NETWORK -->` all single networks of that file relative to one of them, and
`<!-- samples: SAMPLE SAMPLE ... -->` the accuracy of all single networks on several samples.
"""

import csv
import functools
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from jetgram.notation import measured, with_error
from jetgram.studies import referee
from jetgram.studies.compare.pages import told_processors
from jetgram.studies.compare.results import Line as Compared
from jetgram.studies.compare.results import has_window, next_to, read_lines, relative_speed
from jetgram.studies.judge import Line
from jetgram.studies.seeds import SEEDS

RESULTS = re.compile(r"<!-- results: (\S+\.csv) -->")
REFEREE = re.compile(r"<!-- referee: (\w+) -->")
COMPARISON = re.compile(r"<!-- comparison: (\S+) -->")
PAIRED = re.compile(r"<!-- paired: (\S+) (\S+) -->")
SAMPLES = re.compile(r"<!-- samples: ([^>]+) -->")
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
    markdown = COMPARISON.sub(lambda found: comparison_part(found[1]), markdown)
    markdown = PAIRED.sub(lambda found: paired_part(found[1], found[2]), markdown)
    return SAMPLES.sub(lambda found: samples_part(found[1].split()), markdown)


def comparison_part(name: str) -> str:
    """A comparison: its sample, its table, and its picture if that was drawn; a sentence where no line is of today."""
    file = comparison_file(name)
    lines = compared(name)
    if not lines:
        return NO_COMPARISON
    first, picture = lines[0].records[0], FOLDER.parent / "figures" / f"{file.stem}.png"
    parts = [
        f"`{name}`: {first.training_jets:,} jets to train with, {first.signal:,} signal "
        f"and {first.background:,} background jets in {'the window of ' if has_window(lines) else ''}the test sample.",
        markdown_table(SHOWN, [[line.cells[name] for name in SHOWN] for line in lines]),
        ERRORS + told_processors(lines),
    ]
    if picture.exists():
        parts.append(f"![R50 against the cost of training and of inference](figures/{picture.name})")
    return "\n\n".join(parts)


def paired_part(sample: str, network: str) -> str:
    """Every single network next to one: differences and ratios with their errors, in their standard deviations too."""
    lines = [line for line in compared(sample) if not line.is_ensemble]
    reference = next((line for line in lines if line.network == network), None)
    if reference is None:
        return NO_COMPARISON
    rows = []
    for line in (next_to(reference, line) for line in lines if line is not reference):
        speed, cells = relative_speed(line, reference), [line.title, str(len(line.records))]
        for number, form, same in ((line.difference, ".4f", 0.0), (line.ratio, ".2f", 1.0)):
            if number is None:
                cells += ["", ""]
            else:
                cells += [with_error(f"{number.value:z{form}}".replace("-", "− "), number.error, form)]
                cells += [f"{abs(number.value - same) / number.error:.0f} σ"]
        rows.append([*cells, "" if speed is None else f"{1 / speed:.2g}"])
    title = reference.title
    head = ("network", "seeds", f"AUC − {title}", "", f"R50 / {title}", "", f"jets/s, {title} / network")
    return markdown_table(head, rows)


def samples_part(samples: Sequence[str]) -> str:
    """AUC and R50 of all single networks on several samples, in the order of the first; with the number of seeds."""
    found = {sample: {line.network: line for line in compared(sample) if not line.is_ensemble} for sample in samples}
    networks = dict.fromkeys(network for lines in found.values() for network in lines)
    rows = []
    for network in networks:
        lines = [found[sample].get(network) for sample in samples]
        (first, *_) = (line for line in lines if line is not None)
        rows.append([first.title, f"{first.records[0].parameters:,}", *map(accuracy, lines)])
    return markdown_table(("AUC, R at 50 % (seeds)", "parameters", *samples), rows)


def accuracy(line: Compared | None) -> str:
    """AUC and R50 in one cell, with the spread over seeds where there are several."""
    if line is None:
        return "–"
    several = len(line.records) > 1
    auc, r50 = (
        measured(line.spread(name).mean, line.error(name) if several else None, decimals)
        for name, decimals in (("auc", 4), ("r50", 0 if line.spread("r50").mean > 50 else 1))
    )
    return f"{auc}, {r50} ({len(line.records)})"


def comparison_file(sample: str) -> Path:
    """With the lines of a comparison."""
    return FOLDER / f"comparison-{sample}.csv"


def compared(sample: str) -> list[Compared]:
    """The lines of a comparison that are of today; none where there is no file."""
    file = comparison_file(sample)
    return read_lines(file) if file.exists() else []


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
