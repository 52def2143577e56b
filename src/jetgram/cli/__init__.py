"""The `jetgram` command: one module per verb, each a function that parses, calls the library and prints.

The modules of the verbs import the library inside their functions, so that `jetgram --help` answers at once.
A new verb is a module `jetgram/cli/VERB.py` with a function `VERB`, and its name in `VERBS`.
"""

from __future__ import annotations

import importlib
import io
import sys
import warnings
from collections.abc import Sequence
from typing import Annotated, TextIO

import typer

from jetgram.cli.output import new_console, plain
from jetgram.errors import JetgramError

VERBS: tuple[str, ...] = (
    "generate",
    "convert",
    "inspect",
    "show",
    "train",
    "predict",
    "evaluate",
    "safety",
    "resilience",
    "report",
    "export",
    "compare",
    "reproduce",
    "bench",
    "doctor",
)

app = typer.Typer(
    name="jetgram",
    help="Networks that read jets the way a parser reads sentences: collisions, jets, trees.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; an expected error is one red line and exit code 1, Ctrl-C ends with 130."""
    _replace_what_cannot_be_printed()
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _print_warning
            app(arguments, prog_name="jetgram")
    except JetgramError as error:
        _fail(str(error))
    except MemoryError as error:
        _fail(f"there is not enough memory: {error}" if str(error) else "there is not enough memory")
    except OSError as error:
        _fail(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except SystemExit as end:
        if end.code == 130:  # what typer makes of a KeyboardInterrupt
            _say("[yellow]stopped[/] by Ctrl-C")
        raise


def _replace_what_cannot_be_printed() -> None:
    """A terminal or a pipe in ASCII, or a file name in no encoding at all, is no reason to fail."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _fail(message: str) -> None:
    _say(f"[bold red]error:[/] {plain(message)}")
    sys.exit(1)


def _print_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """One line, without the place in the source that Python's own `showwarning` prints."""
    _say(f"[yellow]warning:[/] {plain(message)}")


def _say(markup: str) -> None:
    new_console(stderr=True, soft_wrap=True).print(markup)


def _print_version(wanted: bool) -> None:
    if wanted:
        from jetgram import __version__

        typer.echo(f"jetgram {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Networks that read jets the way a parser reads sentences: collisions, jets, trees."""


for _verb in VERBS:
    app.command(_verb)(getattr(importlib.import_module(f"jetgram.cli.{_verb}"), _verb))
