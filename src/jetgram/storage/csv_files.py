"""CSV files: cells separated by commas, a newline alone at the end of each line, whole or not there."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from jetgram.storage import atomic

Rows = Iterable[Iterable[object]]


def csv_text(rows: Rows) -> str:
    r"""Rows as the text of a CSV file; None is an empty cell.

    Example:
        >>> csv_text([["model", "auc"], ["gated, kt", 0.916], ["simple", None]])
        'model,auc\n"gated, kt",0.916\nsimple,\n'
    """
    text = io.StringIO()
    # Python's own default is \r\n: the same rows give the same bytes on every system.
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def write_csv(path: Path, rows: Rows) -> None:
    """Write a CSV file so that a crash at any moment leaves the old file or the new one, never a part."""
    atomic.write_bytes(path, csv_text(rows).encode())
