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
    on_bad_jet: Annotated[
        str, typer.Option(help="raise: stop at a bad jet, or one without a label; drop: leave it out.")
    ] = "raise",
) -> None:
    """Check your own jets and store them as a dataset that every other command reads.

    Example: [bold]jetgram store mine.npz --out mine --on-bad-jet drop[/]
    """
    import numpy as np

    from jetgram.storage.dataset import save
    from jetgram.storage.npz import jets_from_npz
    from jetgram.validity import is_bad, lacks_class_or_weight

    if on_bad_jet not in ("raise", "drop"):
        raise SettingsError(f"on-bad-jet is {on_bad_jet!r}; expected raise or drop")
    jets = jets_from_npz(file)
    dropped = 0
    if on_bad_jet == "drop":
        bad = is_bad(jets) | lacks_class_or_weight(jets)
        jets, dropped = jets[~bad], int(np.count_nonzero(bad))
    dataset = save(out, jets, {"source": file.name, "dropped": dropped}, split)
    note = f"; {dropped:,} bad jets dropped" if dropped else ""
    typer.echo(f"{out}: {len(dataset):,} jets{note}")
