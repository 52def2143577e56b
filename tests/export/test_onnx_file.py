"""ONNX Runtime gives the numbers of the model, for every network and any jet."""

import json

import numpy as np
import onnx
import onnxruntime
import pytest
import torch

from jetgram import kinematics
from jetgram.errors import SettingsError
from jetgram.export.onnx_file import description_of, export_onnx, onnx_inputs
from jetgram.jets.cleaning import MERGE, MIN_PT
from jetgram.joining import concatenate
from jetgram.models.model import JetModel
from jetgram.models.settings import make_settings
from jetgram.momenta import Jets

JET_MODELS = [
    {},
    {"cell": "gated"},
    {"recipe": "modern"},
    {"cell": "blend", "hidden": 13},
    {"readout": "children"},
    {"readout": "mean", "cell": "gated", "topology": "desc-pt"},
    {"topology": "kt+desc-pt", "hidden": 7},
    {"input": "pixels"},
    {"input": "image"},
    {"input": "image", "head": "regressor"},
    {"head": "regressor", "targets": ("pt", "mass")},
    {"classes": ("qcd", "w", "top")},
    {"features": "lund", "classes": (0, 1, 2, 3)},
]
EVENT_MODELS = [
    {"event": "jets", "hardest": 3},
    {"event": "jets", "hardest": "all", "cell": "blend", "features": "lund", "readout": "mean"},
    {"event": "jets", "topology": "kt+ca", "readout": "children"},
    {"event": "jet-momenta", "classes": ("a", "b", "c")},
    {"event": "particles", "hardest": 20},
]


def a_model(rows, **choices) -> JetModel:
    """Weights large enough that scores differ."""
    settings, _ = make_settings(**choices)
    model = JetModel.untrained(settings, rows, seed=3)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for name, weight in model.network.named_parameters():
            size = (1.5 if name.startswith("head") else 0.3) * weight.shape[-1] ** -0.5
            weight.add_(torch.randn(weight.shape, generator=generator), alpha=size)
    return model


def run(path, inputs):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return session.run(None, inputs)[0]


def nasty_jets() -> Jets:
    """One particle, two in one place, 2,000 particles, along the beam."""
    rng = np.random.default_rng(5)
    angles = rng.normal([[0.0], [1.0]], 0.3, (2, 2000))
    many = kinematics.from_ptetaphim(rng.exponential(1.0, 2000) + 0.2, *angles)
    one = kinematics.from_ptetaphim([300.0], [0.5], [2.0])
    twins = kinematics.from_ptetaphim([100.0, 100.0], [0.1, 0.1], [0.2, 0.2])
    return Jets.from_lists([one, many, twins, one])


@pytest.mark.parametrize("choices", JET_MODELS, ids=str)
def test_scores_of_jets_are_the_models(tmp_path, qcd_jets, choices):
    model = a_model(qcd_jets, **choices)
    path = export_onnx(model, tmp_path / "model.onnx")
    plain = Jets(qcd_jets.momenta, qcd_jets.offsets)
    for jets in (plain, plain[:1], concatenate([nasty_jets(), plain[:20]]), nasty_jets()[[0, 3]]):
        expected, found = model.predict(jets), run(path, onnx_inputs(model, jets))
        scale = np.abs(expected).max()  # of regressed numbers
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5 * max(1.0, scale))
    assert np.ptp(model.predict(plain)) > 1e-5  # else nothing is compared


@pytest.mark.parametrize("choices", EVENT_MODELS, ids=str)
def test_scores_of_events_are_the_models(tmp_path, qcd_events, choices):
    model = a_model(qcd_events[:60], **choices)
    path = export_onnx(model, tmp_path / "model.onnx")
    for events in (qcd_events[:60], qcd_events[60:61]):
        np.testing.assert_allclose(run(path, onnx_inputs(model, events)), model.predict(events), atol=1e-5)
    assert np.ptp(model.predict(qcd_events[:60])) > 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("choices", JET_MODELS[:3], ids=str)
def test_ten_thousand_jets(tmp_path, qcd_jets, choices):
    model = a_model(qcd_jets, **choices)
    path = export_onnx(model, tmp_path / "model.onnx")
    plain = Jets(qcd_jets.momenta, qcd_jets.offsets)
    rng = np.random.default_rng(1)
    worst = 0.0
    for _ in range(40):
        jets = plain[rng.integers(0, len(plain), 250)]
        harder = rng.uniform(0.5, 2.0, (len(jets), 1)).repeat(jets.multiplicity, axis=0)
        jets = Jets(jets.momenta * harder, jets.offsets)
        jets = concatenate([jets, nasty_jets()])
        worst = max(worst, np.abs(run(path, onnx_inputs(model, jets)) - model.predict(jets)).max())
    assert worst < 1e-5


def test_only_the_standard_opset_is_used(tmp_path, qcd_jets):
    path = export_onnx(a_model(qcd_jets, recipe="modern"), tmp_path / "model.onnx")
    file = onnx.load(path)
    assert [(entry.domain, entry.version) for entry in file.opset_import] == [("", 17)]
    assert {node.domain for node in file.graph.node} == {""}


def test_the_description_says_what_is_read(tmp_path, qcd_jets):
    model = a_model(qcd_jets)
    path = export_onnx(model, tmp_path / "model.onnx")
    export_onnx(a_model(qcd_jets, recipe="modern"), tmp_path / "other.onnx")  # which has a description of its own
    assert description_of(path) == tmp_path / "model.preprocess.json"
    found = json.loads(description_of(path).read_text())
    assert found["input_names"] == list(onnx_inputs(model, qcd_jets[:2]))
    assert [variable["name"] for variable in found["variables"]] == list(model.settings.input.columns)
    np.testing.assert_allclose([variable["center"] for variable in found["variables"]], model.scaler.center)
    assert found["outputs"] == ["score"]


def description(model, folder):
    return json.loads(description_of(export_onnx(model, folder / "model.onnx")).read_text())


def test_the_description_tells_of_cleaning_and_of_what_is_missing(tmp_path, qcd_jets):
    found = description(a_model(qcd_jets, recipe="modern"), tmp_path)
    assert found["cleaning"] == {"merge": MERGE, "min_pt": MIN_PT} == {"merge": 1e-3, "min_pt": 0.1}
    assert [step.split()[0] for step in found["steps"]] == ["clean:", "build", "compute"]
    assert found["missing"] == "NaN"
    plain = description(a_model(qcd_jets, trim=0.05), tmp_path)
    assert (plain["cleaning"], plain["missing"]) == (None, None)
    assert [step.split()[0] for step in plain["steps"]] == ["trim:", "turn", "build", "compute"]


@pytest.mark.parametrize("choices", [*JET_MODELS, *EVENT_MODELS], ids=str)
def test_missing_is_said_where_inputs_are_nan(tmp_path, qcd_jets, qcd_events, choices):
    rows = qcd_events[:10] if "event" in choices else qcd_jets[:10]
    model = a_model(rows, **choices)
    nan = any(np.isnan(array).any() for array in onnx_inputs(model, rows).values() if array.dtype == np.float32)
    assert description(model, tmp_path)["missing"] == ("NaN" if nan else None)


def test_the_description_is_of_what_the_model_reads_now(tmp_path, qcd_jets):
    model = a_model(qcd_jets, topology="antikt").with_topology("ca").with_trim(0.07)
    found = description(model, tmp_path)
    assert (found["settings"]["topology"], found["settings"]["trim"]) == ("ca", 0.07)
    assert found["settings"] == model.reading.dump()
    assert found["steps"][0] == "trim: drop subjets with less than 0.07 of the jet's pT"
    assert "build the ca tree" in found["steps"]
    np.testing.assert_allclose(
        run(tmp_path / "model.onnx", onnx_inputs(model, qcd_jets)), model.predict(qcd_jets), atol=1e-5
    )


def test_what_has_no_onnx_form_says_so(tmp_path, qcd_jets):
    from jetgram.networks.cells import Simple

    class Changed(Simple):
        pass

    model = a_model(qcd_jets, recipe="paper")
    model.network.embedding.cell.__class__ = Changed
    with pytest.raises(
        SettingsError, match=r"simple kt: its cell has no ONNX form; those that have one are simple, gated, blend"
    ):
        export_onnx(model, tmp_path / "model.onnx")
    assert not (tmp_path / "model.onnx").exists()
