"""Accuracy against cost: every point with its error bar, and names that hide nothing."""

import itertools

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from jetgram.plots.costs import CostPoint, draw_costs

NETWORKS = {
    "modern": (116, 5, 50, 76_000),
    "simple-kt": (72, 4, 90, 100_000),
    "pfn": (95, 4, 320, 16_700),
    "efn": (96, 4, 360, 14_200),
    "lundnet": (117, 5, 920, 4_300),
    "particlenet": (115, 6, 1_700, 2_100),
    "part": (118, None, 3_200, 1_400),
}
WITH_ENSEMBLES = [
    CostPoint(name if count == 1 else f"{name}, mean of 3", name, r50 + count, error, cost * count, speed / count)
    for name, (r50, error, cost, speed) in NETWORKS.items()
    for count in (1, 3)
]
CROWD = [CostPoint(f"network {n}", f"network {n}", 100 + n / 10, 5, 100 + n, 1_000 - n) for n in range(8)]
FAST = [
    CostPoint("modern", "modern", 27, 2, 0.26, 78_000),
    CostPoint("pfn", "pfn", 21, 3, 1.3, 15_000),
    CostPoint("part", "part", 28, 3, 2.6, 1_400),
]


@pytest.mark.parametrize("points", [WITH_ENSEMBLES, CROWD, CROWD[:1], FAST], ids=["networks", "crowd", "one", "fast"])
def test_names_overlap_neither_each_other_nor_points(points):
    figure = draw_costs(points, "w-vs-qcd, 95,000 jets to train with")
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    for axes, cost in zip(figure.axes, ("cpu_seconds", "jets_per_second"), strict=True):
        texts = [text for text in axes.texts if text.get_text()]
        assert [text.get_text() for text in texts] == [point.name for point in points]
        boxes = [text.get_window_extent(renderer) for text in texts]
        for one, other in itertools.combinations(boxes, 2):
            assert not one.overlaps(other)
        numbers = [tick for tick in axes.get_xticklabels(which="both") if tick.get_text() and tick.get_visible()]
        shown = [tick.get_window_extent(renderer) for tick in numbers]
        inside = [box for box in shown if axes.bbox.x0 <= (box.x0 + box.x1) / 2 <= axes.bbox.x1]
        assert inside
        assert not any(one.overlaps(other) for one, other in itertools.combinations(inside, 2))
        for box, point in itertools.product(boxes, points):
            assert axes.bbox.contains(box.x0, box.y0)
            assert axes.bbox.contains(box.x1, box.y1)
            place = axes.transData.transform((getattr(point, cost), point.r50))
            assert not box.contains(*place)


def test_points_are_where_they_were_measured():
    points = WITH_ENSEMBLES[:2]
    figure = draw_costs(points, "w-vs-qcd")
    training, inference = figure.axes
    assert training.get_xlabel() == "training (CPU-seconds)"
    for axes, cost in ((training, "cpu_seconds"), (inference, "jets_per_second")):
        for container, point in zip(axes.containers, points, strict=True):
            marker, _, (bar,) = container
            assert (marker.get_xdata()[0], marker.get_ydata()[0]) == (getattr(point, cost), point.r50)
            low, high = bar.get_segments()[0][:, 1]
            assert high - low == pytest.approx(2 * point.error)
    colours = {container[0].get_color() for container in training.containers}
    assert len(colours) == 1  # of one network
