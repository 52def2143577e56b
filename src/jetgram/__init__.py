"""Recursive neural networks that read jets the way a parser reads sentences (arXiv:1702.00748).

`jetgram generate` generates collisions; `read` opens them, or files in any common layout, and `convert` stores files
as a dataset. `find_jets` clusters `Events`; `preprocess`, `clean` and `perturb` change jets; `build_trees` joins their
constituents; `node_features` are the inputs of the networks. `JetTagger` does all of that and trains, `EventTagger`
does it for whole events:

    read(path)  ->  preprocess(jets)  ->  build_trees(jets, "kt")  ->  node_features(trees)
    read(path)  ->  JetTagger().fit(jets, jets.columns["label"])  ->  tagger.predict_proba(jets)
    read(path)  ->  EventTagger(hardest=2).fit(events, events.columns["label"])  ->  tagger.predict_proba(events)

Momenta are `(px, py, pz, E)` in GeV. Everything works on many jets at once: flat arrays with offsets.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from jetgram.fanout import cluster
    from jetgram.jets.cleaning import clean
    from jetgram.jets.clustering import find_jets
    from jetgram.jets.perturb import perturb
    from jetgram.jets.preprocess import preprocess
    from jetgram.models.torch_dataset import TorchDataset
    from jetgram.momenta import Events, Jets
    from jetgram.readers.convert import convert
    from jetgram.readers.reading import read
    from jetgram.registry import register
    from jetgram.storage.dataset import Dataset, save
    from jetgram.tagger import EventRegressor, EventTagger, JetRegressor, JetTagger
    from jetgram.trees.features import node_features
    from jetgram.trees.topologies import build_trees
    from jetgram.trees.trees import Trees

# The public names and where they live; each module is imported when its name is first used.
_HOMES = {
    "Dataset": "jetgram.storage.dataset",
    "EventRegressor": "jetgram.tagger",
    "EventTagger": "jetgram.tagger",
    "Events": "jetgram.momenta",
    "JetRegressor": "jetgram.tagger",
    "JetTagger": "jetgram.tagger",
    "Jets": "jetgram.momenta",
    "TorchDataset": "jetgram.models.torch_dataset",
    "Trees": "jetgram.trees.trees",
    "build_trees": "jetgram.trees.topologies",
    "clean": "jetgram.jets.cleaning",
    "cluster": "jetgram.fanout",
    "convert": "jetgram.readers.convert",
    "find_jets": "jetgram.jets.clustering",
    "node_features": "jetgram.trees.features",
    "perturb": "jetgram.jets.perturb",
    "preprocess": "jetgram.jets.preprocess",
    "read": "jetgram.readers.reading",
    "register": "jetgram.registry",
    "save": "jetgram.storage.dataset",
}
__all__ = [
    "Dataset",
    "EventRegressor",
    "EventTagger",
    "Events",
    "JetRegressor",
    "JetTagger",
    "Jets",
    "TorchDataset",
    "Trees",
    "build_trees",
    "clean",
    "cluster",
    "convert",
    "find_jets",
    "node_features",
    "perturb",
    "preprocess",
    "read",
    "register",
    "save",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'jetgram' has no attribute {name!r}; it has: {', '.join(_HOMES)}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
