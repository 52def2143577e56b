"""The table of samples: what is generated, with which Pythia settings.

A sample pairs a signal with a background. `w-vs-qcd` and `wprime-vs-qcd` are the paper's (docs/samples.md says how we
know); a card, a TOML file with the same fields, adds one of your own (`jetgram generate --card FILE`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import pydantic

from jetgram.errors import require_known
from jetgram.settings import Settings

COMMON = ("Beams:eCM = 13000.",)  # Pythia's defaults otherwise: protons, Monash tune, NNPDF2.3 QCD+QED LO


class Process(Settings):
    """One process of Pythia 8.

    Args:
        pythia: lines of Pythia settings, in order.
        bosons: PDG ids (without sign) whose last copies in the record are kept as truth.
        boson_pt: range of the pT, in GeV, of the boson nearest to a jet; without it, any jet of the process counts.
    """

    pythia: tuple[str, ...] = pydantic.Field(min_length=1)
    bosons: tuple[int, ...] = ()
    boson_pt: tuple[float, float] | None = None


class Sample(Settings):
    """A signal (label 1) and a background (label 0).

    Args:
        name: what to call it.
        rows: `jets`: a row is the leading anti-kt jet of an event; `events`: a row is a whole event.
        pt: range of the leading jet's pT in GeV; rows outside are left out. None keeps every leading jet.
        eta_max: visible particles have a pseudorapidity below this; None takes all.
        radius: the radius R of the anti-kt jets.
        signal: the process with label 1.
        background: the process with label 0.
    """

    name: str = pydantic.Field(pattern=r"^[A-Za-z0-9._-]+$")
    rows: Literal["jets", "events"]
    pt: tuple[float, float] | None = None
    eta_max: float | None = pydantic.Field(default=None, gt=0)
    radius: float = pydantic.Field(default=1.0, gt=0)
    signal: Process
    background: Process

    @pydantic.model_validator(mode="after")
    def _ordered(self) -> Sample:
        if self.pt is not None and not 0 < self.pt[0] < self.pt[1]:
            raise ValueError(f"pt is [{self.pt[0]}, {self.pt[1]}]; expected 0 < lower < upper")
        return self


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

SAMPLES: Mapping[str, Sample] = {sample.name: sample for sample in (W_VS_QCD, W_VS_QCD_INCLUSIVE, WPRIME_VS_QCD)}


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
