import tomllib

import pytest

from jetgram.errors import SettingsError
from jetgram.inputs.trees import TreeInput
from jetgram.models.given import given_settings, read_settings
from jetgram.models.settings import ModelSettings, make_settings


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


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"event": "particles", "topology": "kt"}, "found topology with event = particles; this model reads no trees"),
        ({"event": "particles", "cell": "simple"}, "found cell with event = particles"),
        ({"event": "particles", "radius": 1.0}, "found radius with event = particles; this model finds no jets"),
        ({"event": "jet-momenta", "hidden_size": 40}, "found hidden with event = jet-momenta"),
        ({"input": "image", "topology": "kt"}, "found topology with input = image"),
        ({"recipe": "pfn", "cell": "simple"}, "found cell with network = pfn"),
        ({"hardest": 2}, "hardest is a setting of models of events"),
        ({"image_chain": "spline"}, "found image_chain = spline without images"),
        ({"decay": 0.2}, "decay = 0.2 has no effect: the schedule is cosine"),
        ({"recipe": "paper", "augment": "soft", "copies": 3}, "copies = 3 has no effect: augment names no collinear"),
        ({"topology": "kt", "tree_seed": 1}, "tree_seed = 1 has no effect: no tree is random"),
    ],
)
def test_what_is_written_down_must_be_of_use(values, message):
    """Also where it is the default of other models, which `make_settings` takes for nothing."""
    with pytest.raises(SettingsError, match=message):
        given_settings(values)
    make_settings(**values)


def test_nothing_and_whole_parts_may_be_written_down():
    assert given_settings({"event": "particles", "trim": None})[0] == ModelSettings(event="particles")
    assert given_settings({"input": "pixels", "preprocess": False})[0] == ModelSettings(input="pixels")
    assert given_settings({"input": TreeInput(topology="ca")})[0] == ModelSettings(topology="ca")
    assert given_settings({"input": {"kind": "particles", "hardest": 3}})[0].title == "3 particles"


def test_defaults_are_left_out_where_the_model_has_no_such_setting():
    defaults = ModelSettings(event="jets", topology="ca", state=20).dump()
    assert given_settings({}, defaults)[0] == ModelSettings(event="jets", topology="ca", state=20)
    assert given_settings({"event": "particles"}, defaults)[0] == ModelSettings(event="particles", state=20)


@pytest.mark.parametrize("recipe", ["student", "modern"])
def test_the_weight_of_a_teacher_needs_one(tmp_path, recipe):
    """Also where it is the default, which a training without a teacher has."""
    file = tmp_path / "weight.toml"
    file.write_text("[training]\nteacher_weight = 0.5\n")
    for read in (
        lambda taught: given_settings({"recipe": recipe, "teacher_weight": 0.5}, taught=taught),
        lambda taught: read_settings(file, taught=taught, recipe=recipe),
    ):
        with pytest.raises(SettingsError, match=r"teacher_weight = 0.5 has no effect: there is no teacher \(--teacher"):
            read(False)
        assert read(True) == make_settings(recipe=recipe, teacher_weight=0.5)
