"""What is done to jets and events before a network reads them, in words."""

import pytest

from jetgram.export.description import steps
from jetgram.models.settings import ModelSettings

TREE = ["turn", "build", "compute"]


@pytest.mark.parametrize(
    ("choices", "expected"),
    [
        ({}, TREE),
        ({"preprocess": False}, TREE[1:]),
        ({"features": "lund", "preprocess": True, "trim": 0.1}, ["trim:", "turn", "clean:", "build", "compute"]),
        ({"input": "pixels"}, ["trim:", "make", "build", "compute"]),
        ({"input": "image", "trim": None}, ["make"]),
        ({"event": "jets", "hardest": 3}, ["find", *TREE]),
        ({"event": "jet-momenta"}, ["find"]),
        ({"event": "particles", "hardest": "all"}, ["take"]),
    ],
    ids=str,
)
def test_steps_in_their_order(choices, expected):
    assert [step.split()[0] for step in steps(ModelSettings(**choices).input)] == expected


def test_the_numbers_of_jets_are_said():
    found = list(steps(ModelSettings(event="jet-momenta", hardest=3, radius=0.8, min_pt=20.0).input))
    assert found == ["find anti-kt jets, R = 0.8; take the hardest 3 from 20 GeV, as found"]
    assert list(steps(ModelSettings(event="particles", hardest=50).input)) == ["take the hardest 50 particles"]
