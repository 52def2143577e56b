import awkward as ak
import numpy as np
import pytest

from jetgram.errors import BadJetError
from jetgram.momenta import Events, Jets
from jetgram.ragged import Ragged

P4 = np.array([[3.0, 4.0, 0.0, 5.0], [30.0, 40.0, 0.0, 50.0], [0.0, 6.0, 8.0, 10.0]])
OFFSETS = np.array([0, 2, 2, 3])


@pytest.fixture
def jets() -> Jets:
    return Jets(
        P4,
        OFFSETS,
        columns={"label": np.array([1, 0, 2], dtype=np.int8), "truth": np.arange(12.0).reshape(3, 4)},
        particles={"pdgid": np.array([22, 211, -211], dtype=np.int32), "hit": np.arange(6.0).reshape(3, 2)},
        ragged={"soft": Ragged(np.arange(9.0).reshape(3, 3), OFFSETS)},  # counts as those of the particles
    )


@pytest.mark.parametrize("kind", [Jets, Events])
def test_nothing_is_lost_on_the_way_there_and_back(jets, kind):
    rows = kind(jets.momenta, jets.offsets, jets.columns, jets.particles, jets.ragged)
    array = rows.to_awkward()
    assert array.fields == ["constituents" if kind is Jets else "particles", "label", "truth", "soft"]
    back = kind.from_awkward(array)
    np.testing.assert_array_equal(back.momenta, rows.momenta)
    np.testing.assert_array_equal(back.offsets, rows.offsets)
    for name in ("columns", "particles"):
        before, after = getattr(rows, name), getattr(back, name)
        assert before.keys() == after.keys()
        for key in before:
            np.testing.assert_array_equal(before[key], after[key])
            assert before[key].dtype == after[key].dtype
    assert back.ragged.keys() == {"soft"}
    np.testing.assert_array_equal(back.ragged["soft"].values, jets.ragged["soft"].values)


def test_a_slice_of_an_array_keeps_its_fields(jets):
    some = Jets.from_awkward(jets.to_awkward()[[2, 0]])
    assert some.columns["label"].tolist() == [2, 1]
    assert some.particles["pdgid"].tolist() == [-211, 22, 211]


def test_vector_understands_what_it_gets(jets):
    import vector

    vector.register_awkward()
    assert ak.to_list(jets.to_awkward().constituents.pt) == [[5.0, 50.0], [], [6.0]]


def test_lists_of_records_keep_their_other_fields():
    array = ak.Array([[{"pt": 50.0, "eta": 0.1, "phi": 0.2, "mass": 0.14, "charge": -1, "d0": 0.3}], []])
    jets = Jets.from_awkward(array)
    assert jets.pt.tolist() == [pytest.approx(50.0), 0.0]
    assert jets.particles["charge"].tolist() == [-1]
    assert jets.particles["d0"].tolist() == [0.3]


def test_one_list_per_coordinate_as_in_a_tree():
    array = ak.Array({"part_px": [[3.0], [0.0]], "part_py": [[4.0], [6.0]], "part_pz": [[0.0], [8.0]]})
    array["part_energy"], array["part_charge"], array["label"] = [[5.0], [10.0]], [[1], [0]], [0, 1]
    jets = Jets.from_awkward(array)
    np.testing.assert_array_equal(jets.momenta, P4[[0, 2]])
    assert jets.particles["part_charge"].tolist() == [1, 0]
    assert jets.columns["label"].tolist() == [0, 1]


def test_fields_can_be_named():
    array = ak.Array({"a": [[3.0]], "b": [[4.0]], "c": [[0.0]], "d": [[5.0]]})
    jets = Jets.from_awkward(array, map={"px": "a", "py": "b", "pz": "c", "E": "d"})
    np.testing.assert_array_equal(jets.momenta, P4[:1])
    nested = ak.Array({"tracks": ak.zip({"a": [[3.0]], "b": [[4.0]], "c": [[0.0]], "q": [[1]]})})
    jets = Jets.from_awkward(nested, map={"px": "tracks.a", "py": "tracks.b", "pz": "tracks.c"})
    np.testing.assert_array_equal(jets.momenta, P4[:1])
    assert jets.particles["q"].tolist() == [1]


def test_coordinates_that_only_vector_knows():
    array = ak.Array([[{"rho": 5.0, "phi": 0.0, "theta": np.pi / 2, "t": 5.0, "charge": 1}]])
    jets = Jets.from_awkward(array)
    np.testing.assert_allclose(jets.momenta, [[5.0, 0.0, 0.0, 5.0]], atol=1e-12)
    assert jets.particles["charge"].tolist() == [1]


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (ak.Array([1.0, 2.0]), r"1 dimension\(s\) and no lists of particles; expected 2"),
        (ak.Array([[{"px": 1.0, "charge": 1}]]), "make no four-momentum; expected px, py, pz, E"),
        (ak.Array([[{"px": 3.0, "py": 4.0, "pz": 0.0, "E": None}]]), "field 'E' has missing values"),
        (ak.Array([[{"px": 3.0, "py": 4.0, "pz": 0.0, "E": 5.0, "hits": [1]}]]), "field 'hits' is a list per particle"),
        (
            ak.Array(
                {"a_px": [[1.0]], "a_py": [[1.0]], "a_pz": [[1.0]], "b_pt": [[1.0]], "b_eta": [[1.0]], "b_phi": [[1.0]]}
            ),
            "several fields make momenta: a_px, a_py, a_pz; b_pt, b_eta, b_phi; name those",
        ),
    ],
)
def test_what_makes_no_jets_is_told_apart(array, message):
    with pytest.raises(BadJetError, match=message):
        Jets.from_awkward(array)
