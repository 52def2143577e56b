"""The settings of a model, alone and together with those of its training; the defaults are the paper's.

No name is in both, so that one list of keywords is enough.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Self, Union

import pydantic

from jetgram.errors import SettingsError, require_known
from jetgram.inputs.representation import InputSettings, Reading
from jetgram.inputs.scaler import Scaler
from jetgram.inputs.trees import AnyTreeInput
from jetgram.models.flat import DEFAULTS, EVENT_INPUTS, HEADS, JET_INPUTS, canonical, unalias
from jetgram.models.kinds import nested
from jetgram.models.merging import flat_names
from jetgram.models.recipes import TrainingSettings, with_recipe
from jetgram.momenta import Momenta
from jetgram.networks.families import FAMILIES
from jetgram.networks.family import NetworkSettings
from jetgram.networks.heads import HeadSettings, Label
from jetgram.networks.initialisation import initialise
from jetgram.networks.network import JetNetwork
from jetgram.settings import Settings

if TYPE_CHECKING:
    Input = InputSettings
    Network = NetworkSettings
    Head = HeadSettings
else:  # unions of all that the tables name: a line in a table is enough for a new one
    Input = Union[(*JET_INPUTS.values(), *EVENT_INPUTS.values())]
    Network = Union[FAMILIES]  # noqa: UP007
    Head = Union[tuple(HEADS.values())]  # noqa: UP007


class ModelSettings(Settings):
    """What a model is: what it reads of jets or events, its network, and what this gives.

    Each of the three is of one kind and has the settings of that kind alone. They may be given as such, or by the flat
    names of what is in them, which are unique; `input` (`constituents`, `pixels`, `image`) and `event` (`jets`,
    `jet-momenta`, `particles`) then choose what is read, or `network` (`pfn`, `efn`, `lundnet`, `particlenet`, `part`)
    one of the networks with an input of their own, and `head` (`classifier`, `regressor`) what is given.

    Args:
        input: `TreeInput`, `PixelInput`, `ImageInput`, `ParticleSetInput`, `DeclusteringInput`, `EventJetsInput`,
            `JetMomentaInput` or `ParticlesInput`.
        network: `RecursiveSettings`, `MaxOutSettings`, `GruSettings`, or one in `jetgram.networks.peers`; one that
            reads such an input.
        head: `ClassifierSettings` or `RegressorSettings`.

    Example:
        >>> settings = ModelSettings(topology="kt+desc-pt", cell="gated")
        >>> settings.input.topologies, settings.network.cell
        (('kt', 'desc-pt'), 'gated')
        >>> from jetgram.inputs.trees import TreeInput
        >>> from jetgram.networks.families import RecursiveSettings
        >>> settings == ModelSettings(input=TreeInput(topology="kt+desc-pt"), network=RecursiveSettings(cell="gated"))
        True
        >>> ModelSettings(input="pixels").input.trim
        0.05
        >>> ModelSettings(network="part", leading=64).input
        ParticleSetInput(kind='particle-set', leading=64)
        >>> ModelSettings.create(cel="gated")
        Traceback (most recent call last):
        jetgram.errors.SettingsError: there is no setting 'cel'; did you mean 'cell'?
    """

    input: Annotated[Input, pydantic.Field(discriminator="kind")]
    network: Annotated[Network, pydantic.Field(discriminator="kind")]
    head: Annotated[Head, pydantic.Field(discriminator="kind")]

    def __init__(self, **values: Any) -> None:
        parts = {name: value for name, value in values.items() if isinstance(value, Settings | Mapping)}
        flat = nested(flat_names(values))
        for name in parts:
            twice = [key for key, value in flat.get(name, {}).items() if key != "kind" and value != {}]
            if twice:
                raise SettingsError(f"found {twice[0]} and {name}, which holds it; leave one out")
        super().__init__(**{**flat, **parts})

    @pydantic.model_validator(mode="after")
    def _go_together(self) -> Self:
        if not isinstance(self.input, self.network.reads):
            found = f"a network of the kind {self.network.kind} with an input of the kind {self.input.kind}"
            raise ValueError(f"found {found}; leave network out, and the one that reads it is taken")
        self.network.check(self.input)
        return self

    @classmethod
    def create(cls, **values: Any) -> Self:
        """The settings with these values, or a `SettingsError`."""
        try:
            return cls(**values)
        except pydantic.ValidationError as error:
            first = error.errors()[0]
            names = [part for part in first["loc"] if part in DEFAULTS]
            found = f"{names[-1]} = {first['input']!r}: " if names else ""
            raise SettingsError(f"{found}{first['msg'].removeprefix('Value error, ')}") from None

    def changed(self, **values: Any) -> Self:
        """The same settings with other values of some flat names."""
        return self.create(**{**self.dump(), **values})

    def with_classes(self, classes: Sequence[Label] | None) -> Self:
        """A classifier of these classes, the background first, unless it has classes of its own; None changes nothing.

        Example:
            >>> ModelSettings(cell="gated").with_classes(("qcd", "w", "top")).head.loss
            'softmax'
            >>> ModelSettings(head="regressor").with_classes(("qcd", "w", "top")).head.kind
            'regressor'
        """
        values = self.dump()
        if classes is None or "classes" in values or not self.head.labels:
            return self
        if values.get("loss") == DEFAULTS["loss"]:  # the default follows from the classes
            del values["loss"]
        return self.create(**values, classes=tuple(classes))

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy; `update` has flat names, as for `changed`."""
        return self.changed(**update) if update else super().model_copy(deep=deep)

    def read(self, rows: Momenta, first: int = 0, scaler: Scaler | None = None, checked: bool = False) -> Reading:
        """Jets or events as they are read; see `jetgram.inputs.representation.InputSettings.read`."""
        return self.input.read(rows, first, scaler, checked)

    def build(self, seed: int | None = None) -> JetNetwork:
        """The network, its weights initialised from the seed; without one, for weights from a file.

        Example:
            >>> for cell in ("simple", "gated"):
            ...     print(cell, sum(weight.numel() for weight in ModelSettings(cell=cell).build(seed=1).parameters()))
            simple 8481
            gated 48761
            >>> sum(weight.numel() for weight in ModelSettings(readout="children").build().parameters())
            10081
            >>> sum(weight.numel() for weight in ModelSettings(event="jets").build().parameters())
            18681
            >>> sum(weight.numel() for weight in ModelSettings(input="image").build().parameters())
            975693
        """
        network = self.network.build(self.input, self.head)
        if seed is not None:
            initialise(network, self.network.initialisation, seed)
        return network

    @property
    def tree_input(self) -> AnyTreeInput:
        """How jets become trees; an error where they do not."""
        if not isinstance(self.input, AnyTreeInput):
            raise SettingsError(f"this model reads no trees of jets: {self.title}")
        return self.input

    @property
    def rows(self) -> str:
        """What the model is given: `jets` or whole `events`."""
        return self.input.rows

    @property
    def question(self) -> str:
        """What the model answers of what, in words.

        Example:
            >>> ModelSettings().question, ModelSettings(head="regressor", targets=("mass", "pt")).question
            ('a classifier of jets: 0, 1', 'a regressor of jets: mass, pt')
            >>> ModelSettings(targets="is_b").question
            'a classifier of jets by is_b: 0, 1'
        """
        column = self.head.label_column
        by = "" if column == "label" else f" by {column}"
        return f"a {self.head.kind} of {self.rows}{by}: {', '.join(map(str, self.head.labels or self.head.targets))}"

    @property
    def reading(self) -> dict[str, Any]:
        """The flat settings that decide what a network is given: equal ones can share what is prepared."""
        values = self.input.flat()
        return {name: values[name] for name in DEFAULTS if name in values}

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
        return self.network.title(self.input)

    def dump(self) -> dict[str, Any]:
        """By the flat names in their canonical order, for JSON: what is saved with a model, and digested."""
        return canonical(self.flat())

    def flat(self) -> dict[str, Any]:
        """By the flat names in their canonical order: those that the model has, and all of them."""
        values = {**self.input.flat(), **self.network.flat(), **self.head.flat()}
        return {name: values[name] for name in DEFAULTS if name in values}


# The names of the settings of each; the tables of a file.
TABLES = {"model": tuple(DEFAULTS), "training": tuple(TrainingSettings.model_fields)}


def make_settings(**values: Any) -> tuple[ModelSettings, TrainingSettings]:
    """Model and training settings from one list of keywords; `recipe` names a set of them in `jetgram.models.recipes`.

    Example:
        >>> model, training = make_settings(cell="gated", epochs=5, lr=0.001)
        >>> model.network.cell, training.epochs, training.rate
        ('gated', 5, 0.001)
        >>> make_settings(recipe="modern")[0].title
        'blend ca, lund, root and mean'
        >>> make_settings(epoch=5)
        Traceback (most recent call last):
        jetgram.errors.SettingsError: there is no setting 'epoch'; did you mean 'epochs'?
    """
    homes = {name: table for table, names in TABLES.items() for name in names}
    sorted_values: dict[str, dict[str, Any]] = {table: {} for table in TABLES}
    for name, value in with_recipe(unalias(values)).items():
        require_known("there is no setting", name, homes)
        sorted_values[homes[name]][name] = value
    return ModelSettings.create(**sorted_values["model"]), TrainingSettings.create(**sorted_values["training"])
