"""The frozen numbers of the published implementation, one by one and through the script that users run."""

from pathlib import Path

import golden
import golden_networks
import numpy as np
import pytest
from arrays import read_npz

FROZEN = Path(golden.__file__).with_name("reference.npz")


@pytest.fixture
def changed(tmp_path):
    """A function that writes the frozen file with some arrays replaced, or left out where None."""

    def write(**changes: np.ndarray | None) -> str:
        arrays = {**np.load(FROZEN), **changes}
        path = tmp_path / "changed.npz"
        np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
        return str(path)

    return write


@pytest.mark.parametrize("part", golden.PARTS, ids=lambda part: part.name)
def test_the_published_numbers(part):
    for row in part.compare(read_npz(FROZEN)):
        assert row.passed, row


def test_the_script_says_that_they_are_reproduced(capsys):
    assert golden.main([str(FROZEN)]) == 0
    printed = capsys.readouterr().out
    assert "order of children" in printed
    assert "feature theta" in printed
    assert "gated native float32: dL/dW_z" in printed
    assert "FAILED" not in printed


@pytest.mark.parametrize("name", ["node_momenta", "features", "gated_grad_W_z"])
def test_a_small_deviation_fails(changed, capsys, name):
    array = np.load(FROZEN)[name].copy()
    array[7, 1] += 3e-10 * max(1.0, abs(array[7, 1]))
    assert golden.main([changed(**{name: array})]) == 1
    assert capsys.readouterr().out.count("FAILED") == 1


@pytest.mark.parametrize("name", ["simple_embedding", "gated_grad_b_r"])
def test_a_deviation_of_single_precision_fails(changed, capsys, name):
    array = np.load(FROZEN)[name].copy()
    array.flat[3] += 2e-5 * np.abs(array).max()
    assert golden.main([changed(**{name: array})]) == 1
    assert capsys.readouterr().out.count("FAILED") == len(golden_networks.ENGINES)


def test_one_swapped_pair_of_children_fails(changed, capsys):
    children = np.load(FROZEN)["children_hardest_first"].copy()
    children[-1] = children[-1, ::-1]
    assert golden.main([changed(children_hardest_first=children)]) == 1
    assert "order of children" in capsys.readouterr().out


def test_a_number_that_is_none_fails(changed):
    features = np.load(FROZEN)["features"].copy()
    features[0, 0] = np.nan
    assert golden.main([changed(features=features)]) == 1


def test_a_wrong_shape_fails(changed, capsys):
    assert golden.main([changed(features=np.zeros((3, 7)))]) == 1
    assert "shape (2400, 7)" in capsys.readouterr().out


def test_missing_arrays_are_named(changed, capsys):
    assert golden.main([changed(features=None)]) == 0
    assert "not compared: features: the file has no features" in capsys.readouterr().out
    assert golden.main([changed(n_leaves=None)]) == 2
    assert "nothing to compare; trees: the file has no n_leaves" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["absent", "text", "cut", "flipped"])
def test_files_that_cannot_be_used(tmp_path, capsys, kind):
    path = tmp_path / "file.npz"
    data = bytearray(FROZEN.read_bytes())
    if kind == "text":
        path.write_text("px py pz E")
    elif kind == "cut":
        path.write_bytes(data[: len(data) // 2])
    elif kind == "flipped":
        data[5000] ^= 1
        path.write_bytes(data)
    assert golden.main([str(path)]) == 2
    assert f"error: {path}" in capsys.readouterr().err


def test_trees_that_are_none(changed, capsys):
    children = np.load(FROZEN)["children"].copy()
    children[-1] = -1
    assert golden.main([changed(children=children)]) == 2
    assert "children come before their parents" in capsys.readouterr().err
