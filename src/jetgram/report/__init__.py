"""Reports to read: one self-contained HTML file about models and what they were trained on."""

from jetgram.report.importance import draw_importance
from jetgram.report.tagging import write_report

__all__ = ["draw_importance", "write_report"]
