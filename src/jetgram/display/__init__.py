"""Pictures: jets in the plane of pseudorapidity and azimuth, their trees, and datasets at a glance."""

from jetgram.display.event import draw_event
from jetgram.display.levels import draw_levels
from jetgram.display.page import draw_jet, save_figure
from jetgram.display.summary import draw_summary

__all__ = ["draw_event", "draw_jet", "draw_levels", "draw_summary", "save_figure"]
