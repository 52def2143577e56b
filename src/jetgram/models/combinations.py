"""Which settings of a model go together; a wrong combination is an error that says what to leave out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jetgram.models.settings import ModelSettings

EVENT_SETTINGS = ("event", "hardest", "radius", "min_pt", "state")
JET_SETTINGS = ("radius", "min_pt")
TREE_SETTINGS = ("cell", "topology", "hidden", "features", "tree_seed", "readout")
FRAME_SETTINGS = ("preprocess", "trim")


def fitting_loss(settings: ModelSettings) -> None:
    """A classifier learns one label with the logistic loss, a regressor numbers with another."""
    if (settings.head == "classifier") != (settings.loss == "logistic"):
        raise ValueError(f"a {settings.head} is not trained with the loss {settings.loss}")
    if settings.head == "classifier" and len(settings.targets) > 1:
        raise ValueError(f"a classifier has one target, with 0 and 1; found {', '.join(settings.targets)}")


def events_or_jets(settings: ModelSettings) -> None:
    """What says how events are read says nothing about a model of jets."""
    changed = _changed(settings, EVENT_SETTINGS)
    if settings.event is None and changed:
        raise ValueError(f"{changed[0]} is a setting of models of events; set event to jets, or leave it out")


def images_or_trees(settings: ModelSettings) -> None:
    """An image is aligned already, knows no particles, and has no tree; events are not read as images."""
    if settings.input == "constituents":
        if _changed(settings, ("image_chain",)):
            raise ValueError(f"found image_chain = {settings.image_chain} without images; set input to image or pixels")
        return
    what = f"with input = {settings.input}"
    if settings.event is not None:
        raise ValueError(f"found event = {settings.event} {what}; models of events read constituents")
    if settings.preprocess:
        raise ValueError(f"found preprocess {what}; images are rotated and reflected already, leave it out")
    if settings.particle_columns:
        raise ValueError(f"found features = {settings.features} {what}; pixels have no {settings.particle_columns[0]}")
    changed = _changed(settings, TREE_SETTINGS)
    if settings.input == "image" and changed:
        raise ValueError(f"found {changed[0]} {what}; the MaxOut network has none, leave it out")
    if settings.input == "image" and settings.engine == "native":
        raise ValueError(f"found engine = native {what}; the MaxOut network runs in PyTorch, leave it out")


def trees_or_momenta(settings: ModelSettings) -> None:
    """The baselines of events read momenta: of jets, which have no trees, or of particles, which are in no jets."""
    if settings.event in (None, "jets"):
        return
    what = f"with event = {settings.event}"
    changed = _changed(settings, TREE_SETTINGS + FRAME_SETTINGS)
    if changed:
        raise ValueError(f"found {changed[0]} {what}; this model reads no trees, leave it out")
    changed = _changed(settings, JET_SETTINGS)
    if settings.event == "particles" and changed:
        raise ValueError(f"found {changed[0]} {what}; this model finds no jets, leave it out")


CHECKS = (fitting_loss, events_or_jets, images_or_trees, trees_or_momenta)


def _changed(settings: ModelSettings, names: tuple[str, ...]) -> list[str]:
    """Which of these settings are not as usual; what is usual may follow from the settings before."""
    fields, values = type(settings).model_fields, dict(settings)
    return [
        name
        for name in names
        if values[name] != fields[name].get_default(call_default_factory=True, validated_data=values)
    ]
