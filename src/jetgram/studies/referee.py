"""Every number and every statement of the paper next to ours, as tables of text."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from pathlib import Path

from jetgram.evaluation.pair import FAR, Pair
from jetgram.evaluation.uncertainty import Spread
from jetgram.notation import with_error
from jetgram.studies.digests import settings_digest
from jetgram.studies.judge import Line
from jetgram.studies.records import DIGITS
from jetgram.studies.scales import PAPER, STANDARD, generation_settings
from jetgram.studies.seeds import SeedRecord, read_seeds
from jetgram.studies.statements import STATEMENTS
from jetgram.studies.study import TABLES
from jetgram.studies.tables import Row, Table
from jetgram.studies.verdicts import Lines, Verdict
from jetgram.studies.workspace import Workspace

PUBLISHED = ("table1", "table2", "table3")
NOT_RUN = "not run"
MISSING = "–"
NUMBERS_HEAD = ("", "AUC", "paper", "difference", "R", "paper", "difference", "seeds")
STATEMENTS_HEAD = ("section", "statement", "", "the numbers that decide")


@dataclasses.dataclass(frozen=True)
class Summary:
    """How far the comparison has come.

    Args:
        rows: the paper's.
        run: those with a number of ours.
        far: names of those of which AUC or R is more than 3 sigma from the paper's.
    """

    rows: int
    run: int
    far: tuple[str, ...]

    def __str__(self) -> str:
        limit = f"{FAR:g} σ"
        if not self.run:
            return f"None of the paper's {self.rows} rows has been run yet."
        far = ", ".join(f"`{name}`" for name in self.far) or "none"
        return f"{self.run} of the paper's {self.rows} rows have been run. Beyond {limit} in AUC or R: {far}."


def read_lines(file: Path) -> dict[str, Line]:
    """The lines of all rows in a file of seeds, by the names of the rows; none where there is no file.

    Only what is of the paper's size, of the settings of today, and of one dataset per level counts; of two records of
    one training the first. Datasets themselves are not asked for: the file may be read where none can be made.
    """
    rows = {row.name: row for make in reversed(TABLES.values()) for row in make().rows}
    datasets: dict[str, str] = {}
    found: dict[str, dict[int | None, SeedRecord]] = {}
    for _, record in read_seeds(file) if file.exists() else ():
        if isinstance(record, SeedRecord) and record.name in rows and _is_current(record, rows[record.name]):
            data = rows[record.name].contestant.data
            if datasets.setdefault(data, record.dataset) == record.dataset:
                found.setdefault(record.name, {}).setdefault(record.seed, record)
    return {
        name: Line.of(
            rows[name], list(records.values()), generation_settings(rows[name].contestant.data, STANDARD).rows // 2
        )
        for name, records in found.items()
    }


def _is_current(record: SeedRecord, row: Row) -> bool:
    training = Workspace(Path(), STANDARD, 1).training_settings(row.contestant)
    expected = settings_digest(row.contestant, row.scenario, training)[:DIGITS]
    return record.settings == expected and record.scale in (STANDARD.name, PAPER.name)


def lines_by_name(tables: Iterable[Sequence[Line]]) -> dict[str, Line]:
    """The lines of several tables; of a row in several of them the one with the paper's numbers."""
    lines = [line for table in tables for line in table]
    return {line.row.name: line for line in sorted(lines, key=lambda line: line.row.published is not None)}


def published_tables() -> list[Table]:
    """The paper's tables, only with the rows that have published numbers."""
    tables = [TABLES[name]() for name in PUBLISHED]
    return [
        dataclasses.replace(table, rows=tuple(row for row in table.rows if row.published is not None))
        for table in tables
    ]


def summarise(lines: Lines) -> Summary:
    """How many rows are there, and which are far from the paper's."""
    rows = [row for table in published_tables() for row in table.rows]
    found = [lines[row.name] for row in rows if row.name in lines]
    far = dict.fromkeys(line.row.name for line in found if any(_is_far(pair) for pair in (line.auc, line.rejection)))
    return Summary(len(rows), len(found), tuple(far))


def number_rows(table: Table, lines: Lines) -> list[list[str]]:
    """A table of the paper: every number next to ours, under `NUMBERS_HEAD`; headings are rows of one cell."""
    rows: list[list[str]] = []
    heading = None
    for row in table.rows:
        if row.heading != heading:
            heading = row.heading
            rows.append([heading])
        rows.append(_numbers(row, lines.get(row.name)))
    return rows


def _numbers(row: Row, line: Line | None) -> list[str]:
    published = row.published
    assert published is not None
    digits = 1 if published.rejection_error is not None else 2
    if line is None:
        auc = Spread(published.auc, published.auc_error, 1).text(4)
        r = published.rejection
        of_r = MISSING if r is None else Spread(r, published.rejection_error, 1).text(digits)
        return [row.title, NOT_RUN, auc, "", NOT_RUN, of_r, "", "0"]
    line = dataclasses.replace(line, row=row)  # the same row may stand in another table, with other numbers
    return [row.title, *_pair(line.auc, 4), *_pair(line.rejection, digits), line.seeds]


def _pair(pair: Pair, decimals: int) -> list[str]:
    difference = ""
    if pair.sigmas is not None and pair.ours is not None and pair.paper is not None:
        value = pair.ours.mean - pair.paper.mean
        difference = with_error(f"{value:+z.{decimals}f}", pair.error, f".{decimals}f") + f" ({pair.sigmas:+z.1f} σ)"
        if _is_far(pair):
            difference = f"**{difference}**"
    ours = pair.ours.text(decimals, pair.is_bound) if pair.ours else MISSING
    return [ours, pair.paper.text(decimals) if pair.paper else MISSING, difference]


def _is_far(pair: Pair) -> bool:
    return pair.sigmas is not None and abs(pair.sigmas) > FAR


def decided(lines: Lines) -> list[tuple[str, str, Verdict]]:
    """Every statement: section, text and verdict."""
    return [(each.section, each.text, each.claim.decide(lines)) for each in STATEMENTS]
