"""Preprocessing: every jet turned, boosted and reflected into one frame, so that a network sees its structure only."""

from __future__ import annotations

import dataclasses
import warnings

import numpy as np
from numpy.typing import NDArray

from jetgram.backend import native_core, threads
from jetgram.errors import SettingsError, SuspiciousJetsWarning
from jetgram.jets import alignment
from jetgram.jets.subjets import drop_soft_subjets, find_subjets
from jetgram.momenta import Jets, Preprocessed
from jetgram.validity import ROUNDING, all_physical, require_good, settle_energies, with_settled_energies

SUSPICIOUS = 0.2  # of the jets; of jets as they were found, none is in its frame by accident


def preprocess(jets: Jets, trim: float | None = None) -> Jets:
    r"""The jets in the frame of their own subjets $s_1, s_2, \dots$, which are kt jets with R = 0.3, by pT.

    1. Optional trimming: subjets below `trim` of the jet's pT are dropped.
    2. Rotate about z, so that $s_1$ has $\phi = 0$; boost along z, so that it has $\eta = 0$.
    3. Rotate about x by $-\mathrm{atan2}(d_z, d_y)$ of $d = s_1 - s_2$: then $s_2$ lies at $p_z = 0$, $p_y < 0$.
    4. If $s_3$ has $p_z < 0$, flip $p_z$ of all constituents.

    These are Lorentz transformations and a reflection: masses stay. A leading subjet along the beam is not boosted.

    Subjets are found once, in the frame of the detector, and the result is marked (`Jets.preprocessed`): preprocessing
    marked jets again returns them as they are. (Clustered afresh in the new frame, most jets would have slightly other
    subjets, because the rotation about x keeps neither pT nor distances in rapidity and azimuth.) The mark travels with
    slices and stored datasets; jets that look preprocessed without it cause a `SuspiciousJetsWarning`. Soft particles
    kept for `perturb` are dropped: perturb first.

    Args:
        jets: as they were found.
        trim: the fraction of pT below which subjets are dropped, 0.05 in the paper's images; None keeps everything.

    Example:
        >>> import numpy as np
        >>> from jetgram.kinematics import from_ptetaphim
        >>> momenta = from_ptetaphim([100.0, 50.0, 20.0], [1.0, 1.5, 0.8], [2.0, 2.5, 1.2])
        >>> jets = preprocess(Jets(momenta, np.array([0, 3])))
        >>> jets[0].round(2) + 0.0
        array([[100.  ,   0.  ,   0.  , 100.  ],
               [ 43.88, -35.4 ,   0.  ,  56.38],
               [ 13.93,  12.68,   7.83,  20.4 ]])
    """
    if jets.preprocessed is not None:
        require_good(jets)
        _require_same_trimming(jets.preprocessed, trim)
        return jets
    jets = with_settled_energies(jets)
    labels = find_subjets(jets)
    if trim is not None:
        jets, labels = drop_soft_subjets(jets, labels, trim)
    momenta = jets.momenta.copy()
    native = native_core()
    if native is None:
        in_frame = alignment.align(momenta, jets.offsets, labels)
    else:
        in_frame = native.align(momenta, jets.offsets, labels, threads())
    _warn_of_frames(in_frame, len(jets))
    return dataclasses.replace(
        jets,
        momenta=_physical(momenta),
        ragged={name: value for name, value in jets.ragged.items() if name != "soft"},
        preprocessed=Preprocessed(trim),
    )


def _physical(momenta: NDArray[np.float64]) -> NDArray[np.float64]:
    """The momenta, which were physical before the boost, without what rounding and a boost can make of E and |p|."""
    return momenta if all_physical(momenta) else settle_energies(momenta, ROUNDING)


def _warn_of_frames(in_frame: int, jets: int) -> None:
    """Jets that are in their frame already were preprocessed, and lost their mark on the way."""
    if in_frame > SUSPICIOUS * jets:
        warnings.warn(
            f"{in_frame} of {jets} jets are in the frame of their own subjets already: they look preprocessed. Done "
            "again, that finds other subjets and moves scores. Give jets as they were found, or keep what `preprocess` "
            "returns as it is (slices and stored datasets do), or set preprocess=False.",
            SuspiciousJetsWarning,
            stacklevel=4,
        )


def _require_same_trimming(before: Preprocessed, trim: float | None) -> None:
    """Jets in their own frame have another pT: what trimming drops must be decided before."""
    if trim is not None and trim != before.trim:
        raise SettingsError(
            f"these jets were preprocessed with trim = {before.trim}, now trim = {trim} is asked for; "
            "preprocess the jets as they were found"
        )
