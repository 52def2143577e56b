"""`jetgram predict`: the scores of a dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def predict(
    model: Annotated[
        str, typer.Argument(help="A model's folder; several, joined by commas, are an ensemble.", show_default=False)
    ],
    dataset: Annotated[Path, typer.Argument(help="A dataset's folder.", show_default=False)],
    out: Annotated[Path, typer.Option(help="The score file, for `jetgram evaluate`.")] = Path("scores.parquet"),
    split: Annotated[str, typer.Option(help="The split to score.")] = "test",
    name: Annotated[str, typer.Option(help="What tables call the model; by default its cell and topology.")] = "",
    topology: Annotated[
        str | None, typer.Option(help="Build these trees instead of those that the model was trained on.")
    ] = None,
    device: Annotated[str, typer.Option(help="Where PyTorch computes: cpu, cuda, cuda:1, mps.")] = "cpu",
) -> None:
    """Score the jets, or events, of a dataset with a trained model, shard by shard.

    Example: [bold]jetgram predict gated-kt w-vs-qcd --out gated-kt.parquet[/]

    The mean logit of several, or of all seeds in a folder: [bold]jetgram predict simple-kt,gated-ca w-vs-qcd[/]

    What it learned on kt trees, applied to others: [bold]jetgram predict gated-kt w-vs-qcd --topology antikt[/]
    """
    from jetgram.cli.output import prepare_out
    from jetgram.cli.progress import progress
    from jetgram.evaluation.predict import score_shards
    from jetgram.evaluation.score_files import stream_scores
    from jetgram.models.ensemble import load_scoring
    from jetgram.storage.dataset import Dataset

    prepare_out(out)
    loaded, stored = load_scoring(model).on(device), Dataset(dataset)
    if topology is not None:
        loaded = loaded.with_topology(topology)
    with progress("scoring", stored.rows(split), stored.kind) as advance:
        shards = score_shards([loaded], stored, split, name=name, advance=advance)
        rows = stream_scores(out, (scores for (scores,) in shards))
    typer.echo(f"{out}: {rows:,} {stored.kind} of {dataset}, {split}")
