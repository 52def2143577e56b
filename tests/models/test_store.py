"""Model directories: what is written is read back, and no file, however hostile, does anything but raise."""

import hashlib
import json
import os
import struct

import numpy as np
import pytest
import safetensors.torch
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jetgram.errors import DatasetError, JetgramError, ModelError, NewerModelWarning
from jetgram.models import store
from jetgram.models.card import CARD
from jetgram.models.card_page import PAGE
from jetgram.models.history import read_history
from jetgram.models.model import JetModel
from jetgram.models.settings import ModelSettings
from jetgram.models.store import WEIGHTS, load_model, save_model
from jetgram.storage.dataset import save as save_dataset
from jetgram.storage.lock import FolderLock
from jetgram.storage.sealed import sealed

RECORD = {"training": {"seed": 3, "epochs": 2}, "data": {"digest": "abc"}, "metrics": {"validation_auc": 0.875}}


def a_model(jets, **choices):
    sizes = {} if choices.get("input") == "image" else {"hidden": 5}
    model = JetModel.untrained(ModelSettings(**sizes, **choices), jets, seed=4)
    return JetModel(model.settings, model.network, model.scaler, RECORD)


@pytest.fixture
def stored(tmp_path, qcd_jets):
    save_model(tmp_path / "model", a_model(qcd_jets), [{"epoch": 1, "loss": 0.5}])
    return tmp_path / "model"


def edit_card(folder, change, reseal=True):
    card = json.loads((folder / CARD).read_text())
    change(card)
    if reseal:
        card = sealed({name: value for name, value in card.items() if name != "digest"})
    (folder / CARD).write_text(json.dumps(card))


def exchange_weights(folder, content):
    (folder / WEIGHTS).write_bytes(content)
    edit_card(folder, lambda card: card.update(weights=hashlib.sha256(content).hexdigest()))


def weights_of(folder):
    return safetensors.torch.load((folder / WEIGHTS).read_bytes())


def test_images_without_a_chain_are_those_of_the_chain_there_was(tmp_path, qcd_jets):
    model = a_model(qcd_jets, input="pixels", image_chain="shared")
    save_model(tmp_path, model)
    edit_card(tmp_path, lambda card: card["settings"].pop("image_chain"))
    assert load_model(tmp_path).settings == model.settings
    assert "image_chain" not in ModelSettings().dump()


@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"cell": "gated", "topology": "antikt", "preprocess": False},
        {"topology": "kt+random", "tree_seed": 5},
        {"readout": "children", "cell": "gated"},
        {"readout": "children", "topology": "kt+ca"},
        {"cell": "blend", "features": "lund", "topology": "ca", "readout": "mean", "initialisation": "uniform"},
        {"head": "regressor", "targets": ("a", "b"), "loss": "huber"},
        {"input": "pixels", "topology": "ca"},
        {"input": "image"},
        {"input": "image", "head": "regressor", "trim": None},
    ],
)
def test_a_loaded_model_is_the_saved_one(tmp_path, qcd_jets, choices):
    model = a_model(qcd_jets, **choices)
    digest = save_model(tmp_path, model)
    loaded = load_model(tmp_path)
    assert loaded.settings == model.settings
    assert loaded.record["digest"] == digest
    assert loaded.record["metrics"] == RECORD["metrics"]
    assert loaded.record["training"]["seed"] == 3
    np.testing.assert_array_equal(loaded.predict(qcd_jets), model.predict(qcd_jets))


def test_the_directory_holds_four_plain_files(stored):
    assert sorted(file.name for file in stored.iterdir()) == ["history.jsonl", CARD, PAGE, WEIGHTS]
    assert read_history(stored) == [{"epoch": 1, "loss": 0.5}]
    card = json.loads((stored / CARD).read_text())
    assert card["features"][0] == "p"
    assert set(card["versions"]) == {"jetgram", "python", "torch", "numpy", "safetensors"}


def test_the_same_model_gives_the_same_bytes(tmp_path, qcd_jets):
    for name in "ab":
        save_model(tmp_path / name, a_model(qcd_jets))
    for file in (CARD, PAGE, WEIGHTS):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_a_dataset_in_the_place_of_a_model_is_named_as_such(tmp_path, qcd_jets):
    save_dataset(tmp_path / "jets", qcd_jets[:2], {"source": "tests"})
    with pytest.raises(ModelError, match="jets is a dataset; expected the folder of a model, with a model.json"):
        load_model(tmp_path / "jets")


def test_one_writer_at_a_time(stored, qcd_jets):
    before = (stored / CARD).read_bytes()
    with (
        FolderLock(stored, ModelError),
        pytest.raises(ModelError, match=f"another run writes in .*process {os.getpid()}"),
    ):
        save_model(stored, a_model(qcd_jets, topology="ca"))
    assert (stored / CARD).read_bytes() == before
    save_model(stored, a_model(qcd_jets, topology="ca"))
    assert load_model(stored).settings.input.topology == "ca"


def test_a_model_of_the_format_before_is_read(stored):
    edit_card(stored, lambda card: card.update(format=1))
    (stored / "history.jsonl").write_text('{"epoch": 1, "loss": 0.5}\n')
    assert load_model(stored).settings.network.hidden == 5
    assert read_history(stored) == [{"epoch": 1, "loss": 0.5}]


def test_a_model_that_is_not_finite_is_not_saved(tmp_path, qcd_jets):
    model = a_model(qcd_jets)
    with torch.no_grad():
        next(model.network.parameters())[0] = torch.nan
    with pytest.raises(ModelError, match="embedding.cell.W_u holds a weight that is not a finite number"):
        save_model(tmp_path / "bad", model)
    assert not (tmp_path / "bad").exists()


def test_a_model_that_cannot_be_saved_leaves_the_one_before(stored, qcd_jets, monkeypatch):
    before = {file.name: file.read_bytes() for file in stored.iterdir()}
    monkeypatch.setattr(store, "card_page", lambda card: "a lone surrogate, which is no text: \ud800")
    with pytest.raises(UnicodeEncodeError):
        save_model(stored, a_model(qcd_jets, topology="ca"))
    assert {file.name: file.read_bytes() for file in stored.iterdir()} == before


def test_only_regular_files_are_written(tmp_path, qcd_jets):
    (tmp_path / WEIGHTS).mkdir()
    with pytest.raises(DatasetError, match="not a regular file"):
        save_model(tmp_path, a_model(qcd_jets))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda f: (f / CARD).unlink(), "model.json is missing"),
        (lambda f: (f / WEIGHTS).unlink(), "model.safetensors is missing"),
        (lambda f: (f / CARD).write_text("{"), "model.json is damaged"),
        (lambda f: (f / CARD).write_text("[" * 100_000), "model.json is damaged"),
        (lambda f: (f / CARD).write_bytes(b"\xff\xfe\x00"), "model.json is damaged"),
        (lambda f: (f / CARD).write_text('{"kind": "other"}'), "is not a model of jetgram: its kind is .other."),
        (lambda f: (f / CARD).write_text(" " * (17 * 2**20)), "expected at most"),
        (
            lambda f: edit_card(f, lambda c: c.update(format=3)),
            "has format 3; this version of jetgram reads format 1 and 2",
        ),
        (
            lambda f: edit_card(f, lambda c: c["metrics"].update(validation_auc=0.99), False),
            "changed after it was written",
        ),
        (lambda f: edit_card(f, lambda c: c["scaler"]["center"].pop()), "as many centres as scales"),
        (lambda f: edit_card(f, lambda c: c["scaler"].update(scale=[0.0] * 7)), "above 0"),
        (lambda f: edit_card(f, lambda c: c["scaler"].update(center=[0.0], scale=[1.0])), "1 scaled features"),
        (lambda f: edit_card(f, lambda c: c["settings"].update(cell="evil")), "cell = 'evil'"),
        (lambda f: edit_card(f, lambda c: c["settings"].update(topology="../../x")), "no topology '../../x'"),
        (lambda f: edit_card(f, lambda c: c["settings"].update(hidden=10**12)), "hidden"),
        (lambda f: edit_card(f, lambda c: c["settings"].update(hidden=6)), "shape .5, 7.; the settings make .6, 7."),
        (lambda f: edit_card(f, lambda c: c["settings"].update(hidden=4096)), "SHA-256|shape"),
        (lambda f: edit_card(f, lambda c: c.update(code="import os")), "code: Extra inputs"),
        (lambda f: edit_card(f, lambda c: c.update(weights="../../etc/passwd")), "SHA-256 is not the one"),
        (lambda f: (f / WEIGHTS).write_bytes((f / WEIGHTS).read_bytes()[:-1]), "SHA-256 is not the one"),
        (lambda f: exchange_weights(f, b"not weights"), "no file of weights"),
        (lambda f: exchange_weights(f, struct.pack("<Q", 2**62) + b"{}"), "no file of weights"),
        (lambda f: exchange_weights(f, b"\0" * 3_000_000), "has 3,000,000 bytes; expected at most"),
        (lambda f: exchange_weights(f, b"PK\x03\x04" + b"\0" * 100), "no file of weights"),
        (lambda f: exchange_weights(f, safetensors.torch.save({})), "has shape None; the settings make"),
    ],
)
def test_a_wrong_file_says_what_is_wrong(stored, damage, message):
    damage(stored)
    with pytest.raises(ModelError, match=message):
        load_model(stored)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda w: w["head.layers.0.weight"].fill_(torch.nan), "not a finite number"),
        (lambda w: w["head.layers.0.weight"].fill_(torch.inf), "not a finite number"),
        (lambda w: w.update({"extra": torch.zeros(1)}), "extra has shape .1,.; the settings make None"),
        (lambda w: w.update({"embedding.cell.W_u": torch.zeros(5, 8)}), "has shape .5, 8."),
        (lambda w: w.update({"embedding.cell.W_u": torch.zeros(5, 7, dtype=torch.float16)}), "torch.float16"),
    ],
)
def test_wrong_weights_say_what_is_wrong(stored, change, message):
    weights = weights_of(stored)
    change(weights)
    exchange_weights(stored, safetensors.torch.save(weights))
    with pytest.raises(ModelError, match=message):
        load_model(stored)


def test_a_pipe_or_a_file_is_no_model(stored, tmp_path):
    (stored / WEIGHTS).unlink()
    os.mkfifo(stored / WEIGHTS)
    with pytest.raises(ModelError, match="not a regular file"):
        load_model(stored)
    with pytest.raises(ModelError, match="is not a folder"):
        load_model(stored / CARD)
    with pytest.raises(ModelError, match="is not a folder"):
        load_model(tmp_path / "nowhere")


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(file=st.sampled_from([CARD, WEIGHTS]), where=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_a_flipped_bit_is_an_error(stored, file, where, bit):
    content = bytearray((stored / file).read_bytes())
    whole = bytes(content)
    content[int(where * len(content))] ^= 1 << bit
    (stored / file).write_bytes(content)
    try:
        loaded = load_model(stored)
    except JetgramError:
        pass
    else:  # white space between the values of the card may change
        assert file == CARD
        assert json.loads(bytes(content)) == json.loads(whole)
        assert loaded.settings.network.hidden == 5
    finally:
        (stored / file).write_bytes(whole)


@pytest.mark.parametrize(("version", "newer"), [("0.0.1", False), ("0.1.0", False), ("0.1.1", True), ("10.0", True)])
def test_a_model_of_a_newer_version_is_read_with_a_warning(stored, version, newer):
    edit_card(stored, lambda card: card["versions"].update(jetgram=version))
    if newer:
        with pytest.warns(NewerModelWarning, match=f"model.json was written by jetgram {version}, this is .*; update"):
            load_model(stored)
    else:
        load_model(stored)


@pytest.mark.parametrize("versions", [{}, {"jetgram": ""}, {"jetgram": "unknown"}])
def test_a_model_of_no_readable_version_is_refused(stored, versions):
    edit_card(stored, lambda card: card.update(versions=versions))
    with pytest.raises(ModelError, match=r"model\.json was written by jetgram '.*'; expected a version such as"):
        load_model(stored)
