import hypothesis
import pytest
from hypothesis import strategies as st

from jetgram import EventRegressor, EventTagger, JetRegressor, JetTagger
from jetgram.errors import SettingsError
from jetgram.models.recipes import RECIPES

ESTIMATORS = {each.__name__: each for each in (JetTagger, JetRegressor, EventTagger, EventRegressor)}
JETS = {
    "recipe": list(RECIPES),
    "input": ["constituents", "pixels", "image"],
    "network": [None, "pfn", "lundnet", "part"],
    "leading": [None, 64],
}
EVENTS = {
    "recipe": ["paper", "modern", "student"],
    "event": ["jets", "jet-momenta", "particles"],
    "hardest": [1, 2, "all"],
    "radius": [0.4, 1.0],
    "state": [20, 40],
}
TREES = {
    "topology": ["kt", "ca", "kt+desc-pt"],
    "cell": ["simple", "blend"],
    "hidden": [32, 40, 64],
    "features": ["paper", "lund"],
    "preprocess": [True, False],
    "trim": [None, 0.05, 0.1],
    "readout": ["root", "mean"],
}
TRAINING = {
    "initialisation": ["paper", "uniform"],
    "targets": [("label",), ("mass", "pt")],
    "loss": ["logistic", "softmax", "squared", "huber"],
    "classes": [("qcd", "w"), ("qcd", "w", "top"), (0, 1)],
    "seed": [0, 3],
    "rate": [5e-4, 5e-3],
    "clip": [None, 1.0],
    "class_weight": [None, "balanced", (1.0, 2.0)],
    "augment": ["collinear1", ("collinear1", "soft")],
    "teacher_weight": [0.5, 0.75],
}


def again(estimator):
    """What the text of an estimator makes."""
    return eval(repr(estimator), dict(ESTIMATORS))


def assert_same(estimator):
    same = again(estimator)
    assert type(same) is type(estimator)
    assert (same.settings, same.training, same.device) == (estimator.settings, estimator.training, estimator.device)
    assert same.get_params()["recipe"] == estimator.get_params()["recipe"]
    assert repr(same) == repr(estimator)


@pytest.mark.parametrize(
    ("estimator", "text"),
    [
        (JetTagger(), "JetTagger()"),
        (JetTagger(features="lund", topology="ca"), "JetTagger(topology='ca', features='lund')"),
        (
            JetTagger(features="lund", preprocess=True, topology="ca"),
            "JetTagger(topology='ca', features='lund', preprocess=True)",
        ),
        (EventTagger(features="lund", preprocess=True), "EventTagger(features='lund', preprocess=True)"),
        (EventTagger(5, event="jet-momenta"), "EventTagger(event='jet-momenta', hardest=5)"),
        (EventTagger(recipe="modern", event="particles"), "EventTagger(recipe='modern', event='particles')"),
        (JetTagger(recipe="modern", readout="root"), "JetTagger(recipe='modern', readout='root')"),
        (JetTagger(input="image", trim=None), "JetTagger(input='image', trim=None)"),
        (JetTagger(clip=None, device="cpu:0"), "JetTagger(clip=None, device='cpu:0')"),
        (JetRegressor(loss="huber", targets="mass"), "JetRegressor(targets=['mass'], loss='huber')"),
    ],
    ids=str,
)
def test_an_estimator_is_written_as_what_makes_it(estimator, text):
    assert repr(estimator) == text
    assert_same(estimator)


@pytest.mark.parametrize("reader", ESTIMATORS)
@hypothesis.given(data=st.data())
def test_the_text_of_an_estimator_makes_the_same_one(reader, data):
    kinds = JETS if reader.startswith("Jet") else EVENTS
    values = {name: st.sampled_from(among) for name, among in {**kinds, **TREES, **TRAINING}.items()}
    given = data.draw(st.fixed_dictionaries({}, optional=values))
    try:
        estimator = ESTIMATORS[reader](**given)
    except SettingsError:
        hypothesis.reject()
    assert_same(estimator)
