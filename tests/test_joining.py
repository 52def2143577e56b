"""What is joined has the same columns and the same treatment; tests/test_momenta.py has the round trip."""

import re

import numpy as np
import pytest

from jetgram.errors import BadJetError
from jetgram.joining import concatenate
from jetgram.momenta import Jets, Preprocessed
from jetgram.ragged import Ragged

P4 = np.array([[3.0, 4.0, 0.0, 5.0], [30.0, 40.0, 0.0, 50.0], [0.0, 6.0, 8.0, 10.0]])


def test_columns_of_different_types_keep_their_values() -> None:
    short = Jets(P4, np.array([0, 3]), {"name": np.array(["w"]), "label": np.array([1], dtype=np.int8)})
    both = concatenate([short, short.with_columns(name=np.array(["qcd"]), label=np.array([300.5])), short])
    assert both.columns["name"].tolist() == ["w", "qcd", "w"]
    assert both.columns["label"].tolist() == [1, 300.5, 1]


def test_jets_that_were_treated_differently_are_not_concatenated() -> None:
    parts = [Jets(P4, np.array([0, 3]), preprocessed=done) for done in (None, Preprocessed(0.05), None)]
    message = r"found Preprocessed\(trim=0.05\), jets as they were found together; expected jets .* treated alike"
    with pytest.raises(BadJetError, match=message):
        concatenate(parts)


@pytest.mark.parametrize("swapped", [False, True])
def test_columns_that_some_lack_are_named(swapped: bool) -> None:
    plain = Jets(P4, np.array([0, 3]), {"label": np.array([1])}, {"charge": np.ones(3)})
    lists = Ragged(np.ones((2, 1)), np.array([0, 2]))
    for other, words in (
        (Jets(P4, np.array([0, 3]), particles=plain.particles), "label (missing, one per row)"),
        (Jets(P4, np.array([0, 3]), plain.columns, ragged={"charge": lists}), "charge (lists of 1 per row, one per"),
        (plain.with_columns(label=np.ones((1, 2))), "label (2 per row, one per row)"),
        (plain.with_columns(label=np.array(["w"])), "label (a text per row, one per row)"),
    ):
        with pytest.raises(BadJetError, match=re.escape(f"found different columns together: {words}")):
            concatenate([other, plain] if swapped else [plain, other])
