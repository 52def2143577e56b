"""Inspection: every row counted once, in the library, in the terminal, as JSON and as a picture."""

import json

import numpy as np
import pytest

from jetgram import EventTagger, JetTagger, cli, inspection, kinematics
from jetgram.errors import BadJetError
from jetgram.levels import require_same_collisions
from jetgram.momenta import Events, Jets
from jetgram.plots import draw_summary
from jetgram.storage import dataset, parquet
from jetgram.storage.manifest import Manifest, Shard
from jetgram.storage.writer import DatasetWriter
from jetgram.trees.topologies import TOPOLOGIES, build_trees


@pytest.fixture(scope="module")
def stored(tmp_path_factory, qcd_jets):
    """A dataset of 150 jets in three shards, every third one signal, 40 of the 50 with their boson near."""
    folder = tmp_path_factory.mktemp("data") / "jets"
    folder.mkdir()
    label = (np.arange(150) % 3 == 0).astype(np.int8)
    boson_dr = np.where(label == 1, np.where(np.arange(150) < 120, 0.1, 2.0), np.nan)
    jets = Jets(qcd_jets.momenta, qcd_jets.offsets)[:150].with_columns(label=label, boson_dr=boson_dr)
    shards = []
    for number, (split, rows) in enumerate((("train", jets[:60]), ("train", jets[60:90]), ("test", jets[90:]))):
        file = folder / f"{split}-{number:05d}.parquet"
        file.write_bytes(parquet.encode(rows, {}))
        shards.append(Shard.describe(file, split))
    Manifest.seal(folder, "jets", shards, {"source": "a [test]", "settings": {"seed": 1, "lines": ["a = 1", "b = 2"]}})
    return folder, jets


def run(capsys, *arguments: object) -> str:
    with pytest.raises(SystemExit, match="0"):
        cli.main(["inspect", *map(str, arguments)])
    return capsys.readouterr().out


def test_counts_and_histograms_hold_every_row(stored) -> None:
    folder, jets = stored
    summary = inspection.inspect(folder)
    assert summary.counts == {
        "train": {"background": 60, "signal": 30},
        "test": {"background": 40, "signal": 20},
    }
    assert summary.rows == 150
    assert summary.matched == 0.8
    for histogram in summary.histograms.values():
        assert {name: counts.sum() for name, counts in histogram.counts.items()} == {"background": 100, "signal": 50}
    signal = jets.columns["label"] == 1
    assert summary.histograms["mass"].mean["signal"] == pytest.approx(jets.mass[signal].mean())
    assert summary.digest == dataset.Dataset(folder).digest


def test_depths_are_those_of_the_first_jets(stored) -> None:
    folder, jets = stored
    depths = inspection.inspect(folder, trees=70).depths
    assert depths.keys() == TOPOLOGIES.keys()
    for topology, found in depths.items():
        expected = build_trees(jets[:70], topology).depth
        assert found["mean"] == expected.mean()
        assert (found["min"], found["max"]) == (expected.min(), expected.max())
    assert inspection.inspect(folder, trees=0).depths == {}


def test_the_softest_constituents_of_each_class(stored) -> None:
    """Their spectrum shows what networks on logarithms could learn from the generator instead of the physics."""
    folder, jets = stored
    summary = inspection.inspect(folder)
    softest = np.array([kinematics.pt(jets[number]).min() for number in range(len(jets))])
    signal = jets.columns["label"] == 1
    assert summary.soft.keys() == {"background", "signal"}
    assert summary.soft["signal"] == {"1e-06": np.mean(softest[signal] < 1e-6), "0.1": np.mean(softest[signal] < 0.1)}
    assert 0 < summary.soft["background"]["0.1"] <= 1
    spectrum = summary.histograms["softest"]
    assert spectrum.log
    assert spectrum.edges[0] <= softest.min() <= softest.max() <= spectrum.edges[-1]
    assert inspection.softest(Events(jets.momenta[:3], np.array([0, 0, 3])))[0] == np.inf  # an event without particles


def test_the_terminal_shows_it_in_80_columns(stored, capsys, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    out = run(capsys, stored[0])
    assert "150 jets" in out
    assert "█" in out
    assert "truth-matched signal jets (ΔR < 1): 80.0%" in out
    assert "jets with a constituent below 1e-06 GeV: background 0.0%, signal 0.0%" in out
    assert "a [test]" in out
    assert "settings.lines" in out
    assert dataset.Dataset(stored[0]).digest in out
    assert max(map(len, out.splitlines()[2:-1])) <= 80


def test_json_holds_everything(stored, capsys) -> None:
    report = json.loads(run(capsys, stored[0], "--json"))
    assert report["counts"]["test"] == {"background": 40, "signal": 20}
    assert sum(report["histograms"]["pt"]["counts"]["signal"]) == 50
    assert report["depths"].keys() == TOPOLOGIES.keys()
    assert report["provenance"]["settings"]["seed"] == 1


def test_the_picture(stored, capsys, tmp_path) -> None:
    run(capsys, stored[0], "--out", tmp_path / "jets.png")
    assert (tmp_path / "jets.png").stat().st_size > 10_000


def test_events_and_rows_without_labels(tmp_path, qcd_events, capsys) -> None:
    dataset.save(tmp_path / "events", qcd_events[:20], {})
    summary = inspection.inspect(tmp_path / "events")
    assert summary.counts == {"train": {"all": 20}}
    assert summary.depths == {}
    assert summary.matched is None
    assert summary.histograms.keys() == {"sum_pt", "multiplicity", "softest"}
    printed = run(capsys, tmp_path / "events", "--out", tmp_path / "events.png")
    assert "20 events" in " ".join(printed.split())  # a long path wraps


@pytest.fixture
def named(tmp_path, qcd_jets):
    """Jets of three classes whose names are not in alphabetical order; none of the last is there."""
    jets = Jets(qcd_jets.momenta, qcd_jets.offsets)[:60]
    label = np.arange(60) % 3
    dataset.save(tmp_path / "three", jets.with_columns(label=label), {"classes": ["qcd", "b", "charm"]})
    dataset.save(tmp_path / "two", jets.with_columns(label=label // 2), {"classes": ["quark", "gluon"]})
    return tmp_path


def test_classes_have_the_names_of_the_dataset(named, capsys) -> None:
    summary = inspection.inspect(named / "three")
    assert list(summary.counts["train"].items()) == [("qcd", 20), ("b", 20), ("charm", 20)]
    assert list(summary.histograms["mass"].counts) == list(summary.soft) == ["qcd", "b", "charm"]
    assert [name for name in summary.separation if name.startswith("mass")] == ["mass: b vs qcd", "mass: charm vs qcd"]
    assert list(inspection.inspect(named / "three", classes=["x", "y", "z"]).soft) == ["x", "y", "z"]
    printed = run(capsys, named / "three", "--out", named / "three.png")
    assert "qcd, mean" in printed
    assert "class 2" not in printed


def test_labels_that_are_not_whole_are_no_classes(tmp_path, qcd_jets) -> None:
    """As they may be in a dataset that others have written."""
    jets = Jets(qcd_jets.momenta, qcd_jets.offsets)[:20].with_columns(label=np.full(20, 0.5))
    with DatasetWriter(tmp_path / "half", "jets", {}) as writer:
        writer.add(jets)
    with pytest.raises(BadJetError, match=r"jet 0: the label is 0.5; expected the number of a class"):
        inspection.inspect(tmp_path / "half")
    assert inspection.inspect(tmp_path / "half", label="").counts == {"train": {"all": 20}}


def test_one_number_separates_named_classes(named, capsys) -> None:
    summary, jets = inspection.inspect(named / "two"), dataset.read(named / "two")
    gluon = jets.columns["label"] == 1
    assert summary.separation["mass"].auc == pytest.approx(
        np.mean(jets.mass[gluon][:, None] > jets.mass[~gluon]), abs=1e-9
    )
    printed = run(capsys, named / "two")
    for each in summary.separation.values():
        more = "-" if abs(each.auc - 0.5) <= each.error else "gluon" if each.auc > 0.5 else "quark"
        line = next(line for line in printed.splitlines() if line.startswith(each.label) and " ± " in line)
        assert line.split()[-1] == more
    assert {each.auc > 0.5 for each in summary.separation.values()} == {True, False}


def with_photons(jets, which):
    """Half of these jets have an ultra-soft photon."""
    which = which & (np.arange(len(jets)) // 3 % 2 == 0)
    photon = np.array([[1e-9, 0.0, 0.0, 1e-9]])
    parts = [np.concatenate([jets[n].reshape(-1, 4), photon[: int(which[n])]]) for n in range(len(jets))]
    return Jets(np.concatenate(parts), np.cumsum([0, *map(len, parts)]), jets.columns)


@pytest.mark.parametrize(("classes", "pair"), [(("qcd", "top"), ""), (("qcd", "w", "top"), ": top vs qcd")])
def test_ultrasoft_constituents_of_one_class_are_a_warning(tmp_path, qcd_jets, capsys, classes, pair) -> None:
    """Planted in the last class alone; jets of no known class do not matter."""
    jets = Jets(qcd_jets.momenta, qcd_jets.offsets)[:240]
    label = np.arange(240) % len(classes)
    soft = with_photons(jets.with_columns(label=np.where(np.arange(240) < 6, -1, label)), label == len(classes) - 1)
    dataset.save(tmp_path / "jets", soft, {"classes": list(classes)})
    found = inspection.inspect(tmp_path / "jets").separation
    assert {name for name, each in found.items() if name.startswith("ultrasoft") and each.warning} == {
        f"ultrasoft{pair}"
    }
    assert found[f"ultrasoft{pair}"].more == "top"
    printed = " ".join(run(capsys, tmp_path / "jets", "--trees", 0).split())
    what = f"warning: fraction of constituents below 1e-06 GeV{pair} alone has AUC "
    assert what in printed
    assert "leave out constituents below 0.1 GeV before taking logarithms" in printed.split(what)[1]
    assert printed.count("constituents below 1e-06 GeV: w vs qcd alone") == 0


@pytest.fixture
def shown(monkeypatch):
    """The figures that `jetgram show` saves."""
    figures = []
    monkeypatch.setattr("jetgram.plots.save_figure", lambda figure, out: figures.append(figure))
    return figures


def test_headlines_name_the_class(named, qcd_events, shown) -> None:
    """Of jets and events, with a model and without; a name is no formula and no markup."""
    events, classes = qcd_events[:40], ["a", r"$\frac$"]
    dataset.save(named / "events", events.with_columns(label=np.arange(40) % 2), {"classes": classes})
    jets = dataset.read(named / "two")
    JetTagger(topology="kt", epochs=1, validation=20).fit(jets, jets.columns["label"]).save(named / "model")
    EventTagger(epochs=1, validation=10).fit(events, np.arange(40) % 2).save(named / "of-events")
    for arguments, headline in (
        (["three", "--jet", "5"], "jet 5 (charm),"),
        (["three", "--jet", "5", "--topology", "all"], "jet 5 (charm),"),
        (["two", "--jet", "2", "--model", str(named / "model")], "jet 2 (gluon),"),
        (["events", "--event", "3"], r"event 3 (\$\frac\$),"),
        (["events", "--event", "2", "--model", str(named / "of-events")], "event 2 (a),"),
    ):
        with pytest.raises(SystemExit, match="0"):
            cli.main(["show", str(named / arguments[0]), *arguments[1:]])
        assert shown[-1].get_suptitle().startswith(headline)
        shown[-1].canvas.draw()


def test_events_without_transverse_momentum_are_not_drawn(tmp_path, capsys) -> None:
    dataset.save(tmp_path / "beam", Events(np.array([[0.0, 0, 50, 50], [0, 0, 20, 20.1]]), np.array([0, 2])), {})
    with pytest.raises(SystemExit, match="1"):
        cli.main(["show", str(tmp_path / "beam"), "--event", "0", "--out", str(tmp_path / "x.png")])
    assert "jet 0 has pT = 0; expected jets with a direction" in capsys.readouterr().err


def test_odd_names_of_classes(tmp_path, qcd_jets, capsys) -> None:
    """One class alone, names that a picture would take for formulas, and what are no names at all."""
    jets = Jets(qcd_jets.momenta, qcd_jets.offsets)[:30]
    zeros, both = jets.with_columns(label=np.zeros(30, int)), jets.with_columns(label=np.arange(30) % 2)
    dataset.save(tmp_path / "one", zeros, {"classes": ["qcd"]})
    assert inspection.inspect(tmp_path / "one").counts == {"train": {"qcd": 30}}
    dataset.save(tmp_path / "odd", both, {"classes": ["_a", r"$\frac$"]})
    summary = inspection.inspect(tmp_path / "odd")
    figure = draw_summary(summary)
    figure.canvas.draw()
    assert [text.get_text().lstrip("\u200b") for text in figure.axes[0].get_legend().get_texts()] == [
        "_a",
        r"\$\frac\$",
    ]
    for number, wrong in enumerate([2, "ab", [0, 1], {"a": 1}, ["a", "a"]]):
        dataset.save(tmp_path / str(number), both, {"classes": wrong})
        assert inspection.inspect(tmp_path / str(number)).counts == {"train": {"background": 15, "signal": 15}}


def test_show_draws_jets_and_the_hardest_jet_of_events(stored, tmp_path, qcd_events, capsys) -> None:
    dataset.save(tmp_path / "events", qcd_events[:5], {})
    for data, row in ((stored[0], -1), (tmp_path / "events", 3)):
        with pytest.raises(SystemExit, match="0"):
            cli.main(["show", str(data), "--jet", str(row), "--out", str(tmp_path / f"{row}.png")])
        assert (tmp_path / f"{row}.png").stat().st_size > 10_000
    assert "jet 149 of" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--jet", "150"], "has 150 jets; there is no number 150"),
        (["--topology", "anti-kt"], "no topology 'anti-kt'; did you mean 'antikt'?"),
        (["--split", "tset"], "has no split 'tset'; it has: train, test"),
    ],
)
def test_show_says_what_is_wrong(stored, tmp_path, capsys, arguments: list[str], message: str) -> None:
    with pytest.raises(SystemExit, match="1"):
        cli.main(["show", str(stored[0]), "--out", str(tmp_path / "jet.png"), *arguments])
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "noted", [None, "by hand", {"sample": "mine"}, {"sample": {}}, {"sample": None}, {"level": "towers"}, ["a", "list"]]
)
def test_people_may_note_what_they_like(noted, qcd_jets, tmp_path) -> None:
    """`recipe` is what `jetgram generate` writes, but nobody else has to know that."""
    stored = dataset.save(tmp_path / "mine", Jets(qcd_jets.momenta, qcd_jets.offsets)[:5], {"recipe": noted}, "test")
    assert stored.sample == ""
    assert inspection.sample_title(stored.provenance, "mine") == "mine"
    assert require_same_collisions(stored, stored) is None
