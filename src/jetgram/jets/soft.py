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
from jetgram.momenta import Events, Jets
from jetgram.ragged import Offsets, Ragged, first_largest, offsets_of, take_rows
from jetgram.settings import Settings


class SoftParticles(Settings):
    r"""Massless particles of one pT, uniform in $0 < \phi < 2\pi$ and $|\eta| < \eta_{max}$: the paper's by default."""

    count: int = pydantic.Field(200, ge=1, description="particles added to each event")
    pt: float = pydantic.Field(1e-5, gt=0, description="transverse momentum, GeV")
    eta_max: float = pydantic.Field(5.0, gt=0, description="bound of the pseudorapidity")

    def draw(self, events: int, seed: int | Sequence[int]) -> Ragged:
        """Rows `(pt, eta, phi)` for each event; those of event `i` depend on `(seed, i)` only."""
        eta, phi = np.random.default_rng(seed).random((events * self.count, 2)).T
        rows = np.stack([np.full_like(eta, self.pt), self.eta_max * (2 * eta - 1), 2 * np.pi * phi], axis=-1)
        return Ragged(rows, self.count * np.arange(events + 1))


def soft_momenta(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Massless momenta `(..., 4)` of rows `(pt, eta, phi)`."""
    return kinematics.from_ptetaphim(rows[..., 0], rows[..., 1], rows[..., 2])


def within_reach(soft: Ragged, jets: Jets, reach: float) -> Ragged:
    """Those soft particles of each event that are nearer than `reach` to the axis of one of its jets.

    Anti-kt joins a soft particle with a hard one before any other soft one: those out of reach play no part.
    """
    rows, offsets = take_rows(soft.offsets, jets.columns["event"])
    jet = np.repeat(np.arange(len(jets)), np.diff(offsets))
    eta, phi = soft.values[rows, 1], soft.values[rows, 2]
    distance = np.hypot(eta - kinematics.rapidity(jets.total)[jet], kinematics.delta_phi(phi, jets.phi[jet]))
    near = np.zeros(len(soft.values), dtype=bool)
    near[rows[distance < reach]] = True
    return Ragged(soft.values[near], np.concatenate([[0], np.cumsum(near)])[soft.offsets])


def add_soft(events: Events, soft: Ragged) -> Events:
    """The events with soft particles behind their own."""
    momenta = np.empty((len(events.momenta) + len(soft.values), 4))
    own = np.arange(len(events.momenta)) + soft.offsets[events.group]
    added = np.ones(len(momenta), dtype=bool)
    added[own] = False
    momenta[own] = events.momenta
    momenta[added] = soft_momenta(soft.values)
    return Events(momenta, events.offsets + soft.offsets)


def keep_soft(
    jets: Jets, rows: NDArray[np.int64], events: Events, soft: Ragged, found: tuple[NDArray[np.int64], Offsets]
) -> Jets:
    """The jets with the soft particles that clustering put into them, as `ragged["soft"]`.

    A jet found among soft particles is the same as a given jet if it holds that jet's hardest constituent.

    Args:
        jets: found in `events` without the soft particles.
        rows: of the jets' constituents in `events`.
        events: without the soft particles.
        soft: the soft particles of each event.
        found: jets of `add_soft(events, soft)`, soft ones may miss: the rows of their constituents there, and offsets.
    """
    none = len(found[1]) - 1
    label = np.full(len(events.momenta) + len(soft.values), none)
    label[found[0]] = np.repeat(np.arange(none), np.diff(found[1]))
    hardest = rows[first_largest(kinematics.pt(jets.momenta), jets.offsets)]
    jet_of_label = np.full(none + 1, -1)
    jet_of_label[label[hardest + soft.offsets[jets.columns["event"]]]] = np.arange(len(jets))
    jet_of_label[none] = -1
    soft_rows = np.arange(len(soft.values)) + np.repeat(events.offsets[1:], soft.counts)
    jet = jet_of_label[label[soft_rows]]
    collected = np.flatnonzero(jet >= 0)
    collected = collected[np.argsort(jet[collected], kind="stable")]
    kept = Ragged(soft.values[collected], offsets_of(np.bincount(jet[collected], minlength=len(jets))))
    return dataclasses.replace(jets, ragged={**jets.ragged, "soft": kept})
