"""The parts of a detector as settings: solenoid, calorimeters, tracking; their numbers are in `card`. And smearing.

Lengths in m, field in T, energies in GeV. Everything is symmetric in the sign of eta, so regions and cell edges are
given in |eta|. A region reaches from the end of the one before it up to and including its own `eta_max`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated

import numpy as np
import pydantic

from jetgram.kinematics import Array
from jetgram.settings import Settings

Positive = Annotated[float, pydantic.Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, pydantic.Field(ge=0, allow_inf_nan=False)]
Share = Annotated[float, pydantic.Field(ge=0, le=1)]


def _rising(values: tuple[float, ...]) -> tuple[float, ...]:
    if not values or any(high <= low for low, high in pairwise(values)):
        raise ValueError("the values must rise, and there must be one at least")
    return values


Rising = Annotated[tuple[NotNegative, ...], pydantic.AfterValidator(_rising)]


class Solenoid(Settings):
    """The cylinder with the magnetic field; the calorimeters begin where it ends."""

    field: NotNegative = 2.0
    radius: Positive = 1.15
    half_length: Positive = 3.51


class EnergyResolution(Settings):
    r"""Calorimeter resolution $\sigma^2(E) = c^2 E^2 + s^2 E + n^2$ (constant, stochastic, noise) in one region."""

    eta_max: Positive
    constant: NotNegative
    stochastic: NotNegative
    noise: NotNegative = 0.0


class Calorimeter(Settings):
    """One calorimeter: its cells, its resolution, and what it takes for a cell to be read out.

    Args:
        eta_edges: edges of the rings of cells in |eta|, from 0 on; both halves of the detector are alike.
        phi_cells: how many equal cells each ring has around the beam.
        resolution: the resolution by region, evaluated at the centre of a cell.
        energy_min: a cell with less energy than this (GeV, after smearing) is zero.
        significance_min: and so is one with less than this many sigma (of the smeared energy).
    """

    eta_edges: Rising
    phi_cells: tuple[pydantic.PositiveInt, ...]
    resolution: tuple[EnergyResolution, ...]
    energy_min: NotNegative
    significance_min: NotNegative = 2.0

    @pydantic.field_validator("eta_edges")
    @classmethod
    def _from_zero(cls, edges: tuple[float, ...]) -> tuple[float, ...]:
        if edges[0] != 0 or len(edges) < 2:
            raise ValueError("the edges must start at 0 and enclose one ring at least")
        return edges

    @pydantic.field_validator("phi_cells")
    @classmethod
    def _one_per_ring(cls, cells: tuple[int, ...], info: pydantic.ValidationInfo) -> tuple[int, ...]:
        rings = len(info.data.get("eta_edges", ())) - 1
        if rings >= 0 and len(cells) != rings:
            raise ValueError(f"there are {len(cells)} values; expected {rings}, one for each ring of eta_edges")
        return cells


class TrackEfficiency(Settings):
    """Probability of a track: `values[i][j]` in region `eta_max[i]` for pT above `pt_min[j]`; zero elsewhere."""

    eta_max: Rising
    pt_min: Rising
    values: tuple[tuple[Share, ...], ...]

    @pydantic.field_validator("values")
    @classmethod
    def _full_table(
        cls, values: tuple[tuple[float, ...], ...], info: pydantic.ValidationInfo
    ) -> tuple[tuple[float, ...], ...]:
        rows, width = (len(info.data.get(name, ())) for name in ("eta_max", "pt_min"))
        if rows and width and [len(row) for row in values] != [width] * rows:
            raise ValueError(f"expected {rows} rows of {width}: one row per eta_max, one value per pt_min")
        return values


class TrackResolution(Settings):
    r"""Track resolution $\sigma(p_T)/p_T = \sqrt{c^2 + (k\,p_T)^2}$ (constant, slope per GeV) in one region."""

    eta_max: Positive
    constant: NotNegative
    slope: NotNegative


class Tracking(Settings):
    """How one kind of charged particle is tracked."""

    efficiency: TrackEfficiency
    resolution: tuple[TrackResolution, ...]


def log_normal(mean: Array, sigma: Array, rng: np.random.Generator) -> Array:
    r"""Log-normal smearing: a positive quantity with the right mean and spread, that stays positive.

    $x = \exp(a + b z)$ with $z$ standard normal, $b^2 = \ln(1 + \sigma^2/\mu^2)$ and $a = \ln\mu - b^2/2$ has mean
    $\mu$ and standard deviation $\sigma$. Delphes smears calorimeter energies and track momenta this way. One draw for
    each `mean` (not negative) and `sigma`, in their shape; zero where the mean is zero.

    Example:
        >>> x = log_normal(np.full(100_000, 2.0), np.full(100_000, 3.0), np.random.default_rng(1))
        >>> float(x.mean().round(1)), float(x.std().round(1)), bool((x > 0).all())
        (2.0, 3.0, True)
    """
    normal = rng.standard_normal(mean.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.logaddexp(0.0, 2 * (np.log(sigma) - np.log(mean)))  # ln(1 + ratio^2), for a huge ratio as well
        draw = mean * np.exp(np.sqrt(variance) * normal - 0.5 * variance)
    return np.where(mean > 0, draw, 0.0)
