"""How networks learn: each curve holds what was recorded."""

import pytest

from jetgram.evaluation.uncertainty import Spread
from jetgram.plots import draw_data_efficiency, draw_history

RECORD = {"epoch": 1, "loss": 0.7, "validation_loss": 0.6, "rate": 5e-4}


def test_a_classifier_has_a_panel_for_its_auc(tmp_path):
    history = [{**RECORD, "epoch": epoch, "validation_auc": 0.8} for epoch in (1, 2)]
    figure = draw_history(history, "simple kt")
    assert [axes.get_ylabel() for axes in figure.axes] == ["loss", "area under the ROC curve"]
    training, validation = figure.axes[0].lines
    assert training.get_ydata().tolist() == [0.7, 0.7]
    assert validation.get_ydata().tolist() == [0.6, 0.6]
    assert training.get_xdata().tolist() == [1, 2]


def test_a_regressor_has_none():
    assert len(draw_history([RECORD]).axes) == 1


def test_what_more_jets_are_worth():
    spreads = {"AUC": [Spread.of([0.8, 0.9]), Spread.of([0.95])], "R": [Spread.of([8.0, 9.0]), Spread.of([11.0])]}
    figure = draw_data_efficiency([100, 1_000], spreads)
    assert [axes.get_ylabel() for axes in figure.axes] == ["AUC", "R"]
    for axes, values in zip(figure.axes, spreads.values(), strict=True):
        points = axes.lines[0]
        assert points.get_xdata().tolist() == [100, 1_000]
        assert points.get_ydata().tolist() == [each.mean for each in values]
        low, high = axes.collections[0].get_segments()[0][:, 1]
        assert high - low == pytest.approx(2 * values[0].deviation)
        assert [tick.get_text() for tick in axes.get_xticklabels()] == ["100", "1,000"]
