import pytest

from jetgram.errors import SettingsError
from jetgram.models.settings import ModelSettings, TrainingSettings, make_settings, read_settings


def test_the_defaults_are_the_papers_recipe():
    settings = TrainingSettings()
    assert (settings.epochs, settings.batch, settings.rate, settings.decay) == (25, 64, 5e-4, 0.9)
    assert (settings.validation, settings.patience) == (5000, None)
    assert (ModelSettings().hidden, ModelSettings().preprocess, ModelSettings().trim) == (40, True, None)


def test_no_name_is_in_both_tables():
    assert not set(ModelSettings.model_fields) & set(TrainingSettings.model_fields)


def test_python_and_toml_give_the_same(tmp_path):
    file = tmp_path / "gated.toml"
    file.write_text('[model]\ncell = "gated"\ntopology = "kt+ca"\n[training]\nepochs = 3\nclass_weight = [1.0, 2.0]\n')
    expected = make_settings(cell="gated", topology="kt+ca", epochs=3, class_weight=(1.0, 2.0))
    assert read_settings(file) == expected
    assert read_settings(file, epochs=9)[1].epochs == 9


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[model]\nepochs = 3\n", "ModelSettings has no setting 'epochs'"),
        ("[training]\nepochz = 3\n", "did you mean 'epochs'"),
        ("[modle]\n", "expected the tables"),
        ("cell = 'gated'\n", "expected the tables"),
        ("[model\n", "line 1"),
        ("[model]\ncell = 'gatd'\n", "ModelSettings.cell = 'gatd'.*simple, gated"),
    ],
)
def test_a_wrong_file_says_what_is_wrong(tmp_path, text, message):
    file = tmp_path / "wrong.toml"
    file.write_text(text)
    with pytest.raises(SettingsError, match=message):
        read_settings(file)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(SettingsError, match="nowhere.toml"):
        read_settings(tmp_path / "nowhere.toml")


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
