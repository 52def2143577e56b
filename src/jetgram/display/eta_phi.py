"""A jet as its constituents in the plane of pseudorapidity and azimuth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.display.style import colour_scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection

Array = NDArray[np.float64]

LARGEST = 2400.0  # points^2: the area of a particle that carries the whole jet
SMALLEST = 6.0  # points^2: what the eye still finds


def draw_eta_phi(axes: Axes, momenta: Array) -> PathCollection:
    r"""Draw each constituent as a disc at $(\eta, \phi)$, its area in proportion to its share of the jet's pT.

    The azimuth is unrolled around the jet axis, which a cross marks, so that a jet at $\phi = \pi$ stays whole.

    Args:
        axes: where to draw.
        momenta: the constituents, `(n, 4)`.

    Returns:
        The discs, coloured by transverse momentum, for a colour bar.
    """
    jet = momenta.sum(axis=0)
    eta, phi = kinematics.eta(momenta), unrolled_phi(momenta)
    pt = kinematics.pt(momenta)
    area = np.maximum(LARGEST * pt / pt.sum(), SMALLEST)
    order = np.argsort(-pt, kind="stable")  # soft ones on top of hard ones
    colours, norm = colour_scale()
    discs = axes.scatter(
        eta[order], phi[order], s=area[order], c=pt[order], cmap=colours, norm=norm, edgecolors="white", linewidths=0.4
    )
    centre = float(kinematics.eta(jet)), float(kinematics.phi(jet))
    axes.plot(*centre, "+", color="0.3", markersize=9, markeredgewidth=0.9, zorder=3)
    reach = max(1.0, *(np.abs(eta - centre[0])), *(np.abs(phi - centre[1]))) * 1.06
    axes.set(
        xlim=(centre[0] - reach, centre[0] + reach),
        ylim=(centre[1] - reach, centre[1] + reach),
        xlabel=r"pseudorapidity $\eta$",
        ylabel=r"azimuth $\phi$",
    )
    axes.set_aspect("equal")
    axes.grid(color="0.92", linewidth=0.6)
    axes.set_axisbelow(True)
    return discs


def unrolled_phi(momenta: Array) -> Array:
    r"""Azimuths of a jet's constituents within $\pi$ of the jet's own, `(n,)`.

    Example:
        >>> import numpy as np
        >>> pair = kinematics.from_ptetaphim([50.0, 40.0], 0.0, [3.1, -3.1])
        >>> unrolled_phi(pair).round(3)
        array([3.1  , 3.183])
    """
    axis = kinematics.phi(momenta.sum(axis=0))
    return axis + kinematics.delta_phi(kinematics.phi(momenta), axis)
