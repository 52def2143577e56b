"""How long work reports its progress: by calling a function with the number of jets, rows or tasks done since then."""

from __future__ import annotations

from collections.abc import Callable

Advance = Callable[[int], None]


def silent(count: int) -> None:
    """Report nothing."""
