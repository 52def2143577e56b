"""Another device: everything that a network computes is there, and nothing that is saved says so."""

import numpy as np
import pytest
import torch
from sklearn.base import clone

from jetgram import cli
from jetgram.errors import SettingsError
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Events
from jetgram.networks import device
from jetgram.storage.dataset import save
from jetgram.tagger import JetTagger

needs_no_accelerator = pytest.mark.skipif(len(device.found_devices()) > 1, reason="there is an accelerator")


@pytest.mark.parametrize(
    "settings",
    [
        {"cell": "simple"},
        {"cell": "gated", "readout": "children"},
        {"cell": "blend", "readout": "mean", "features": "lund"},
        {"topology": "kt+desc-pt"},
        {"input": "image"},
        {"event": "jets"},
        {"event": "particles", "hardest": "all"},
        {"classes": ("qcd", "w", "top")},
        {"head": "regressor", "loss": "huber"},
    ],
    ids=str,
)
def test_networks_leave_nothing_on_the_cpu(settings, qcd_jets) -> None:
    """On `meta`, tensors have a device and a shape but no numbers; one of the CPU among them is an error."""
    found = ModelSettings(**settings)
    rows = qcd_jets[:6] if found.rows == "jets" else Events(qcd_jets.momenta, qcd_jets.offsets)[:6]
    inputs = found.read(rows).inputs
    network = found.build(seed=1).to("meta")
    outputs = network(inputs)
    assert (outputs.device.type, outputs.shape) == ("meta", (6, network.head.outputs))
    network.head.losses(outputs, torch.zeros_like(outputs)).sum().backward()
    assert {weight.grad.device.type for weight in network.parameters()} == {"meta"}


def test_the_native_engine_is_for_the_cpu(qcd_jets) -> None:
    inputs = ModelSettings().read(qcd_jets[:6]).inputs
    assert ModelSettings().build().to("meta").engine(inputs) == "torch"
    with pytest.raises(SettingsError, match=r"needs weights in float32 on the CPU; found torch.float32 on meta"):
        ModelSettings(engine="native").build().to("meta").fused(inputs)


def test_a_device_is_part_of_no_digest(qcd_jets, tmp_path, monkeypatch) -> None:
    """`cpu:0` is the CPU by another name, which goes all the way that `cuda:0` would."""
    label = qcd_jets.pt > np.median(qcd_jets.pt)
    quick = {"hidden": 4, "epochs": 1, "engine": "torch"}
    here, there = JetTagger(**quick).fit(qcd_jets, label), JetTagger(**quick, device="cpu:0").fit(qcd_jets, label)
    assert there.device == "cpu:0"
    assert "device='cpu:0'" in repr(there)
    assert clone(there).get_params() == {**here.get_params(), "device": "cpu:0"}
    assert here.save(tmp_path / "here") == there.save(tmp_path / "there")
    loaded = JetTagger.load(tmp_path / "there", device="cpu:0")
    assert (loaded.device, JetTagger.load(tmp_path / "there").device) == ("cpu:0", "cpu")
    np.testing.assert_array_equal(loaded.predict_proba(qcd_jets), here.predict_proba(qcd_jets))
    moved: list[torch.device] = []
    monkeypatch.setattr(torch.nn.Module, "to", lambda module, place: moved.append(place))
    assert loaded.set_params(device="cpu").device == "cpu"
    assert moved == [torch.device("cpu")]


@needs_no_accelerator
def test_a_device_that_is_not_there(qcd_jets, tmp_path, capsys) -> None:
    with pytest.raises(SettingsError, match=r"device = 'cuda': found cpu only; take one of these"):
        JetTagger(device="cuda")
    with pytest.raises(SettingsError, match=r"device = 'meta': found cpu only"):
        JetTagger().set_params(device="meta")
    with pytest.raises(SettingsError, match=r"device = 'gpu': found cpu only; expected one that PyTorch knows"):
        JetTagger(device="gpu")
    save(tmp_path / "jets", qcd_jets[:20].with_columns(label=np.arange(20) % 2), {"source": "test"})
    with pytest.raises(SystemExit, match="1"):
        cli.main(["train", str(tmp_path / "jets"), "--out", str(tmp_path / "model"), "--device", "cuda"])
    assert "found cpu only" in capsys.readouterr().err
    assert not (tmp_path / "model").exists()


def test_devices_by_number(monkeypatch) -> None:
    monkeypatch.setattr(device, "found_devices", lambda: ("cpu", "cuda:0", "cuda:1"))
    assert device.find_device("cuda") == torch.device("cuda")
    assert device.find_device("cuda:1") == torch.device("cuda:1")
    with pytest.raises(SettingsError, match=r"device = 'cuda:2': found cpu, cuda:0, cuda:1"):
        device.find_device("cuda:2")
