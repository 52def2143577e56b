"""Events as sequences: cut, chosen and put into steps without losing a jet."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_trees import random_schedule

from jetgram.errors import BadJetError
from jetgram.inputs.sequences import EventSchedule
from jetgram.ragged import offsets_of


def events_of(lengths, trees=None):
    jets = np.arange(sum(lengths), dtype=np.float32)
    return EventSchedule(np.repeat(jets[:, None], 4, axis=1), offsets_of(np.array(lengths)), trees)


@given(st.lists(st.integers(1, 6), max_size=8), st.data())
def test_steps_end_with_the_hardest_jet_of_every_event(lengths, data):
    events = events_of(lengths)
    chosen = data.draw(st.lists(st.integers(0, len(lengths) - 1), max_size=9)) if lengths else []
    steps = events.steps(chosen)
    assert sorted(steps.counts) == steps.counts
    assert sum(steps.counts) == len(steps.jets)
    ends = np.cumsum(steps.counts)
    for event, position in zip(chosen, steps.position, strict=True):
        read = [steps.jets[end - n + position] for end, n in zip(ends, steps.counts, strict=True) if position < n]
        expected = np.arange(*events.offsets[event : event + 2])[::-1]  # softest first
        assert read == expected.tolist()


def test_choosing_events_takes_their_trees_along():
    trees = random_schedule([3, 1, 4, 1, 5, 9])
    some = events_of([2, 3, 1], trees)[[2, 0]]
    assert some.momenta[:, 0].tolist() == [5, 0, 1]
    assert np.diff(some.trees.offsets).tolist() == [17, 5, 1]
    assert len(events_of([2, 3, 1])[1]) == 1


def test_an_event_without_a_jet_is_named():
    with pytest.raises(BadJetError, match="event 2 has no jet; 2 of 4 such events"):
        events_of([1, 2, 0, 0])


def test_what_does_not_fit_together():
    with pytest.raises(BadJetError, match="with 3 jets have 2 trees"):
        events_of([1, 2], random_schedule([3, 1]))
    with pytest.raises(BadJetError, match=r"shape \(3, 3\)"):
        EventSchedule(np.zeros((3, 3)), np.array([0, 3]))
    with pytest.raises(IndexError, match="event -1 is not among the 2 events"):
        events_of([1, 2]).steps([-1, 2])
