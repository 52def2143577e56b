"""The other variants of the paper's Section 5.1: it states how they compare, without numbers."""

from __future__ import annotations

from jetgram.models.settings import ModelSettings
from jetgram.studies.contestants import Contestant, recursive
from jetgram.studies.tables import Row, Table

TRIM = 0.05  # of the jet's pT, as for jet images
STATEMENTS = {
    "Embeddings of two trees": "no significant gain from kt and anti-kt together",
    "Trained on kt": "a significant loss on anti-kt trees",
    "Trimmed before the trees": "a significant loss",
    "Particle flow": "no significant gain over towers",
}


def variants() -> Table:
    """Each variant beside the network it is compared with; the heading carries the paper's statement."""
    rows: list[Row] = []
    for heading, members in _groups().items():
        rows += [Row(f"{heading}: {STATEMENTS[heading]}", *member) for member in members]
    return Table("variants", "Other variants", tuple(rows))


def _groups() -> dict[str, list[tuple[Contestant, str]]]:
    kt, towers = (recursive(data, "simple", "kt") for data in ("particles", "towers"))
    return {
        "Embeddings of two trees": [(kt, "nominal"), (stereo(), "nominal")],
        "Trained on kt": [(kt, "nominal"), (kt, "on antikt trees")],
        "Trimmed before the trees": [
            (kt, "nominal"),
            (trimmed("particles"), "nominal"),
            (towers, "nominal"),
            (trimmed("towers"), "nominal"),
        ],
        "Particle flow": [(towers, "nominal"), (flow(classes=False), "nominal"), (flow(classes=True), "nominal")],
    }


def stereo() -> Contestant:
    """The embeddings over kt and anti-kt trees of a jet, side by side."""
    model = ModelSettings(topology="kt+antikt")
    return Contestant("particles-simple-kt+antikt", "particles, kt + anti-kt", "particles", model)


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
