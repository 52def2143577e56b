"""The detector's numbers: one frozen model, with the values of Delphes' ATLAS card as defaults.

Sources: the card `delphes_card_ATLAS.tcl` of Delphes 3 (arXiv:1307.6346), which takes its calorimeter resolutions from
hep-ex/0004009, physics/0608012 and JINST 3 (2008) S08003.
"""

from __future__ import annotations

import pydantic

from jetgram.collisions.detector.components import (
    Calorimeter,
    EnergyResolution,
    Share,
    Solenoid,
    TrackEfficiency,
    Tracking,
    TrackResolution,
)
from jetgram.settings import Settings


def _regions(*rows: tuple[float, float, float]) -> tuple[TrackResolution, ...]:
    return tuple(TrackResolution(eta_max=eta, constant=constant, slope=slope) for eta, constant, slope in rows)


def _ecal() -> Calorimeter:
    """340 rings of 0.0174 by 1 degree to |eta| = 2.958, then 10 degrees to 5."""
    fine = tuple(round(0.0174 * i, 4) for i in range(171))
    coarse = (3.125, 3.3, 3.475, 3.65, 3.825, 4.0, 4.175, 4.35, 4.525, 4.7, 5.0)
    return Calorimeter(
        eta_edges=fine + coarse,
        phi_cells=(360,) * 170 + (36,) * len(coarse),
        resolution=(
            EnergyResolution(eta_max=3.2, constant=0.0017, stochastic=0.101),
            EnergyResolution(eta_max=5.0, constant=0.035, stochastic=0.285),
        ),
        energy_min=0.5,
    )


def _hcal() -> Calorimeter:
    """Rings of 0.1 by 10 degrees to |eta| = 2.5, and those that end at 2.6 and 3.3; all others 20 degrees, to 4.9."""
    fine = tuple(round(0.1 * i, 1) for i in range(26))
    coarse = (2.6, 2.8, 3.0, 3.2, 3.3, 3.5, 3.7, 3.9, 4.1, 4.3, 4.5, 4.7, 4.9)
    return Calorimeter(
        eta_edges=fine + coarse,
        phi_cells=(36,) * 25 + tuple(36 if edge in (2.6, 3.3) else 18 for edge in coarse),
        resolution=(
            EnergyResolution(eta_max=1.7, constant=0.0302, stochastic=0.5205, noise=1.59),
            EnergyResolution(eta_max=3.2, constant=0.05, stochastic=0.706),
            EnergyResolution(eta_max=4.9, constant=0.0942, stochastic=1.0),
        ),
        energy_min=1.0,
    )


def _charged_hadrons() -> Tracking:
    values = ((0.70, 0.95), (0.60, 0.85))
    return Tracking(
        efficiency=TrackEfficiency(eta_max=(1.5, 2.5), pt_min=(0.1, 1.0), values=values),
        resolution=_regions((0.5, 0.06, 1.3e-3), (1.5, 0.10, 1.7e-3), (2.5, 0.25, 3.1e-3)),
    )


def _electrons() -> Tracking:
    values = ((0.73, 0.95, 0.99), (0.50, 0.83, 0.90))
    return Tracking(
        efficiency=TrackEfficiency(eta_max=(1.5, 2.5), pt_min=(0.1, 1.0, 100.0), values=values),
        resolution=_regions((0.5, 0.03, 1.3e-3), (1.5, 0.05, 1.7e-3), (2.5, 0.15, 3.1e-3)),
    )


def _muons() -> Tracking:
    values = ((0.75, 0.99), (0.70, 0.98))
    return Tracking(
        efficiency=TrackEfficiency(eta_max=(1.5, 2.5), pt_min=(0.1, 1.0), values=values),
        resolution=_regions((0.5, 0.01, 1.0e-4), (1.5, 0.015, 1.5e-4), (2.5, 0.025, 3.5e-4)),
    )


def _fractions() -> dict[int, tuple[Share, Share]]:
    electromagnetic = dict.fromkeys((11, 22, 111), (1.0, 0.0))
    invisible = dict.fromkeys((12, 13, 14, 16, 1000022, 1000023, 1000025, 1000035, 1000045), (0.0, 0.0))
    return electromagnetic | invisible | dict.fromkeys((310, 3122), (0.3, 0.7))


class DetectorCard(Settings):
    """The whole detector.

    Args:
        solenoid: the magnetic field.
        ecal: the electromagnetic calorimeter, with the fine cells of the energy flow.
        hcal: the hadronic calorimeter; its cells are the towers.
        charged_hadrons: tracking of every charged particle that is no electron and no muon.
        electrons: tracking of electrons.
        muons: tracking of muons.
        fractions: fractions of a particle's energy seen by (ECAL, HCAL), by |PDG id|.
        other_fraction: the same for every particle that `fractions` does not name.
        smear_position: whether a cell's position is drawn uniformly inside it; else it is the centre.

    Example:
        >>> DetectorCard().hcal.energy_min, DetectorCard().solenoid.field
        (1.0, 2.0)
        >>> DetectorCard.create(solenoyd={"field": 3.8})
        Traceback (most recent call last):
        jetgram.errors.SettingsError: there is no setting 'solenoyd'; did you mean 'solenoid'?
    """

    solenoid: Solenoid = Solenoid()
    ecal: Calorimeter = pydantic.Field(default_factory=_ecal)
    hcal: Calorimeter = pydantic.Field(default_factory=_hcal)
    charged_hadrons: Tracking = pydantic.Field(default_factory=_charged_hadrons)
    electrons: Tracking = pydantic.Field(default_factory=_electrons)
    muons: Tracking = pydantic.Field(default_factory=_muons)
    fractions: dict[int, tuple[Share, Share]] = pydantic.Field(default_factory=_fractions)
    other_fraction: tuple[Share, Share] = (0.0, 1.0)
    smear_position: bool = True


ATLAS = DetectorCard()
