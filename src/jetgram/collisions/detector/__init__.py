"""A detector to see collisions with: Delphes' ATLAS card, over many events at once.

    particles --field--> calorimeter face --cells--> towers             (`towers`)
              --tracks-> tracks, and what they leave in the cells       (`pflow`)

`simulate` is the entrance; `card` holds every number.
"""

from __future__ import annotations

from collections.abc import Callable

from jetgram.collisions.detector.calorimeter import Seed, towers
from jetgram.collisions.detector.card import ATLAS, DetectorCard
from jetgram.collisions.detector.pflow import ParticleClass, pflow
from jetgram.errors import SettingsError
from jetgram.momenta import Events

__all__ = ["ATLAS", "LEVELS", "DetectorCard", "ParticleClass", "particles", "pflow", "simulate", "towers"]


def particles(events: Events, seed: Seed, card: DetectorCard = ATLAS) -> Events:
    """No detector: the particles as they are."""
    return events


LEVELS: dict[str, Callable[[Events, Seed, DetectorCard], Events]] = {
    "particles": particles,
    "towers": towers,
    "pflow": pflow,
}


def simulate(events: Events, level: str, seed: Seed, card: DetectorCard = ATLAS) -> Events:
    """The events as seen at one level: `particles`, `towers` or `pflow`.

    Args:
        events: visible stable particles; towers and pflow need their PDG ids in `particles["pdgid"]`.
        level: a key of `LEVELS`.
        seed: the result depends on the events, the card and this number only.
        card: the detector.

    Returns:
        As many events with the same columns and ragged rows. An event of which nothing is seen is an empty one.

    Example:
        >>> import numpy as np
        >>> from jetgram import kinematics
        >>> momentum = kinematics.from_ptetaphim([50.0], 0.3, 0.0, 0.14)
        >>> pion = Events(momentum, np.array([0, 1]), particles={"pdgid": np.array([211])})
        >>> simulate(pion, "towers", seed=1)
        <Events: 1 with 1 momenta>
        >>> simulate(pion, "tower", seed=1)
        Traceback (most recent call last):
        jetgram.errors.SettingsError: there is no level 'tower'; choose one of: particles, towers, pflow
    """
    if level not in LEVELS:
        raise SettingsError(f"there is no level {level!r}; choose one of: {', '.join(LEVELS)}")
    return LEVELS[level](events, seed, card)
