"""`jetgram export`: a model for other frameworks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from jetgram.models.model import JetModel
    from jetgram.models.settings import ModelSettings


def export(
    model: Annotated[Path, typer.Argument(help="A model's folder.", show_default=False)],
    onnx: Annotated[Path, typer.Option(metavar="FILE", help="Write the model as ONNX, with a description next to it.")],
) -> None:
    """Write a model for other frameworks: one ONNX file that scores any jet, or event.

    Example: [bold]jetgram export gated-kt --onnx model.onnx[/]

    The file takes the features of the nodes of trees, level by level, and scales them itself; they are named in
    model.preprocess.json next to it. `jetgram.export.onnx_file.onnx_inputs` makes them from jets. C++ programs need no
    ONNX: they can read the model's folder itself.
    """
    from jetgram.cli.output import prepare_out

    prepare_out(onnx)  # before anything heavy is imported
    from jetgram.models.store import load_model

    typer.echo(write_onnx(load_model(model), onnx))


def require_exportable(settings: ModelSettings, onnx: Path) -> None:
    """Make sure, before a model is trained, that it can be exported to this file."""
    from jetgram.cli.output import prepare_out
    from jetgram.export.onnx_file import require_onnx

    prepare_out(onnx)
    require_onnx(settings)


def write_onnx(model: JetModel, onnx: Path) -> str:
    """Write the file, and say what it is."""
    from jetgram.export.onnx_file import description_of, export_onnx

    export_onnx(model, onnx)
    size = onnx.stat().st_size / 1024
    return f"{onnx}: {model.title}, {size:,.0f} KiB; {description_of(onnx)} says what it reads"
