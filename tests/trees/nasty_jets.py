"""Legal jets that break careless algorithms: equal, collinear, beam-parallel, tiny beside huge, a single particle."""

import numpy as np
from hypothesis import strategies as st

from jetgram.kinematics import from_ptetaphim
from jetgram.momenta import Jets

ORDINARY = st.builds(
    from_ptetaphim,
    st.floats(1e-3, 1e3),
    st.floats(-5.0, 5.0),
    st.floats(-np.pi, np.pi),
    st.sampled_from([0.0, 0.13957, 5.0]),
)
GRID = st.builds(
    from_ptetaphim,
    st.sampled_from([1.0, 2.0]),
    st.sampled_from([-0.5, 0.0, 0.5]),
    st.sampled_from([-np.pi, -0.5, 0.0, 0.5, np.pi]),
)
ALONG_BEAM = st.builds(
    lambda pz, mass: np.array([0.0, 0.0, pz, np.hypot(pz, mass)]),
    st.sampled_from([-1e99, -1e4, -1.0, 1e-200, 1.0, 2.0, 7e3]),
    st.sampled_from([0.0, 1.0]),
)
EXTREME = st.sampled_from(
    [
        np.array([3e98, 4e98, 0.0, 5e98]),
        np.array([1e-160, 0.0, 1e5, 1e5]),
        np.array([1e-200, 0.0, 0.0, 1e-200]),
        np.array([0.0, -1e-170, 0.0, 1.0]),
        np.array([2.3e-162, 0.0, 0.0, 2.3e-162]),
        np.array([5e-324, 0.0, 5e-324, 1e-323]),
        np.array([1.0, -1e-300, 0.0, 1.0]),
        np.array([-1.0, -0.0, 0.0, 1.0]),
        np.array([1.0, 0.0, 0.0, 1.0 - 5e-7]),
        np.array([0.0, 0.0, 0.0, 91.2]),
        np.array([100.0, 0.0, 0.0, 100.0]),  # these two
        np.array([-100.0, 0.0, 50.0, 120.0]),  # have no pT together
    ]
)
MOMENTUM = ORDINARY | GRID | ALONG_BEAM | EXTREME


@st.composite
def crowded(draw: st.DrawFn) -> list[np.ndarray]:
    """Particles of which many share their momentum or their direction with another."""
    few = draw(st.lists(MOMENTUM, min_size=1, max_size=4))
    chosen = draw(st.lists(st.tuples(st.sampled_from(few), st.sampled_from([1.0, 0.5, 0.3])), min_size=1, max_size=20))
    return [p * factor if (p * factor)[3] > 0 else p for p, factor in chosen]


PARTICLES = st.lists(MOMENTUM, min_size=1, max_size=12) | crowded() | st.lists(GRID, min_size=1, max_size=40)
nasty_jets = st.lists(PARTICLES, min_size=1, max_size=3).map(Jets.from_lists)
