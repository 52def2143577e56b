"""Networks from settings."""

from __future__ import annotations

from jetgram.models.settings import ModelSettings
from jetgram.networks.cells import cell_named
from jetgram.networks.engine.readout import READOUTS
from jetgram.networks.events import EventEmbedding
from jetgram.networks.heads import Classifier, Head, Regressor, TwoClassHead
from jetgram.networks.initialisation import initialise
from jetgram.networks.maxout import HEAD, ImageEmbedding
from jetgram.networks.network import JetNetwork
from jetgram.networks.recursive import Embedding, RecursiveEmbedding
from jetgram.networks.stereo import StereoEmbedding
from jetgram.trees.features import FEATURE_SETS


def build_network(settings: ModelSettings, seed: int = 0) -> JetNetwork:
    """The network of these settings, its weights initialised from the seed.

    Example:
        >>> for cell in ("simple", "gated"):
        ...     network = build_network(ModelSettings(cell=cell))
        ...     print(cell, sum(weight.numel() for weight in network.parameters()))
        simple 8481
        gated 48761
        >>> sum(weight.numel() for weight in build_network(ModelSettings(readout="children")).parameters())
        10081
        >>> sum(weight.numel() for weight in build_network(ModelSettings(event="jets")).parameters())
        18681
        >>> sum(weight.numel() for weight in build_network(ModelSettings(input="image")).parameters())
        975693
    """
    network = blank_network(settings)
    initialise(network, settings.initialisation, seed)
    return network


def blank_network(settings: ModelSettings) -> JetNetwork:
    """The network of these settings with first weights from no seed, for weights from a file."""
    embedding = _jet_embedding(settings) if settings.event in (None, "jets") else None
    if settings.event is not None:
        embedding = EventEmbedding(embedding, settings.state, settings.engine)
    assert embedding is not None
    return JetNetwork(embedding, _head(settings, embedding))


def _jet_embedding(settings: ModelSettings) -> Embedding:
    """Of an image; or of one tree, or several side by side."""
    if settings.input == "image":
        return ImageEmbedding()
    features = len(FEATURE_SETS[settings.features].names)
    parts = [
        RecursiveEmbedding(cell_named(settings.cell, features, settings.hidden), settings.engine, settings.readout)
        for _ in settings.topologies
    ]
    return parts[0] if len(parts) == 1 else StereoEmbedding(parts)


def _head(settings: ModelSettings, embedding: Embedding) -> Head:
    """Its layers are as wide as the embedding of the roots would be, however many states are read of each tree."""
    width = embedding.outputs // (READOUTS[settings.readout] if settings.event is None else 1)
    hidden = HEAD if settings.input == "image" else (width, width)
    if settings.head == "regressor":
        return Regressor(embedding.outputs, len(settings.targets), hidden, settings.loss)
    return (TwoClassHead if settings.input == "image" else Classifier)(embedding.outputs, hidden)
