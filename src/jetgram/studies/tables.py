"""The tables of the paper as rows: who is judged, on which test jets, next to which published numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from jetgram.evaluation.baselines import OBSERVABLES
from jetgram.evaluation.safety import NOMINAL, SCENARIOS
from jetgram.studies import paper
from jetgram.studies.contestants import (
    Contestant,
    all_topologies,
    event_particles,
    events,
    maxout,
    observable,
    on_pixels,
    recursive,
)
from jetgram.studies.paper import Published

DAGGER = "†"
TOWER_EVENTS = "2 hardest jets, on towers: slightly worse, says the paper, without numbers"


@dataclasses.dataclass(frozen=True)
class Row:
    """A line of a table.

    Args:
        heading: the part of the table it stands in.
        contestant: who is judged.
        scenario: what was done to the test jets; see `jetgram.studies.contestants`.
        published: the paper's numbers, or its authors'; None where there are none.
    """

    heading: str
    contestant: Contestant
    scenario: str = NOMINAL
    published: Published | None = None

    @property
    def title(self) -> str:
        """Its name in a table; what was done to the jets is said where the heading does not say it.

        A dagger marks a published number that is not in the paper but in its authors' notebooks.
        """
        said = self.scenario in (NOMINAL, self.heading)
        title = self.contestant.title if said else f"{self.contestant.title}, {self.scenario}"
        return f"{title} {DAGGER}" if self.published and self.published.source == "notebooks" else title

    @property
    def name(self) -> str:
        """Tells the row from every other of all tables, and is the model's name in its score files."""
        return row_name(self.contestant.key, self.scenario)


def row_name(key: str, scenario: str) -> str:
    """The name of the row of a contestant in a scenario.

    Example:
        >>> row_name("particles-simple-kt", "nominal"), row_name("particles-simple-kt", "soft")
        ('particles-simple-kt', 'particles-simple-kt soft')
    """
    return key if scenario == NOMINAL else f"{key} {scenario}"


@dataclasses.dataclass(frozen=True)
class Table:
    """Rows that are judged together.

    Args:
        name: of its files.
        title: above it.
        rows: in order.
    """

    name: str
    title: str
    rows: tuple[Row, ...]


def table1() -> Table:
    """Jets: images, observables, and both cells on all trees, of towers and particles."""
    groups: list[tuple[str, Sequence[Contestant]]] = [
        ("Projected into images", [maxout(), on_pixels("simple"), on_pixels("gated")]),
        (
            "Without image preprocessing",
            [
                *(observable(data, name) for data in ("towers", "particles") for name in OBSERVABLES),
                *all_topologies("towers", "simple"),
                *all_topologies("particles", "simple"),
            ],
        ),
        ("With gating", [*all_topologies("towers", "gated"), *all_topologies("particles", "gated")]),
    ]
    rows = [
        Row(heading, contestant, published=paper.TABLE1.get(contestant.key))
        for heading, contestants in groups
        for contestant in contestants
    ]
    return Table("table1", "Jet classification", tuple(rows))


def table2() -> Table:
    """Infrared and collinear safety: networks trained on nominal jets, tested on jets that were changed."""
    contestants = [recursive("particles", "simple", topology) for topology in ("kt", "desc-pt")]
    rows = [
        Row(scenario, contestant, scenario, paper.TABLE2[contestant.key, scenario])
        for scenario in SCENARIOS
        for contestant in contestants
    ]
    return Table("table2", "Infrared and collinear safety", tuple(rows))


def table3() -> Table:
    """Events: the hardest jets with and without their embeddings, on towers, and particles without jets."""
    rows = []
    for hardest, heading in ((1, "Hardest jet"), (2, "2 hardest jets"), (5, "5 hardest jets")):
        for topology in (None, "kt", "desc-pt"):
            contestant = events(hardest, topology)
            rows.append(Row(heading, contestant, published=paper.TABLE3[contestant.key]))
    rows.append(Row(TOWER_EVENTS, events(2, "kt", "event-towers")))
    for hardest in (1, 50, 100, 200, 400):
        contestant = event_particles(hardest)
        rows.append(Row("No jets, desc-pT on particles", contestant, published=paper.TABLE3[contestant.key]))
    return Table("table3", "Event classification", tuple(rows))
