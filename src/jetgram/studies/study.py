"""A study: the tables and figures asked for, the tasks behind them, and what comes out."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

from jetgram.errors import SettingsError
from jetgram.progress import Advance, silent
from jetgram.studies.figures import Figure, all_figures
from jetgram.studies.judge import Line, judge, write_lines
from jetgram.studies.merge import Merged, collect_seeds
from jetgram.studies.plan import Plan, choose, make_plan
from jetgram.studies.refusals import REFUSED, write_refused
from jetgram.studies.scales import Scale, generation_settings
from jetgram.studies.seeds import append_seeds
from jetgram.studies.tables import Row, Table, table1, table2, table3
from jetgram.studies.variants import variants
from jetgram.studies.workspace import Workspace

TABLES: dict[str, Callable[[], Table]] = {"table1": table1, "table2": table2, "table3": table3, "variants": variants}
FIGURES = "figures"
PRODUCTS = (*TABLES, FIGURES)
ALL = "all"


@dataclasses.dataclass(frozen=True)
class Study:
    """What is to be made.

    Args:
        workspace: where, and how large.
        tables: with the rows that were chosen.
        figures: likewise.
    """

    workspace: Workspace
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...]

    @property
    def rows(self) -> list[Row]:
        """Of all tables and figures."""
        return _all_rows(self.tables, self.figures)

    @property
    def plan(self) -> Plan:
        """The tasks behind all of it that are not done."""
        return make_plan(self.workspace, self.rows)


def make_study(workspace: Workspace, wanted: Sequence[str], only: Sequence[str] = ()) -> Study:
    """The study with these products.

    Args:
        workspace: where, and how large.
        wanted: names in `PRODUCTS`, or `all`.
        only: patterns of the contestants that take part; all by default.
    """
    for name in wanted:
        if name not in (*PRODUCTS, ALL):  # a near name would be another table: say them all
            raise SettingsError(f"the paper has no {name!r} to reproduce; there are: {', '.join([*PRODUCTS, ALL])}")
    chosen = PRODUCTS if ALL in wanted else tuple(name for name in PRODUCTS if name in wanted)
    tables = [_at_scale(TABLES[name](), workspace.scale) for name in chosen if name in TABLES]
    figures = all_figures(workspace.scale) if FIGURES in chosen else []
    rows = _all_rows(tables, figures)
    if not choose(rows, only):
        keys = ", ".join(dict.fromkeys(row.contestant.key for row in rows))
        raise SettingsError(f"no row matches {' or '.join(only)}; there are: {keys}")
    tables = [dataclasses.replace(table, rows=tuple(choose(table.rows, only))) for table in tables]
    figures = [dataclasses.replace(figure, rows=tuple(choose(figure.rows, only))) for figure in figures]
    return Study(
        workspace, tuple(table for table in tables if table.rows), tuple(figure for figure in figures if figure.rows)
    )


def _at_scale(table: Table, scale: Scale) -> Table:
    """The table without rows of networks that want as many training jets as there are, or more."""
    wanted = (
        (row, row.contestant.most or 0, generation_settings(row.contestant.data, scale).rows // 2) for row in table.rows
    )
    return dataclasses.replace(table, rows=tuple(row for row, most, there in wanted if most < there))


def _all_rows(tables: Sequence[Table], figures: Sequence[Figure]) -> list[Row]:
    return [row for table in tables for row in table.rows] + [row for figure in figures for row in figure.rows]


def everything(workspace: Workspace) -> Study:
    """All tables and figures; of those without numbers nothing is printed or drawn.

    What is written into a study's folder is made from all that is there, with all seeds, not only from what was asked
    for last.
    """
    known = collect_seeds(workspace, make_study(workspace, [ALL]).rows).seeds
    return make_study(workspace.with_all_seeds(known), [ALL])


def merge_seeds(workspace: Workspace) -> Merged:
    """Put the lines of other files that count into the study's file of seeds, and write down which do not, and why."""
    merged = collect_seeds(workspace, make_study(workspace, [ALL]).rows)
    append_seeds(workspace.seeds_file, merged.records.values())
    write_refused(workspace.out / REFUSED, merged.refused)
    return merged


def judge_tables(study: Study, advance: Advance = silent) -> dict[str, list[Line]]:
    """The lines of every table, written as CSV into the study's folder; by the tables' names."""
    found, workspace = {}, study.workspace
    for table in study.tables:
        found[table.name] = judge(workspace, table.rows)
        if found[table.name]:
            write_lines(workspace.out / f"{table.name}.csv", found[table.name], workspace.scale.name)
        advance(1)
    return found


def draw_figures(study: Study, advance: Advance = silent) -> list[Path]:
    """All figures, as PNG and PDF with their numbers as CSV, in the study's folder."""
    files = []
    for figure in study.figures:
        files += figure.write(study.workspace)
        advance(1)
    return files
