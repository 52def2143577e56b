"""Reports to read: self-contained HTML pages about models and what they were trained on, and the parts of such pages.

`write_report` makes the page of `jetgram report`. `document` makes any other one out of sections: interactive ROC
curves, a jet explorer, training curves, tables with the paper's numbers next to ours, and facts.
"""

from jetgram.evaluation.pair import Pair
from jetgram.extras import needed_for
from jetgram.report.comparison import Column, Row, compare
from jetgram.report.distributions import score_distributions
from jetgram.report.explorer import choose_jets, explorer
from jetgram.report.html import document, facts, paragraph, picture, section, table
from jetgram.report.learning import training_curves
from jetgram.report.lund import lund_planes
from jetgram.report.roc import interactive_roc
from jetgram.report.tagging import write_report

with needed_for("a report"):
    import plotly as plotly

__all__ = [
    "Column",
    "Pair",
    "Row",
    "choose_jets",
    "compare",
    "document",
    "explorer",
    "facts",
    "interactive_roc",
    "lund_planes",
    "paragraph",
    "picture",
    "score_distributions",
    "section",
    "table",
    "training_curves",
    "write_report",
]
