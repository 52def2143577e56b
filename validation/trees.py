"""Are the trees of jetgram the clustering histories of FastJet, children and momenta?

Without a file, jets are generated with Pythia 8. A file holds `p4 (n, 4)` with columns px, py, pz, E in GeV, and
`offsets (jets + 1)`. The exit code is 1 if a history differs or a momentum deviates beyond the tolerance.

    python validation/trees.py --jets 10000
    python validation/trees.py my_jets.npz

Where distances are exactly equal (collinear copies of a particle, say), FastJet's own strategies join in different
orders. A history that differs from FastJet's choice of strategy but is that of its plain N^2 strategy is counted apart.
Jets along the beam that FastJet, with R = 100, leaves in pieces cannot be compared; they are counted too.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from arrays import read_npz
from fastjet_shim import POWERS, History, histories
from numpy.typing import NDArray
from pythia_jets import pythia_jets
from rich.console import Console
from rich.table import Table

from jetgram.cli.progress import progress
from jetgram.errors import JetgramError
from jetgram.momenta import Jets
from jetgram.trees.topologies import build_trees
from jetgram.trees.trees import Trees
from jetgram.validity import require_good

TOLERANCE = 1e-10  # of momenta, relative to the energy of the jet
BATCH = 500


class Comparison(NamedTuple):
    """What became of each jet, `(jets,)` each.

    Args:
        same: the history is FastJet's.
        plain: it is not, but is that of FastJet's plain strategy.
        joined: FastJet made one tree of the jet.
        deviation: largest difference of a momentum's component, relative to the energy of the jet.
    """

    same: NDArray[np.bool_]
    plain: NDArray[np.bool_]
    joined: NDArray[np.bool_]
    deviation: NDArray[np.float64]


def compare(jets: Jets, algorithm: str) -> Comparison:
    """Compare the trees of some jets with FastJet's histories."""
    trees = build_trees(jets, algorithm)
    best = histories(jets.momenta, jets.offsets, algorithm)
    same = same_children(trees, best)
    deviation = largest_deviation(trees, best)
    plain = np.zeros(len(jets), dtype=np.bool_)
    doubtful = np.flatnonzero(~same & best.joined)
    if len(doubtful):
        some = jets[doubtful]
        other = histories(some.momenta, some.offsets, algorithm, plain=True)
        plain[doubtful] = same_children(trees[doubtful], other)
        deviation[doubtful] = largest_deviation(trees[doubtful], other)
    return Comparison(same & best.joined, plain, best.joined, np.where(best.joined, deviation, 0.0))


def same_children(trees: Trees, history: History) -> NDArray[np.bool_]:
    """Whether all joins of each jet are the same and come in the same order."""
    differs = (np.sort(trees.children, axis=1) != np.sort(history.parents, axis=1)).any(axis=1)
    return ~np.logical_or.reduceat(differs, trees.offsets[:-1])


def largest_deviation(trees: Trees, history: History) -> NDArray[np.float64]:
    """Largest difference of a momentum's component in each jet, relative to the energy of the jet."""
    largest = np.maximum.reduceat(np.abs(trees.momenta - history.momenta).max(axis=1), trees.offsets[:-1])
    return largest / trees.momenta[trees.root, 3]


def compare_all(jets: Jets, algorithm: str) -> Comparison:
    """`compare` in batches, with progress."""
    parts = []
    with progress(f"comparing {algorithm}", len(jets), "jets") as advance:
        for begin in range(0, len(jets), BATCH):
            parts.append(compare(jets[begin : begin + BATCH], algorithm))
            advance(len(parts[-1].same))
    return Comparison(*map(np.concatenate, zip(*parts, strict=True)))


def report(results: dict[str, Comparison]) -> bool:
    """Print the table; return whether all is well."""
    table = Table(title="jetgram's trees next to FastJet's histories")
    table.add_column("algorithm")
    for name in ("jets", "same", "as N2Plain", "different", "in pieces", "deviation"):
        table.add_column(name, justify="right")
    well = True
    for algorithm, found in results.items():
        different = found.joined & ~found.same & ~found.plain
        deviation = found.deviation.max()
        well &= not different.any() and bool(deviation <= TOLERANCE)
        counts = (found.same, found.plain, different, ~found.joined)
        table.add_row(
            algorithm, f"{len(found.same):,}", *(f"{np.count_nonzero(c):,}" for c in counts), f"{deviation:.1e}"
        )
        for jet in np.flatnonzero(different)[:5]:
            print(f"{algorithm}: jet {jet} differs from FastJet's history", file=sys.stderr)
    Console().print(table)
    print(f"deviations relative to the jet's energy, tolerance {TOLERANCE:.0e}: {'passed' if well else 'FAILED'}")
    return well


def main(arguments: list[str] | None = None) -> int:
    """Compare, print the table, and return the exit code: 1 beyond tolerance, 2 for a file that cannot be used."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, nargs="?", metavar="FILE.npz", help="jets to compare")
    parser.add_argument("--jets", type=int, default=10_000, help="how many to generate without a file")
    parser.add_argument("--seed", type=int, default=1, help="of the generation")
    chosen = parser.parse_args(arguments)
    try:
        if chosen.file is None:
            jets = pythia_jets(chosen.jets, chosen.seed)
        else:
            arrays = read_npz(chosen.file, "p4", "offsets")
            jets = Jets(arrays["p4"], arrays["offsets"])
            require_good(jets)
        if len(jets) == 0:
            raise JetgramError("there are no jets to compare")
    except JetgramError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0 if report({name: compare_all(jets, name) for name in POWERS}) else 1


if __name__ == "__main__":
    sys.exit(main())
