"""The families of networks, each with its settings: what it reads, and how it is built."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import pydantic

from jetgram.inputs.events import EventInput
from jetgram.inputs.images import ImageInput
from jetgram.inputs.representation import InputSettings
from jetgram.inputs.trees import AnyTreeInput
from jetgram.networks.cells import CELLS, READOUTS, Readout, cell_named
from jetgram.networks.engine.capability import EngineName
from jetgram.networks.events import EventEmbedding
from jetgram.networks.family import NetworkSettings, TorchSettings
from jetgram.networks.heads import HeadSettings
from jetgram.networks.maxout import HEAD, ImageEmbedding
from jetgram.networks.network import JetNetwork
from jetgram.networks.peers.efn import EfnSettings
from jetgram.networks.peers.lundnet import LundNetSettings
from jetgram.networks.peers.part import ParTSettings
from jetgram.networks.peers.particlenet import ParticleNetSettings
from jetgram.networks.peers.pfn import PfnSettings
from jetgram.networks.recursive import Embedding, RecursiveEmbedding, StereoEmbedding
from jetgram.settings import Settings

LARGEST_HIDDEN = 4096  # a typing error should not ask for all the memory


class CellSettings(Settings):
    """A recursive cell.

    Args:
        cell: a name in `jetgram.networks.cells`: `simple`, `gated` or `blend`, or one that was registered.
        hidden: q, the length of the states.
        readout: which states are the embedding of a tree; see `jetgram.networks.cells`.
    """

    cell: str = "simple"
    hidden: int = pydantic.Field(default=40, ge=1, le=LARGEST_HIDDEN)
    readout: Readout = "root"

    @pydantic.field_validator("cell")
    @classmethod
    def _known_cell(cls, name: str) -> str:
        if name not in CELLS:
            raise ValueError(f"expected one of {', '.join(CELLS)}, or one that you register with jetgram.register")
        return name

    def embedding(self, read: AnyTreeInput, engine: EngineName) -> Embedding:
        """Of one tree of each jet, or several side by side."""
        features = len(read.columns)
        parts = [
            RecursiveEmbedding(cell_named(self.cell, features, self.hidden), engine, self.readout)
            for _ in read.topologies
        ]
        return parts[0] if len(parts) == 1 else StereoEmbedding(parts)

    def tree_title(self, read: AnyTreeInput) -> str:
        """Cell and trees in a few words."""
        features = "" if read.features == "paper" else f", {read.features}"
        if read.particle_columns:
            features = f" with {', '.join(read.particle_columns)}"
        return f"{self.cell} {read.topology}{read.leaf_title}{features}{READOUTS[self.readout].title}"


class RecursiveSettings(CellSettings, NetworkSettings):
    """A recursive network over the trees of jets.

    Args:
        cell: a name in `jetgram.networks.cells`: `simple`, `gated` or `blend`, or one that was registered.
        hidden: q, the length of the states.
        readout: which states are the embedding of a tree; see `jetgram.networks.cells`.
        initialisation: how the weights begin; see `jetgram.networks.initialisation`.
        engine: `native`, `torch`, or `auto`.
    """

    reads = AnyTreeInput

    kind: Literal["recursive"] = "recursive"

    def build(self, read: AnyTreeInput, head: HeadSettings) -> JetNetwork:
        """The network; its layers are as wide as the states of the roots, however many are read of each tree."""
        embedding = self.embedding(read, self.engine)
        width = embedding.outputs // READOUTS[self.readout].states
        return JetNetwork(embedding, head.build(embedding.outputs, (width, width)))

    def title(self, read: AnyTreeInput) -> str:
        """Cell and trees in a few words."""
        return self.tree_title(read)


class MaxOutSettings(TorchSettings):
    """The network of the jet-image papers; the settings are those of `TorchSettings`."""

    reads = ImageInput
    name: ClassVar[str] = "MaxOut"
    head_widths: ClassVar[tuple[int, ...]] = HEAD
    one_per_class: ClassVar[bool] = True

    kind: Literal["maxout"] = "maxout"

    def embedding(self, read: ImageInput) -> Embedding:
        """What reads the pixels."""
        return ImageEmbedding()

    def flat(self) -> dict[str, Any]:
        """By the flat names of `ModelSettings`; the only network on images needs no name."""
        return {name: value for name, value in super().flat().items() if name != "network"}


class GruSettings(NetworkSettings):
    """A recurrent network over the jets, or particles, of events.

    Args:
        state: r, the length of its states.
        jets: the recursive cell over the trees of jets; None where no trees are read.
        initialisation: how the weights begin; see `jetgram.networks.initialisation`.
        engine: `native`, `torch`, or `auto`.
    """

    reads = EventInput

    kind: Literal["gru"] = "gru"
    state: int = pydantic.Field(default=40, ge=1, le=LARGEST_HIDDEN)
    jets: CellSettings | None = None

    def build(self, read: EventInput, head: HeadSettings) -> JetNetwork:
        """The network."""
        trees = read.tree_input
        jets = None if self.jets is None or trees is None else self.jets.embedding(trees, self.engine)
        embedding = EventEmbedding(jets, self.state, self.engine)
        return JetNetwork(embedding, head.build(embedding.outputs, (embedding.outputs, embedding.outputs)))

    def check(self, read: EventInput) -> None:
        """A cell where the trees of jets are read, and only there."""
        if (self.jets is not None) != (read.tree_input is not None):
            raise ValueError("a network has a cell for the jets of events where their trees are read, and only there")

    def title(self, read: EventInput) -> str:
        """The sequence, and how its jets are read, in a few words."""
        trees = read.tree_input
        return read.title if self.jets is None or trees is None else f"{read.title}, {self.jets.tree_title(trees)}"

    def flat(self) -> dict[str, Any]:
        """By the flat names of `ModelSettings`."""
        values = super().flat()
        return {**(values.pop("jets") or {}), **values}


PEERS: dict[str, type[TorchSettings]] = {
    "pfn": PfnSettings,
    "efn": EfnSettings,
    "lundnet": LundNetSettings,
    "particlenet": ParticleNetSettings,
    "part": ParTSettings,
}
FAMILIES: tuple[type[NetworkSettings], ...] = (RecursiveSettings, MaxOutSettings, GruSettings, *PEERS.values())


def family_of(read: type[InputSettings]) -> type[NetworkSettings]:
    """The family that reads such inputs; the first of several.

    Example:
        >>> from jetgram.inputs.trees import PixelInput
        >>> family_of(PixelInput).__name__
        'RecursiveSettings'
    """
    return next(family for family in FAMILIES if issubclass(read, family.reads))
