"""The table of a comparison as Markdown and as a page, and its plot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from jetgram.plots.costs import CostPoint, draw_costs
from jetgram.plots.style import save_figure
from jetgram.report.html import document, facts, paragraph, picture, section, table
from jetgram.storage import atomic
from jetgram.studies.compare.networks import title_of
from jetgram.studies.compare.results import Line, has_window, make_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TABLE, PAGE, PLOT = "comparison.md", "comparison.html", "comparison.png"
IN_WINDOW, EVERYWHERE = "in the window of the sample by pT and mass of the jets as they were found", "of all test jets"
GUIDE = (
    "AUC, and R = 1/(background efficiency) at signal efficiencies of 50 % and 30 %, {where}; mean and standard "
    "deviation over seeds, or the statistical error (bootstrap, test sample) of a single one. AUC - best and R50 / "
    "best: relative to the network of the best R50, with errors from the same bootstrap replicas of the test jets and "
    "from the spreads over seeds (of a single seed, that of the other network). A mean of several is the ensemble of "
    "as many seeds, at the cost of all of them. The training of a network that is taught does not count that of its "
    "teachers, which is told apart. Speeds are per core: of the network on inputs that are ready, and from jets as "
    "they were found."
)
REPLICAS = {"auc_replicas", "fpr_replicas"}
NOT_NOTED = "a processor that was not noted"


def write_results(folder: Path, lines: Sequence[Line]) -> list[Path]:
    """Write the table as Markdown and as a page with the plot, and the plot alone; returns the files.

    Args:
        folder: of the comparison.
        lines: at least one.
    """
    figure, (head, rows) = draw(lines), make_table(lines)
    guide = GUIDE.format(where=IN_WINDOW if has_window(lines) else EVERYWHERE) + told_processors(lines)
    files = [folder / name for name in (TABLE, PAGE, PLOT)]
    save_figure(figure, files[2])
    text = "\n".join("| " + " | ".join(cells) + " |" for cells in (head, ("---",) * len(head), *rows))
    atomic.write_bytes(files[0], f"{text}\n\n{guide}\n".encode())
    records = {
        record.full_name: record.model_dump(mode="json", exclude=REPLICAS) for line in lines for record in line.records
    }
    parts = [
        section("Accuracy and cost", table(head, rows), paragraph(guide)),
        section("Accuracy against cost", picture(figure, "R50 against the cost of training and inference")),
        section("Numbers", facts(records, "Every network and seed")),
    ]
    networks = len({line.network for line in lines})
    lead = f"{networks} networks on the jets of {_sample(lines)}, each with its recipe and its best rate."
    atomic.write_bytes(files[1], document("Networks compared", lead, parts).encode())
    return files


def told_processors(lines: Sequence[Line]) -> str:
    """A sentence that warns where costs were measured on more than one kind of processor; else none."""
    seeds = [record for line in lines if not line.is_ensemble for record in line.records]
    found = sorted({record.processor or NOT_NOTED for record in seeds})
    if len(found) < 2:
        return ""
    return f" CPU-seconds and speeds are of different processors ({', '.join(found)}): compare them with caution."


def draw(lines: Sequence[Line]) -> Figure:
    """R50 against the cost of training and of inference, one point per network and ensemble."""
    points = [
        CostPoint(
            line.title,
            title_of(line.network),
            line.spread("r50").mean,
            line.error("r50"),
            line.spread("cpu_seconds").mean,
            line.spread("network_jets_per_second").mean,
        )
        for line in lines
    ]
    title = f"{_sample(lines)}, {lines[0].records[0].training_jets:,} jets to train with"
    return draw_costs(points, f"{title} (errors: spread over seeds; of a single seed, statistical)")


def _sample(lines: Sequence[Line]) -> str:
    return lines[0].records[0].sample
