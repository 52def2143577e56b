import numpy as np
import pytest

import trees
from jetgram.kinematics import from_ptetaphim
from jetgram.trees.topologies import build_trees


def write(path, jets):
    np.savez(path, p4=jets.momenta, offsets=jets.offsets)
    return str(path)


def test_real_jets_pass(qcd_jets, tmp_path, capsys):
    assert trees.main([write(tmp_path / "jets.npz", qcd_jets[:50])]) == 0
    assert "passed" in capsys.readouterr().out


def test_a_few_generated_jets_pass(capsys):
    assert trees.main(["--jets", "5", "--seed", "2"]) == 0
    assert "passed" in capsys.readouterr().out


def test_other_trees_fail(qcd_jets, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(trees, "build_trees", lambda jets, algorithm: build_trees(jets, "desc-pt"))
    assert trees.main([write(tmp_path / "jets.npz", qcd_jets[:5])]) == 1
    printed = capsys.readouterr()
    assert "FAILED" in printed.out
    assert "kt: jet 0 differs from FastJet's history" in printed.err


def test_ties_and_pieces_are_counted_apart(qcd_jets):
    large = qcd_jets[qcd_jets.multiplicity >= 75][:5]
    twice = type(large)(np.repeat(large.momenta, 2, axis=0) / 2, 2 * large.offsets)
    found = trees.compare_all(twice, "ca")
    assert np.all(found.same | found.plain)
    assert np.any(found.plain)
    along_beam = type(large).from_lists([from_ptetaphim([1.0, 1.0], 0.0, 0.1), [[0, 0, 1, 1], [0, 0, -1, 1]]])
    np.testing.assert_array_equal(trees.compare_all(along_beam, "kt").joined, [True, False])


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"p4": np.ones((2, 4))}, "has no numbers offsets; found p4; expected p4, offsets"),
        ({"p4": np.array([["a"] * 4]), "offsets": np.array([0, 1])}, "has no numbers p4"),
        ({"p4": np.ones((2, 3)), "offsets": np.array([0, 2])}, "(2, 3)"),
        ({"p4": np.ones((2, 4)), "offsets": np.array([0, 3])}, "expected one dimension, from 0 to 2"),
        ({"p4": np.ones((1, 4)), "offsets": np.array([0, 1])}, "jet 0, particle 0: E < |p|"),
        ({"p4": np.ones((0, 4)), "offsets": np.array([0])}, "there are no jets"),
    ],
)
def test_wrong_files_are_explained(tmp_path, capsys, arrays, message):
    np.savez(tmp_path / "jets.npz", **arrays)
    assert trees.main([str(tmp_path / "jets.npz")]) == 2
    assert message in capsys.readouterr().err
