"""The frame of a jet in NumPy, for where there is no compiler: the momenta of native/alignment.cpp, bit for bit."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.ragged import Offsets

Array = NDArray[np.float64]

ROUNDING = 1e-12  # what is smaller, relative to the energy, is rounding: no direction can be read off it
NO_TURN = 1e-9  # sines below it turn nothing


@dataclasses.dataclass(frozen=True)
class Frame:
    """For each jet a turn about z, a boost along z, a turn about x and a sign of pz, arrays of shape `(jets,)`.

    Angles and rapidity stand as cosines and sines that are read off components: no trigonometry, so that every platform
    agrees.
    """

    cos_phi: Array
    sin_phi: Array
    cosh_y: Array
    sinh_y: Array
    cos_alpha: Array
    sin_alpha: Array
    sign: Array

    @classmethod
    def identity(cls, jets: int) -> Frame:
        """The frame that changes nothing."""
        one, zero = np.ones(jets), np.zeros(jets)
        return cls(one, zero, one, zero, one, zero, one)

    def __getitem__(self, index: NDArray[np.int64]) -> Frame:
        """The frames of the jets `index`, one per row."""
        return Frame(*(getattr(self, field.name)[index] for field in dataclasses.fields(self)))

    def apply(self, p: Array) -> Array:
        """Momenta `(n, 4)` in these frames, one per row."""
        x = self.cos_phi * p[:, 0] + self.sin_phi * p[:, 1]
        y = self.cos_phi * p[:, 1] - self.sin_phi * p[:, 0]
        z = self.cosh_y * p[:, 2] - self.sinh_y * p[:, 3]
        energy = self.cosh_y * p[:, 3] - self.sinh_y * p[:, 2]
        turned_y = self.cos_alpha * y + self.sin_alpha * z
        turned_z = self.sign * (self.cos_alpha * z - self.sin_alpha * y)
        return np.stack([x, turned_y, turned_z, energy], axis=-1)

    @property
    def turns_nothing(self) -> NDArray[np.bool_]:
        """Whether each frame is that in which the jet is, but for the sign of pz and for rounding, `(jets,)`.

        Angles of exactly zero were not computed: somebody wrote them.
        """
        sines = np.maximum(np.maximum(np.abs(self.sin_phi), np.abs(self.sinh_y)), np.abs(self.sin_alpha))
        return (sines > 0) & (sines < NO_TURN) & (self.cos_phi > 0) & (self.cos_alpha > 0)

    def turn_about_z(self, first: Array) -> Frame:
        """With the first subjet at phi = 0."""
        pt = kinematics.pt(first)
        cos, sin = _where_divided(pt > 0, first[:, 0], first[:, 1], pt)
        return dataclasses.replace(self, cos_phi=cos, sin_phi=sin)

    def boost_along_z(self, first: Array) -> Frame:
        """With the first subjet at pz = 0; one along the beam stays."""
        mt2 = (first[:, 3] + first[:, 2]) * (first[:, 3] - first[:, 2])
        off_beam = mt2 > ROUNDING * (first[:, 3] * first[:, 3])
        cosh, sinh = _where_divided(off_beam, first[:, 3], first[:, 2], np.sqrt(np.where(off_beam, mt2, 1.0)))
        return dataclasses.replace(self, cosh_y=cosh, sinh_y=sinh)

    def turn_about_x(self, first: Array, second: Array) -> Frame:
        """With the difference of the first and the second subjet along +y."""
        dy, dz = (self.apply(first) - self.apply(second))[:, 1:3].T
        size = np.sqrt(dy * dy + dz * dz)
        cos, sin = _where_divided(size > ROUNDING * self.apply(second)[:, 3], dy, dz, size)
        present = second[:, 3] > 0
        return dataclasses.replace(self, cos_alpha=np.where(present, cos, 1.0), sin_alpha=np.where(present, sin, 0.0))

    def reflect(self, third: Array) -> Frame:
        """With the third subjet at pz > 0."""
        seen = self.apply(third)
        return dataclasses.replace(self, sign=np.where(seen[:, 2] < -ROUNDING * seen[:, 3], -1.0, 1.0))


def align(momenta: Array, offsets: Offsets, labels: NDArray[np.int32]) -> int:
    """Turn, boost and reflect the momenta of each jet in place, into the frame of its three leading subjets.

    Returns:
        How many of the jets with two subjets or more were in that frame before.
    """
    group = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    subjets = np.zeros((3, len(offsets) - 1, 4))
    leading = labels < 3
    np.add.at(subjets, (labels[leading], group[leading]), momenta[leading])
    first, second, third = subjets
    frame = Frame.identity(len(first)).turn_about_z(first).boost_along_z(first)
    frame = frame.turn_about_x(first, second).reflect(third)
    momenta[:] = frame[group].apply(momenta)
    return int(np.count_nonzero(frame.turns_nothing & (second[:, 3] > 0)))


def _where_divided(valid: NDArray[np.bool_], a: Array, b: Array, size: Array) -> tuple[Array, Array]:
    """`a / size, b / size` where valid; 1, 0 elsewhere."""
    one, zero = np.ones_like(a), np.zeros_like(b)
    return np.divide(a, size, out=one, where=valid), np.divide(b, size, out=zero, where=valid)
