"""How every picture looks: fonts, colours and names."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jetgram.trees.topologies import TOPOLOGIES

if TYPE_CHECKING:
    from matplotlib.colors import Colormap, Normalize

Array = NDArray[np.float64]

RC: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "0.35",
    "axes.labelcolor": "0.2",
    "xtick.color": "0.35",
    "ytick.color": "0.35",
    "svg.hashsalt": "jetgram",  # the same picture is the same file
}

CLASS_COLOURS = ("#4a6fa5", "#c8325f", "#e29a3b", "#5b8e5a")

PT_MIN = 0.1  # GeV; softer particles look like this
PT_MAX = 200.0  # GeV; the colour of all that is harder


def topology_name(topology: str) -> str:
    """A topology as a physicist writes it.

    Example:
        >>> topology_name("antikt"), topology_name("asc-pt")
        ('anti-$k_t$', 'ascending $p_T$')
    """
    return TOPOLOGIES[topology].title.replace("kt", "$k_t$").replace("pT", "$p_T$")


def styled() -> AbstractContextManager[None]:
    """A context in which matplotlib draws in this style, and not in one that the user may have set."""
    import matplotlib

    return matplotlib.rc_context(RC)  # type: ignore[arg-type,unused-ignore]


def colour_scale(values: Array | None = None) -> tuple[Colormap, Normalize]:
    """Colour map and norm of transverse momentum on a logarithmic scale (pale is soft, dark is hard), or of `values`.

    Values that reach below zero get a diverging map with zero in the middle.
    """
    import matplotlib
    from matplotlib.colors import LinearSegmentedColormap, LogNorm, Normalize

    if values is not None and values.min() < 0:
        reach = float(np.abs(values).max())
        return matplotlib.colormaps["coolwarm"], Normalize(-reach, reach)
    # The palest end of the map would vanish on white paper.
    shades = LinearSegmentedColormap.from_list(
        "jetgram", list(matplotlib.colormaps["magma_r"](np.linspace(0.12, 0.92, 256)))
    )
    if values is None:
        return shades, LogNorm(PT_MIN, PT_MAX, clip=True)
    return shades, Normalize(0.0, float(values.max()) or 1.0)
