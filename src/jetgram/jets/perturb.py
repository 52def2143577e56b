"""Perturbations that must not change the physics: soft particles and collinear splits (arXiv:1702.00748, Section 5)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.errors import BadJetError, require_known
from jetgram.jets.soft import soft_momenta
from jetgram.momenta import Jets
from jetgram.ragged import first_largest, offsets_of
from jetgram.validity import require_good

Array = NDArray[np.float64]

# How often, and whether the hardest constituent is split each time or a random one.
COLLINEAR = {
    "collinear1": (1, False),
    "collinear10": (10, False),
    "collinear1-max": (1, True),
    "collinear10-max": (10, True),
}
KINDS = ("soft", *COLLINEAR)
PHOTON = {"pdgid": 22, "pclass": 2, "ecal_fraction": 1.0}  # in the columns of generator and detector; others are zero
Z_MARGIN = 1e-12  # z stays so far from 0 and 1, so that no piece is zero


def perturb(jets: Jets, kind: str, seed: int | Sequence[int] = 0, first: int = 0) -> Jets:
    r"""The jets with soft particles added, or with some constituents split in two along their own direction.

    `soft`
        appends the soft particles that `find_jets(..., soft=SoftParticles())` kept with each jet, as photons.
    `collinear1`, `collinear10`
        split a random constituent, 1 or 10 times; pieces can be split again.
    `collinear1-max`, `collinear10-max`
        split the constituent of highest pT, 1 or 10 times: the hardest at each time.

    A split with z uniform in (0, 1) turns $(\vec p, E)$ into the massless $(1 - z)(\vec p, |\vec p|)$ and the rest,
    $(z \vec p, E - (1 - z)|\vec p|)$: both go along $\vec p$, and the four-momentum is conserved, with it the jet's pT,
    direction and mass.
    The first piece stands where the constituent stood, the second behind all others; both inherit the `particles`
    columns.

    Args:
        jets: to perturb before they are preprocessed.
        kind: one of the names above.
        seed: of the splits; an integer or several.
        first: number of the first of these jets in the whole dataset: the result for a jet depends on `seed` and its
            number there only, so a dataset can be read in parts.

    Example:
        >>> import numpy as np
        >>> jets = Jets(np.array([[3.0, 4.0, 0.0, 5.0], [30.0, 40.0, 0.0, 50.0]]), np.array([0, 2]))
        >>> split = perturb(jets, "collinear1-max", seed=1)
        >>> split[0].round(3)
        array([[ 3.   ,  4.   ,  0.   ,  5.   ],
               [28.514, 38.019,  0.   , 47.523],
               [ 1.486,  1.981,  0.   ,  2.477]])
        >>> split.pt, jets.pt
        (array([55.]), array([55.]))
    """
    require_known("no perturbation", kind, KINDS)
    require_good(jets)
    if kind == "soft":
        return add_soft_particles(jets)
    splits, hardest = COLLINEAR[kind]
    return split_collinear(jets, splits, hardest, seed, first)


def add_soft_particles(jets: Jets) -> Jets:
    """The jets with the soft particles of `ragged["soft"]` behind their constituents, and no longer next to them."""
    if "soft" not in jets.ragged:
        raise BadJetError(
            "these jets carry no soft particles, which enter an event before its jets are found: "
            "find the jets with find_jets(events, soft=SoftParticles()), and perturb before preprocessing"
        )
    soft = jets.ragged["soft"]
    rest = {name: value for name, value in jets.ragged.items() if name != "soft"}
    grown, added = _make_room(dataclasses.replace(jets, ragged=rest), soft.counts)
    grown.momenta[added] = soft_momenta(soft.values)
    for name in PHOTON.keys() & grown.particles.keys():
        grown.particles[name][added] = PHOTON[name]
    return grown


def split_collinear(jets: Jets, splits: int, hardest: bool, seed: int | Sequence[int] = 0, first: int = 0) -> Jets:
    """The jets after `splits` collinear splits each, of the hardest constituent or of a random one."""
    grown, added = _make_room(jets, np.full(len(jets), splits))
    if not len(jets):
        return grown
    momenta, begin = grown.momenta, grown.offsets[:-1]
    second = np.flatnonzero(added).reshape(len(jets), splits)
    pt = np.where(added, -1.0, kinematics.pt(momenta))
    uniform = _uniform(len(jets), 2 * splits, seed, first).reshape(len(jets), splits, 2)
    for split in range(splits):
        if hardest:
            row = first_largest(pt, grown.offsets)
        else:
            row = begin + (uniform[:, split, 0] * (jets.multiplicity + split)).astype(np.int64)
        new = second[:, split]
        momenta[row], momenta[new] = _split(momenta[row], np.clip(uniform[:, split, 1], Z_MARGIN, 1 - Z_MARGIN))
        pt[row], pt[new] = kinematics.pt(momenta[row]), kinematics.pt(momenta[new])
        for values in grown.particles.values():
            values[new] = values[row]
    return grown


def _split(p: Array, z: Array) -> tuple[Array, Array]:
    """Momenta with z of the three-momentum, and massless ones with the rest; at rest, z and 1 - z of the energy."""
    first = z[:, None] * p
    second = p - first
    size = kinematics.momentum(p)
    excess = np.maximum(p[:, 3] - size, 0.0)  # E - |p|: so written, no small piece is left with less than its |p|
    moving = size > 0
    first[moving, 3] = kinematics.momentum(first[moving]) + excess[moving]
    second[moving, 3] = kinematics.momentum(second[moving])
    return first, second


def _make_room(jets: Jets, extra: NDArray[np.int64]) -> tuple[Jets, NDArray[np.bool_]]:
    """The jets with `extra` zero momenta behind the constituents of each, and where these are."""
    offsets = jets.offsets + offsets_of(extra)
    own = np.arange(len(jets.momenta)) + np.repeat(offsets_of(extra)[:-1], jets.multiplicity)
    added = np.ones(offsets[-1], dtype=bool)
    added[own] = False

    def spread(values: NDArray[Any]) -> NDArray[Any]:
        wide = np.zeros((len(added), *values.shape[1:]), dtype=values.dtype)
        wide[own] = values
        return wide

    particles = {name: spread(value) for name, value in jets.particles.items()}
    return dataclasses.replace(jets, momenta=spread(jets.momenta), offsets=offsets, particles=particles), added


def _uniform(jets: int, numbers: int, seed: int | Sequence[int], first: int) -> Array:
    """Uniform numbers `(jets, numbers)`; a row depends on the seed and on `first` + its number only."""
    stream = np.random.PCG64(seed)
    stream.advance(first * numbers)  # one step per number
    return np.random.Generator(stream).random((jets, numbers))
