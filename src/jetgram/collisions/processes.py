"""The table of samples: what is generated, with which Pythia settings.

A sample pairs a signal with a background. `w-vs-qcd` and `wprime-vs-qcd` are the paper's, `top-vs-qcd` and
`quark-vs-gluon` follow the recipes of two public datasets (docs/samples.md says how we know); a card, a TOML file with
the same fields, adds one of your own (`jetgram generate --card FILE`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal, get_args

import pydantic

from jetgram.errors import require_known
from jetgram.settings import GrownSettings

Level = Literal["particles", "towers", "pflow"]
Truth = Literal["boson", "top", "parton"]

ENERGY = 13_000.0  # GeV; Pythia's defaults otherwise: protons, Monash tune, NNPDF2.3 QCD+QED LO


class Process(GrownSettings):
    """One process of Pythia 8.

    Args:
        pythia: lines of Pythia settings, in order.
        bosons: PDG ids (without sign) whose last copies in the record are kept as truth.
        boson_pt: range of the pT, in GeV, of the boson nearest to a jet; without it, any jet of the process counts.
        top_within: keep only jets with a hadronic top quark and all three partons of its decay nearer than this.
        partons: PDG ids (without sign) that the quark or gluon out of a hard process with one of them may have; events
            with others are left out.
    """

    later: ClassVar[tuple[str, ...]] = ("top_within", "partons")

    pythia: tuple[str, ...] = pydantic.Field(min_length=1)
    bosons: tuple[int, ...] = ()
    boson_pt: tuple[float, float] | None = None
    top_within: float | None = pydantic.Field(default=None, gt=0)
    partons: tuple[int, ...] = ()

    @pydantic.field_validator("pythia")
    @classmethod
    def _no_seed(cls, lines: tuple[str, ...]) -> tuple[str, ...]:
        seeds = next((line for line in lines if line.strip().lower().startswith("random:")), None)
        if seeds is not None:
            raise ValueError(f"found {seeds!r}; each shard has a seed that follows from --seed: leave it out")
        return lines

    @pydantic.model_validator(mode="after")
    def _boson_in_order(self) -> Process:
        if self.boson_pt is not None:
            _require_range("boson_pt", self.boson_pt)
            if not self.bosons:
                raise ValueError("boson_pt without bosons; name their PDG ids")
        return self

    @property
    def truths(self) -> set[Truth]:
        """What its jets can be matched with."""
        there = {"boson": self.bosons, "top": self.top_within, "parton": self.partons}
        return {truth for truth in get_args(Truth) if there[truth]}

    @property
    def has_truth(self) -> bool:
        """Whether its jets have a boson, top or parton to be matched with."""
        return bool(self.truths)

    def with_settings(self, lines: tuple[str, ...]) -> Process:
        """The same process with more lines of Pythia settings, which win over its own."""
        return self.model_copy(update={"pythia": (*self.pythia, *lines)})


class Sample(GrownSettings):
    """A signal (label 1) and a background (label 0).

    Args:
        name: what to call it.
        rows: `jets`: a row is the leading anti-kt jet of an event; `events`: a row is a whole event.
        pt: range of the leading jet's pT in GeV; rows outside are left out. None keeps every leading jet.
        eta_max: visible particles have a pseudorapidity below this; None takes all.
        radius: the radius R of the anti-kt jets.
        signal: the process with label 1.
        background: the process with label 0.
        energy: of the collisions, in GeV.
        level: what is stored by default.
        jet_eta_max: the leading jet has a pseudorapidity below this; None takes all.
        jet_rapidity_max: the same for its rapidity.
        constituents: how many of a jet's constituents are stored, the hardest; None stores all.
        veto: which events are given up early: `soft`, those whose leading jet is too soft; `window`, also those where
            it is too hard or not central, or comes from none of the `partons`.
    """

    later: ClassVar[tuple[str, ...]] = ("energy", "level", "jet_eta_max", "jet_rapidity_max", "constituents", "veto")

    name: str = pydantic.Field(pattern=r"^[A-Za-z0-9._-]+$")
    rows: Literal["jets", "events"]
    pt: tuple[float, float] | None = None
    eta_max: float | None = pydantic.Field(default=None, gt=0)
    radius: float = pydantic.Field(default=1.0, gt=0)
    signal: Process
    background: Process
    energy: float = pydantic.Field(default=ENERGY, gt=0)
    level: Level = "particles"
    jet_eta_max: float | None = pydantic.Field(default=None, gt=0)
    jet_rapidity_max: float | None = pydantic.Field(default=None, gt=0)
    constituents: int | None = pydantic.Field(default=None, ge=1)
    veto: Literal["soft", "window"] = "soft"

    @property
    def truth(self) -> Truth:
        """What each jet is matched with: a boson, a hadronic top, or the parton of the hard process."""
        both = (self.signal, self.background)
        if any(process.top_within is not None for process in both):
            return "top"
        return "parton" if any(process.partons for process in both) else "boson"

    @pydantic.model_validator(mode="after")
    def _ordered(self) -> Sample:
        if self.pt is not None:
            _require_range("pt", self.pt)
            if not self.pt[0] > 0:
                raise ValueError(f"pt is [{self.pt[0]}, {self.pt[1]}]; expected 0 < lower < upper")
        truths = sorted(self.signal.truths | self.background.truths)
        if len(truths) > 1:
            raise ValueError(
                f"signal and background name {' and '.join(truths)} as their truth; expected one kind: "
                "bosons, top_within or partons"
            )
        return self

    @pydantic.model_validator(mode="after")
    def _window_without_decays(self) -> Sample:
        """A jet is softer than the top or boson whose decay it comes from: no upper limit holds before the decay."""
        if self.veto == "window":
            if self.rows != "jets" or self.pt is None:
                raise ValueError('veto = "window" without a window; give a pt range of jets')
            if self.truth != "parton":
                raise ValueError('veto = "window" is for jets of partons; name them in signal and background')
        return self

    @pydantic.model_validator(mode="after")
    def _no_jets_of_events(self) -> Sample:
        """Whole events are stored: what is asked of their leading jet, besides its pT, would be ignored."""
        if self.rows == "events":
            names = [name for name in ("jet_eta_max", "jet_rapidity_max", "constituents") if getattr(self, name)]
            for process in (self.signal, self.background):
                names += [name for name in ("boson_pt", "top_within", "partons") if getattr(process, name)]
            if names:
                raise ValueError(f"{names[0]} is about jets; the rows of this sample are events, leave it out")
        return self


def _require_range(name: str, limits: tuple[float, float]) -> None:
    low, high = limits
    if not (math.isfinite(high) and 0 <= low < high):
        raise ValueError(f"{name} is [{low}, {high}]; expected 0 < lower < upper, a large number for no limit")


_W_TO_QUARKS = ("24:onMode = off", "24:onIfAny = 1 2 3 4 5")
_Z_TO_NEUTRINOS = ("23:onMode = off", "23:onIfAny = 12 14 16")
_PAPERS_PT_HAT = ("PhaseSpace:pTHatMin = 230.", "PhaseSpace:pTHatMax = 320.")

W_VS_QCD = Sample(
    name="w-vs-qcd",
    rows="jets",
    signal=Process(
        pythia=("WeakDoubleBoson:ffbar2ZW = on", *_W_TO_QUARKS, *_Z_TO_NEUTRINOS, *_PAPERS_PT_HAT), bosons=(24,)
    ),
    background=Process(pythia=("HardQCD:all = on", *_PAPERS_PT_HAT)),
)

# The range of the paper's text, with every jet that falls into it: wider and harder than the paper's own sample.
W_VS_QCD_INCLUSIVE = Sample(
    name="w-vs-qcd-inclusive",
    rows="jets",
    pt=(200.0, 500.0),
    eta_max=5.0,
    signal=Process(
        pythia=("WeakDoubleBoson:ffbar2ZW = on", *_W_TO_QUARKS, *_Z_TO_NEUTRINOS, "PhaseSpace:pTHatMin = 0."),
        bosons=(24,),
        boson_pt=(200.0, 500.0),
    ),
    background=Process(pythia=("HardQCD:all = on", "PhaseSpace:pTHatMin = 110.")),
)

WPRIME_VS_QCD = Sample(
    name="wprime-vs-qcd",
    rows="events",
    pt=(240.0, 360.0),
    eta_max=5.0,
    signal=Process(
        pythia=(
            "NewGaugeBoson:ffbar2Wprime = on",
            "34:m0 = 700.",
            "Wprime:coup2WZ = 1.",
            "34:onMode = off",
            "34:onIfMatch = 24 23",
            *_W_TO_QUARKS,
            "23:onMode = off",
            "23:onIfAny = 1 2 3 4 5",
        ),
        bosons=(24, 23, 34),
    ),
    background=Process(
        pythia=("HardQCD:all = on", "PhaseSpace:pTHatMin = 300.", "PhaseSpace:pTHatMax = 350."),
    ),
)

# After the public top-tagging dataset (10.5281/zenodo.2603256).
_NO_MPI = "PartonLevel:MPI = off"
TOP_VS_QCD = Sample(
    name="top-vs-qcd",
    rows="jets",
    energy=14_000.0,
    level="pflow",
    pt=(550.0, 650.0),
    jet_eta_max=2.0,
    radius=0.8,
    constituents=200,
    signal=Process(
        pythia=("Top:gg2ttbar = on", "Top:qqbar2ttbar = on", *_W_TO_QUARKS, _NO_MPI, "PhaseSpace:pTHatMin = 250."),
        top_within=0.8,
    ),
    background=Process(pythia=("HardQCD:all = on", _NO_MPI, "PhaseSpace:pTHatMin = 300.")),
)

# After EnergyFlow's quark and gluon jets of Pythia, without c and b (10.5281/zenodo.3164691).
_INVISIBLE_RECOIL = (*_Z_TO_NEUTRINOS, "23:isVisible = off", "PhaseSpace:pTHatMin = 300.")
QUARK_VS_GLUON = Sample(
    name="quark-vs-gluon",
    rows="jets",
    energy=14_000.0,
    pt=(500.0, 550.0),
    jet_rapidity_max=1.7,
    radius=0.4,
    veto="window",
    signal=Process(pythia=("WeakBosonAndParton:qg2gmZq = on", *_INVISIBLE_RECOIL), partons=(1, 2, 3)),
    background=Process(pythia=("WeakBosonAndParton:qqbar2gmZg = on", *_INVISIBLE_RECOIL), partons=(21,)),
)

SAMPLES: Mapping[str, Sample] = {
    sample.name: sample for sample in (W_VS_QCD, W_VS_QCD_INCLUSIVE, WPRIME_VS_QCD, TOP_VS_QCD, QUARK_VS_GLUON)
}


def sample(name: str) -> Sample:
    """The built-in sample of that name.

    Example:
        >>> sample("w-vs-qcd").signal.pythia[-1]
        'PhaseSpace:pTHatMax = 320.'
        >>> sample("w-vs-qdc")
        Traceback (most recent call last):
        jetgram.errors.SettingsError: no sample 'w-vs-qdc'; did you mean 'w-vs-qcd'?
    """
    require_known("no sample", name, SAMPLES)
    return SAMPLES[name]


def to_card(sample: Sample) -> str:
    """The card of a sample; `Sample.from_toml` reads it back.

    Example:
        >>> from jetgram.collisions.processes import sample
        >>> print(to_card(sample("w-vs-qcd")).splitlines()[0])
        name = "w-vs-qcd"
    """
    values = sample.model_dump(mode="json")
    tables = {name: values.pop(name) for name in ("signal", "background")}
    lines = [*_lines(values)]
    for name, table in tables.items():
        lines += ["", f"[{name}]", *_lines(table)]
    return "\n".join(lines) + "\n"


def _lines(values: Mapping[str, Any]) -> Iterator[str]:
    """TOML of flat values: strings, numbers and lists are written as in JSON, and what is not set is left out."""
    for name, value in values.items():
        if value is None:
            continue
        if isinstance(value, list) and value and isinstance(value[0], str):
            yield f"{name} = ["
            yield from (f"  {json.dumps(item)}," for item in value)
            yield "]"
        else:
            yield f"{name} = {json.dumps(value)}"
