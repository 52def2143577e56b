import tomllib

import pytest

from jetgram.errors import SettingsError
from jetgram.models.flat import DEFAULTS
from jetgram.models.recipes import TrainingSettings
from jetgram.models.settings import make_settings, read_settings


def test_no_name_is_in_both_tables():
    assert not set(DEFAULTS) & set(TrainingSettings.model_fields)


def test_python_and_toml_give_the_same(tmp_path):
    file = tmp_path / "gated.toml"
    file.write_text('[model]\ncell = "gated"\ntopology = "kt+ca"\n[training]\nepochs = 3\nclass_weight = [1.0, 2.0]\n')
    expected = make_settings(cell="gated", topology="kt+ca", epochs=3, class_weight=(1.0, 2.0))
    assert read_settings(file) == expected
    assert read_settings(file, epochs=9)[1].epochs == 9


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[model]\nepochs = 3\n", r"there is no setting 'epochs' in \[model\]; move it to \[training\]"),
        ("[training]\ntopology = 'kt'\n", r"there is no setting 'topology' in \[training\]; move it to \[model\]"),
        ("[model]\nhiden = 3\n", "did you mean 'hidden'"),
        ("[training]\nepochz = 3\n", "did you mean 'epochs'"),
        ("[modle]\n", "expected the tables"),
        ("cell = 'gated'\n", "expected the tables"),
        ("[model\n", "line 1"),
        ("[model]\ncell = 'gatd'\n", "cell = 'gatd'.*simple, gated, blend.*jetgram.register"),
    ],
)
def test_a_wrong_file_says_what_is_wrong(tmp_path, text, message):
    file = tmp_path / "wrong.toml"
    file.write_text(text)
    with pytest.raises(SettingsError, match=message):
        read_settings(file)


@pytest.mark.parametrize(
    ("text", "override"),
    [
        ("[model]\nleading = 64\n", {"recipe": "pfn"}),
        ("[training]\nconsistency = 1.0\n", {"recipe": "paper", "augment": "collinear1"}),
        ('[model]\nimage_chain = "shared"\n', {"input": "image"}),
        ("[model]\nhidden = 0\n", {"hidden": 3}),
    ],
)
def test_a_file_may_need_what_the_command_line_says(tmp_path, text, override):
    file = tmp_path / "part.toml"
    file.write_text(text)
    values = {name: value for table in tomllib.loads(text).values() for name, value in table.items()}
    assert read_settings(file, **override) == make_settings(**{**values, **override})
    with pytest.raises(SettingsError):
        read_settings(file)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(SettingsError, match="nowhere.toml"):
        read_settings(tmp_path / "nowhere.toml")
