"""How commands print results, for programs and for readers, and make sure that they can write them."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from jetgram.errors import SettingsError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

WIDE = 200


def print_json(result: Any) -> None:
    """Print a dataclass, or anything that JSON can hold, with numpy numbers and arrays as plain ones."""
    content = (
        dataclasses.asdict(result) if dataclasses.is_dataclass(result) and not isinstance(result, type) else result
    )
    typer.echo(json.dumps(content, indent=2, default=_jsonable))


def _jsonable(value: Any) -> Any:
    if hasattr(value, "tolist"):  # numpy's arrays and numbers
        return value.tolist()
    if hasattr(value, "model_dump"):  # settings
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    return str(value)


def new_console(**options: Any) -> Console:
    """The console of every verb: names such as `:x:`, which rich makes symbols of, stay as they are.

    Args:
        options: of `rich.console.Console`.
    """
    from rich.console import Console

    return Console(**{"emoji": False, "highlight": False, **options})


def plain(value: object) -> str:
    r"""A path, a name or a message for a `new_console` to print as it is: brackets in it are no markup.

    Example:
        >>> plain("jets[bold]")
        'jets\\[bold]'
    """
    from rich.markup import escape

    return escape(str(value))


def prepare_out(path: Path, folder: bool = False, suffixes: Sequence[str] = ()) -> None:
    """Make sure, before the work, that a result can be written; folders that are missing are made.

    Args:
        path: the file; or the folder.
        folder: whether it is a folder.
        suffixes: that the name of a file may have.
    """
    if suffixes and path.suffix.lower() not in suffixes:
        raise SettingsError(f"{path}: a picture ends in {', '.join(suffixes)}; found {path.suffix or 'no suffix'!r}")
    if path.exists() and path.is_dir() != folder:
        found, wanted = ("file", "folder") if folder else ("folder", "file")
        raise SettingsError(f"{path} is a {found}; expected a {wanted}, or a new name")
    place = path if folder else path.parent
    try:
        place.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        taken = next(each for each in (place, *place.parents) if each.exists())
        raise SettingsError(f"{path} cannot be written: {taken} is a file, not a folder") from None
    except OSError as error:
        raise SettingsError(f"{path} cannot be written: {error.strerror}: {error.filename}") from None
    if not os.access(place, os.W_OK):
        raise SettingsError(f"{path} cannot be written: you may not write in {place}")


def wide_console() -> Console:
    """For tables: a file or a pipe has no edge to fold a row at."""
    console = new_console()
    if not console.is_terminal:
        console.width = max(console.width, WIDE)
    return console


def plain_table(
    *headings: str,
    left: Collection[str] = (),
    whole: Collection[str] = (),
    fold: Collection[str] = (),
    first_width: int | None = None,
    title: str = "",
) -> Table:
    """A table without lines: text in the first column, numbers in the others, aligned to the right.

    Args:
        headings: of the columns.
        left: headings of further columns with text.
        whole: headings of columns whose cells stay on one line.
        fold: headings of columns that may break a word where it does not fit.
        first_width: of the first column, at least.
        title: above the headings.

    Example:
        >>> [column.justify for column in plain_table("model", "AUC", "more in", left=["more in"]).columns]
        ['left', 'right', 'left']
    """
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=None, header_style="bold", padding=(0, 2, 0, 0))
    for number, heading in enumerate(headings):
        table.add_column(
            heading,
            justify="left" if number == 0 or heading in left else "right",
            no_wrap=heading in whole,
            overflow="fold" if heading in fold else "ellipsis",
            min_width=None if number else first_width,
        )
    return table
