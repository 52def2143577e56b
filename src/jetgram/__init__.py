"""jetgram: networks that read jets the way a parser reads sentences (arXiv:1702.00748)."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from jetgram.jets.clustering import find_jets
    from jetgram.jets.perturb import perturb
    from jetgram.jets.preprocess import preprocess
    from jetgram.momenta import Jets
    from jetgram.trees.features import node_features
    from jetgram.trees.topologies import build_trees
    from jetgram.trees.trees import Trees

# The public names and where they live; each module is imported when its name is first used.
_HOMES = {
    "Jets": "jetgram.momenta",
    "Trees": "jetgram.trees.trees",
    "build_trees": "jetgram.trees.topologies",
    "find_jets": "jetgram.jets.clustering",
    "node_features": "jetgram.trees.features",
    "perturb": "jetgram.jets.perturb",
    "preprocess": "jetgram.jets.preprocess",
}
__all__ = ["Jets", "Trees", "build_trees", "find_jets", "node_features", "perturb", "preprocess"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'jetgram' has no attribute {name!r}; it has: {', '.join(_HOMES)}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
