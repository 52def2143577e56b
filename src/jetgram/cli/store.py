"""`jetgram store`: a dataset from your own jets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from jetgram.errors import SettingsError


def store(
    file: Annotated[
        Path, typer.Argument(help="An .npz with p4 (n, 4), offsets (jets + 1), and columns such as label.")
    ],
    out: Annotated[Path, typer.Option(help="Folder of the new dataset.")],
    split: Annotated[str, typer.Option(help="The split the jets belong to: train or test.")] = "train",
    on_bad_jet: Annotated[str, typer.Option(help="raise: stop at an unphysical jet; drop: leave it out.")] = "raise",
) -> None:
    """Check your own jets and store them as a dataset that every other command reads.

    Example: [bold]jetgram store mine.npz --out mine --on-bad-jet drop[/]
    """
    from jetgram.storage.dataset import save
    from jetgram.storage.npz import jets_from_npz
    from jetgram.validity import drop_bad

    if on_bad_jet not in ("raise", "drop"):
        raise SettingsError(f"on-bad-jet is {on_bad_jet!r}; expected raise or drop")
    jets = jets_from_npz(file)
    dropped = 0
    if on_bad_jet == "drop":
        jets, dropped = drop_bad(jets)
    dataset = save(out, jets, {"source": file.name, "dropped": dropped}, split)
    note = f"; {dropped:,} bad jets dropped" if dropped else ""
    typer.echo(f"{out}: {len(dataset):,} jets{note}")
