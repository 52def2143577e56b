"""Every layout gives the jets or events that were written, and is found out."""

import field_files
import numpy as np
import pytest

from jetgram import kinematics
from jetgram.errors import DatasetError, SettingsError, SuspiciousJetsWarning
from jetgram.jets.clustering import find_jets
from jetgram.momenta import Events, Jets
from jetgram.readers.opening import LAYOUTS, open_source
from jetgram.readers.options import ReadOptions
from jetgram.readers.reading import read

SINGLE = 2e-6  # relative error of a momentum whose coordinates are float32


def layout_of(path, **options):
    with open_source(path, ReadOptions(**options)) as source:
        return source.layout


def assert_same_jets(found, expected, tolerance=SINGLE):
    assert type(found) is type(expected)
    np.testing.assert_array_equal(found.offsets, expected.offsets)
    scale = expected.momenta[:, 3:]
    np.testing.assert_allclose(found.momenta / scale, expected.momenta / scale, rtol=0, atol=tolerance)


@pytest.mark.parametrize("kind", ["table", "fixed"])
def test_top_tagging(tmp_path, two_classes, kind):
    path = field_files.write_top_tagging(tmp_path / "train.h5", two_classes, format=kind)
    assert layout_of(path) == "top-tagging"
    found = read(path)
    assert_same_jets(found, two_classes)
    np.testing.assert_array_equal(found.columns["label"], two_classes.columns["label"])
    assert {"ttv", "truthE"} <= set(found.columns)


def test_energyflow(tmp_path, two_classes):
    path = field_files.write_energyflow(tmp_path / "QG_jets.npz", two_classes)
    assert layout_of(path) == "energyflow"
    found = read(path)
    assert_same_jets(found, two_classes, 1e-4)  # the masses come from the ids
    np.testing.assert_array_equal(found.columns["label"], two_classes.columns["label"])
    np.testing.assert_array_equal(found.particles["pdgid"], two_classes.particles["pdgid"])


def test_jetclass(tmp_path, jets):
    path = field_files.write_jetclass(tmp_path / "HToBB_000.root", jets)
    assert layout_of(path) == "jetclass"
    found = read(path)
    assert_same_jets(found, jets)
    np.testing.assert_array_equal(found.columns["label"], jets.columns["label"])
    np.testing.assert_allclose(found.columns["jet_pt"], jets.pt, rtol=1e-6)
    np.testing.assert_array_equal(found.particles["charge"], field_files.charges(jets.particles["pdgid"]))
    np.testing.assert_array_equal(found.particles["isPhoton"], jets.particles["pdgid"] == 22)


@pytest.mark.parametrize("names", [None, np.array(["qcd", "hbb", "hcc"])])
def test_weaver(tmp_path, jets, names):
    """Classes are integers, or names, which are sorted."""
    label = jets.columns["label"]
    path = field_files.write_weaver(tmp_path / "a.parquet", jets, None if names is None else names[label], 100)
    assert layout_of(path) == "weaver"
    found = read(path)
    assert_same_jets(found, jets)
    expected = label if names is None else np.array([2, 0, 1])[label]
    np.testing.assert_array_equal(found.columns["label"], expected)


def test_jetnet(tmp_path, jets):
    """The azimuth of the jet is not in the file."""
    path = field_files.write_jetnet(tmp_path / "g.hdf5", jets)
    assert layout_of(path) == "jetnet"
    found = read(path)
    np.testing.assert_array_equal(found.offsets, jets.offsets)
    massless = kinematics.from_ptetaphim(kinematics.pt(jets.momenta), kinematics.eta(jets.momenta), 0.0, 0.0)
    scale = massless[:, 3:]
    np.testing.assert_allclose(found.momenta[:, 2:] / scale, massless[:, 2:] / scale, atol=1e-5)
    np.testing.assert_allclose(found.columns["jet_mass"], jets.mass, rtol=1e-5)
    turned = kinematics.phi(found.momenta) + jets.phi[jets.group] - kinematics.phi(jets.momenta)
    np.testing.assert_allclose(np.cos(turned), 1.0, atol=1e-9)


@pytest.mark.parametrize("ending", ["hepmc", "hepmc.gz"])
def test_hepmc(tmp_path, qcd_events, ending):
    """Neutrinos and decayed particles are left out; the momenta are those of the text."""
    events = qcd_events[:20]
    path = field_files.write_hepmc(tmp_path / f"events.{ending}", events)
    assert layout_of(path) == "hepmc"
    found = read(path)
    assert_same_jets(found, events, 1e-12)
    np.testing.assert_array_equal(found.particles["pdgid"], events.particles["pdgid"])
    np.testing.assert_array_equal(found.columns["event_number"], 100 + np.arange(20))
    np.testing.assert_array_equal(found.columns["weight"], 0.5 + np.arange(20))


def test_delphes(tmp_path, qcd_events):
    path = field_files.write_delphes(tmp_path / "delphes.root", qcd_events[:30])
    assert layout_of(path, level="towers") == "delphes"
    found = read(path, level="towers")
    np.testing.assert_allclose(found.momenta[:, :2], qcd_events[:30].momenta[:, :2], rtol=0, atol=1e-4)
    with pytest.raises(SettingsError, match="has no EFlowTrack, which level=eflow reads; .* these levels read: towers"):
        read(path)


def linked(events):
    """Jets, and the number in its event of each of their constituents."""
    numbered = Events(
        events.momenta,
        events.offsets,
        particles={**events.particles, "number": np.arange(len(events.momenta)) - events.offsets[events.group]},
    )
    jets = find_jets(numbered, 0.8, hardest=3, min_pt=20)
    return jets.with_columns(label=np.arange(len(jets)) % 4), jets.particles["number"]


def test_pfnano_with_links(tmp_path, qcd_events):
    jets, number = linked(qcd_events[:40])
    path = field_files.write_pfnano(tmp_path / "nano.root", qcd_events[:40], (jets, number))
    assert layout_of(path) == "pfnano"
    found = read(path, label="FatJet_flavour")
    assert isinstance(found, Jets)
    np.testing.assert_array_equal(found.offsets, jets.offsets)
    np.testing.assert_allclose(found.pt, jets.pt, rtol=1e-5)
    np.testing.assert_allclose(found.columns["jet_pt"], jets.pt, rtol=1e-6)
    np.testing.assert_array_equal(found.columns["label"], jets.columns["label"])
    np.testing.assert_array_equal(found.columns["event_number"], jets.columns["event"] + 7)
    np.testing.assert_array_equal(found.particles["pdgid"], jets.particles["pdgid"])
    assert set(found.columns["weight"]) == {2.0}


def test_pfnano_without_links(tmp_path, qcd_events):
    path = field_files.write_pfnano(tmp_path / "nano.root", qcd_events[:40])
    found, weighted = read(path), read(path, puppi=True)
    assert isinstance(found, Events)
    np.testing.assert_allclose(weighted.momenta, found.momenta / 2, rtol=1e-12)
    clustered = read(path, jets=0.8, hardest=2, min_pt=50)
    expected = find_jets(found, 0.8, hardest=2, min_pt=50)
    np.testing.assert_array_equal(clustered.momenta, expected.momenta)
    np.testing.assert_array_equal(clustered.columns["event"], expected.columns["event"])
    with pytest.raises(SettingsError, match="has no links from AK15 to candidates; it has those of: none"):
        read(path, collection="AK15")


@pytest.mark.parametrize("with_links", [True, False])
def test_pfnano_files_of_named_classes(tmp_path, qcd_events, with_links):
    links = linked(qcd_events[:20]) if with_links else None
    path = field_files.write_pfnano(tmp_path / "nano.root", qcd_events[:20], links)
    found = read({"qcd": path})
    assert len(found)
    assert set(found.columns["label"]) == {0}
    assert "label" not in read(path, label="").columns
    assert set(read({"qcd": path}, jets=0.8, min_pt=20).columns["label"]) == {0}


def test_broken_links_are_found(tmp_path, qcd_events):
    jets, number = linked(qcd_events[:5])
    broken = number.copy()
    broken[3] = 100_000
    path = field_files.write_pfnano(tmp_path / "nano.root", qcd_events[:5], (jets, broken))
    with pytest.raises(DatasetError, match="pFCandsIdx = 100000 name a jet or candidate that is not there; 1 of"):
        read(path)


@pytest.mark.parametrize(
    ("names", "options"),
    [
        (("px", "py", "pz", "E"), {}),
        (("con_px", "con_py", "con_pz", "con_energy"), {}),
        (("a", "b", "c", "d"), {"map": {"px": "a", "py": "b", "pz": "c", "E": "d"}}),
    ],
)
def test_named_columns(tmp_path, jets, names, options):
    charge = np.arange(len(jets.momenta)) % 3
    lists = field_files.lists(jets, charge).to_list()
    path = field_files.write_parquet(tmp_path / "mine.parquet", jets, names, q=lists, label=jets.columns["label"])
    assert layout_of(path, **options) == "columns"
    found = read(path, **options)
    assert_same_jets(found, jets, 0)
    np.testing.assert_array_equal(found.particles["q"], charge)
    np.testing.assert_array_equal(found.columns["label"], jets.columns["label"])


def test_a_map_of_a_padded_array(tmp_path, jets):
    import h5py

    with h5py.File(tmp_path / "mine.h5", "w") as file:
        group = file.create_group("deep/jets")
        group["constituents"] = field_files.padded(jets, jets.momenta[:, [3, 0, 1, 2]], 150)
        group["kind"] = jets.columns["label"].astype(np.int8)
    found = read(tmp_path / "mine.h5", map={"Epxpypz": "constituents"}, label="kind")
    assert_same_jets(found, jets, 0)
    np.testing.assert_array_equal(found.columns["label"], jets.columns["label"])


def test_jetclass_in_an_rntuple(tmp_path, jets):
    """What uproot writes by default: the same columns, in clusters instead of baskets."""
    import awkward as ak
    import uproot

    path = tmp_path / "HToBB_000.root"
    columns = ak.Array(field_files.jetclass_columns(jets))  # of a dictionary, uproot sorts the names
    with uproot.recreate(path) as file:
        file.mkrntuple("tree", columns[:120])
        file["tree"].extend(columns[120:])
    assert layout_of(path) == "jetclass"
    with open_source(path, ReadOptions()) as source:
        assert source.pieces(100) == [[(0, 100), (100, 120)], [(120, 220), (220, 300)]]
    found = read(path)
    assert_same_jets(found, jets)
    np.testing.assert_array_equal(found.columns["label"], jets.columns["label"])
    np.testing.assert_array_equal(found.particles["isPhoton"], jets.particles["pdgid"] == 22)


def test_nested_fields_of_an_rntuple(tmp_path, jets):
    import awkward as ak
    import uproot

    momenta = ak.zip({name: field_files.lists(jets, jets.momenta[:, i]) for i, name in enumerate("xyzE")})
    content = {"trk": momenta, "kind": jets.columns["label"], "name": ["jet"] * len(jets), "pair": np.ones((300, 2))}
    with uproot.recreate(tmp_path / "mine.root") as file:
        file["mine"] = content
    names = {"px": "trk.x", "py": "trk.y", "pz": "trk.z", "E": "trk.E"}
    with (
        pytest.warns(SuspiciousJetsWarning, match="1 column: trk; it is no number per row or particle"),
        pytest.warns(SuspiciousJetsWarning, match="1 column: name; it is text"),
    ):
        found = read(tmp_path / "mine.root", map=names, label="kind")
    assert_same_jets(found, jets, 0)
    np.testing.assert_array_equal(found.columns["label"], jets.columns["label"])
    assert found.columns["pair"].shape == (300, 2)


def test_a_file_that_fits_no_layout_says_what_it_holds(tmp_path):
    np.savez(tmp_path / "a.npz", hello=np.ones(3))
    with pytest.raises(
        DatasetError, match="npz with hello; it fits none of the known layouts: top-tagging, .*--map px=NAME"
    ):
        read(tmp_path / "a.npz")
    (tmp_path / "a.txt").write_text("hello")
    with pytest.raises(DatasetError, match="neither ROOT, HDF5, Parquet, Arrow, npz nor HepMC"):
        read(tmp_path / "a.txt")
    with pytest.raises(SettingsError, match="no layout 'jetclas'; did you mean 'jetclass'"):
        read(tmp_path / "a.npz", layout="jetclas")
    for layout in LAYOUTS:
        with pytest.raises((DatasetError, SettingsError), match="a.txt"):
            read(tmp_path / "a.txt", layout=layout)


def test_text_columns_are_not_left_out_silently(tmp_path, jets):
    names = np.array(["a", "b"])[np.arange(len(jets)) % 2]
    path = field_files.write_parquet(tmp_path / "mine.parquet", jets, ("px", "py", "pz", "E"), run=names)
    with pytest.warns(SuspiciousJetsWarning, match="not carried along: 1 column: run; it is text"):
        found = read(path)
    assert "run" not in found.columns
