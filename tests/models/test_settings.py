import pytest

from jetgram.errors import SettingsError
from jetgram.models.keywords import make_settings
from jetgram.models.recipe import TrainingSettings
from jetgram.models.settings import ModelSettings


def test_the_defaults_are_the_papers_recipe():
    settings = TrainingSettings()
    assert (settings.epochs, settings.batch, settings.rate, settings.decay) == (25, 64, 5e-4, 0.9)
    assert (settings.validation, settings.patience) == (5000, None)
    assert (ModelSettings().hidden, ModelSettings().preprocess, ModelSettings().trim) == (40, True, None)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"topology": "anti-kt"}, "did you mean 'antikt'"),
        ({"topology": "kt+kt"}, "different topologies"),
        ({"hidden": 0}, "hidden = 0"),
        ({"hidden": 10**9}, "hidden"),
        ({"loss": "huber"}, "classifier is not trained with the loss huber"),
        ({"head": "regressor", "loss": "logistic"}, "regressor is not trained with the loss logistic"),
        ({"targets": ("a", "b")}, "a classifier has one target"),
        ({"trim": 1.5}, "trim"),
        ({"class_weight": (0.0, 1.0)}, "two finite weights above 0"),
        ({"rate": float("nan")}, "rate"),
        ({"patience": 0}, "patience"),
    ],
)
def test_impossible_settings_are_refused(values, message):
    with pytest.raises(SettingsError, match=message):
        make_settings(**values)


def test_a_regressor_has_its_own_defaults():
    settings = ModelSettings(head="regressor")
    assert (settings.loss, settings.targets) == ("squared", ("target",))
