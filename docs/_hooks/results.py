"""Puts tables of `jetgram reproduce` into pages: the line `<!-- results: FILE.csv -->` becomes the file's rows.

The numbers of the documentation are so the very numbers of the files beside it.
"""

import csv
import re
from pathlib import Path
from typing import Any

PLACE = re.compile(r"<!-- results: (\S+\.csv) -->")
FOLDER = Path(__file__).parents[1] / "results"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The page with its tables."""
    return PLACE.sub(lambda found: table(FOLDER / found[1]), markdown)


def table(file: Path) -> str:
    """A CSV table of `jetgram.studies` as Markdown."""
    with file.open() as opened:
        rows = list(csv.DictReader(opened))
    efficiency = "80 %" if rows[0]["key"].startswith("events") else "50 %"
    own = any(row["own_auc"] for row in rows)
    head = ["", "AUC", "paper", f"R at {efficiency}", "paper", *["AUC, own", "R, own"] * own, "seeds", "minutes"]
    lines = [f"| {' | '.join(head)} |", "|---|" + "---:|" * (len(head) - 1)]
    heading = None
    for row in rows:
        if row["heading"] != heading:
            heading = row["heading"]
            lines.append(f"| **{heading}** |" + " |" * (len(head) - 1))
        lines.append(f"| {' | '.join(cells(row, own))} |")
    return "\n".join(lines)


def cells(row: dict[str, str], own: bool) -> list[str]:
    """One line."""
    bound = "> " if row["r_is_bound"] == "1" else ""
    of = f"{int(row['seeds']) - int(row['dropped'])} of {row['seeds']}" if row["dropped"] != "0" else row["seeds"]
    return [
        row["row"],
        number(row["auc"], row["auc_spread"], 4),
        number(row["paper_auc"], row["paper_auc_spread"], 4),
        bound + number(row["r"], row["r_spread"], 1),
        number(row["paper_r"], row["paper_r_spread"], 1),
        *[number(row["own_auc"], row["own_auc_spread"], 4), number(row["own_r"], row["own_r_spread"], 1)] * own,
        of,
        number(row["minutes"], "", 1),
    ]


def number(value: str, error: str, decimals: int) -> str:
    """A mean with its spread."""
    if not value:
        return ""
    return f"{float(value):.{decimals}f}" + (f" ± {float(error):.{decimals}f}" if error else "")
