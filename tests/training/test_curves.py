from jetgram.training.curves import draw_history

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
