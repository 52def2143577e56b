"""What the detector does with a particle of each PDG id: which calorimeter its energy goes to."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from jetgram.collisions.detector.card import DetectorCard
from jetgram.kinematics import Array

ELECTRON, MUON = 11, 13


def fractions(pdgid: ArrayLike, card: DetectorCard) -> Array:
    """Fractions of each particle's energy that ECAL and HCAL see, shape `(n, 2)`.

    Example:
        >>> fractions([22, 211, 13, 3122], DetectorCard()).tolist()
        [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.3, 0.7]]
    """
    known = np.array(sorted(card.fractions), dtype=np.int64)
    shares = np.array([card.fractions[int(i)] for i in known] + [card.other_fraction])
    size = np.abs(np.asarray(pdgid, dtype=np.int64))
    place = np.searchsorted(known, size)
    found = np.append(known, -1)[place] == size
    return shares[np.where(found, place, len(known))]
