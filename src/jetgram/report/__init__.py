"""Reports to read: one self-contained HTML file about models and what they were trained on."""

from jetgram.report.tagging import write_report

__all__ = ["write_report"]
