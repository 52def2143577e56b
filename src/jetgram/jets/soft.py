r"""Soft particles in events, for the question whether a classifier is infrared safe (arXiv:1702.00748, Section 5).

They enter the event before its jets are found, so each ends up in the jet that collects it. Only those are kept with
the jet, apart from its constituents, and `perturb(jets, "soft")` adds them: whole events need not be stored.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import pydantic
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.momenta import Events, Jets, first_largest
from jetgram.ragged import Offsets, Ragged, offsets_of
from jetgram.settings import Settings


class SoftParticles(Settings):
    r"""Massless particles of one pT, uniform in $0 < \phi < 2\pi$ and $|\eta| < \eta_{max}$: the paper's by default."""

    count: int = pydantic.Field(200, ge=1, description="particles added to each event")
    pt: float = pydantic.Field(1e-5, gt=0, description="transverse momentum, GeV")
    eta_max: float = pydantic.Field(5.0, gt=0, description="bound of the pseudorapidity")

    def draw(self, events: int, seed: int | Sequence[int]) -> NDArray[np.float64]:
        """Rows `(pt, eta, phi)` for each event, shape `(events, count, 3)`; event `i` depends on `(seed, i)` only."""
        uniform = np.random.default_rng(seed).random((events, self.count, 2))
        eta = self.eta_max * (2 * uniform[..., 0] - 1)
        return np.stack([np.full_like(eta, self.pt), eta, 2 * np.pi * uniform[..., 1]], axis=-1)


def soft_momenta(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Massless momenta `(..., 4)` of rows `(pt, eta, phi)`."""
    return kinematics.from_ptetaphim(rows[..., 0], rows[..., 1], rows[..., 2])


def add_soft(events: Events, drawn: NDArray[np.float64]) -> Events:
    """The events with `drawn (events, count, 3)` behind their own particles."""
    momenta = np.empty((len(events.momenta) + drawn.shape[0] * drawn.shape[1], 4))
    own = _rows_among_soft(np.arange(len(events.momenta)), events.group, drawn.shape[1])
    added = np.ones(len(momenta), dtype=bool)
    added[own] = False
    momenta[own] = events.momenta
    momenta[added] = soft_momenta(drawn).reshape(-1, 4)
    return Events(momenta, offsets_of(events.multiplicity + drawn.shape[1]))


def keep_soft(
    jets: Jets,
    rows: NDArray[np.int64],
    events: Events,
    drawn: NDArray[np.float64],
    found: tuple[NDArray[np.int64], Offsets],
) -> Jets:
    """The jets with the soft particles that clustering put into them, as `ragged["soft"]`.

    A jet found among soft particles is the same as a given jet if it holds that jet's hardest constituent.

    Args:
        jets: found in `events` without the soft particles.
        rows: of the jets' constituents in `events`.
        events: without the soft particles.
        drawn: the soft particles, `(events, count, 3)`.
        found: jets of `add_soft(events, drawn)`, soft ones may miss: the rows of their constituents there, and offsets.
    """
    count = drawn.shape[1]
    none = len(found[1]) - 1
    label = np.full(len(events.momenta) + drawn.shape[0] * count, none)
    label[found[0]] = np.repeat(np.arange(none), np.diff(found[1]))
    hardest = rows[first_largest(kinematics.pt(jets.momenta), jets.offsets)]
    jet_of_label = np.full(none + 1, -1)
    jet_of_label[label[_rows_among_soft(hardest, jets.columns["event"], count)]] = np.arange(len(jets))
    jet_of_label[none] = -1
    soft_rows = (events.offsets[1:] + count * np.arange(len(events)))[:, None] + np.arange(count)
    jet = jet_of_label[label[soft_rows.ravel()]]
    collected = np.flatnonzero(jet >= 0)
    collected = collected[np.argsort(jet[collected], kind="stable")]
    soft = Ragged(drawn.reshape(-1, 3)[collected], offsets_of(np.bincount(jet[collected], minlength=len(jets))))
    return dataclasses.replace(jets, ragged={**jets.ragged, "soft": soft})


def _rows_among_soft(rows: NDArray[np.int64], event: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Where rows of `events` stand once each event before theirs has grown by `count` particles."""
    return rows + count * event
