"""The settings of a model; the defaults are the paper's."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pydantic

from jetgram.inputs.sequences import COLUMNS
from jetgram.jets.images import USUAL_CHAIN, ChainName
from jetgram.models.combinations import CHECKS, EVENT_SETTINGS, TREE_SETTINGS
from jetgram.networks.cells import CELLS
from jetgram.networks.engine.dispatch import EngineName
from jetgram.networks.engine.readout import Readout
from jetgram.networks.heads import LossName
from jetgram.networks.initialisation import DEFAULT_SCHEME, Scheme
from jetgram.settings import Settings
from jetgram.trees.features import FEATURE_SETS
from jetgram.trees.topologies import find_topology

HeadName = Literal["classifier", "regressor"]
InputName = Literal["constituents", "pixels", "image"]
EventReading = Literal["jets", "jet-momenta", "particles"]

IMAGE_TRIM = 0.05  # as the jet-image papers trim
LARGEST_HIDDEN = 4096  # a typing error should not ask for all the memory


def _usual_trim(data: dict[str, Any]) -> float | None:
    return None if data.get("input") == "constituents" else IMAGE_TRIM


def _usual_preprocess(data: dict[str, Any]) -> bool:
    return data.get("input") == "constituents"


def _usual_loss(data: dict[str, Any]) -> LossName:
    return "squared" if data.get("head") == "regressor" else "logistic"


def _usual_targets(data: dict[str, Any]) -> tuple[str, ...]:
    return ("target",) if data.get("head") == "regressor" else ("label",)


class ModelSettings(Settings):
    """What a model is: how it reads a jet or an event, and its network.

    Args:
        input: what the network is given of a jet: its `constituents`, or the `pixels` of its image as constituents, in
            either case as trees; or the `image` itself, which a MaxOut network reads.
        cell: `simple` or `gated`.
        topology: one of the six trees, or several joined by `+` (`kt+desc-pt`): a stereo model, which reads them all.
        hidden: q, the length of the states.
        features: the set of node features: `paper`, or `paper+pclass`, with the class of energy-flow particles.
        preprocess: turn every jet into the frame of its subjets before the tree is built; not with images, which are
            translated, rotated and reflected themselves.
        trim: drop subjets below this fraction of the jet's pT; None keeps everything. 0.05 with images.
        image_chain: how images are made: `spline`, as the paper's were, or `shared`, which conserves pT; see
            `jetgram.jets.images`. Only with images.
        tree_seed: of the `random` topology.
        readout: what the head (or the GRU) reads of the states of a tree's nodes: that of the `root`, or those of its
            two `children`, 2 q numbers; of a jet of one particle, twice the state of its leaf.
        head: `classifier` (signal against background) or `regressor`.
        targets: what is learned: the columns of a dataset, or names in `jetgram.training.targets`.
        loss: `logistic` for a classifier, `squared` or `huber` for a regressor.
        initialisation: how the weights begin: `paper`, as published, or `modern`.
        engine: `native`, `torch`, or `auto`.
        event: what a model of events reads: the hardest `jets`, each with its tree; `jet-momenta`, the same jets but
            without trees; or the hardest `particles`, without jets. Settings of what is not read are left out. None is
            a model of single jets, and has none of the following.
        hardest: how many jets, or particles, of an event at most; `all` for all.
        radius: of the anti-kt jets.
        min_pt: jets below this pT, in GeV, are left out.
        state: r, the length of the GRU's states.

    Example:
        >>> ModelSettings(topology="kt+desc-pt").topologies
        ('kt', 'desc-pt')
        >>> ModelSettings(input="pixels").trim
        0.05
        >>> ModelSettings.create(cel="gated")
        Traceback (most recent call last):
        jetgram.errors.SettingsError: ModelSettings has no setting 'cel'; did you mean 'cell'?
    """

    input: InputName = "constituents"
    cell: str = "simple"
    topology: str = "kt"
    hidden: int = pydantic.Field(default=40, ge=1, le=LARGEST_HIDDEN)
    features: str = "paper"
    preprocess: bool = pydantic.Field(default_factory=_usual_preprocess)
    trim: Annotated[float, pydantic.Field(gt=0, lt=1)] | None = pydantic.Field(default_factory=_usual_trim)
    image_chain: ChainName = USUAL_CHAIN
    tree_seed: int = pydantic.Field(default=0, ge=0, lt=2**63)
    readout: Readout = "root"
    head: HeadName = "classifier"
    targets: tuple[str, ...] = pydantic.Field(default_factory=_usual_targets, min_length=1)
    loss: LossName = pydantic.Field(default_factory=_usual_loss)
    initialisation: Scheme = DEFAULT_SCHEME
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

    @pydantic.field_validator("hardest", mode="wrap")
    @classmethod
    def _number_or_all(cls, value: Any, usual: pydantic.ValidatorFunctionWrapHandler) -> Any:
        try:
            return usual(value)
        except pydantic.ValidationError:  # which speaks of both types, as if both were wanted
            raise ValueError("expected a whole number from 1, or all") from None

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
    def _go_together(self) -> ModelSettings:
        for check in CHECKS:
            check(self)
        return self

    @property
    def rows(self) -> Literal["jets", "events"]:
        """What the model is given: jets or whole events."""
        return "jets" if self.event is None else "events"

    @property
    def topologies(self) -> tuple[str, ...]:
        """The trees that are built of each jet; none for a network on images."""
        return tuple(self.topology.split("+")) if self.reads_trees else ()

    @property
    def reading(self) -> dict[str, Any]:
        """The settings that decide what a network is given of a jet or event: equal ones can share what is prepared."""
        names = {"event", "hardest"} if self.event else set()
        if self.input != "constituents":
            names |= {"input", "trim", "image_chain"}
        if self.reads_jets_of_events:
            names |= {"radius", "min_pt"}
        if self.reads_trees:
            names |= {"topology", "features", "preprocess", "trim", "tree_seed"}
        return self.model_dump(mode="json", include=names)

    @property
    def reads_trees(self) -> bool:
        """Whether the network is given trees."""
        return self.event in (None, "jets") and self.input != "image"

    @property
    def reads_jets_of_events(self) -> bool:
        """Whether jets must be found in events first."""
        return self.event in ("jets", "jet-momenta")

    @property
    def particle_columns(self) -> tuple[str, ...]:
        """What the constituents must have besides their momenta."""
        return FEATURE_SETS[self.features].particles if self.reads_trees else ()

    @property
    def columns(self) -> tuple[str, ...]:
        """What the network is given, column by column as it is scaled: of nodes, then of the jets of events.

        Example:
            >>> ModelSettings(event="jet-momenta").columns
            ('jet_phi', 'jet_eta', 'jet_pt', 'jet_mass')
        """
        if self.input == "image":
            return ("intensity",)
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
            >>> ModelSettings(input="pixels").title, ModelSettings(input="image").title
            ('simple kt on pixels', 'MaxOut')
            >>> ModelSettings(readout="children").title
            'simple kt, children of the root'
        """
        if self.input == "image":
            return "MaxOut"
        jet = f"{self.cell} {self.topology}{' on pixels' if self.input == 'pixels' else ''}"
        if self.particle_columns:
            jet += f" with {', '.join(self.particle_columns)}"
        if self.readout != "root":
            jet += f", {self.readout} of the root"
        if self.event is None:
            return jet
        item = {"jets": "jet", "jet-momenta": "jet momentum", "particles": "particle"}[self.event]
        if self.hardest != 1:
            item = "jet momenta" if self.event == "jet-momenta" else f"{item}s"
        return f"{self.hardest} {item}" + (f", {jet}" if self.reads_trees else "")

    def dump(self) -> dict[str, Any]:
        """For JSON, without the settings that say nothing about this model, and without default input and readout."""
        meaningless = set(EVENT_SETTINGS) if self.event is None else set()
        if self.input == "constituents":
            meaningless.update(("input", "image_chain"))
        if self.readout == "root":
            meaningless.add("readout")
        if self.input == "image":
            meaningless.update(TREE_SETTINGS, ("preprocess",))
        return self.model_dump(mode="json", exclude=meaningless)
