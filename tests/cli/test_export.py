import numpy as np
import onnxruntime
import pytest

from jetgram.cli import main
from jetgram.export.onnx_file import onnx_inputs
from jetgram.models.model import JetModel
from jetgram.models.settings import make_settings
from jetgram.models.store import load_model, save_model
from jetgram.momenta import Jets
from jetgram.storage.dataset import save


def run(capsys, *arguments, code=0):
    """Run a command in this process; gives what it prints, without line breaks."""
    with pytest.raises(SystemExit) as end:
        main(list(map(str, arguments)))
    out, err = capsys.readouterr()
    assert end.value.code == code, err
    return (out + err).replace("\n", " ")


def test_a_model_becomes_onnx(tmp_path, qcd_jets, capsys):
    settings, _ = make_settings(recipe="modern")
    model = JetModel.untrained(settings, qcd_jets, seed=1)
    folder = tmp_path / "model"
    folder.mkdir()
    save_model(folder, model)
    assert "blend ca, lund, root and mean" in run(capsys, "export", folder, "--onnx", tmp_path / "m.onnx")
    session = onnxruntime.InferenceSession(str(tmp_path / "m.onnx"), providers=["CPUExecutionProvider"])
    found = session.run(None, onnx_inputs(model, qcd_jets[:30]))[0]
    np.testing.assert_allclose(found, model.predict(qcd_jets[:30]), atol=1e-6)


def test_the_place_is_looked_at_first(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    place = tmp_path / "file" / "m.onnx"
    assert "file is a file, not a folder" in run(capsys, "export", tmp_path, "--onnx", place, code=1)


def test_a_training_writes_the_file_too(tmp_path, qcd_jets, capsys):
    """Three commands from a file to a report and an ONNX file: convert, train, report."""
    label = (qcd_jets.pt > np.median(qcd_jets.pt)).astype(np.int8)
    save(tmp_path / "jets", Jets(qcd_jets.momenta, qcd_jets.offsets, {"label": label}), {"source": "tests"})
    command = ("train", tmp_path / "jets", "--epochs", 1, "--set", "hidden=5", "--out", tmp_path / "model")
    printed = run(capsys, *command, "--onnx", tmp_path / "new" / "m.onnx")
    assert "m.onnx: blend ca, lund, root and mean, " in printed
    session = onnxruntime.InferenceSession(str(tmp_path / "new" / "m.onnx"), providers=["CPUExecutionProvider"])
    model = load_model(tmp_path / "model")
    found = session.run(None, onnx_inputs(model, qcd_jets[:30]))[0]
    np.testing.assert_allclose(found, model.predict(qcd_jets[:30]), atol=1e-6)
    other = ("train", tmp_path / "jets", "--out", tmp_path / "other", "--onnx", tmp_path / "other.onnx")
    refused = run(capsys, *other, "--recipe", "pfn", code=1)
    assert "PFN: this network has no ONNX form; recursive networks, MaxOut and networks of events have one" in refused
    assert "--onnx is for one model" in run(capsys, *other, "--seeds", 2, code=1)
    assert not (tmp_path / "other").exists(), "refused before the training"
