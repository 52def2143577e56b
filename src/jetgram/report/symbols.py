"""Symbols and units on the axes of interactive plots, as a journal writes them; plotly reads this HTML."""

from __future__ import annotations

SIGNAL_EFFICIENCY = "signal efficiency <i>ε</i><sub>S</sub>"
BACKGROUND_REJECTION = "background rejection 1/<i>ε</i><sub>B</sub>"
PT = "<i>p</i><sub>T</sub> [GeV]"
MASS = "mass <i>m</i> [GeV]"
LUND_X = "ln 1/Δ"
LUND_Y = "ln <i>k</i><sub>T</sub>/GeV"


def with_symbols(label: str) -> str:
    """The label of an axis with pT and mass as symbols.

    Example:
        >>> with_symbols("pT of the softest constituent [GeV]")
        '<i>p</i><sub>T</sub> of the softest constituent [GeV]'
    """
    return MASS if label == "mass [GeV]" else label.replace("pT", PT.split(" ")[0])
