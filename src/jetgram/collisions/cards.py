"""Cards: samples as TOML files, to read and to write."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from jetgram.collisions.processes import Sample


def to_card(sample: Sample) -> str:
    """The card of a sample; `Sample.from_toml` reads it back.

    Example:
        >>> from jetgram.collisions.processes import sample
        >>> print(to_card(sample("w-vs-qcd")).splitlines()[0])
        name = "w-vs-qcd"
    """
    values = sample.model_dump(mode="json")
    tables = {name: values.pop(name) for name in ("signal", "background")}
    lines = [*_lines(values)]
    for name, table in tables.items():
        lines += ["", f"[{name}]", *_lines(table)]
    return "\n".join(lines) + "\n"


def _lines(values: Mapping[str, Any]) -> Iterator[str]:
    """TOML of flat values: strings, numbers and lists are written as in JSON, and what is not set is left out."""
    for name, value in values.items():
        if value is None:
            continue
        if isinstance(value, list) and value and isinstance(value[0], str):
            yield f"{name} = ["
            yield from (f"  {json.dumps(item)}," for item in value)
            yield "]"
        else:
            yield f"{name} = {json.dumps(value)}"
