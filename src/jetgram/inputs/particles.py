"""Jets as sets of particles: their constituents, without a tree over them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pydantic
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.errors import BadJetError
from jetgram.inputs.representation import Arrays, CleanInput, Representation
from jetgram.inputs.scaler import Scaler, Scaling
from jetgram.momenta import Jets
from jetgram.ragged import Offsets, checked_offsets, offsets_of
from jetgram.trees.lund import LEAF_FEATURES, lund_features
from jetgram.trees.topologies import build_trees

POINT = ("pT", "u", "v")


@dataclasses.dataclass(frozen=True, eq=False)
class ParticleSets(Representation):
    r"""Many jets, each a set of constituents, by falling pT.

    Args:
        features: what a network reads of each constituent, scaled or not, `(n, features)`.
        points: $(p_T, u, v)$ of each in GeV and radians, never scaled, `(n, 3)`: weights, distances and pairs need
            them.
        offsets: first constituent of each jet and the end, `(jets + 1,)`.

    Example:
        >>> sets = ParticleSets(np.zeros((3, 6), np.float32), np.ones((3, 3), np.float32), np.array([0, 2, 3]))
        >>> sets[[1]]
        <ParticleSets: 1 jets with 1 constituents of 6 features>
    """

    features: NDArray[np.floating[Any]]
    points: NDArray[np.floating[Any]]
    offsets: Offsets

    def __post_init__(self) -> None:
        if self.features.ndim != 2 or self.points.shape != (len(self.features), len(POINT)):
            found = f"features {self.features.shape} and points {self.points.shape}"
            raise BadJetError(f"a set of particles has {found}; expected (n, columns) and (n, {len(POINT)})")
        object.__setattr__(self, "offsets", checked_offsets(self.offsets, len(self.features)))

    @property
    def dtype(self) -> np.dtype[Any]:
        """The precision of the features."""
        return self.features.dtype

    def __repr__(self) -> str:
        rows, columns = self.features.shape
        return f"<ParticleSets: {len(self)} jets with {rows} constituents of {columns} features>"

    def _of_rows(self, rows: NDArray[np.int64], offsets: Offsets) -> ParticleSets:
        return ParticleSets(self.features.take(rows, axis=0), self.points.take(rows, axis=0), offsets)

    @property
    def jet(self) -> NDArray[np.int64]:
        """The number of the jet that each constituent belongs to, `(n,)`."""
        return np.repeat(np.arange(len(self)), self.counts)

    def fit_scaler(self, scaling: Scaling = "robust") -> Scaler:
        """The scaler of the features of all constituents."""
        return Scaler.fit(self.features, scaling)

    def scaled(self, scaler: Scaler) -> ParticleSets:
        """The same jets with scaled features; the points stay."""
        return dataclasses.replace(self, features=scaler.transform(self.features))

    @classmethod
    def concatenate(cls, parts: Sequence[ParticleSets]) -> ParticleSets:
        """The jets of several, in their order."""
        return cls(
            np.concatenate([part.features for part in parts]),
            np.concatenate([part.points for part in parts]),
            offsets_of(np.concatenate([part.counts for part in parts])),
        )

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Constituents of each jet, their features and points."""
        return {"counts": self.counts, "features": self.features, "points": self.points}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> ParticleSets:
        """What `to_arrays` made arrays of."""
        return cls(arrays["features"], arrays["points"], offsets_of(arrays["counts"]))


class ParticleSetInput(CleanInput):
    r"""The constituents of jets as sets, for networks without trees.

    Jets are cleaned first (`jetgram.clean`): constituents closer than $10^{-3}$ are added up and those below 0.1 GeV
    left out, so that logarithms stay within limits. Of each constituent the features are those of a leaf in
    `jetgram.trees.lund`: $\ln p_T$, $\ln p_T / p_{T,jet}$, $\ln \Delta$ to the jet's axis, $u$, $v$ and $\ln E$, with
    $(u, v)$ the direction relative to the jet in the frame of the hardest branching of its kt tree; standardised.

    Args:
        leading: of each jet only so many constituents of the highest pT; None reads all.

    Example:
        >>> from jetgram.kinematics import from_ptetaphim
        >>> jets = Jets.from_lists([from_ptetaphim([1.0, 50.0, 40.0], [0.1, 0.0, 0.5], [0.2, 0.0, 0.0])])
        >>> ParticleSetInput(leading=2).read(jets).inputs.points.round(2)
        array([[50.  , -0.22, -0.  ],
               [40.  ,  0.28, -0.  ]], dtype=float32)
    """

    representation = ParticleSets

    kind: Literal["particle-set"] = "particle-set"
    leading: int | None = pydantic.Field(default=None, ge=1)

    @property
    def columns(self) -> tuple[str, ...]:
        """The features of constituents."""
        return LEAF_FEATURES

    def flat(self) -> dict[str, Any]:
        """What decides the sets."""
        return {"input": self.kind, "leading": self.leading}

    def _of_clean(self, jets: Jets) -> ParticleSets:
        return particle_sets(jets, self.leading)


def particle_sets(jets: Jets, leading: int | None = None) -> ParticleSets:
    """The sets of clean jets; the arguments are those of `ParticleSetInput`."""
    trees = build_trees(jets, "kt")  # the frame of (u, v) needs them anyway
    leaf = np.flatnonzero(trees.is_leaf)  # in the order of the constituents
    features, pt = lund_features(trees)[leaf, : len(LEAF_FEATURES)], kinematics.pt(jets.momenta)
    jet = np.repeat(np.arange(len(jets)), np.diff(jets.offsets))
    order = np.lexsort((-pt, jet))
    if leading is not None:
        rank = np.arange(len(order)) - jets.offsets[jet]
        order = order[rank < leading]
    u, v = (features[:, LEAF_FEATURES.index(name)] for name in POINT[1:])
    return ParticleSets(
        features[order].astype(np.float32),
        np.stack([pt, u, v], axis=1)[order].astype(np.float32),
        offsets_of(np.minimum(np.diff(jets.offsets), len(pt) if leading is None else leading)),
    )
