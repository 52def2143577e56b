"""Jets out of events, with FastJet: many events in one call, each jet a set of the event's own particles.

FastJet (arXiv:1111.6097) is to be cited by whoever publishes jets found here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.errors import SettingsError, require_known
from jetgram.jets.soft import SoftParticles, add_soft, keep_soft, within_reach
from jetgram.momenta import Events, Jets, Momenta
from jetgram.ragged import Offsets, offsets_of, sum_groups, take_rows
from jetgram.validity import require_good

if TYPE_CHECKING:
    import awkward as ak
    import fastjet

ALGORITHMS = {"antikt": "antikt_algorithm", "kt": "kt_algorithm", "ca": "cambridge_algorithm"}
SOFT_REACH = 2.0  # radii from its axis within which an anti-kt jet collects soft particles: 1.4 were seen


def find_jets(
    events: Events,
    radius: float = 1.0,
    algorithm: str = "antikt",
    hardest: int | None = 1,
    min_pt: float = 0.0,
    soft: SoftParticles | None = None,
    seed: int | Sequence[int] = 0,
) -> Jets:
    r"""The jets of each event by falling pT, from inclusive generalised-kt clustering in the E-scheme.

    With $p = -1, 0, 1$ for anti-kt, C/A and kt, particles are joined by the smallest of

    $$d_{ij} = \min(p_{Ti}^{2p}, p_{Tj}^{2p})\, \Delta R_{ij}^2 / R^2, \qquad d_{iB} = p_{Ti}^{2p}.$$

    Args:
        events: visible particles; an event without any has no jets, but an unphysical particle is an error.
        radius: $R$.
        algorithm: `antikt`, `ca` or `kt`.
        hardest: how many jets of an event to keep at most; None keeps all.
        min_pt: jets below this pT are left out, in GeV.
        soft: particles to add for the `soft` perturbation. The jets are those of the event without them; which of them
            fall into each jet is found by a second clustering, and kept in `ragged["soft"]`, rows `(pt, eta, phi)`.
        seed: of the soft particles; those of event `i` depend on `(seed, i)` only.

    Returns:
        Jets in the order of the events. Constituents stand in the order they have in the event, with their `particles`
        columns; the events' columns are repeated for each jet, and the column `event` says which event it was.

    Example:
        >>> import numpy as np
        >>> from jetgram.kinematics import from_ptetaphim
        >>> particles = from_ptetaphim([50.0, 20.0, 30.0, 2.0], [0.0, 0.1, 2.5, 2.4], [0.1, 0.2, 3.2, 3.1])
        >>> jets = find_jets(Events(particles, np.array([0, 4])), hardest=2)
        >>> jets.multiplicity, jets.pt.round(1), jets.columns["event"]
        (array([2, 2]), array([69.9, 32. ]), array([0, 0]))
    """
    if hardest is not None and hardest < 1:
        raise SettingsError(f"hardest = {hardest}; expected at least 1, or None for all jets")
    definition = jet_definition(algorithm, radius)
    require_good(events, "event", allow_empty=True)
    rows, offsets, event = _hardest_first(events, *cluster(events, definition, min_pt, hardest), hardest)
    jets = Jets(
        events.momenta[rows],
        offsets,
        {name: value[event] for name, value in events.columns.items()} | {"event": event},
        {name: value[rows] for name, value in events.particles.items()},
        {name: value[event] for name, value in events.ragged.items()},
    )
    if soft is None:
        return jets
    drawn = soft.draw(len(events), seed)
    if algorithm == "antikt":
        drawn = within_reach(drawn, jets, SOFT_REACH * radius)
    found = cluster(add_soft(events, drawn), definition, min_pt=0.5 * float(jets.pt.min(initial=np.inf)))
    return keep_soft(jets, rows, events, drawn, found[:2])


def jet_definition(algorithm: str, radius: float) -> fastjet.JetDefinition:
    """FastJet's definition, with its banner silenced."""
    import fastjet

    require_known("no algorithm", algorithm, ALGORITHMS)
    if not radius > 0:
        raise SettingsError(f"radius = {radius}; expected a positive number")
    fastjet._swig.ClusterSequence.set_fastjet_banner_stream(None)
    return fastjet.JetDefinition(getattr(fastjet, ALGORITHMS[algorithm]), radius)


def cluster_sequence(momenta: Momenta, definition: fastjet.JetDefinition) -> fastjet.ClusterSequence:
    """FastJet's clustering of each group, through its interface for Awkward arrays."""
    import awkward as ak
    import fastjet

    columns = [ak.contents.NumpyArray(column) for column in np.ascontiguousarray(momenta.momenta.T)]
    record = ak.contents.RecordArray(columns, kinematics.COLUMNS, parameters={"__record__": "Momentum4D"})
    return fastjet.ClusterSequence(
        ak.Array(ak.contents.ListOffsetArray(ak.index.Index64(momenta.offsets), record)), definition
    )


def cluster(
    events: Events, definition: fastjet.JetDefinition, min_pt: float = 0.0, hardest: int | None = None
) -> tuple[NDArray[np.int64], Offsets, NDArray[np.int64]]:
    """Jets in FastJet's order: rows of their constituents in `events`, offsets, and the event of each jet.

    With `hardest` at least that many of each event, where it has them, and few others: to ask FastJet for the
    constituents of every soft jet costs a quarter of the clustering.
    """
    sequence = cluster_sequence(events, definition)
    if hardest is not None:
        min_pt = _threshold(sequence.inclusive_jets(min_pt), hardest, min_pt)
    index: Any = sequence.constituent_index(min_pt).layout
    event = np.repeat(np.arange(len(events)), np.diff(np.asarray(index.offsets)))
    offsets = np.asarray(index.content.offsets, dtype=np.int64)
    within = index.content.content.data[: offsets[-1]].astype(np.int64)  # the buffer is longer than what is filled
    return within + np.repeat(events.offsets[event], np.diff(offsets)), offsets, event


def _threshold(jets: ak.Array, hardest: int, min_pt: float) -> float:
    """The largest pT that no event's `hardest` jets fall below; `min_pt` if some event has fewer jets."""
    counts = np.diff(np.asarray(jets.layout.offsets))
    counts = counts[counts > 0]
    if not len(counts) or counts.min() < hardest:
        return min_pt
    event = np.repeat(np.arange(len(counts)), counts)
    pt = np.hypot(*(jets.layout.content[axis].data for axis in ("px", "py")))
    order = np.lexsort((-pt, event))
    last = pt[order][offsets_of(counts)[:-1] + hardest - 1]
    return max(min_pt, float(last.min()) * (1 - 1e-9))


def _hardest_first(
    events: Events, rows: NDArray[np.int64], offsets: Offsets, event: NDArray[np.int64], hardest: int | None
) -> tuple[NDArray[np.int64], Offsets, NDArray[np.int64]]:
    """The same jets by falling pT in each event, cut to the `hardest`, each with its rows in rising order."""
    order = np.lexsort((-kinematics.pt(sum_groups(events.momenta[rows], offsets)), event))
    if hardest is not None:
        first = offsets_of(np.bincount(event, minlength=len(events)))
        order = order[np.arange(len(order)) - first[event[order]] < hardest]
    taken, offsets = take_rows(offsets, order)
    jet = np.repeat(np.arange(len(order)), np.diff(offsets))
    rows = rows[taken]
    return rows[np.lexsort((rows, jet))], offsets, event[order]
