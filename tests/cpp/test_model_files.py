"""Model files that are damaged, made to do harm, or of another kind: an error each, and nothing else happens."""

import hashlib
import json
import random
import shutil
import struct
from pathlib import Path

import numpy as np

from jetgram.models.card_page import runs_in_cpp
from jetgram.models.model import JetModel
from jetgram.models.settings import ModelSettings
from jetgram.models.store import save_model
from jetgram.storage.sealed import digest_of
from jetgram.tagger import EventTagger


def copy_of(model: Path, folder: Path, card: dict | None = None, weights: bytes | None = None) -> Path:
    """The model with another card, or other weights, sealed as jetgram itself would seal them."""
    folder.mkdir()
    content = (model / "model.safetensors").read_bytes() if weights is None else weights
    card = json.loads((model / "model.json").read_text()) if card is None else card
    if weights is not None:
        card = {**card, "weights": hashlib.sha256(weights).hexdigest()}
    card["digest"] = digest_of({name: value for name, value in card.items() if name != "digest"})
    (folder / "model.json").write_text(json.dumps(card))
    (folder / "model.safetensors").write_bytes(content)
    return folder


def test_every_damaged_byte_is_noticed(programs, model, tmp_path):
    chosen = random.Random(17)
    expected, folders = [], []
    for number in range(300):
        folder = tmp_path / str(number)
        shutil.copytree(model, folder)
        file = folder / ("model.json" if number % 3 else "model.safetensors")
        content = bytearray(file.read_bytes())
        place = chosen.randrange(len(content))
        if number % 10 == 0:
            del content[place:]
        else:
            content[place] ^= 1 << chosen.randrange(8)
        file.write_bytes(content)
        folders.append(folder)
        expected.append(same_json(file, model / "model.json") if file.suffix == ".json" else False)
    digest = json.loads((model / "model.json").read_text())["digest"]
    for folder, harmless, said in zip(folders, expected, programs.load(*folders), strict=True):
        assert said == digest if harmless else said.startswith(f"error: {folder}"), said


def same_json(file: Path, other: Path) -> bool:
    """Whether two files say the same: one may have other spaces."""
    try:
        return json.loads(file.read_bytes()) == json.loads(other.read_bytes())
    except ValueError:
        return False


def with_setting(model: Path, **changes: object) -> dict:
    card = json.loads((model / "model.json").read_text())
    card["settings"] = {**card["settings"], **changes}
    return card


WRONG_SETTINGS = {
    "cell: found maxout; expected one that this library has: simple, gated, blend": {"cell": "maxout"},
    "features: found paper+charge; expected one that this library has: paper, paper+pclass, lund": {
        "features": "paper+charge"
    },
    "topology: found tree; expected one that this library has": {"topology": "kt+tree"},
    "topology: found kt; expected it once only": {"topology": "kt+kt"},
    "readout: found median; expected one that this library has": {"readout": "median"},
    "head: found ranker": {"head": "ranker"},
    "hidden: found 1000000; expected a whole number from 1 to 4096": {"hidden": 10**6},
    "hidden: found 8.5; expected a whole number": {"hidden": 8.5},
    "hidden: found true; expected a whole number": {"hidden": True},
    "trim: found 2.000000; expected a fraction": {"trim": 2.0},
    "tree_seed: found 1000000000000000000000": {"tree_seed": 10**21},
    'preprocess: found "yes"; expected true or false': {"preprocess": "yes"},
    "input: found image; expected constituents; this library has recursive networks": {"input": "image"},
    "input: found particle-set; expected constituents": {"input": "particle-set", "network": "pfn"},
    "event: found jets; expected a model of jets": {"event": "jets"},
    "charges: found true; expected nothing of this name; a newer jetgram": {"charges": True},
    "W_u has shape (8, 7); the settings make (9, 7)": {"hidden": 9},
    "embedding.parts.0.cell.W_u is missing": {"topology": "kt+ca"},
}


def test_settings_that_the_library_cannot_follow_are_refused(programs, model, tmp_path):
    models = [
        copy_of(model, tmp_path / str(i), with_setting(model, **s)) for i, s in enumerate(WRONG_SETTINGS.values())
    ]
    for said, expected in zip(programs.load(*models), WRONG_SETTINGS, strict=True):
        assert said.startswith("error: ")
        assert expected in said


def test_other_cards_are_refused(programs, model, tmp_path):
    card = json.loads((model / "model.json").read_text())
    wrong = {
        "has format 99; this library reads 1 to": {**card, "format": 99},
        "is no model of jetgram": {**card, "kind": "jetgram dataset"},
        "scale: found 0.000000; expected numbers above 0": {
            **card,
            "scaler": {**card["scaler"], "scale": [0.0] * 7},
        },
        "scaler: found 6 columns; expected 7": {
            **card,
            "scaler": {name: values[:6] for name, values in card["scaler"].items()},
        },
        "features: found p, eta": {**card, "features": card["features"][:2]},
        "target_scaler: found 1 targets; expected 0": {**card, "target_scaler": {"center": [0.0], "scale": [1.0]}},
        "code: found": {**card, "code": "import os"},
    }
    models = [copy_of(model, tmp_path / str(i), changed) for i, changed in enumerate(wrong.values())]
    for said, expected in zip(programs.load(*models), wrong, strict=True):
        assert said.startswith("error: ")
        assert expected in said


def test_files_that_are_no_models_are_refused(programs, model, tmp_path):
    texts = {
        "nested too deeply": "[" * 100_000,
        "the name 'a' stands there twice": '{"a": 1, "a": 2}',
        "a number that no double holds": '{"a": 1e400}',
        "expected a value": '{"a": NaN}',
        "half of a surrogate pair": r'{"a": "\ud800"}',
        "more text after the end": "{} {}",
        "expected an object": "[1, 2]",
        "damaged": "",
        "too many values": "[" + "0," * 2**21 + "0]",
        "bytes; expected at most 16777216": " " * (2**24 + 1),
    }
    models = []
    for i, text in enumerate(texts.values()):
        models.append(copy_of(model, tmp_path / str(i)))
        (models[-1] / "model.json").write_text(text)
    for said, expected in zip(programs.load(*models), texts, strict=True):
        assert said.startswith("error: ")
        assert expected in said
    (nothing := tmp_path / "nothing").mkdir()
    assert programs.load(nothing, tmp_path / "missing") == [
        f"error: {nothing / 'model.json'} is missing",
        f"error: {tmp_path / 'missing'} is not a folder; a model is a folder with a model.json",
    ]


def tensors(header: object, numbers: bytes = b"") -> bytes:
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + numbers


def test_weights_that_do_harm_are_refused(programs, model, tmp_path):
    one = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}
    number = np.ones(1, dtype=np.float32).tobytes()
    wrong = {
        "it is cut off": b"",
        "its header has 18446744073709551615 bytes": b"\xff" * 8 + b"{}",
        "its header has 4096 bytes": struct.pack("<Q", 4096) + b"{}",
        "its header is no object": tensors([]),
        "has the type F64; expected F32": tensors({"a": {**one, "dtype": "F64"}}, number),
        "a lies outside the file": tensors({"a": {**one, "data_offsets": [0, 8]}}, number),
        "a is larger than the file": tensors({"a": {**one, "shape": [2**62, 4]}}, number),
        "a has not the bytes that its shape needs": tensors({"a": {**one, "shape": [2]}}, number),
        "its shape is out of range": tensors({"a": {**one, "shape": [-1]}}, number),
        "its data_offsets is no short list": tensors({"a": {**one, "data_offsets": [0, 4, 4]}}, number),
        "overlaps another tensor, or leaves a gap": tensors({"a": one, "b": one}, number),
        "its header speaks of 4": tensors({"a": one}, number + number),
        "a holds a weight that is not a finite number": tensors({"a": one}, struct.pack("<f", np.nan)),
        "embedding.cell.W_u is missing": tensors({"a": one}, number),
    }
    models = [copy_of(model, tmp_path / str(i), weights=content) for i, content in enumerate(wrong.values())]
    for said, expected in zip(programs.load(*models), wrong, strict=True):
        assert said.startswith("error: ")
        assert expected in said


def test_weights_too_many_are_refused(programs, model, tmp_path):
    from safetensors.numpy import load, save

    weights = load((model / "model.safetensors").read_bytes())
    more = save({**weights, "head.layers.3.weight": np.zeros((1, 1), dtype=np.float32)})
    assert (
        "head.layers.3.weight is no weight of a model" in programs.load(copy_of(model, tmp_path / "m", weights=more))[0]
    )


def test_models_of_events_are_refused(programs, qcd_events, tmp_path):
    tagger = EventTagger(hidden=8, state=8, epochs=1).fit(qcd_events, np.arange(len(qcd_events)) % 2)
    tagger.save(tmp_path / "model")
    assert "this library does not read events" in programs.load(tmp_path / "model")[0]


def test_the_page_of_a_model_says_whether_the_library_reads_it(programs, pflow_jets, tmp_path):
    some = [
        {"topology": "kt+random", "cell": "gated"},
        {"features": "lund", "cell": "blend", "topology": "ca"},
        {"features": "paper+pclass"},
        {"features": "paper+onehot:pclass:4"},
        {"input": "pixels"},
        {"head": "regressor", "targets": ("a", "b")},
    ]
    folders = [tmp_path / str(number) for number in range(len(some))]
    expected = []
    for folder, values in zip(folders, some, strict=True):
        model = JetModel.untrained(ModelSettings(**values), pflow_jets[:20])
        digest = save_model(folder, model)
        expected.append(digest if runs_in_cpp(model.settings) else "an error")
        assert ("```cpp" in (folder / "model.md").read_text()) == runs_in_cpp(model.settings)
    assert "an error" in expected
    found = [line if len(line) == 64 else "an error" for line in programs.load(*folders)]
    assert found == expected
