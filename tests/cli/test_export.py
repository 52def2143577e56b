import numpy as np
import onnxruntime
import pytest

from jetgram.cli import main
from jetgram.export.onnx_file import onnx_inputs
from jetgram.models.model import JetModel
from jetgram.models.settings import make_settings
from jetgram.models.store import save_model


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


def test_the_folder_is_looked_for_first(tmp_path, capsys):
    assert "is not a folder" in run(capsys, "export", tmp_path, "--onnx", tmp_path / "nowhere" / "m.onnx", code=1)
