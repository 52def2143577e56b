"""The statements of arXiv:1702.00748 about its results, in our words, each with the rows that decide it."""

from __future__ import annotations

import dataclasses

from jetgram.studies.claims import (
    AlmostAsGood,
    Better,
    BetterOnAverage,
    Claim,
    Contrast,
    LittleGain,
    MoreRobust,
    NoGain,
    Sizes,
    SlightlyBetter,
)
from jetgram.studies.contestants import IN_TABLES, events, maxout, recursive

LEVELS = ("towers", "particles")


@dataclasses.dataclass(frozen=True)
class Statement:
    """A statement.

    Args:
        section: where the paper makes it.
        text: what it says.
        claim: how it is decided.
    """

    section: str
    text: str
    claim: Claim


def _jets(
    cell: str, better: tuple[str, ...], worse: tuple[str, ...], levels: tuple[str, ...] = LEVELS
) -> tuple[Contrast, ...]:
    """Every topology of the one kind against every one of the other, of one cell."""
    return tuple(
        (f"{level}-{cell}-{good}", f"{level}-{cell}-{bad}") for level in levels for good in better for bad in worse
    )


IMAGES = "5.1, images"
MOMENTA = "5.1, source of the momenta"
TOPOLOGY = "5.1, topology"
GATING = "5.1, gating"
VARIANTS = "5.1, other variants"
SAFETY = "5.2, safety"
EVENTS = "6, events"

KT, PARTICLES_KT = "towers-simple-kt", "particles-simple-kt"

STATEMENTS: tuple[Statement, ...] = (
    Statement(
        IMAGES,
        "On images, trees over pixels do almost as well as the MaxOut network",
        AlmostAsGood((("image-maxout", "pixels-simple-kt"),), ("AUC",)),
    ),
    Statement(
        IMAGES,
        "The recursive network is more data-efficient (in the paper MaxOut had 6 million jets; here both have 100,000)",
        SlightlyBetter((("pixels-simple-kt", "image-maxout"),), ("AUC",)),
    ),
    Statement(
        IMAGES,
        "Its networks have 8,481 (simple), 48,761 (gated) and 18,681 (events) parameters, MaxOut 975,693",
        Sizes(
            (
                (recursive("particles", "simple", "kt"), 8_481),
                (recursive("particles", "gated", "kt"), 48_761),
                (events(2, "kt"), 18_681),
                (maxout(), 975_693),
            )
        ),
    ),
    Statement(IMAGES, "Without images, trees over towers do significantly better", Better(((KT, "pixels-simple-kt"),))),
    Statement(
        IMAGES, "They outperform the MaxOut network on images significantly", Better(((KT, "image-maxout"),), ("AUC",))
    ),
    Statement(
        IMAGES,
        "They clearly outperform tau21, alone and with the mass",
        Better(((KT, "towers-tau21-trimmed"), (KT, "towers-mass-tau21-trimmed"))),
    ),
    Statement(MOMENTA, "Exactly measured momenta gain significantly over towers", Better(((PARTICLES_KT, KT),))),
    Statement(
        MOMENTA,
        "Energy flow with the class of each particle does not gain significantly over towers",
        NoGain((("pflow-simple-kt-classes", KT),), ("AUC",)),
    ),
    Statement(
        TOPOLOGY,
        "kt and C/A significantly outperform anti-kt, on towers and on particles",
        Better(_jets("simple", ("kt", "ca"), ("antikt",))),
    ),
    Statement(TOPOLOGY, "Random trees do poorly", Better(_jets("simple", ("kt", "ca", "desc-pt"), ("random",)))),
    Statement(
        TOPOLOGY,
        "On particles kt, C/A and descending pT improve on anti-kt, ascending pT and random trees",
        Better(_jets("simple", ("kt", "ca", "desc-pt"), ("antikt", "asc-pt", "random"), ("particles",))),
    ),
    Statement(
        TOPOLOGY,
        "Descending pT slightly outperforms kt and C/A",
        SlightlyBetter(_jets("simple", ("desc-pt",), ("kt", "ca"))),
    ),
    Statement(
        TOPOLOGY,
        "Descending pT outperforms ascending pT on particles",
        Better(_jets("simple", ("desc-pt",), ("asc-pt",), ("particles",))),
    ),
    Statement(TOPOLOGY, "but not on towers", NoGain(_jets("simple", ("desc-pt",), ("asc-pt",), ("towers",)), ("AUC",))),
    Statement(
        GATING,
        "Gating improves results significantly, most notably R",
        BetterOnAverage(
            tuple(
                (f"{level}-gated-{topology}", f"{level}-simple-{topology}")
                for level in LEVELS
                for topology in IN_TABLES
            )
        ),
    ),
    Statement(
        GATING,
        "With gating the topologies compare as without: kt and C/A outperform anti-kt, random trees do poorly",
        Better(
            (*_jets("gated", ("kt", "ca"), ("antikt",)), *_jets("gated", ("kt", "ca", "desc-pt"), ("random",))),
            ("AUC",),
        ),
    ),
    Statement(
        VARIANTS,
        "Embeddings over kt and anti-kt together give no significant gain over kt",
        NoGain((("particles-simple-kt+antikt", PARTICLES_KT),), ("AUC",)),
    ),
    Statement(
        VARIANTS,
        "Weights learned on kt trees lose significantly on anti-kt trees",
        Better(((PARTICLES_KT, f"{PARTICLES_KT} on antikt trees"),)),
    ),
    Statement(
        VARIANTS,
        "Trimming loses significantly, on particles and on towers",
        Better(((PARTICLES_KT, "particles-simple-kt-trimmed"), (KT, "towers-simple-kt-trimmed"))),
    ),
    Statement(
        SAFETY,
        "Descending pT very slightly outperforms kt in almost all scenarios",
        SlightlyBetter(
            tuple(
                (f"particles-simple-desc-pt{scenario}", f"{PARTICLES_KT}{scenario}")
                for scenario in ("", " collinear1", " collinear10", " collinear1-max", " soft")
            )
        ),
    ),
    Statement(
        SAFETY,
        "kt is more robust to ten splits of the hardest particles: R falls less, relatively, than for descending pT",
        MoreRobust(PARTICLES_KT, "particles-simple-desc-pt", "collinear10-max"),
    ),
    Statement(
        SAFETY,
        "Jet trees are more robust to soft radiation than sequences in pT (conclusions)",
        MoreRobust(PARTICLES_KT, "particles-simple-desc-pt", "soft"),
    ),
    Statement(
        EVENTS,
        "On towers events are told apart slightly worse than on particles",
        SlightlyBetter((("events-2-jets-kt", "event-towers-2-jets-kt"),)),
    ),
    Statement(
        EVENTS,
        "Two jets are significantly better than one",
        Better((("events-2-jets-kt", "events-1-jets-kt"), ("events-2-jets-desc-pt", "events-1-jets-desc-pt"))),
    ),
    Statement(
        EVENTS,
        "More than two jets gain little or nothing",
        LittleGain(
            tuple(
                (f"events-1-jets-{topology}", f"events-2-jets-{topology}", f"events-5-jets-{topology}")
                for topology in ("kt", "desc-pt")
            )
        ),
    ),
    Statement(
        EVENTS,
        "Descending pT is marginally better than kt",
        SlightlyBetter(tuple((f"events-{n}-jets-desc-pt", f"events-{n}-jets-kt") for n in (2, 5))),
    ),
    Statement(
        EVENTS,
        "Embeddings of jets improve significantly on their momenta alone",
        Better(
            tuple(
                (f"events-{n}-jets-{topology}", f"events-{n}-momenta")
                for n in (1, 2, 5)
                for topology in ("kt", "desc-pt")
            )
        ),
    ),
    Statement(
        EVENTS,
        "Particles without jets do significantly worse than jets with their trees",
        Better(
            tuple(
                (f"events-{jets}-jets-kt", f"events-{particles}-particles")
                for jets in (1, 2)
                for particles in (1, 50, 100, 200, 400)
            )
        ),
    ),
)
