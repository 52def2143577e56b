"""How commands print results for programs."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

WIDE = 200


def print_json(result: Any) -> None:
    """Print a dataclass, or anything that JSON can hold, with numpy numbers and arrays as plain ones."""
    plain = dataclasses.asdict(result) if dataclasses.is_dataclass(result) and not isinstance(result, type) else result
    typer.echo(json.dumps(plain, indent=2, default=_plain))


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):  # numpy's arrays and numbers
        return value.tolist()
    if hasattr(value, "model_dump"):  # settings
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    return str(value)


def wide_console() -> Console:
    """For tables: a file or a pipe has no edge to fold a row at."""
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, WIDE)
    return console
