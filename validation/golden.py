"""Does jetgram reproduce the frozen numbers of the published implementation?

`reference.npz` in this folder holds small jets with what the published program of arXiv:1702.00748 gives on them; any
other file of that layout will do. One row a quantity: its largest deviation, and the tolerance. Deviations of trees and
features are |a - b| / max(1, |b|), those of the networks |a - b| / max |b|. The exit code is 1 beyond tolerance.

    python validation/golden.py validation/reference.npz

Layout, flat over jets and cut by `n_leaves (jets,)`: `leaf_momenta (n, 4)`; per jet of N leaves, nodes 0..N-1 are the
leaves and N..2N-2 inner nodes with children before parents, the root last: `children (nodes, 2)`, -1 at leaves,
`children_hardest_first` the same after ordering, `node_momenta (nodes, 4)`, `features (nodes, 7)` and their scaler
`center`, `scale`; `y (jets,)`; for each cell `{simple,gated}_{param,grad}_*`, `_loss`, `_score`, `_embedding`.
Of events: `event_jet_index (events, M)`, their jets hardest first, `event_jet_input (events, M, 4)`, the scaled (phi,
eta, pT, m), `event_y (events,)`, and `event_{param,grad}_*`, `_loss`, `_score`, `_embedding`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import golden_events
import golden_networks
from arrays import read_npz
from comparison import Golden, Part, Row, row
from rich.console import Console
from rich.table import Table

from jetgram.errors import JetgramError
from jetgram.momenta import Jets
from jetgram.ragged import offsets_of
from jetgram.trees.features import FEATURES, node_features
from jetgram.trees.trees import Trees, trees_from_history


def golden_trees(golden: Golden) -> Trees:
    """The trees of the file, rebuilt from the leaves and the unordered children alone."""
    return trees_from_history(Jets(golden["leaf_momenta"], offsets_of(golden["n_leaves"])), golden["children"])


def compare_trees(golden: Golden) -> Iterator[Row]:
    """Order of children and momenta of the nodes."""
    trees = golden_trees(golden)
    yield row("order of children", trees.children, golden["children_hardest_first"], tolerance=0.0)
    yield row("node momenta", trees.momenta, golden["node_momenta"])


def compare_features(golden: Golden) -> Iterator[Row]:
    """The seven features, one by one."""
    found, expected = node_features(golden_trees(golden)), golden["features"]
    if found.shape != expected.shape:
        yield row("features", found, expected)
        return
    for column, name in enumerate(FEATURES):
        yield row(f"feature {name}", found[:, column], expected[:, column])


HISTORY = ("leaf_momenta", "n_leaves", "children")
PARTS = (
    Part("trees", (*HISTORY, "children_hardest_first", "node_momenta"), compare_trees),
    Part("features", (*HISTORY, "features"), compare_features),
    *golden_networks.PARTS,
    *golden_events.PARTS,
)


def compare(golden: Golden) -> tuple[list[Row], list[str]]:
    """The rows of all parts that the file has the arrays for, and what was left out for which missing array."""
    rows, absent = [], []
    for part in PARTS:
        missing = [name for name in part.needs if name not in golden]
        if missing:
            absent.append(f"{part.name}: the file has no {', '.join(missing)}")
        else:
            rows += part.compare(golden)
    if not rows:
        raise JetgramError(f"nothing to compare; {'; '.join(absent)}")
    return rows, absent


def report(rows: list[Row], absent: list[str]) -> None:
    """Print the table."""
    table = Table("quantity", title="largest deviations from the frozen numbers")
    for name in ("values", "deviation", "tolerance", "verdict"):
        table.add_column(name, justify="right")
    for r in rows:
        verdict = "passed" if r.passed else "[red]FAILED"
        table.add_row(r.quantity, f"{r.values:,}", f"{r.deviation:.1e}", f"{r.tolerance:.0e}", verdict)
    Console().print(table)
    for what in absent:
        print(f"not compared: {what}")


def main(arguments: list[str] | None = None) -> int:
    """Compare, print the table, and return the exit code: 1 beyond tolerance, 2 for a file that cannot be used."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, metavar="FILE.npz")
    try:
        rows, absent = compare(read_npz(parser.parse_args(arguments).file))
    except JetgramError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    report(rows, absent)
    return 0 if all(r.passed for r in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
