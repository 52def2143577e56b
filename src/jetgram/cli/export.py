"""`jetgram export`: a model for other frameworks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def export(
    model: Annotated[Path, typer.Argument(help="A model's folder.", show_default=False)],
    onnx: Annotated[
        Path, typer.Option(metavar="FILE", help="Write the model as ONNX, with preprocess.json beside it.")
    ],
) -> None:
    """Write a model for other frameworks: one ONNX file that scores any jet, or event.

    Example: [bold]jetgram export gated-kt --onnx model.onnx[/]

    The file takes the features of the nodes of trees, level by level, and scales them itself; preprocess.json names
    them. `jetgram.export.onnx_file.onnx_inputs` makes them from jets. C++ programs need no ONNX: they can read the
    model's folder itself.
    """
    from jetgram.errors import SettingsError
    from jetgram.export.onnx_file import PREPROCESS, export_onnx
    from jetgram.models.store import load_model

    if not onnx.parent.is_dir():
        raise SettingsError(f"{onnx.parent} is not a folder")
    loaded = load_model(model)
    export_onnx(loaded, onnx)
    size = onnx.stat().st_size / 1024
    typer.echo(f"{onnx}: {loaded.title}, {size:,.0f} KiB; {onnx.parent / PREPROCESS} says what it reads")
