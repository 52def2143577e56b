"""Substructure of jets: N-subjettiness and soft-drop mass with FastJet's contrib, trimmed mass and pT from `trim`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from jetgram.errors import require_known
from jetgram.jets.clustering import cluster_sequence, jet_definition
from jetgram.jets.subjets import trim
from jetgram.momenta import Jets
from jetgram.validity import require_good

Array = NDArray[np.float64]

WHOLE_JET = 100.0  # a clustering radius that makes one jet of all constituents
AXES = {"wta-kt": "WTA_KT_Axes", "one-pass-kt": "OnePass_KT_Axes"}  # of N-subjettiness, in FastJet's words
USUAL_AXES = "wta-kt"


def nsubjettiness(
    jets: Jets, orders: Sequence[int] = (1, 2), beta: float = 1.0, radius: float = 1.0, axes: str = USUAL_AXES
) -> Array:
    r"""N-subjettiness of each jet: how well N axes describe it (arXiv:1011.2268).

    $$\tau_N = \frac{1}{\sum_i p_{Ti} R_0^\beta} \sum_i p_{Ti} \min(\Delta R_{1i}^\beta, \dots, \Delta R_{Ni}^\beta).$$

    Args:
        jets: with $N$ constituents or fewer, $\tau_N = 0$.
        orders: the values of $N$.
        beta: the angular exponent $\beta$.
        radius: $R_0$, the radius that the jets were found with.
        axes: `wta-kt`, the paper's: of exclusive kt subjets, where the sum of two goes along the harder one ("winner
            takes all"), so that each is the direction of a constituent; `one-pass-kt`: of exclusive kt subjets, moved
            once to the nearest minimum of $\tau_N$.

    Returns:
        Shape `(jets, len(orders))`.

    Example:
        Two prongs at a distance of 0.6, a third of the pT in the softer one: $\tau_1 = 0.2$ and $\tau_2 = 0$.

        >>> import numpy as np
        >>> from jetgram.kinematics import from_ptetaphim
        >>> jets = Jets(from_ptetaphim([50.0, 25.0], [0.0, 0.6], [1.0, 1.0]), np.array([0, 2]))
        >>> nsubjettiness(jets).round(6)
        array([[0.2, 0. ]])
    """
    require_known("no axes are called", axes, AXES)
    require_good(jets)
    sequence = cluster_sequence(jets, jet_definition("kt", WHOLE_JET))
    tau = sequence.njettiness(axes_definition=AXES[axes], njets=list(orders), beta=beta, R0=radius)
    return np.asarray(tau, dtype=np.float64).reshape(len(jets), len(orders))


def tau21(jets: Jets, beta: float = 1.0, radius: float = 1.0, axes: str = USUAL_AXES) -> Array:
    r"""$\tau_{21} = \tau_2 / \tau_1$ of each jet: small for two prongs. Zero where $\tau_1$ is zero."""
    tau1, tau2 = nsubjettiness(jets, (1, 2), beta, radius, axes).T
    return _ratio(tau2, tau1)


def soft_drop_mass(jets: Jets, z_cut: float = 0.1, beta: float = 0.0, radius: float = 1.0) -> Array:
    r"""Mass of each jet after soft drop (arXiv:1402.2657).

    The C/A tree is followed from the root into the harder branch until
    $\min(p_{T1}, p_{T2}) / (p_{T1} + p_{T2}) > z_{cut} (\Delta R_{12} / R_0)^\beta$; 0 for a jet along the beam.

    Example:
        >>> import numpy as np
        >>> from jetgram.kinematics import from_ptetaphim
        >>> momenta = from_ptetaphim([90.0, 60.0, 5.0], [0.0, 0.6, -0.5], [1.0, 1.0, 1.5])
        >>> jets = Jets(momenta, np.array([0, 3]))
        >>> soft_drop_mass(jets).round(2), jets[:1].mass.round(2)
        (array([44.76]), array([51.99]))
    """
    require_good(jets)
    masses, transverse = np.zeros(len(jets)), jets.pt > 0
    if transverse.any():
        sequence = cluster_sequence(jets[transverse], jet_definition("ca", WHOLE_JET))
        groomed = sequence.exclusive_jets_softdrop_grooming(njets=1, beta=beta, symmetry_cut=z_cut, R0=radius)
        masses[transverse] = np.maximum(np.asarray(groomed.msoftdrop, dtype=np.float64), 0.0)  # by rounding below 0
    return masses


def substructure(jets: Jets, radius: float = 1.0, trim_fraction: float = 0.05) -> dict[str, Array]:
    """The substructure of the paper's baselines, ready for `jets.with_columns(**substructure(jets))`.

    All of it is that of the trimmed jet; the axes of N-subjettiness are `wta-kt`.

    Returns:
        `tau1`, `tau2`, `tau21`, `trimmed_mass` and `trimmed_pt` (GeV), each of shape `(jets,)`.
    """
    trimmed = trim(jets, trim_fraction)
    tau1, tau2 = nsubjettiness(trimmed, (1, 2), radius=radius).T
    return {
        "tau1": tau1,
        "tau2": tau2,
        "tau21": _ratio(tau2, tau1),
        "trimmed_mass": trimmed.mass,
        "trimmed_pt": trimmed.pt,
    }


def _ratio(a: Array, b: Array) -> Array:
    """`a / b`, zero where b is zero."""
    ratio: Array = np.divide(a, b, out=np.zeros_like(a), where=b > 0)
    return ratio
