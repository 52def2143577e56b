"""Calorimeter cells: which one is hit, what they add up to, and where they are.

A calorimeter is a stack of rings in pseudorapidity, each divided into equal cells in azimuth. Cells are numbered ring
by ring from eta = -max to +max, and within a ring from phi = -pi to pi. A cell includes its upper edges.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jetgram.collisions.detector.components import Calorimeter
from jetgram.kinematics import Array

Indices = NDArray[np.int64]


class Grid:
    """The cells of one calorimeter.

    Attributes:
        edges: edges of the rings in eta, rising, shape `(rings + 1,)`.
        phi_cells: cells in each ring, shape `(rings,)`.
        first: number of the first cell of each ring, and the number of all cells, shape `(rings + 1,)`.

    Example:
        >>> from jetgram.collisions.detector.card import ATLAS
        >>> grid = Grid(ATLAS.hcal)
        >>> len(grid)
        2340
        >>> cell = grid.find(np.array([0.05, 4.95]), np.array([0.1, 0.0]))
        >>> cell
        array([1188,   -1])
        >>> [float(x.round(4)) for x in grid.centre(cell[0])]
        [0.05, 0.0873]
    """

    def __init__(self, calorimeter: Calorimeter) -> None:
        half = np.array(calorimeter.eta_edges)
        cells = np.array(calorimeter.phi_cells, dtype=np.int64)
        self.edges = np.concatenate([-half[:0:-1], half])
        self.phi_cells = np.concatenate([cells[::-1], cells])
        self.first = np.concatenate([[0], np.cumsum(self.phi_cells)])

    def __len__(self) -> int:
        return int(self.first[-1])

    def find(self, eta: Array, phi: Array) -> Indices:
        """The cell at each point, shape `(n,)`; -1 outside all cells."""
        ring = np.searchsorted(self.edges, eta, side="left") - 1
        inside = (ring >= 0) & (ring < len(self.phi_cells))
        ring = np.where(inside, ring, 0)
        count = self.phi_cells[ring]
        step = np.ceil((phi + np.pi) * (count / (2 * np.pi))).astype(np.int64) - 1
        cell = self.first[ring] + np.clip(step, 0, count - 1)
        return np.where(inside, cell, -1)

    def box(self, cell: Indices) -> tuple[Array, Array, Array, Array]:
        """Lower edge and width in eta, lower edge and width in phi of each cell."""
        ring = np.searchsorted(self.first, cell, side="right") - 1
        width = 2 * np.pi / self.phi_cells[ring]
        low = self.edges[ring]
        return low, self.edges[ring + 1] - low, (cell - self.first[ring]) * width - np.pi, width

    def centre(self, cell: Indices) -> tuple[Array, Array]:
        """Pseudorapidity and azimuth of each cell's centre."""
        eta, eta_width, phi, phi_width = self.box(cell)
        return eta + 0.5 * eta_width, phi + 0.5 * phi_width

    def scatter(self, cell: Indices, rng: np.random.Generator) -> tuple[Array, Array]:
        """A point drawn uniformly inside each cell."""
        eta, eta_width, phi, phi_width = self.box(cell)
        return eta + eta_width * rng.random(len(cell)), phi + phi_width * rng.random(len(cell))


class Hits(NamedTuple):
    """Sums over the cells that were hit, ordered by event and cell."""

    event: Indices  # (hits,)
    cell: Indices  # (hits,)
    sums: Array  # (hits, k)


def add_up(grid: Grid, event: Indices, eta: Array, phi: Array, values: Array) -> Hits:
    """Add up the rows of `values (n, k)` that fall into the same cell of the same event; outside all cells is lost."""
    cell = grid.find(eta, phi)
    seen = np.flatnonzero(cell >= 0)
    keys, hit = np.unique(event[seen] * len(grid) + cell[seen], return_inverse=True)
    sums = [np.bincount(hit, weights=column[seen], minlength=len(keys)) for column in values.T]
    return Hits(keys // len(grid), keys % len(grid), np.stack(sums, axis=-1))
