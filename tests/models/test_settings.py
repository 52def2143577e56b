import pytest

from jetgram.errors import SettingsError
from jetgram.inputs.events import EventJetsInput
from jetgram.inputs.images import ImageInput
from jetgram.inputs.trees import TreeInput
from jetgram.models.recipes import TrainingSettings
from jetgram.models.settings import ModelSettings, make_settings
from jetgram.networks.families import CellSettings, GruSettings
from jetgram.networks.regression import RegressorSettings


def test_the_defaults_are_the_papers_recipe():
    settings = TrainingSettings()
    assert (settings.epochs, settings.batch, settings.rate, settings.decay) == (25, 64, 5e-4, 0.9)
    assert (settings.validation, settings.patience) == (5000, None)
    assert ModelSettings().network.hidden == 40
    assert (ModelSettings().input.preprocess, ModelSettings().input.trim) == (True, None)


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
        ({"input": "picture"}, "input = 'picture'.*'constituents', 'pixels', 'image', .* or 'declusterings'"),
        ({"input": "image", "topology": "ca"}, "^found topology with input = image; the MaxOut network"),
        ({"input": "image", "cell": "gated"}, "found cell with input = image"),
        ({"input": "image", "hidden": 20}, "found hidden with input = image"),
        ({"input": "image", "readout": "children"}, "found readout with input = image"),
        ({"readout": "leaves"}, "readout = 'leaves'.*'root', 'children' or 'mean'"),
        ({"event": "jet-momenta", "readout": "children"}, "found readout with event = jet-momenta; this model reads"),
        ({"input": "image", "engine": "native"}, "engine = 'native': the MaxOut network runs in PyTorch"),
        ({"input": "image", "event": "jets"}, "found event = jets with input = image; models of events read"),
        ({"input": "pixels", "event": "particles"}, "found event = particles with input = pixels"),
        ({"input": "pixels", "preprocess": True}, "found preprocess with input = pixels; images are rotated"),
        ({"input": "pixels", "features": "paper+pclass"}, "pixels have no pclass"),
        ({"image_chain": "shared"}, "found image_chain = shared without images; set input to image or pixels"),
        ({"input": "image", "image_chain": "cubic"}, "image_chain = 'cubic'.*'spline' or 'shared'"),
        ({"event": "particles", "cell": "gated"}, "found cell with event = particles; this model reads no trees"),
        ({"event": "particles", "topology": "antikt"}, "found topology with event = particles"),
        ({"event": "particles", "trim": 0.1}, "found trim with event = particles"),
        ({"event": "particles", "radius": 0.4}, "found radius with event = particles; this model finds no jets"),
        ({"event": "particles", "min_pt": 10.0}, "found min_pt with event = particles"),
        ({"event": "jet-momenta", "hidden": 20}, "found hidden with event = jet-momenta; this model reads no trees"),
        ({"event": "jet-momenta", "features": "paper+pclass"}, "found features with event = jet-momenta"),
        ({"event": "jet-momenta", "tree_seed": 1}, "found tree_seed with event = jet-momenta"),
        ({"event": "jet-momenta", "preprocess": False}, "found preprocess with event = jet-momenta"),
        ({"event": "jets", "hardest": "two"}, "hardest = 'two': expected a whole number from 1, or all$"),
        ({"event": "jets", "hardest": 0}, "hardest = 0: expected a whole number from 1, or all$"),
        ({"features": "pflow"}, "features = 'pflow'.*paper, paper.pclass"),
        ({"trim": 1.5}, "trim"),
        ({"class_weight": (0.0, 1.0)}, "weights from 1e-6 to 1e6, one per class"),
        ({"rate": float("nan")}, "rate"),
        ({"patience": 0}, "patience"),
    ],
)
def test_impossible_settings_are_refused(values, message):
    with pytest.raises(SettingsError, match=message):
        make_settings(**values)


def test_the_default_readout_is_not_written():
    """Cards and digests of models that read the root are as they were before there was a choice."""
    assert "readout" not in ModelSettings().dump()
    assert ModelSettings(readout="children").dump()["readout"] == "children"
    assert ModelSettings(readout="children").reading == ModelSettings().reading


def test_a_regressor_has_its_own_defaults():
    settings = ModelSettings(head="regressor")
    assert (settings.head.loss, settings.head.targets) == ("squared", ("target",))


def test_models_of_constituents_are_described_as_ever():
    """Cards and fingerprints of models that were trained before there were images stay valid."""
    assert ModelSettings().dump() == {
        "cell": "simple",
        "topology": "kt",
        "hidden": 40,
        "features": "paper",
        "preprocess": True,
        "trim": None,
        "tree_seed": 0,
        "head": "classifier",
        "targets": ["label"],
        "loss": "logistic",
        "initialisation": "paper",
        "engine": "auto",
    }
    reading = "{'topology': 'kt', 'features': 'paper', 'preprocess': True, 'trim': None, 'tree_seed': 0}"
    assert repr(ModelSettings().reading) == reading
    assert "input" not in ModelSettings(event="jets").dump() | ModelSettings(event="jets").reading


@pytest.mark.parametrize("event", ["jet-momenta", "particles"])
def test_event_baselines_are_described_as_ever(event):
    """With the usual settings of trees and jets, read or not: models that were trained with them stay valid."""
    settings = ModelSettings(event=event, hardest="all", state=20)
    of_events = {"event": event, "hardest": "all", "radius": 1.0, "min_pt": 0.0, "state": 20}
    assert list(settings.dump().items()) == [*ModelSettings().dump().items(), *of_events.items()]
    assert ModelSettings.create(**settings.dump()) == settings


def test_jet_momenta_are_those_of_the_jets_asked_for():
    settings = ModelSettings(event="jet-momenta", radius=0.4, min_pt=10.0, hardest="3")
    assert (settings.input.radius, settings.input.min_pt, settings.input.hardest) == (0.4, 10.0, 3)


def test_images_are_described_by_what_they_are():
    image, pixels = ModelSettings(input="image"), ModelSettings(input="pixels", cell="gated")
    assert image.reading == {"input": "image", "trim": 0.05, "image_chain": "spline"}
    names = {"input", "trim", "image_chain", "head", "targets", "loss", "initialisation", "engine"}
    assert set(image.dump()) == names
    assert (image.input.columns, image.input.topologies) == (("intensity",), ())
    assert pixels.reading.keys() == {"input", "image_chain", "topology", "features", "preprocess", "trim", "tree_seed"}
    for settings in (image, pixels, ModelSettings(features="paper+pclass")):
        assert ModelSettings.create(**settings.dump()) == settings
    assert (pixels.title, image.title) == ("gated kt on pixels", "MaxOut")
    assert ModelSettings(features="paper+pclass").title == "simple kt with pclass"


def test_classes():
    settings = ModelSettings(classes=("qcd", "w", "top"))
    assert settings.head.loss == "softmax"
    assert settings.dump()["classes"] == ["qcd", "w", "top"]
    assert ModelSettings(classes=("qcd", "w")).head.loss == "logistic"
    assert ModelSettings(classes=(0, 1)) == ModelSettings()
    assert "classes" not in ModelSettings().dump()
    for values, message in (
        ({"classes": ("w", "w", "qcd")}, "different labels"),
        ({"classes": (1, "1", 2)}, "different labels"),
        ({"classes": ("w",)}, "at least 2"),
        ({"classes": ("a", "b", "c"), "loss": "logistic"}, "a classifier is not trained with the loss logistic"),
        ({"classes": ("a", "b", "c"), "head": "regressor"}, "a regressor has no classes"),
    ):
        with pytest.raises(SettingsError, match=message):
            ModelSettings.create(**values)


def test_nested_and_flat_settings_are_the_same():
    nested = ModelSettings(
        input=EventJetsInput(hardest=5, jets=TreeInput(topology="ca")),
        network=GruSettings(state=7, jets=CellSettings(cell="gated")),
        head=RegressorSettings(targets=("mass",), loss="huber"),
    )
    flat = {"event": "jets", "hardest": 5, "topology": "ca", "state": 7, "cell": "gated"}
    flat |= {"head": "regressor", "targets": "mass", "loss": "huber"}
    assert ModelSettings(**flat) == nested
    assert ModelSettings.model_validate(nested.model_dump()) == nested
    assert ModelSettings.create(**nested.dump()) == nested
    assert nested.changed(hardest=2) == ModelSettings(**{**flat, "hardest": 2})


def test_the_network_follows_from_the_input():
    assert ModelSettings(input=ImageInput()) == ModelSettings(input="image")
    assert ModelSettings(input=EventJetsInput(), hidden=20) == ModelSettings(event="jets", hidden=20)
    assert ModelSettings(input={"kind": "pixels"}, cell="gated") == ModelSettings(input="pixels", cell="gated")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"input": ImageInput(), "network": GruSettings()},
            "of the kind gru with an input of the kind image",
        ),
        ({"input": EventJetsInput(), "network": GruSettings()}, "a cell for the jets of events where their trees"),
        ({"input": TreeInput(), "topology": "ca"}, "found topology and input, which holds it"),
        ({"network": {"kind": "maxout"}, "cell": "gated"}, "found cell and network, which holds it"),
        ({"input": {"kind": "trees", "hardest": 3}}, "hardest = 3: Extra inputs are not permitted"),
        ({"hiden": 3}, "there is no setting 'hiden'; did you mean 'hidden'"),
    ],
)
def test_a_wrong_combination_cannot_be_written_down(values, message):
    with pytest.raises(SettingsError, match=message):
        ModelSettings.create(**values)


def test_the_names_that_people_type():
    model, training = make_settings(lr=0.01, batch_size=16, max_epochs=3, random_state=4, hidden_size=8)
    assert (training.rate, training.batch, training.epochs, training.seed) == (0.01, 16, 3, 4)
    assert model.network.hidden == 8
    with pytest.raises(SettingsError, match="found rate and rate|found lr and rate|found rate and lr"):
        make_settings(rate=0.1, lr=0.01)
