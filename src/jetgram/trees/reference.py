"""The six topologies and kt subjets in plain Python: slow, easy to read, and the native core's bit for bit.

They are the reference in the tests, and stand in where there is no native core. Rapidity and azimuth are those
of `kinematics.rapidity_phi_pt2`: NumPy's logarithms may differ from the native core's in the last digit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from jetgram import kinematics

Array = NDArray[np.float64]
TWO_PI = 2 * math.pi
GOLDEN_RATIO = 0x9E3779B97F4A7C15  # times 2^64
BEAM = -1  # the neighbour of a momentum that has none within the radius


class Tree:
    """One tree under construction, in its place in the arrays of all trees.

    Args:
        leaves: momenta of the constituents, `(n, 4)`.
        momenta: filled with the momenta of all nodes, `(2 n - 1, 4)`.
        children: filled with the children of all nodes, `(2 n - 1, 2)`.
    """

    def __init__(self, leaves: Array, momenta: Array, children: NDArray[np.int32]) -> None:
        self.leaves = self.size = len(leaves)
        self.momenta, self.children = momenta, children
        momenta[: self.leaves] = leaves
        children[: self.leaves] = -1

    def pt2(self, node: int) -> float:
        """Squared transverse momentum of a node."""
        px, py = self.momenta[node, :2].tolist()
        return px * px + py * py  # type: ignore[no-any-return]

    def join(self, a: int, b: int) -> int:
        """Add the node that joins two others, the one of higher pT (of equal pT: the lower index) to the left."""
        node = self.size
        self.momenta[node] = self.momenta[a] + self.momenta[b]
        self.children[node] = sorted((a, b), key=lambda child: (-self.pt2(child), child))
        self.size += 1
        return node


class SplitMix:
    """Random numbers: splitmix64 (Steele, Lea, Flood 2014), one stream for each start.

    Example:
        >>> random = SplitMix(start=7)
        >>> [random.below(10) for _ in range(8)]
        [5, 3, 9, 8, 6, 3, 3, 6]
    """

    def __init__(self, start: int) -> None:
        self.state = _mix(start)

    def below(self, n: int) -> int:
        """A number in 0..n-1, all equally likely up to n / 2^64."""
        self.state += GOLDEN_RATIO
        return _mix(self.state) * n >> 64


def momentum_keys(momenta: Array, seed: int) -> list[int]:
    """For each of the momenta `(n, 4)` 64 bits that follow from it and from the seed; 0 and -0 are the same number."""
    keys = []
    for words in (momenta + 0.0).view(np.uint64).tolist():
        key = _mix(seed)
        for word in words:
            key = _mix(key + GOLDEN_RATIO + word)
        keys.append(key)
    return keys


def _mix(x: int) -> int:
    x &= 2**64 - 1
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
    return x ^ (x >> 31)


Build = Callable[[Tree, int], None]  # a tree, and the seed of what is random in it


def kt(tree: Tree, seed: int) -> None:
    """Join the pair of smallest min(pT_i^2, pT_j^2) Delta_ij^2 first."""
    _cluster(tree, lambda pt2: pt2)


def cambridge_aachen(tree: Tree, seed: int) -> None:
    """Join the nearest pair first."""
    _cluster(tree, lambda pt2: 1.0)


def anti_kt(tree: Tree, seed: int) -> None:
    """Join the pair of smallest min(1 / pT_i^2, 1 / pT_j^2) Delta_ij^2 first; 1e300 at pT = 0, as in FastJet."""
    _cluster(tree, lambda pt2: 1.0 / pt2 if pt2 > 1e-300 else 1e300)


def random_pairs(tree: Tree, seed: int) -> None:
    """Join two of the momenta that are left, all pairs equally likely.

    The random numbers follow from the seed and from the momenta alone, and the momenta are numbered by their keys: a
    jet has the same tree in any company, and with its constituents in any order.
    """
    keys = momentum_keys(tree.momenta[: tree.leaves], seed)
    active = sorted(range(tree.leaves), key=keys.__getitem__)
    random = SplitMix(sum(keys))
    while len(active) > 1:
        first = random.below(len(active))
        second = random.below(len(active) - 1)
        low, high = sorted((first, second + (second >= first)))
        active[low] = tree.join(active[low], active[high])
        active[high] = active[-1]
        active.pop()


def ascending_pt(tree: Tree, seed: int) -> None:
    """Join the two hardest momenta, then always the next softer one: the softest ends next to the root."""
    _chain(tree, sorted(range(tree.leaves), key=tree.pt2, reverse=True))


def descending_pt(tree: Tree, seed: int) -> None:
    """Join the two softest momenta, then always the next harder one: the hardest ends next to the root."""
    _chain(tree, sorted(range(tree.leaves), key=tree.pt2))


def _chain(tree: Tree, order: Iterable[int]) -> None:
    first, *rest = order
    for leaf in rest:
        first = tree.join(first, leaf)


def kt_subjets(momenta: Array, radius: float) -> NDArray[np.int32]:
    """The number of its kt subjet for each of the momenta `(n, 4)` of one jet: 0 the hardest; of equal pT the first."""
    n = len(momenta)
    tree = Tree(momenta, np.empty((2 * n, 4)), np.empty((2 * n, 2), dtype=np.int32))
    roots = _cluster(tree, lambda pt2: pt2, radius * radius)
    rank = np.empty(tree.size, dtype=np.int32)
    rank[sorted(roots, key=lambda root: -tree.pt2(root))] = np.arange(len(roots))
    for node in range(tree.size - 1, n - 1, -1):  # children come before their parents
        rank[tree.children[node]] = rank[node]
    return rank[:n]


def close_groups(momenta: Array, radius: float) -> NDArray[np.int64]:
    """For each of the momenta `(n, 4)` of one jet the lowest index among those that it is joined with.

    They are joined as Cambridge/Aachen with this radius joins momenta without mass.
    """
    n = len(momenta)
    massless = np.column_stack([momenta[:, :3], kinematics.momentum(momenta)])
    tree = Tree(massless, np.empty((2 * n, 4)), np.empty((2 * n, 2), dtype=np.int32))
    _cluster(tree, lambda pt2: 1.0, radius * radius)
    lowest = np.arange(tree.size)
    for node in range(n, tree.size):
        lowest[node] = lowest[tree.children[node]].min()
    for node in range(tree.size - 1, n - 1, -1):  # children come before their parents
        lowest[tree.children[node]] = lowest[node]
    return lowest[:n]


def _cluster(tree: Tree, scale: Callable[[float], float], radius2: float = math.inf) -> list[int]:
    """Take the smallest of d_ij = min(s_i, s_j) Delta_ij^2 and d_iB = s_i R^2: join two momenta, or take one out.

    The pair of smallest d_ij is always made of a momentum and its nearest neighbour (hep-ph/0512210), so that only
    neighbours within R are kept. Equal distances are settled as in native/generalised_kt.hpp, and in FastJet's plain
    N^2 strategy.

    Returns:
        The nodes that were taken out, in this order: with infinite R the root alone.
    """
    slots = _Slots(np.array([_point(tree.momenta[leaf], scale) for leaf in range(tree.leaves)]), radius2)
    taken = []
    while slots.size > 1:
        low, high = slots.smallest()
        if low == BEAM:
            taken.append(slots.node[high])
            slots.fill(high)
        else:
            node = tree.join(slots.node[low], slots.node[high])
            slots.join(low, high, node, _point(tree.momenta[node], scale))
    return [*taken, slots.node[0]]


def _point(p: Array, scale: Callable[[float], float]) -> tuple[float, float, float]:
    """Rapidity, azimuth and scale of a momentum."""
    rapidity, phi, pt2 = kinematics.rapidity_phi_pt2(p)
    return rapidity, phi, scale(pt2)


class _Slots:
    """The momenta that are left, each with its nearest neighbour within the radius."""

    def __init__(self, points: Array, radius2: float) -> None:
        self.size = len(points)
        self.points = points
        self.radius2 = radius2
        self.node = list(range(self.size))
        self.distance = np.full(self.size, np.inf)
        self.neighbour = np.zeros(self.size, dtype=np.int64)
        for slot in range(self.size):
            self.find_neighbour(slot)

    def distances(self, slot: int) -> Array:
        """Squared distances of a slot from all; infinite from itself."""
        longitudinal, transverse = np.abs(self.points[: self.size, :2] - self.points[slot, :2]).T
        transverse = np.minimum(transverse, TWO_PI - transverse)
        squares: Array = transverse * transverse + longitudinal * longitudinal
        squares[slot] = np.inf
        return squares

    def find_neighbour(self, slot: int) -> None:
        distances = self.distances(slot)
        nearest = int(np.argmin(distances))
        within = distances[nearest] < self.radius2
        self.neighbour[slot] = nearest if within else BEAM
        self.distance[slot] = distances[nearest] if within else self.radius2

    def smallest(self) -> tuple[int, int]:
        """The two slots of the smallest d_ij, the lower one first; the beam and a slot if that is nearer."""
        scale = self.points[: self.size, 2]
        neighbour = self.neighbour[: self.size]
        with np.errstate(over="ignore"):
            nearer = np.where(neighbour == BEAM, scale, np.minimum(scale, scale[neighbour]))
            found = int(np.argmin(self.distance[: self.size] * nearer))
        low, high = sorted((found, int(neighbour[found])))
        return low, high

    def join(self, low: int, high: int, node: int, point: tuple[float, float, float]) -> None:
        """Put the joined momentum into the slot `low`, the last one into `high`, and mend the neighbours."""
        lost = (self.neighbour == low) | (self.neighbour == high)
        lost[high] = lost[self.size - 1]
        self.fill(high)
        self.points[low], self.node[low] = point, node
        neighbour, distance = self.neighbour[: self.size], self.distance[: self.size]
        distances = self.distances(low)
        nearer = distances < distance
        neighbour[nearer], distance[nearer] = low, distances[nearer]
        for slot in {low, *np.flatnonzero(lost[: self.size]).tolist()}:
            self.find_neighbour(slot)

    def fill(self, slot: int) -> None:
        """Put the last momentum into a slot that fell empty."""
        self.size = last = self.size - 1
        for values in (self.points, self.node, self.distance, self.neighbour):
            values[slot] = values[last]
        self.neighbour[: self.size][self.neighbour[: self.size] == last] = slot
