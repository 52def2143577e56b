"""The one place where other people's bytes become our errors.

Parsers raise what they like about a damaged, foreign or hostile file: `KeyError`, `struct.error`, `ArrowInvalid`,
`RecursionError`, `MemoryError`. Whoever parses a file does it inside `parsing`, so that each of these is an error of
jetgram that names the file.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator
from typing import TypeVar

from jetgram.errors import DatasetError, JetgramError, SettingsError

T = TypeVar("T")

LONGEST = 300  # characters of a parser's message
UNREADABLE = "is cut off or damaged, or not what its beginning says"  # of files that others have written


@contextlib.contextmanager
def parsing(
    source: object, error: type[JetgramError] = DatasetError, what: str = "is damaged", advice: str = ""
) -> Iterator[None]:
    """Everything that goes wrong in the block is an `error` that names the source.

    Only parsing belongs into the block: a mistake of ours in it would be called a damaged file.

    Args:
        source: what to call the file.
        error: what is raised; errors that jetgram raises itself pass as they are.
        what: is wrong with it.
        advice: what to do about it.

    Example:
        >>> with parsing("jets.parquet"):
        ...     {"py": 1.0}["px"]
        Traceback (most recent call last):
        jetgram.errors.DatasetError: jets.parquet is damaged: KeyError: 'px'
    """
    try:
        yield
    except JetgramError:
        raise
    except Exception as problem:  # the point of this function: nobody can list what parsers raise
        said = f"{source} {what}: {_said(problem)}"
        raise error(f"{said}; {advice}" if advice else said) from problem


def parsing_each(items: Iterable[T], source: object, what: str = UNREADABLE) -> Iterator[T]:
    """The items of a parser that works one by one, each of them made inside `parsing`; what is done with them is not.

    Example:
        >>> for row in parsing_each(({"px": i}["px"] for i in range(2)), "jets.parquet"):
        ...     print(row)
        0
        1
    """
    iterator = iter(items)
    while True:
        with parsing(source, what=what):
            try:
                item = next(iterator)
            except StopIteration:
                return
        yield item


def printable(text: str) -> str:
    r"""The text with a question mark for each byte of a file name that the locale's encoding does not know.

    Example:
        >>> printable("jets-\udcce")
        'jets-?'
    """
    return text.encode(errors="replace").decode()


def environment_number(name: str, default: int, largest: int) -> int:
    """A number from 1 on in an environment variable; the default where it is not set.

    Example:
        >>> environment_number("JETGRAM_NOT_SET", 2, largest=1024)
        2
    """
    wish = os.environ.get(name, "").strip()
    if not wish:
        return default
    if not re.fullmatch("[1-9][0-9]{0,8}", wish) or int(wish) > largest:
        raise SettingsError(f"the environment variable {name} is {wish[:80]!r}; expected a number from 1 to {largest}")
    return int(wish)


def _said(problem: Exception) -> str:
    """In one line what a parser has to say."""
    if isinstance(problem, MemoryError):
        return "it asks for more memory than there is"
    if isinstance(problem, RecursionError):
        return "it is nested too deep"
    text = " ".join(str(problem).split())
    text = text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
    return text if text and isinstance(problem, (OSError, ValueError)) else f"{type(problem).__name__}: {text}"
