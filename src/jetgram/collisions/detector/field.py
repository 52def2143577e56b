r"""The way through the solenoid: where a particle from the origin meets the calorimeter.

The trajectory is a helix around the beam axis z. With the curvature constant $\kappa = 0.2998\,|q| B$ (GeV/m), the
particle has turned by the angle $2a$ when its distance from the axis is $(2 p_T/\kappa) \sin a$ and its distance along
it $2 a\, p_z / \kappa$. It leaves the cylinder of radius R and half-length L at the first of

$$ a_\mathrm{barrel} = \arcsin \frac{\kappa R}{2 p_T}, \qquad a_\mathrm{endcap} = \frac{\kappa L}{2 |p_z|}. $$

The first one does not exist for $p_T < \kappa R / 2$ (0.345 GeV here): such a particle curls until it leaves through an
endcap. In both cases the point lies in the direction

$$ \phi = \phi_0 - \mathrm{sign}(q)\, a, \qquad \sinh\eta = \sinh\eta_0 \cdot \frac{a}{\sin a}, $$

and a neutral particle (a = 0) keeps its own. The field points along +z, so positive charges turn clockwise. Production
vertices are ignored: every particle starts at the origin. The same geometry as Delphes' `ParticlePropagator`.
"""

from __future__ import annotations

import numpy as np

from jetgram import kinematics
from jetgram.collisions.detector.components import Solenoid
from jetgram.kinematics import Array

LIGHT = 0.299792458  # GeV / (T m) of transverse momentum per unit charge and radius of curvature


def half_turn(momenta: Array, charge: Array, solenoid: Solenoid) -> Array:
    """Half of the angle by which each particle has turned where it leaves, shape `(n,)`; inf if it never does."""
    curvature = LIGHT * np.abs(charge) * solenoid.field
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        sine = 0.5 * curvature * solenoid.radius / kinematics.pt(momenta)
        barrel = np.where(sine <= 1, np.arcsin(np.minimum(sine, 1.0)), np.inf)
        endcap = 0.5 * curvature * solenoid.half_length / np.abs(momenta[:, 2])
    return np.where(curvature > 0, np.fmin(barrel, endcap), 0.0)


def calorimeter_face(momenta: Array, charge: Array, solenoid: Solenoid) -> tuple[Array, Array]:
    """Pseudorapidity and azimuth, each `(n,)`, of the point where each particle of `(n, 4)` meets the calorimeter.

    A particle that curls forever (too soft for the barrel, with pz = 0) meets none: its pseudorapidity is inf.

    Example:
        >>> p = kinematics.from_ptetaphim([1.0, 1.0, 0.2], [0.5, 0.5, 0.5], 0.0)
        >>> eta, phi = calorimeter_face(p, np.array([0.0, 1.0, 1.0]), Solenoid())
        >>> eta.round(3), phi.round(3)
        (array([0.5  , 0.51 , 2.831]), array([ 0.   , -0.352, -0.672]))
    """
    half = half_turn(momenta, charge, solenoid)
    leaves = np.isfinite(half)
    half = np.where(leaves, half, 0.0)
    point = momenta[:, :3].copy()  # only its direction counts
    point[:, :2] *= np.sinc(half / np.pi)[:, None]  # negative after more than a full turn: seen from the other side
    turned = kinematics.phi(point) - np.sign(charge) * half
    return np.where(leaves, kinematics.eta(point), np.inf), kinematics.delta_phi(turned, 0.0)
