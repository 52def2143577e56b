"""What all families of networks have in common."""

from __future__ import annotations

import abc
from typing import Any, ClassVar

import pydantic

from jetgram.inputs.representation import InputSettings
from jetgram.networks.engine.capability import EngineName
from jetgram.networks.heads import HeadSettings
from jetgram.networks.initialisation import DEFAULT_SCHEME, Scheme
from jetgram.networks.network import JetNetwork
from jetgram.networks.recursive import Embedding
from jetgram.settings import Settings


class NetworkSettings(Settings, abc.ABC):
    """What all families have in common.

    Every class has a field `kind`, by which settings in a file are told apart.

    Args:
        initialisation: how the weights begin; see `jetgram.networks.initialisation`.
        engine: `native`, `torch`, or `auto`.
    """

    reads: ClassVar[type[InputSettings]]

    kind: str
    initialisation: Scheme = DEFAULT_SCHEME
    engine: EngineName = "auto"

    @abc.abstractmethod
    def build(self, read: Any, head: HeadSettings) -> JetNetwork:
        """The network, with first weights from no seed.

        Args:
            read: the settings of what it reads, of the class `reads`.
            head: what it gives.
        """

    @abc.abstractmethod
    def title(self, read: Any) -> str:
        """The network and what it reads, in a few words."""

    def check(self, read: Any) -> None:
        """Raise a `ValueError` if these settings do not go with those of what is read."""

    def flat(self) -> dict[str, Any]:
        """By the flat names of `ModelSettings`."""
        return self.model_dump(mode="json", exclude={"kind"})


class TorchSettings(NetworkSettings):
    """A network that runs in PyTorch alone, and is one of several that read its inputs: `network` tells which.

    Args:
        initialisation: how the weights begin; see `jetgram.networks.initialisation`.
        engine: `torch` or `auto`.
    """

    name: ClassVar[str]
    head_widths: ClassVar[tuple[int, ...]]  # units of the rectified layers behind the embedding
    one_per_class: ClassVar[bool] = False  # whether signal and background have an output each

    @pydantic.field_validator("engine")
    @classmethod
    def _in_torch(cls, engine: EngineName) -> EngineName:
        if engine == "native":
            raise ValueError(f"the {cls.name} network runs in PyTorch, leave it out")
        return engine

    @abc.abstractmethod
    def embedding(self, read: Any) -> Embedding:
        """The part of the network that is its own; `read` as for `build`."""

    def build(self, read: Any, head: HeadSettings) -> JetNetwork:
        """The network: the embedding, then the layers of a head."""
        embedding = self.embedding(read)
        return JetNetwork(embedding, head.build(embedding.outputs, self.head_widths, self.one_per_class))

    def title(self, read: Any) -> str:
        """Its name."""
        return self.name

    def flat(self) -> dict[str, Any]:
        """By the flat names of `ModelSettings`."""
        return {"network": self.kind, **super().flat()}
