"""The settings of a model; the defaults are the paper's."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pydantic

from jetgram.engine.dispatch import EngineName
from jetgram.models.cells import CELLS
from jetgram.models.heads import LossName
from jetgram.models.initialisation import USUAL_SCHEME, Scheme
from jetgram.models.sequences import COLUMNS
from jetgram.settings import Settings
from jetgram.trees.features import FEATURE_SETS
from jetgram.trees.topologies import find_topology

HeadName = Literal["classifier", "regressor"]
EventReading = Literal["jets", "jet-momenta", "particles"]

_EVENT_SETTINGS = ("event", "hardest", "radius", "min_pt", "state")
LARGEST_HIDDEN = 4096  # a typing error should not ask for all the memory


def _usual_loss(data: dict[str, Any]) -> LossName:
    return "squared" if data.get("head") == "regressor" else "logistic"


def _usual_targets(data: dict[str, Any]) -> tuple[str, ...]:
    return ("target",) if data.get("head") == "regressor" else ("label",)


class ModelSettings(Settings):
    """What a model is: how it reads a jet or an event, and its network.

    Args:
        cell: `simple` or `gated`.
        topology: one of the six trees, or several joined by `+` (`kt+desc-pt`): a stereo model, which reads them all.
        hidden: q, the length of the states.
        features: the set of node features.
        preprocess: turn every jet into the frame of its subjets before the tree is built.
        trim: drop subjets below this fraction of the jet's pT; None keeps everything.
        tree_seed: of the `random` topology.
        head: `classifier` (signal against background) or `regressor`.
        targets: what is learned: the columns of a dataset, or names in `jetgram.training.targets`.
        loss: `logistic` for a classifier, `squared` or `huber` for a regressor.
        initialisation: how the weights begin: `paper`, as published, or `modern`.
        engine: `native`, `torch`, or `auto`.
        event: what a model of events reads: the hardest `jets`, each with its tree; `jet-momenta`, the same jets but
            without trees; or the hardest `particles`. None is a model of single jets, and has none of the following.
        hardest: how many jets, or particles, of an event at most; `all` for all.
        radius: of the anti-kt jets.
        min_pt: jets below this pT, in GeV, are left out.
        state: r, the length of the GRU's states.

    Example:
        >>> ModelSettings(topology="kt+desc-pt").topologies
        ('kt', 'desc-pt')
        >>> ModelSettings.create(cel="gated")
        Traceback (most recent call last):
        jetgram.errors.SettingsError: ModelSettings has no setting 'cel'; did you mean 'cell'?
    """

    cell: str = "simple"
    topology: str = "kt"
    hidden: int = pydantic.Field(default=40, ge=1, le=LARGEST_HIDDEN)
    features: str = "paper"
    preprocess: bool = True
    trim: float | None = pydantic.Field(default=None, gt=0, lt=1)
    tree_seed: int = pydantic.Field(default=0, ge=0, lt=2**63)
    head: HeadName = "classifier"
    targets: tuple[str, ...] = pydantic.Field(default_factory=_usual_targets, min_length=1)
    loss: LossName = pydantic.Field(default_factory=_usual_loss)
    initialisation: Scheme = USUAL_SCHEME
    engine: EngineName = "auto"
    event: EventReading | None = None
    hardest: Annotated[int, pydantic.Field(ge=1)] | Literal["all"] = 2
    radius: float = pydantic.Field(default=1.0, gt=0, allow_inf_nan=False)
    min_pt: float = pydantic.Field(default=0.0, ge=0, allow_inf_nan=False)
    state: int = pydantic.Field(default=40, ge=1, le=LARGEST_HIDDEN)

    @pydantic.field_validator("cell", "features")
    @classmethod
    def _known(cls, name: str, info: pydantic.ValidationInfo) -> str:
        known = list(CELLS if info.field_name == "cell" else FEATURE_SETS)
        if name not in known:
            raise ValueError(f"expected one of {', '.join(known)}")
        return name

    @pydantic.field_validator("targets", mode="before")
    @classmethod
    def _one_target(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value

    @pydantic.field_validator("topology")
    @classmethod
    def _known_topologies(cls, joined: str) -> str:
        names = joined.split("+")
        for name in names:
            find_topology(name)
        if len(set(names)) < len(names):
            raise ValueError("expected different topologies")
        return joined

    @pydantic.model_validator(mode="after")
    def _fitting_loss(self) -> ModelSettings:
        if (self.head == "classifier") != (self.loss == "logistic"):
            raise ValueError(f"a {self.head} is not trained with the loss {self.loss}")
        if self.head == "classifier" and len(self.targets) > 1:
            raise ValueError(f"a classifier has one target, with 0 and 1; found {', '.join(self.targets)}")
        return self

    @pydantic.model_validator(mode="after")
    def _of_events(self) -> ModelSettings:
        usual = type(self).model_fields
        changed = [name for name in _EVENT_SETTINGS if getattr(self, name) != usual[name].default]
        if self.event is None and changed:
            raise ValueError(f"{changed[0]} is a setting of models of events; set event to jets, or leave it out")
        return self

    @property
    def rows(self) -> Literal["jets", "events"]:
        """What the model is given: jets or whole events."""
        return "jets" if self.event is None else "events"

    @property
    def topologies(self) -> tuple[str, ...]:
        """The trees that are built of each jet."""
        return tuple(self.topology.split("+"))

    @property
    def reading(self) -> dict[str, Any]:
        """The settings that decide what a network is given of a jet or event: equal ones can share what is prepared."""
        names = {"event", "hardest"} if self.event else set()
        if self.event in ("jets", "jet-momenta"):
            names |= {"radius", "min_pt"}
        if self.reads_trees:
            names |= {"topology", "features", "preprocess", "trim", "tree_seed"}
        return self.model_dump(mode="json", include=names)

    @property
    def reads_trees(self) -> bool:
        """Whether the network is given trees."""
        return self.event in (None, "jets")

    @property
    def columns(self) -> tuple[str, ...]:
        """What the network is given, column by column as it is scaled: of nodes, then of the jets of events.

        Example:
            >>> ModelSettings(event="jet-momenta").columns
            ('jet_phi', 'jet_eta', 'jet_pt', 'jet_mass')
        """
        names = FEATURE_SETS[self.features].names if self.reads_trees else ()
        if self.event is None:
            return names
        item = "particle" if self.event == "particles" else "jet"
        return (*names, *(f"{item}_{name}" for name in COLUMNS))

    @property
    def title(self) -> str:
        """The model in a few words, as tables call it.

        Example:
            >>> ModelSettings(cell="gated").title, ModelSettings(event="jets").title
            ('gated kt', '2 jets, simple kt')
            >>> ModelSettings(event="particles", hardest=1).title
            '1 particle'
        """
        jet = f"{self.cell} {self.topology}"
        if self.event is None:
            return jet
        item = {"jets": "jet", "jet-momenta": "jet momentum", "particles": "particle"}[self.event]
        if self.hardest != 1:
            item = "jet momenta" if self.event == "jet-momenta" else f"{item}s"
        return f"{self.hardest} {item}" + (f", {jet}" if self.reads_trees else "")

    def dump(self) -> dict[str, Any]:
        """For JSON; a model of jets without the settings of events, which say nothing about it."""
        return self.model_dump(mode="json", exclude=set(_EVENT_SETTINGS) if self.event is None else None)
