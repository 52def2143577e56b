"""The optional parts of the package: what `pip install 'jetgram[EXTRA]'` adds to a plain `pip install jetgram`.

The package's own metadata says which packages belong to which part; nothing here repeats it.
"""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Iterator, Mapping
from importlib import metadata

from jetgram.errors import MissingExtraError

FOR_DEVELOPERS = ("all", "dev", "docs")  # extras that are no part of what the package does
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_EXTRA = re.compile(r"""extra\s*==\s*['"]([^'"]+)['"]""")


@functools.cache
def requirements() -> Mapping[str, tuple[str, ...]]:
    """The packages that are needed, by the extra that brings them; `""` has those that are always there.

    Example:
        >>> requirements()["onnx"], "torch" in requirements()[""]
        (('onnx', 'onnxruntime'), True)
    """
    found: dict[str, list[str]] = {"": []}
    for line in metadata.requires("jetgram") or ():
        name, extra = _NAME.match(line), _EXTRA.search(line)
        where = extra[1] if extra else ""
        if name and where not in FOR_DEVELOPERS:
            found.setdefault(where, []).append(name[0])
    return {extra: tuple(names) for extra, names in found.items()}


def extra_of(module: str) -> str | None:
    """The extra that brings a package, by the name it is imported with; None if none does.

    Example:
        >>> extra_of("pythia8mc"), extra_of("plotly.graph_objects"), extra_of("numpy")
        ('generate', 'report', None)
    """
    package = module.partition(".")[0]
    return next((extra for extra, names in requirements().items() if extra and package in names), None)


def install_command(extra: str) -> str:
    """What to type for an extra.

    Example:
        >>> install_command("dask")
        "pip install 'jetgram[dask]'"
    """
    return f"pip install 'jetgram[{extra}]'"


@contextlib.contextmanager
def needed_for(purpose: str) -> Iterator[None]:
    """Around imports of optional packages: where one is missing, an error says how to install it.

    Args:
        purpose: what the packages are imported for, at the beginning of a sentence.

    Example:
        >>> with needed_for("a report"):
        ...     raise ModuleNotFoundError(name="plotly.graph_objects")
        Traceback (most recent call last):
        jetgram.errors.MissingExtraError: a report needs the package plotly: pip install 'jetgram[report]'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        extra = extra_of(error.name or "")
        if extra is None:
            raise
        package = str(error.name).partition(".")[0]
        raise MissingExtraError(f"{purpose} needs the package {package}: {install_command(extra)}") from None
