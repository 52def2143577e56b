"""`jetgram predict`: the scores of a dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def predict(
    model: Annotated[Path, typer.Argument(help="A model's folder.", show_default=False)],
    dataset: Annotated[Path, typer.Argument(help="A dataset's folder.", show_default=False)],
    out: Annotated[Path, typer.Option(help="The score file, for `jetgram evaluate`.")] = Path("scores.parquet"),
    split: Annotated[str, typer.Option(help="The split to score.")] = "test",
    name: Annotated[str, typer.Option(help="What tables call the model; by default its cell and topology.")] = "",
    topology: Annotated[
        str | None, typer.Option(help="Build these trees instead of those that the model was trained on.")
    ] = None,
) -> None:
    """Score the jets, or events, of a dataset with a trained model, shard by shard.

    Example: [bold]jetgram predict gated-kt w-vs-qcd --out gated-kt.parquet[/]

    What it learned on kt trees, applied to others: [bold]jetgram predict gated-kt w-vs-qcd --topology antikt[/]
    """
    from jetgram.cli.progress import progress
    from jetgram.evaluation.predict import predict_dataset
    from jetgram.evaluation.score_files import write_scores
    from jetgram.models.store import load_model
    from jetgram.storage.dataset import Dataset

    loaded, stored = load_model(model), Dataset(dataset)
    if topology is not None:
        loaded = loaded.with_topology(topology)
    rows = sum(shard.rows for shard in stored.shards(split))
    with progress("scoring", rows, stored.kind) as advance:
        scores = predict_dataset(loaded, stored, split, name, advance)
    write_scores(out, scores)
    typer.echo(f"{out}: {len(scores):,} {stored.kind} of {dataset}, {split}")
