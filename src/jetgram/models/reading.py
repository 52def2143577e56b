"""What a network is given of jets or events, and the pT and mass of just that."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics
from jetgram.errors import BadJetError
from jetgram.inputs.sequences import EventSchedule, Inputs
from jetgram.inputs.sparse_images import full_images, sparse_images
from jetgram.jets.images import Images
from jetgram.models.event_inputs import read_events
from jetgram.models.inputs import jets_as_read, schedule
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Events, Jets, Momenta
from jetgram.validity import require_good

Array = NDArray[np.floating]


@dataclasses.dataclass(frozen=True, eq=False)
class Reading:
    """Jets, or events, as a network reads them.

    Args:
        inputs: trees, images or sequences, not scaled.
        source: what they were made of: the jets after trimming and preprocessing, those of pixels, or images; of events
            the inputs themselves.
    """

    inputs: Inputs
    source: Jets | Images | EventSchedule

    @property
    def pt_and_mass(self) -> tuple[Array, Array]:
        """In GeV, each `(rows,)`: of the sum of what is read of a jet; of an event, of its hardest jet as found."""
        if isinstance(self.source, EventSchedule):
            pt, mass = self.source.hardest.T
            return pt, mass
        total = self.source.total
        return kinematics.pt(total), kinematics.mass(total)


def read(rows: Momenta, settings: ModelSettings, first: int = 0) -> Reading:
    """What a network reads of jets, or of events, as the settings say.

    Args:
        rows: `Jets` as they were found, or `Events`.
        settings: of the model.
        first: the number of the first row, when `rows` is a batch out of more.

    Example:
        The two hard particles of a trimmed jet:

        >>> from jetgram.kinematics import from_ptetaphim
        >>> jets = Jets.from_lists([from_ptetaphim([50.0, 40.0, 1.0], [0.0, 0.5, -0.5], [0.0, 0.0, 0.1])])
        >>> found = read(jets, ModelSettings(trim=0.05))
        >>> found.inputs, found.pt_and_mass
        (<Schedule: 1 trees with 3 nodes of 7 features>, (array([...]), array([...])))
    """
    require_good(rows, settings.rows.removesuffix("s"), first=first)
    if settings.input == "image" and isinstance(rows, Jets):
        images = full_images(rows, settings.trim, settings.image_chain, first)
        return Reading(sparse_images(images), images)
    if settings.event is None and isinstance(rows, Jets):
        jets = jets_as_read(rows, settings, first)
        return Reading(schedule(jets, settings, first), jets)
    if settings.event is not None and isinstance(rows, Events):
        events = read_events(rows, settings, first)
        return Reading(events, events)
    raise BadJetError(f"found {type(rows).__name__.lower()}; this model reads {settings.rows}")


def read_rows(rows: Momenta, settings: ModelSettings, first: int = 0) -> Inputs:
    """The inputs alone; see `read`."""
    return read(rows, settings, first).inputs
