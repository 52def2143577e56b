"""What `model.preprocess.json` says of an exported model, for those who make its inputs without `jetgram`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from jetgram.inputs.representation import InputSettings
from jetgram.jets.cleaning import MERGE, MIN_PT
from jetgram.models.model import JetModel


def describe(model: JetModel, inputs: Mapping[str, tuple[int, list[str | int]]], output: str) -> dict[str, Any]:
    """Names of inputs, what is done to a jet or event before, the variables in their order, centre and scale.

    Args:
        model: as it reads jets now, which may be other trees than it was trained on.
        inputs: type and shape of each, by their names.
        output: its name.
    """
    settings, limited = model.reading, np.isfinite(model.scaler.limit)
    return {
        "model": model.title,
        "settings": settings.dump(),
        "steps": list(steps(settings.input)),
        "cleaning": {"merge": MERGE, "min_pt": MIN_PT} if settings.input.cleans else None,
        "input_names": list(inputs),
        "input_shapes": {name: list(shape) for name, (_, shape) in inputs.items()},
        "output_names": [output],
        "outputs": list(model.network.head.names),
        "scaling": "inside the model: give it variables that are not scaled",
        "missing": "NaN" if limited.any() else None,
        "variables": [
            {"name": name, "center": center, "scale": scale, "limit": limit if np.isfinite(limit) else None}
            for name, center, scale, limit in zip(
                settings.input.columns,
                model.scaler.center.tolist(),
                model.scaler.scale.tolist(),
                model.scaler.limit.tolist(),
                strict=True,
            )
        ],
    }


def steps(read: InputSettings) -> Iterator[str]:
    """What is done, in this order, to a jet as it was found, or to an event, before the network reads it.

    Example:
        >>> from jetgram.inputs.trees import TreeInput
        >>> print(*steps(TreeInput(topology="ca", features="lund")), sep="; ")
        clean: add up constituents closer than 0.001 in rapidity and azimuth, then leave out those below 0.1 GeV, but
        for the hardest; build the ca tree; compute the variables of each node, features = lund
    """
    values = read.flat()
    yield from _of_event(read, values)
    if values.get("trim") is not None:
        yield f"trim: drop subjets with less than {values['trim']:g} of the jet's pT"
    if values.get("preprocess"):
        yield "turn the jet into the frame of its subjets: boost, rotate, reflect"
    if "image_chain" in values:
        yield f"make its image, image_chain = {values['image_chain']}"
    if read.cleans:
        close = f"add up constituents closer than {MERGE:g} in rapidity and azimuth"
        yield f"clean: {close}, then leave out those below {MIN_PT:g} GeV, but for the hardest"
    if read.topologies:
        yield f"build the {' and the '.join(read.topologies)} tree"
        yield f"compute the variables of each node, features = {values['features']}"


def _of_event(read: InputSettings, values: Mapping[str, Any]) -> Iterator[str]:
    if read.jet_radius is not None:
        hardest = "all jets" if values["hardest"] == "all" else f"the hardest {values['hardest']}"
        yield f"find anti-kt jets, R = {read.jet_radius:g}; take {hardest} from {values['min_pt']:g} GeV, as found"
    elif "hardest" in values:
        yield "take all particles" if values["hardest"] == "all" else f"take the hardest {values['hardest']} particles"
