"""Preprocessing: every jet turned, boosted and reflected into one frame, so that a network sees its structure only."""

from __future__ import annotations

import dataclasses

import numpy as np

from jetgram.backend import native_core, threads
from jetgram.errors import SettingsError
from jetgram.jets import alignment
from jetgram.jets.subjets import Labels, drop_soft_subjets, find_subjets
from jetgram.momenta import Jets
from jetgram.validity import require_good


def preprocess(jets: Jets, trim: float | None = None) -> Jets:
    r"""The jets in the frame of their own subjets $s_1, s_2, \dots$, which are kt jets with R = 0.3, by pT.

    1. Optional trimming: subjets below `trim` of the jet's pT are dropped.
    2. Rotate about z, so that $s_1$ has $\phi = 0$; boost along z, so that it has $\eta = 0$.
    3. Rotate about x by $-\mathrm{atan2}(d_z, d_y)$ of $d = s_1 - s_2$: then $s_2$ lies at $p_z = 0$, $p_y < 0$.
    4. If $s_3$ has $p_z < 0$, flip $p_z$ of all constituents.

    These are Lorentz transformations and a reflection: masses stay. A leading subjet along the beam is not boosted.

    Subjets are found once, in the frame of the detector: the result carries the number of each constituent's subjet as
    `particles["subjet"]` and the trimming as `columns["trim"]`, and jets that have them are not clustered again. So
    preprocessing twice is preprocessing once. (Clustered afresh in the new frame, most jets would have slightly other
    subjets, because the rotation about x keeps neither pT nor distances in rapidity and azimuth.) Soft particles kept
    for `perturb` are dropped: perturb first.

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
    if "subjet" in jets.particles:
        require_good(jets)
        _require_same_trimming(jets, trim)
        labels = np.ascontiguousarray(jets.particles["subjet"], dtype=np.int32)
    else:
        jets, labels = _with_subjets(jets, trim)
    momenta = jets.momenta.copy()
    native = native_core()
    if native is None:
        alignment.align(momenta, jets.offsets, labels)
    else:
        native.align(momenta, jets.offsets, labels, threads())
    return dataclasses.replace(jets, momenta=momenta)


def _with_subjets(jets: Jets, trim: float | None) -> tuple[Jets, Labels]:
    """The jets, trimmed, with what preprocessing has to remember of them; and the subjets of their constituents."""
    labels = find_subjets(jets)
    if trim is not None:
        jets, labels = drop_soft_subjets(jets, labels, trim)
    jets = dataclasses.replace(
        jets,
        columns={**jets.columns, "trim": np.full(len(jets), trim or 0.0)},
        particles={**jets.particles, "subjet": labels},
        ragged={name: value for name, value in jets.ragged.items() if name != "soft"},
    )
    return jets, labels


def _require_same_trimming(jets: Jets, trim: float | None) -> None:
    """Jets in their own frame have another pT: what trimming drops must be decided before."""
    before = jets.columns["trim"]
    if trim is not None and np.any(before != trim):
        jet = int(np.argmax(before != trim))
        raise SettingsError(
            f"jet {jet} was preprocessed with trim = {before[jet]}, now trim = {trim} is asked for; "
            "preprocess the jets as they were found"
        )
