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
        ({"input": "picture"}, "input = 'picture'.*'constituents', 'pixels' or 'image'"),
        ({"input": "image", "topology": "ca"}, "^ModelSettings: found topology with input = image; the MaxOut network"),
        ({"input": "image", "cell": "gated"}, "found cell with input = image"),
        ({"input": "image", "hidden": 20}, "found hidden with input = image"),
        ({"input": "image", "readout": "children"}, "found readout with input = image"),
        ({"readout": "leaves"}, "readout = 'leaves'.*'root' or 'children'"),
        ({"event": "jet-momenta", "readout": "children"}, "found readout with event = jet-momenta; this model reads"),
        ({"input": "image", "engine": "native"}, "found engine = native with input = image"),
        ({"input": "image", "event": "jets"}, "found event = jets with input = image; models of events read"),
        ({"input": "pixels", "event": "particles"}, "found event = particles with input = pixels"),
        ({"input": "pixels", "preprocess": True}, "found preprocess with input = pixels; images are rotated"),
        ({"input": "pixels", "features": "paper+pclass"}, "with input = pixels; pixels have no pclass"),
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
        ({"class_weight": (0.0, 1.0)}, "two finite weights above 0"),
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
    assert (settings.loss, settings.targets) == ("squared", ("target",))


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
    assert (settings.radius, settings.min_pt, settings.hardest) == (0.4, 10.0, 3)


def test_images_are_described_by_what_they_are():
    image, pixels = ModelSettings(input="image"), ModelSettings(input="pixels", cell="gated")
    assert image.reading == {"input": "image", "trim": 0.05, "image_chain": "spline"}
    names = {"input", "trim", "image_chain", "head", "targets", "loss", "initialisation", "engine"}
    assert set(image.dump()) == names
    assert (image.columns, image.topologies, image.reads_trees) == (("intensity",), (), False)
    assert pixels.reading.keys() == {"input", "image_chain", "topology", "features", "preprocess", "trim", "tree_seed"}
    for settings in (image, pixels, ModelSettings(features="paper+pclass")):
        assert ModelSettings.create(**settings.dump()) == settings
    assert (pixels.title, image.title) == ("gated kt on pixels", "MaxOut")
    assert ModelSettings(features="paper+pclass").title == "simple kt with pclass"
