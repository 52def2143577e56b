"""Parts of one's own, by names that settings and saved models use: topologies, node features, cells, losses, layouts.

Nothing is imported for it: whoever has made a cell has loaded PyTorch, and a topology needs none.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from jetgram.errors import SettingsError

if TYPE_CHECKING:
    from jetgram.networks.cells import Cell
    from jetgram.networks.heads import Loss
    from jetgram.readers.source import Source
    from jetgram.trees.features import FeatureSet
    from jetgram.trees.topologies import Topology

T = TypeVar("T", bound="type[Cell] | type[Source] | FeatureSet | Topology | Loss")


class _Table(NamedTuple):
    """Where the class of a part is defined, and the table with the names of such parts."""

    module: str
    kind: str
    home: str
    names: str

    @property
    def content(self) -> dict[str, Any]:
        """The table."""
        content: dict[str, Any] = getattr(importlib.import_module(self.home), self.names)
        return content


TABLES = (
    _Table("jetgram.trees.topologies", "Topology", "jetgram.trees.topologies", "TOPOLOGIES"),
    _Table("jetgram.trees.features", "FeatureSet", "jetgram.trees.features", "FEATURE_SETS"),
    _Table("jetgram.readers.source", "Source", "jetgram.readers.opening", "LAYOUTS"),
    _Table("jetgram.networks.cells", "Cell", "jetgram.networks.cells", "CELLS"),
    _Table("jetgram.networks.heads", "Loss", "jetgram.networks.heads", "LOSSES"),
)
_EXPECTED = "a Topology, a FeatureSet or a Loss, or a class of cells (Cell) or of layouts (Source)"
_registered: set[tuple[str, str]] = set()  # table and name


def register(name: str, thing: T) -> T:
    """Make a topology, a set of node features, a cell, a loss or a layout of files known by a name.

    It then works like a built-in one: in `JetTagger(cell=name)`, in `--set features=name`, in saved models. A saved
    model holds only the name, no code: register the same thing before it is loaded. A cell and a loss run in
    PyTorch, a topology in Python, with or without the native core. Files are tried with a registered layout before
    their columns are guessed by their names. Registered again, a name means the new thing.

    Args:
        name: of letters, digits, `-` and `_`.
        thing: a `jetgram.trees.topologies.Topology`, a `jetgram.trees.features.FeatureSet`, a
            `jetgram.networks.heads.Loss`, or a class derived from `jetgram.networks.cells.Cell` or from
            `jetgram.readers.source.Source`.

    Returns:
        The thing.

    Example:
        A chain in the order in which the constituents are given:

        >>> import jetgram
        >>> from jetgram.trees.topologies import Topology
        >>> def in_order(tree, seed):
        ...     last = 0
        ...     for leaf in range(1, tree.leaves):
        ...         last = tree.join(last, leaf)
        >>> chain = register("in-order", Topology("in order", "in order", "one constituent after the other", in_order))
        >>> from jetgram.kinematics import from_ptetaphim
        >>> jet = from_ptetaphim([50.0, 40.0, 1.0], [0.0, 0.3, 0.2], [0.0, 0.1, 0.1])
        >>> jetgram.build_trees(jetgram.Jets.from_lists([jet]), "in-order").children[-2:]
        array([[0, 1],
               [3, 2]], dtype=int32)
    """
    if not name or not name.replace("-", "").replace("_", "").isalnum():
        raise SettingsError(f"found the name {name!r}; expected letters, digits, - and _")
    where = _table_of(thing)
    loaded = [table for table in TABLES if table.home in sys.modules]
    if any(name in table.content and (table.names, name) not in _registered for table in {*loaded, where}):
        raise SettingsError(f"{name!r} is built in; register yours by another name")
    _registered.add((where.names, name))
    where.content[name] = thing
    return thing


def registered_names() -> set[str]:
    """Of everything that was registered in this process."""
    return {name for _, name in _registered}


def _table_of(thing: Any) -> _Table:
    for table in TABLES:
        if table.module in sys.modules:  # else nobody can have made such a thing
            kind = getattr(sys.modules[table.module], table.kind)
            is_class = isinstance(thing, type) and issubclass(thing, kind)
            if isinstance(thing, kind) if issubclass(kind, tuple) else is_class:  # records, or classes
                return table
    raise SettingsError(f"found {thing!r}; expected {_EXPECTED}")
