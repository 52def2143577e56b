import numpy as np
import pytest

from jetgram.columns import BLOCK, Jagged, assemble, guess_momentum, unpad
from jetgram.errors import BadJetError, SettingsError
from jetgram.kinematics import from_ptetaphim
from jetgram.momenta import Jets
from jetgram.trees.topologies import build_trees

P4 = np.array([[3.0, 4.0, 0.0, 5.0], [30.0, 40.0, 0.0, 50.0], [0.0, 6.0, 8.0, 10.0]])
OFFSETS = np.array([0, 2, 3])
MOMENTUM = {"px": "part_px", "py": "part_py", "pz": "part_pz", "E": "part_energy"}
TABLE = {name: Jagged(P4[:, i].astype(np.float32), OFFSETS) for i, name in enumerate(MOMENTUM.values())}


def test_columns_are_sorted_by_their_shape():
    table = {
        **TABLE,
        "part_charge": Jagged(np.array([1, -1, 0], dtype=np.int8), OFFSETS),
        "label": np.array([1, 0]),
        "truth": np.ones((2, 4)),
        "hits": Jagged(np.array([7, 8]), np.array([0, 0, 2])),
        "name": np.array(["a", "b"]),
        "when": np.array(["2024-01-01", "2024-01-02"], dtype="datetime64[D]"),
        "cube": np.ones((2, 3, 3)),
    }
    found = assemble(table, MOMENTUM, {"part_charge": "charge"})
    np.testing.assert_array_equal(found.momenta, P4)
    assert found.particles["charge"].dtype == np.int8
    assert set(found.columns) == {"label", "truth", "name"}
    assert found.ragged["hits"][1].tolist() == [[7.0], [8.0]]
    assert set(found.left_out) == {"when", "cube"}
    np.testing.assert_array_equal(found.found["part_energy"], P4[:, 3])


def test_columns_that_do_not_fit_are_told_apart():
    with pytest.raises(SettingsError, match="no column 'part_py'; found: part_px, part_pz, part_energy"):
        assemble({name: column for name, column in TABLE.items() if name != "part_py"}, MOMENTUM)
    other = Jagged(P4[:, 1], np.array([0, 1, 3]))
    with pytest.raises(BadJetError, match="part_py has other numbers of particles per row than part_px"):
        assemble({**TABLE, "part_py": other}, MOMENTUM)
    with pytest.raises(BadJetError, match=r"part_px has shape \(2,\); expected a list per row"):
        assemble({name: np.ones(2) for name in TABLE}, MOMENTUM)


def padded(extra=0):
    array = np.zeros((2, 3, 4 + extra))
    array[0, :2, :4], array[1, 0, :4] = P4[:2], P4[2]
    return array


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_padding_is_left_out(dtype):
    jets = Jets.from_padded(padded().astype(dtype))
    np.testing.assert_array_equal(jets.momenta, P4)
    np.testing.assert_array_equal(jets.offsets, OFFSETS)
    reordered = Jets.from_padded(padded()[..., [3, 0, 1, 2]].astype(dtype), "Epxpypz")
    np.testing.assert_array_equal(reordered.momenta, P4)


def test_padded_columns_of_a_table():
    table = {name: padded()[..., i] for i, name in enumerate(MOMENTUM.values())} | {
        "charge": np.arange(6).reshape(2, 3)
    }
    found = assemble(table, MOMENTUM)
    np.testing.assert_array_equal(found.momenta, P4)
    assert found.particles["charge"].tolist() == [0, 1, 3]
    whole = assemble({"x": padded(), "y": np.array([1, 0])}, {"pxpypzE": "x"})
    np.testing.assert_array_equal(whole.momenta, P4)
    assert whole.columns["y"].tolist() == [1, 0]


def test_masks_are_understood():
    array = padded()
    there = array[..., 3] > 0
    np.testing.assert_array_equal(Jets.from_padded(np.ma.masked_equal(array, 30.0)).momenta, P4[[0, 2]])
    np.testing.assert_array_equal(Jets.from_padded(array + 1e-9, mask=there).momenta, P4 + 1e-9)
    with_mask = np.concatenate([array + 1e-9, there[..., None]], axis=2)
    np.testing.assert_array_equal(Jets.from_padded(with_mask, "px,py,pz,E,mask").momenta, P4 + 1e-9)
    with pytest.raises(BadJetError, match=r"mask has shape \(2, 2\); expected \(2, 3\)"):
        Jets.from_padded(array, mask=there[:, :2])


def test_a_mask_of_lists_leaves_columns_of_rows_alone():
    single = Jagged(np.ones(2), np.array([0, 1, 2]))
    table = {**dict.fromkeys(MOMENTUM.values(), single), "mask": single, "jet_pt": np.array([1.0, 2.0])}
    found = assemble(table, {**MOMENTUM, "mask": "mask"})
    assert set(found.columns) == {"jet_pt"}


def test_other_columns_of_a_padded_array_travel_along():
    polar = np.zeros((1, 2, 5))
    polar[0, 0] = (50.0, 0.3, -1.0, 211, 7.0)
    jets = Jets.from_padded(polar, "pt,y,phi,pid,d0", columns={"label": np.array([1])})
    assert jets.particles["pdgid"].tolist() == [211]
    assert jets.particles["d0"].tolist() == [7.0]
    assert jets.columns["label"].tolist() == [1]
    eta = Jets.from_padded(polar[..., :4], "ptetaphipid")
    np.testing.assert_allclose(eta.momenta, from_ptetaphim([50.0], [0.3], [-1.0], [0.13957039]))


def test_a_wrong_shape_says_what_was_expected():
    with pytest.raises(BadJetError, match=r"of shape \(2, 3, 4\); expected \(jets, particles, 3\) with pt, eta, phi"):
        Jets.from_padded(padded(), "ptetaphi")


def test_momenta_are_guessed_by_their_names():
    names = ["Muon_pt", "Muon_eta", "Muon_phi", "PFCands_pt", "PFCands_eta", "PFCands_phi", "PFCands_mass", "nMuon"]
    assert guess_momentum(names) == [
        {"pt": "Muon_pt", "eta": "Muon_eta", "phi": "Muon_phi"},
        {"pt": "PFCands_pt", "eta": "PFCands_eta", "phi": "PFCands_phi", "mass": "PFCands_mass"},
    ]
    assert guess_momentum(["energy", "charge"]) == []


def test_more_particles_than_are_taken_at_once():
    rng = np.random.default_rng(8)
    padded = rng.uniform(1, 2, (BLOCK // 50, 80, 3))
    present = rng.random(padded.shape[:2]) < 0.9
    padded[~present] = 0.0
    flat, layout = unpad(padded, ("pt", "eta", "phi"))
    assert present.sum() > BLOCK
    np.testing.assert_array_equal(layout.offsets[1:], np.cumsum(present.sum(axis=1)))
    for number, values in enumerate(flat.values()):
        np.testing.assert_array_equal(values, padded[present][:, number])


def test_a_mask_is_read_and_left_as_it_is():
    masked = np.ma.masked_array(padded(), mask=False)
    masked[0, 0] = np.ma.masked
    mask = np.ones((2, 3), dtype=bool)
    jets = Jets.from_padded(masked, mask=mask)
    np.testing.assert_array_equal(jets.momenta, P4[1:])  # what is zero is no particle, whatever the mask says
    assert mask.all()


def test_a_negative_pt_is_no_momentum():
    """Some pad with -1, -9 or -99."""
    array = np.full((1, 3, 3), -9.0)
    array[0, 0] = [50.0, 0.1, 0.2]
    jets = Jets.from_padded(array, "ptetaphi")
    with pytest.raises(BadJetError, match="jet 0, particle 1: pT < 0 in"):
        build_trees(jets)
