import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from jetgram import kinematics
from jetgram.errors import BadJetError
from jetgram.momenta import Events, Jets
from jetgram.validity import drop_bad, faults, is_bad, is_physical, require_good, with_settled_energies

ANY_FLOAT = st.floats(width=64) | st.sampled_from([0.0, -0.0, 1.0, -1.0, 1e160, 1e308, np.inf, np.nan])


@given(arrays(np.float64, st.tuples(st.integers(0, 4), st.just(4)), elements=ANY_FLOAT))
def test_a_momentum_is_physical_or_has_a_fault(momenta):
    np.testing.assert_array_equal(is_physical(momenta), faults(momenta) == "")


@given(arrays(np.float64, st.tuples(st.integers(0, 4), st.just(4)), elements=ANY_FLOAT))
def test_a_group_is_bad_that_holds_an_unphysical_momentum(momenta):
    each = Events(momenta, np.arange(len(momenta) + 1))
    np.testing.assert_array_equal(is_bad(each), ~is_physical(momenta))


@pytest.mark.parametrize(
    ("momentum", "fault"),
    [
        ((1.0, 0.0, 0.0, np.nan), "NaN"),
        ((1.0, 0.0, -np.inf, 1.0), "inf"),
        ((1.0, 0.0, 0.0, -2.0), "E < 0"),
        ((3.0, 0.0, 4.0, 4.9), "E < |p|"),
        ((0.0, 0.0, 0.0, 0.0), "zero momentum"),
        ((0.0, 0.0, 0.0, 1e200), "too large"),
        ((3.0, 0.0, 4.0, np.float32(5.0) * (1 - 1e-7)), ""),
    ],
)
def test_each_fault_has_its_name(momentum, fault):
    assert faults(np.array([momentum], dtype=np.float64))[0] == fault


def test_an_empty_group_is_bad_unless_allowed():
    events = Events(np.array([[1.0, 0.0, 0.0, 1.0]]), np.array([0, 0, 1]))
    np.testing.assert_array_equal(is_bad(events), [True, False])
    with pytest.raises(BadJetError, match="event 0 is empty; 1 of 2 bad"):
        require_good(events, "event")
    require_good(events, "event", allow_empty=True)


def test_bad_jets_are_dropped_and_counted():
    jets = Jets(np.array([[1.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.5]]), np.array([0, 1, 2]))
    good, dropped = drop_bad(jets)
    assert (len(good), dropped) == (1, 1)


def test_the_number_is_that_among_all_jets():
    jets = Jets.from_lists([[[3.0, 0.0, 4.0, 5.0]], [[3.0, 0.0, 4.0, 4.0]], []])
    with pytest.raises(
        BadJetError, match=r"^jet 1001, particle 0: E < \|p\| in .*= \(3.0, 0.0, 4.0, 4.0\); 2 of 3 bad$"
    ):
        require_good(jets, first=1000)
    with pytest.raises(BadJetError, match="^jet 1001 is empty; 1 of 2 bad$"):
        require_good(jets[[0, 2]], first=1000)


def test_energies_in_double_precision_are_not_touched(qcd_jets):
    assert with_settled_energies(qcd_jets) is qcd_jets
    assert np.any(kinematics.momentum(qcd_jets.momenta) > qcd_jets.momenta[:, 3])


def test_energies_in_single_precision_are_settled(qcd_jets):
    single = Jets(qcd_jets.momenta.astype(np.float32), qcd_jets.offsets, {"event": qcd_jets.columns["event"]})
    settled = with_settled_energies(single)
    changed = settled.momenta[:, 3] != single.momenta[:, 3]
    assert 0.05 < changed.mean() < 0.5
    np.testing.assert_array_equal(settled.momenta[:, :3], single.momenta[:, :3])
    np.testing.assert_array_equal(settled.momenta[changed, 3], kinematics.momentum(single.momenta)[changed])
    assert np.all(kinematics.momentum(settled.momenta) <= settled.momenta[:, 3] * (1 + 1e-8))
    np.testing.assert_array_equal(settled.columns["event"], single.columns["event"])


def test_what_is_beyond_rounding_is_no_energy_to_settle():
    bad = Jets(np.array([[3.0, 0.0, 4.0, 4.999], [1.0, 0.0, 0.0, np.nan], [1.0, 0.0, 0.0, -1.0]]), np.array([0, 3]))
    np.testing.assert_array_equal(with_settled_energies(bad).momenta, bad.momenta)
