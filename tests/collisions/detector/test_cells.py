import numpy as np
import pytest

from jetgram.collisions.detector import ATLAS
from jetgram.collisions.detector.cells import Grid, add_up


@pytest.mark.parametrize("calorimeter", [ATLAS.ecal, ATLAS.hcal])
def test_every_cell_is_found_from_inside(calorimeter):
    grid = Grid(calorimeter)
    cells = np.arange(len(grid))
    assert np.array_equal(grid.find(*grid.centre(cells)), cells)
    assert np.array_equal(grid.find(*grid.scatter(cells, np.random.default_rng(1))), cells)
    assert np.array_equal(grid.edges, -grid.edges[::-1])


def test_cells_of_the_hcal_are_those_of_the_card():
    grid = Grid(ATLAS.hcal)
    count = dict(zip(grid.edges[1:].round(1), grid.phi_cells, strict=True))  # by upper edge
    assert {count[round(edge, 1)] for edge in np.arange(-2.5, 2.61, 0.1)} == {36}
    assert (count[2.8], count[3.3], count[4.9], count[-4.7]) == (18, 36, 18, 18)
    assert grid.edges[-1] == 4.9


def test_azimuth_wraps_and_the_outside_is_outside():
    grid = Grid(ATLAS.hcal)
    low, high = grid.find(np.zeros(2) + 0.01, np.array([-np.pi, np.pi]))
    assert high - low == 35
    assert (grid.find(np.array([4.91, -4.91, np.inf, -np.inf, 1e5]), np.zeros(5)) == -1).all()


def test_collect_adds_up_by_event_and_cell():
    event = np.array([0, 0, 1, 1, 1])
    eta, phi = np.array([0.01, 0.02, 0.01, 3.0, 9.0]), np.full(5, 0.01)
    hits = add_up(Grid(ATLAS.hcal), event, eta, phi, np.array([[1.0], [2.0], [4.0], [8.0], [16.0]]))
    assert hits.event.tolist() == [0, 1, 1]
    assert hits.sums.ravel().tolist() == [3.0, 4.0, 8.0]
