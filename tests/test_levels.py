"""Two levels of the same collisions: rows find each other by event, whatever their order and whatever is missing."""

import json

import numpy as np
import pytest

from jetgram import cli
from jetgram.errors import DatasetError
from jetgram.levels import compare_levels
from jetgram.momenta import Jets
from jetgram.plots import draw_levels, save_figure
from jetgram.storage import parquet
from jetgram.storage.dataset import save
from jetgram.storage.manifest import Manifest, Shard

RECIPE = {"sample": {"name": "toy", "rows": "jets"}, "seed": 1, "rows": 150}
FACTOR = 0.9  # of all momenta at the second level
OTHER = 30  # collisions whose second jet is another one
LOST = 10  # collisions without a jet at the second level


def store(folder, parts, level, **changes):
    folder.mkdir(parents=True)
    shards = []
    for number, (split, jets) in enumerate(parts):
        file = folder / f"{split}-{number:05d}.parquet"
        file.write_bytes(parquet.encode(jets, {}))
        shards.append(Shard.describe(file, split))
    Manifest.seal(folder, "jets", shards, {"recipe": {**RECIPE, **changes, "level": level}})
    return folder


def second_level(jets, rng):
    """Momenta times a factor, the last jets back to back to what they were, the first ones lost, in another order."""
    momenta = FACTOR * jets.momenta
    first = jets.offsets[-1 - OTHER]
    momenta[first:, :3] *= -1
    seen = Jets(momenta, jets.offsets, jets.columns)[LOST:]
    return seen[rng.permutation(len(seen))]


@pytest.fixture(scope="module")
def levels(tmp_path_factory, qcd_jets):
    """150 jets in two shards at two levels, every third one signal."""
    folder, rng = tmp_path_factory.mktemp("levels"), np.random.default_rng(1)
    event = 1000 + rng.permutation(150)
    jets = Jets(qcd_jets.momenta, qcd_jets.offsets)[:150]
    jets = jets.with_columns(label=(np.arange(150) % 3 == 0).astype(np.int8), event=event)
    parts = (("train", jets[:70]), ("test", jets[70:]))
    store(folder / "particles", parts, "particles")
    store(folder / "towers", [(split, second_level(part, rng)) for split, part in parts], "towers")
    return folder


def test_rows_find_each_other(levels):
    found = compare_levels(levels / "particles", levels / "towers")
    assert found.levels == ("particles", "towers")
    assert (found.matched, found.alone) == (150 - 2 * LOST, (2 * LOST, 0))
    assert sum(each.jets for each in found.classes.values()) == found.matched
    for each in found.classes.values():
        assert (each.pt, each.mass) == (pytest.approx(FACTOR), pytest.approx(FACTOR))
        assert each.pt_resolution == pytest.approx(0, abs=1e-12)
    same = sum(each.same * each.jets for each in found.classes.values())
    assert same == pytest.approx(found.matched - 2 * OTHER)
    assert found.histograms["pt"].counts["signal"].sum() == pytest.approx(
        found.classes["signal"].same * found.classes["signal"].jets
    )
    assert sum(counts.sum() for counts in found.histograms["delta_r"].counts.values()) == found.matched


def test_the_other_way_round_is_the_inverse(levels):
    found = compare_levels(levels / "towers", levels / "particles")
    assert found.alone == (0, 2 * LOST)
    assert found.classes["background"].pt == pytest.approx(1 / FACTOR)


def test_resolution_is_half_the_central_68_percent(tmp_path, qcd_jets):
    jets = Jets(qcd_jets.momenta, qcd_jets.offsets)[:100].with_columns(event=np.arange(100))
    ratios = np.linspace(0.5, 1.5, 100)
    smeared = Jets(jets.momenta * np.repeat(ratios, jets.multiplicity)[:, None], jets.offsets, jets.columns)
    for level, rows in (("particles", jets), ("towers", smeared)):
        save(tmp_path / level, rows, {})
    (found,) = compare_levels(tmp_path / "particles", tmp_path / "towers").classes.values()
    assert found.pt == pytest.approx(1.0)
    assert found.pt_resolution == pytest.approx(0.34, abs=1e-3)
    assert found.same == 1.0


def test_a_jet_without_mass_has_no_response_in_mass(tmp_path):
    light = Jets(np.array([[3.0, 4.0, 0.0, 5.0]] * 2), np.array([0, 1, 2]), {"event": np.arange(2)})
    for level in ("my_jets", "$b"):
        save(tmp_path / level, light, {})
    found = compare_levels(tmp_path / "my_jets", tmp_path / "$b")
    (response,) = found.classes.values()
    assert response.pt == 1.0
    assert np.isnan(response.mass)
    save_figure(draw_levels(found), tmp_path / "levels.png")  # names that mathematics would misread


def run(capsys, *arguments, code=0):
    with pytest.raises(SystemExit) as end:
        cli.main(["inspect", *map(str, arguments)])
    captured = capsys.readouterr()
    assert end.value.code == code, captured.err
    return captured.out, " ".join(captured.err.split())


def test_the_command(levels, capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    out, _ = run(capsys, levels / "particles", levels / "towers", "--out", tmp_path / "levels.png")
    assert "130 collisions with a jet in both; 20 only in particles, 0 only in towers" in " ".join(out.split())
    assert "0.900" in out
    assert max(map(len, out.splitlines()[3:])) <= 80
    assert (tmp_path / "levels.png").stat().st_size > 10_000
    report = json.loads(run(capsys, levels / "particles", levels / "towers", "--json")[0])
    assert report["classes"]["signal"]["pt"] == pytest.approx(FACTOR)


def test_what_cannot_be_compared(levels, tmp_path, qcd_jets, qcd_events, capsys):
    jets = Jets(qcd_jets.momenta, qcd_jets.offsets)[:4]
    numbered = jets.with_columns(event=np.arange(4))
    parts = [("train", numbered[:2]), ("test", numbered[2:])]
    cases = {
        "another-seed": (store(tmp_path / "another-seed", parts, "towers", seed=2), "their seed is 1 and 2"),
        "other-shards": (store(tmp_path / "other-shards", parts[:1], "towers"), "only one has test-00001.parquet"),
        "other-events": (store(tmp_path / "other-events", parts, "towers"), "no collision has a jet in both"),
    }
    sample = store(tmp_path / "sample", parts, "towers", sample={"name": "top", "rows": "jets"})
    cases["sample"] = (sample, "not made of the same collisions: their sample.name is toy and top")
    twice = [("train", numbered[[0, 0]]), ("test", numbered[2:])]
    cases["twice"] = (
        store(tmp_path / "twice", twice, "towers"),
        "has 2 jets of event 0; expected one of each collision",
    )
    nameless = [("train", jets[:2]), ("test", jets[2:])]
    cases["nameless"] = (store(tmp_path / "nameless", nameless, "towers"), "has no column 'event', which numbers")
    save(tmp_path / "events", qcd_events[:5], {})
    cases["events"] = (tmp_path / "events", "holds events; levels are compared jet by jet")
    for folder, message in cases.values():
        with pytest.raises(DatasetError, match=message):
            compare_levels(levels / "particles", folder)
    _, err = run(capsys, levels / "particles", tmp_path / "nameless", code=1)
    assert err.startswith("error: ")
    assert "`jetgram generate` writes it" in err
