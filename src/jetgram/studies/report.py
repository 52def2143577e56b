"""The report of a study: one self-contained page with its tables, curves, jets, trainings and provenance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from jetgram.evaluation.selection import EFFICIENCY, Window
from jetgram.models.card import CARD, read_card
from jetgram.models.history import read_history
from jetgram.models.store import load_model
from jetgram.progress import Advance, silent
from jetgram.report.comparison import Column, Row, compare
from jetgram.report.explorer import explore_dataset
from jetgram.report.html import details, document, facts, image, paragraph, section, subheading, table
from jetgram.report.learning import History, training_curves
from jetgram.report.roc import interactive_roc
from jetgram.storage import atomic
from jetgram.storage.dataset import Dataset
from jetgram.studies.contestants import all_topologies
from jetgram.studies.curves import compare_rocs, selected_scores
from jetgram.studies.figures import Figure, has_models
from jetgram.studies.judge import Line, judge, read_scoring, scorings_of
from jetgram.studies.merge import collect_seeds
from jetgram.studies.plan import Plan
from jetgram.studies.referee import STATEMENTS_HEAD, decided, lines_by_name
from jetgram.studies.scales import rows_of
from jetgram.studies.study import Study
from jetgram.studies.tables import Row as TableRow
from jetgram.studies.tables import Table
from jetgram.studies.verdicts import Lines
from jetgram.studies.workspace import Workspace

REPORT = "report.html"
TITLE = "QCD-aware recursive networks, reproduced"


def write_report(study: Study, lines: Mapping[str, Sequence[Line]], advance: Advance = silent) -> Path:
    """Write the page into the study's folder.

    Args:
        study: with its scores and figures on disk.
        lines: of each table; see `jetgram.studies.study.judge_tables`.
        advance: is called with 1 after each section.
    """
    parts = []
    for part in _sections(study, lines):
        parts.append(part)
        advance(1)
    scale, file = study.workspace.scale, study.workspace.out / REPORT
    lead = f"arXiv:1702.00748 at the scale '{scale.name}', with {study.workspace.seeds} seeds at most. {scale.remark}"
    atomic.write_bytes(file, document(TITLE, lead, parts).encode())
    return file


def sections(study: Study) -> int:
    """How many sections the page has."""
    return len(study.tables) + len(study.figures) + 4


def _sections(study: Study, lines: Mapping[str, Sequence[Line]]) -> Iterator[str]:
    for each in study.tables:
        yield comparison(each, lines[each.name], study.workspace.scale.remark) if lines.get(each.name) else ""
    yield statements(lines_by_name(lines.values()))
    for figure in study.figures:
        yield drawn(study.workspace, figure)
    yield jets_to_explore(study.workspace)
    yield trainings(study)
    yield provenance(study)


def comparison(shown: Table, lines: Sequence[Line], remark: str) -> str:
    """A table next to the paper's."""
    efficiency = EFFICIENCY[rows_of(lines[0].row.contestant.data)]
    groups: dict[str, list[Row]] = {}
    for line in lines:
        seeds = "" if line.row.contestant.model is None else f", seeds: {line.seeds}"
        row = Row(line.row.title + seeds, (line.auc, line.rejection))
        groups.setdefault(line.row.heading, []).append(row)
    columns = [Column("AUC", 4), Column(f"R at {efficiency:.0%}", 1)]
    remarks = [paragraph(remark)] if remark else []
    return section(f"{shown.title} ({shown.name})", *remarks, compare(columns, groups))


def statements(lines: Lines) -> str:
    """What the paper says of its results, and whether these numbers say so too."""
    rows = [
        [where, text, verdict.word, "; ".join(verdict.evidence).replace("`", "")]
        for where, text, verdict in decided(lines)
    ]
    return section(
        "The paper's statements",
        paragraph(
            "A statement that one row is significantly better holds if the difference is at least 3 sigma. It does not "
            "hold if the opposite is significant, or if even half of the paper's difference is excluded by 3 sigma. "
            "Errors are those of the seeds and of the test sample."
        ),
        details("Statement by statement", table(STATEMENTS_HEAD, rows)),
    )


def drawn(workspace: Workspace, figure: Figure) -> str:
    """A figure: ROC curves to play with, others as they were drawn."""
    lines = figure.ready_lines(workspace)
    if not lines:
        return ""
    if figure.draw is compare_rocs:
        models = selected_scores(workspace, lines)
        kind = next(iter(models.values()))[0].provenance.rows
        return section(figure.title, interactive_roc(models, EFFICIENCY[kind]))
    return section(figure.title, image(figure.files(workspace)[0].read_bytes(), figure.title))


def jets_to_explore(workspace: Workspace) -> str:
    """Test jets as the simple networks on particles read them, one per topology; nothing without jets or networks."""
    lines = judge(workspace, [TableRow("", contestant) for contestant in all_topologies("particles", "simple")])
    found = {
        line.row.title: scorings_of(workspace, line)[0]
        for line in lines
        if scorings_of(workspace, line) and has_models(workspace, line)
    }
    if not found:
        return ""
    models = {name: load_model(task.folder) for name, task in found.items()}
    scores = {name: read_scoring(task) for name, task in found.items()}
    return section(
        "Jets to explore",
        paragraph(
            "Test jets in the paper's window, from the most to the least signal-like, as the networks read them. A "
            "branch has the stronger a colour, the more the score of the network on this tree depends on it."
        ),
        explore_dataset(Dataset(workspace.dataset("particles")), models, scores, Window()),
    )


def trainings(study: Study) -> str:
    """Loss and AUC by epoch of every network, in one picture for each dataset."""
    pictures: dict[str, dict[str, list[History]]] = {}
    for task in study.plan.trainings:
        history = read_history(task.job.out)
        if history:
            pictures.setdefault(task.job.dataset.name, {}).setdefault(task.group, []).append(history)
    parts = [part for data, shown in pictures.items() for part in (subheading(data), training_curves(shown))]
    return section("Trainings", *parts) if parts else ""


def provenance(study: Study) -> str:
    """What everything was made with, and how long the trainings took."""
    workspace, plan = study.workspace, study.plan
    parts = [
        facts({"scale": workspace.scale.model_dump(mode="json"), "seeds": workspace.seeds}, "The study"),
        facts(_known_seeds(study, plan), "The finished seeds"),
    ]
    for task in plan.generations:
        if task.share == 1:
            for dataset in map(Dataset, task.wanted):
                made = {**dataset.provenance, "digest": dataset.digest}
                parts.append(facts(made, f"The dataset {dataset.path.name}"))
    trained = [task for task in plan.trainings if (task.job.out / CARD).exists()]
    cards = {task.group: read_card(task.job.out) for task in reversed(trained)}  # of the first seed
    networks = []
    for name in dict.fromkeys(task.group for task in trained):
        card = cards[name]
        said = {"settings": card.settings, "training": card.training, "versions": card.versions, "data": card.data}
        networks.append(facts(said, name))
    parts.append(details("The networks", *networks))
    seconds = {
        f"{task.group}, {task.job.out.name}": f"{sum(epoch['seconds'] for epoch in read_history(task.job.out)):.0f} s"
        for task in trained
    }
    return section("Provenance", *parts, facts(seconds, "Time of each training, on one core"))


def _known_seeds(study: Study, plan: Plan) -> dict[str, object]:
    known = collect_seeds(study.workspace, study.rows)
    here = sum(task.known and task.file.exists() for task in plan.scorings)
    return {
        "lines that count": len(known.records),
        "of them with scores in this folder": here,
        "refused lines": len(known.refused),
        "files": [str(file) for file in known.lines],
    }
