"""The options that say which jets count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from jetgram.evaluation.selection import Window

AllPt = Annotated[
    bool | None,
    typer.Option(
        "--all-pt/--window",
        help="All jets, or the paper's window: 250-300 GeV in pT, 50-110 GeV in mass. Default: the window for the "
        "paper's samples, all jets for others.",
    ),
]
PtRange = Annotated[
    tuple[float, float] | None, typer.Option("--pt", metavar="LO HI", help="Only jets in this range of pT in GeV.")
]
MassRange = Annotated[
    tuple[float, float] | None, typer.Option("--mass", metavar="LO HI", help="Only jets in this range of mass in GeV.")
]
Flat = Annotated[
    bool | None,
    typer.Option("--flat/--no-flat", help="Weights flat in pT, or not; by default only in a range of pT."),
]


def choose_window(
    default: Window,
    all_pt: bool | None,
    pt: tuple[float, float] | None,
    mass: tuple[float, float] | None,
    flat: bool | None = None,
) -> Window:
    """The jets that count.

    Args:
        default: without any option.
        all_pt: all jets (True), or the paper's window (False).
        pt: limits of pT.
        mass: limits of mass; where only one of both is given, the other has no limits.
        flat: weights flat in pT.
    """
    from jetgram.evaluation.selection import Window

    if (pt or mass) and all_pt is not None:
        raise typer.BadParameter("--pt and --mass make a window of their own; leave out --all-pt and --window")
    if pt or mass:
        window = Window.create(pt=pt, mass=mass, flat_pt=pt is not None)
    else:
        window = default if all_pt is None else Window.everything() if all_pt else Window()
    return window if flat is None else window.model_copy(update={"flat_pt": flat})
