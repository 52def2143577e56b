"""The other variants of the paper's Section 5.1, and those that its authors' notebooks add.

The paper states how its variants compare, without numbers; the notebooks print a few.
"""

from __future__ import annotations

import dataclasses

from jetgram.models.settings import ModelSettings
from jetgram.studies import paper
from jetgram.studies.contestants import Contestant, fewer, maxout, recursive
from jetgram.studies.scenarios import TRIM
from jetgram.studies.tables import DAGGER, Row, Table

NOTEBOOKS = f"{DAGGER} numbers of the authors' notebooks"
LEARNING_CURVE = (1_000, 10_000)  # training jets, besides all
IMAGE_LEARNING_CURVE = (12_500, 25_000, 50_000)
STATEMENTS = {
    "Embeddings of two trees": "no significant gain from kt and anti-kt together",
    "Trained on kt": "a significant loss on anti-kt trees",
    "Trimmed before the trees": f"a significant loss; {NOTEBOOKS}",
    "Particle flow": "no significant gain over towers",
    "Head on both children of the root": NOTEBOOKS,
    "Learning curve": NOTEBOOKS,
    "Learning curve of MaxOut": "0.8418 with 6 million images",
}


def variants() -> Table:
    """Each variant next to the network it is compared with; the heading carries the paper's statement."""
    rows: list[Row] = []
    for heading, members in _groups().items():
        rows += [
            Row(f"{heading}: {STATEMENTS[heading]}", contestant, scenario, _published(contestant, scenario))
            for contestant, scenario in members
        ]
    return Table("variants", "Other variants", tuple(rows))


def _published(contestant: Contestant, scenario: str) -> paper.Published | None:
    """What the notebooks print; of a network that is in Table 1, what stands there."""
    if scenario == "nominal" and contestant.key in paper.TABLE1:
        return paper.TABLE1[contestant.key]
    return paper.NOTEBOOKS.get((contestant.key, scenario))


def _groups() -> dict[str, list[tuple[Contestant, str]]]:
    kt, towers = (recursive(data, "simple", "kt") for data in ("particles", "towers"))
    gated = recursive("particles", "gated", "kt")
    return {
        "Embeddings of two trees": [(kt, "nominal"), (stereo(), "nominal")],
        "Trained on kt": [(kt, "nominal"), (kt, "on antikt trees")],
        "Trimmed before the trees": [
            (kt, "nominal"),
            (trimmed("particles"), "nominal"),
            (kt, "on trimmed jets"),
            (trimmed("particles"), "on untrimmed jets"),
            (towers, "nominal"),
            (trimmed("towers"), "nominal"),
        ],
        "Particle flow": [(towers, "nominal"), (flow(classes=False), "nominal"), (flow(classes=True), "nominal")],
        "Head on both children of the root": [
            (kt, "nominal"),
            (on_children("simple"), "nominal"),
            (gated, "nominal"),
            (on_children("gated"), "nominal"),
        ],
        "Learning curve": [
            *((fewer(kt, most, steps), "nominal") for most in LEARNING_CURVE for steps in (False, True)),
            (kt, "nominal"),
        ],
        "Learning curve of MaxOut": [
            *((fewer(maxout(), most), "nominal") for most in IMAGE_LEARNING_CURVE),
            (maxout(), "nominal"),
        ],
    }


def stereo() -> Contestant:
    """The embeddings over kt and anti-kt trees of a jet, side by side."""
    model = ModelSettings(topology="kt+antikt")
    return Contestant("particles-simple-kt+antikt", "particles, kt + anti-kt", "particles", model)


def on_children(cell: str) -> Contestant:
    """The network whose head reads both children of the root instead of the root."""
    root = recursive("particles", cell, "kt")
    model = ModelSettings(cell=cell, readout="children")
    return dataclasses.replace(root, key=f"{root.key}-children", title=f"{root.title}, root's children", model=model)


def trimmed(data: str) -> Contestant:
    """The network on kt trees of trimmed jets."""
    model = ModelSettings(topology="kt", trim=TRIM)
    return Contestant(f"{data}-simple-kt-trimmed", f"{data}, kt, trimmed", data, model)


def flow(classes: bool) -> Contestant:
    """The network on kt trees of energy-flow particles, without and with their class as one-hot features."""
    if classes:
        model = ModelSettings(topology="kt", features="paper+pclass")
        return Contestant("pflow-simple-kt-classes", "energy flow with classes, kt", "pflow", model)
    return Contestant("pflow-simple-kt", "energy flow, kt", "pflow", ModelSettings(topology="kt"))
