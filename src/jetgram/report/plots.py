"""Interactive plots: panels that plotly draws in the reader's browser, with one legend to switch models on and off.

The page gives each panel as JSON; `plots.js` draws it in the colours of the reader's scheme. The legend is made of
check boxes with words, so that it works with the keyboard, wraps on a phone, and says the numbers without a picture.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jetgram.plots.style import MODEL_COLOURS
from jetgram.report.html import embedded_json

if TYPE_CHECKING:
    import plotly.graph_objects as go


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


Array = NDArray[np.float64]

# The colours of `MODEL_COLOURS` again, bright enough for a dark page.
DARK_COLOURS = (
    *("#f07ba3", "#74aef0", "#f2b25c", "#6fcfa6", "#b79ae6"),
    *("#b8bcc4", "#d3a577", "#62d3e3", "#c9d46a", "#8f9df2"),
)
# Of classes of jets, background first: a contrast of 3 or more to a light page, and to a dark one.
CLASS_COLOURS = ("#4a6fa5", "#c8325f", "#b8741a", "#47784a")
DARK_CLASS_COLOURS = ("#86aee8", "#f27ea0", "#eab067", "#93cb92")
DASHES = {"solid": "", "dash": "7 4", "dot": "2 3", "dashdot": "7 3 2 3"}  # plotly's names, and SVG's
DIGITS = 4  # significant ones of numbers in the page


@dataclasses.dataclass(frozen=True)
class Panel:
    """One plot.

    Args:
        title: what it shows; above it, and for those who cannot see it.
        traces: those of an entry of the legend have its name as `legendgroup`; their `meta` has a colour, or a scale of
            colours, for each scheme, `light` and `dark`.
        layout: axes; colours and sizes come from the page.
        sample: the jets and their energy, as journals write them into a plot.
        note: a line below the title; plain text.
    """

    title: str
    traces: Sequence[Any]
    layout: go.Layout
    sample: str = ""
    note: str = ""


@dataclasses.dataclass(frozen=True)
class Look:
    """How the lines of one model look: the same in all panels."""

    light: str
    dark: str
    dash: str

    def line(self, model: str, x: Sequence[float], y: Array, width: float = 2.0, **more: Any) -> go.Scatter:
        """A line of the model; NaN is a gap."""
        import plotly.graph_objects as go

        stroke = {"width": width, "dash": self.dash, "color": self.light}
        words = {"legendgroup": model, "name": escape(model), "meta": {"light": self.light, "dark": self.dark}}
        return go.Scatter(x=x, y=rounded(y), mode="lines", line=stroke, **words, **more)

    def band(self, model: str, x: Sequence[float], low: Array, high: Array) -> go.Scatter:
        """The area between two lines, without those places where they are NaN."""
        import plotly.graph_objects as go

        there = np.isfinite(low) & np.isfinite(high)
        along = np.asarray(x)[there].tolist()
        return go.Scatter(
            x=along + along[::-1],
            y=rounded(low[there]) + rounded(high[there])[::-1],
            fill="toself",
            line={"width": 0},
            hoverinfo="skip",
            legendgroup=model,
            meta={"light": self.light, "dark": self.dark},
        )

    def points(self, model: str, x: Sequence[float], y: Array, low: Array, high: Array, **more: Any) -> go.Scatter:
        """Points with their error bars from `low` to `high`."""
        import plotly.graph_objects as go

        bars = {"array": rounded(high - y), "arrayminus": rounded(y - low), "symmetric": False, "width": 0}
        return go.Scatter(
            x=list(x),
            y=rounded(y),
            error_y={**bars, "thickness": 1.2, "color": self.light},
            mode="markers",
            marker={"size": 6, "color": self.light},
            legendgroup=model,
            name=escape(model),
            meta={"light": self.light, "dark": self.dark},
            **more,
        )

    def steps(self, name: str, edges: Array, values: Array, errors: Array) -> list[go.Scatter]:
        """A histogram: its outline, and the errors in the middle of the bins that hold anything."""
        outline = self.line(name, edges.tolist(), np.append(values, values[-1:]), width=1.6, hoverinfo="skip")
        outline.line.shape = "hv"
        middle = (edges[1:] + edges[:-1]) / 2
        filled = errors > 0
        y, error = values[filled], errors[filled]
        hover = "%{y:.3~g} ± %{customdata:.2~g}"
        bars = self.points(name, middle[filled].tolist(), y, y - error, y + error, hovertemplate=hover)
        bars.customdata = rounded(error)
        bars.marker.size = 1
        return [outline, bars]


def looks(models: Iterable[str]) -> dict[str, Look]:
    """A look for each model: ten colours, then the same with other dashes."""
    pairs = list(zip(MODEL_COLOURS, DARK_COLOURS, strict=True))
    every = [Look(*pair, dash) for dash in DASHES for pair in pairs]
    return dict(zip(models, itertools.cycle(every), strict=False))


def class_looks(names: Iterable[str]) -> dict[str, Look]:
    """A look for each class of jets, as the figures of matplotlib have them: background first."""
    return {
        name: Look(CLASS_COLOURS[i % 4], DARK_CLASS_COLOURS[i % 4], list(DASHES)[i // 4 % len(DASHES)])
        for i, name in enumerate(names)
    }


def plots(
    panels: Sequence[Panel],
    legend: Mapping[str, str],
    caption: str = "",
    title: str = "Models",
    styles: Mapping[str, Look] | None = None,
) -> str:
    """Panels with their legend, as HTML.

    Args:
        panels: one above the other on a phone, next to each other where there is room.
        legend: each entry, e.g. a model, with what the legend says of it; none for panels that need no legend.
        caption: below; plain text.
        title: what the entries are.
        styles: how their lines look; by default as `looks` says.
    """
    styles = looks(legend) if styles is None else styles
    entries = "\n".join(_entry(model, text, styles[model]) for model, text in legend.items())
    drawn = "\n".join(_panel(panel, bool(legend)) for panel in panels)
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    switches = f"""<fieldset class="legend"><legend>{escape(title)}</legend>
{entries}
<span class="buttons"><button type="button" data-show="all">all</button>
<button type="button" data-show="none">none</button></span></fieldset>"""
    note = "The curves need JavaScript; the numbers below do not." if legend else "This picture needs JavaScript."
    return f"""<figure class="plots">
<p class="note">{note}</p>
<div class="panels">{drawn}</div>
{switches if legend else ""}
{below}</figure>"""


def rounded(values: Array) -> list[float | None]:
    """Numbers as JSON has them, with few digits; None for NaN.

    Example:
        >>> rounded(np.array([0.123456, 1234567.0, np.nan]))
        [0.1235, 1235000.0, None]
    """
    return [float(f"{value:.{DIGITS}g}") if np.isfinite(value) else None for value in values.tolist()]


def _panel(panel: Panel, has_legend: bool) -> str:
    spec = {
        "data": [trace.to_plotly_json() for trace in panel.traces],
        "layout": panel.layout.to_plotly_json(),
        "sample": escape(panel.sample),
    }
    note = f"<p>{escape(panel.note)}</p>" if panel.note else ""
    words = f"{panel.title}. {panel.note} {'The numbers stand in the legend.' if has_legend else ''}".strip()
    return f"""<div class="panel"><h3>{escape(panel.title)}</h3>{note}
<div class="plot" role="img" aria-label="{escape(words)}"></div>
{embedded_json(json.dumps(spec, separators=(",", ":")))}</div>"""


def _entry(model: str, text: str, look: Look) -> str:
    colours = f"--light:{look.light};--dark:{look.dark}"
    line = f'<path d="M1 6H31" stroke-dasharray="{DASHES[look.dash]}"/>'
    swatch = f'<svg class="swatch" style="{colours}" viewBox="0 0 32 12" width="32" height="12" aria-hidden="true">'
    box = f'<input type="checkbox" checked data-model="{escape(model)}">'
    return f"<label>{box}{swatch}{line}</svg><span>{escape(text)}</span></label>"
