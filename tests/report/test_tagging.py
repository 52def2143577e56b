"""The report on taggers: read as a program, and in a real browser."""

import itertools
import json
import re
import shutil
from html.parser import HTMLParser

import numpy as np
import pytest
from playwright.sync_api import expect

from jetgram.cli import main
from jetgram.errors import EvaluationError, SettingsError, SuspiciousJetsWarning, TrainingError
from jetgram.evaluation.evaluate import evaluate
from jetgram.evaluation.predict import predict_dataset
from jetgram.evaluation.scores import Scores
from jetgram.evaluation.selection import Window
from jetgram.models.importance import node_importance
from jetgram.models.model import JetModel
from jetgram.models.recipes import TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.models.store import load_model
from jetgram.momenta import Jets
from jetgram.plots import draw_importance, save_figure
from jetgram.plots.jet import IMPORTANCE
from jetgram.report import write_report
from jetgram.report.contestants import TrainedModel
from jetgram.storage.dataset import Dataset, save
from jetgram.training.job import Job
from jetgram.training.train import train


class Page(HTMLParser):
    """Tags with their attributes, and all text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text.append(data.strip())

    def of(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def folder(qcd_jets, tmp_path_factory):
    """A dataset with both splits, two trained models, and the report on them."""
    folder = tmp_path_factory.mktemp("report")
    jets = Jets(qcd_jets.momenta, qcd_jets.offsets)
    jets = jets.with_columns(label=(jets.pt > np.median(jets.pt)).astype(np.int8))
    half = np.arange(len(jets)) % 2 == 0
    save(folder / "jets", {"train": jets[half], "test": jets[~half]}, {"source": "<tests> & more"})
    recipe = TrainingSettings(epochs=2, validation=40, rate=0.005)
    for cell in ("simple", "gated"):
        train(Job(folder / "jets", folder / f"{cell}-kt", ModelSettings(cell=cell, hidden=5), recipe))
    write_report(
        folder / "jets", [folder / "simple-kt", folder / "gated-kt"], folder / "report.html", Window.everything()
    )
    return folder


@pytest.fixture(scope="module")
def page(folder):
    return Page((folder / "report.html").read_text())


def test_the_page_needs_nothing_from_outside(folder, page):
    assert not page.of("img")  # pictures that cannot follow the reader's scheme
    assert not any("src" in attributes for attributes in page.of("script"))
    assert not page.of("link")
    style = (folder / "report.html").read_text().split("</style>")[0]
    assert "@import" not in style
    assert "url(" not in style


def plots_of(page):
    return [attributes for attributes in page.of("div") if attributes.get("class") == "plot"]


def test_every_picture_is_described(page):
    assert len(plots_of(page)) > 20
    assert all(len(attributes["aria-label"]) > 5 and attributes["role"] == "img" for attributes in plots_of(page))


def test_headings_are_in_order(page):
    levels = [int(tag[1]) for tag, _ in page.tags if tag in ("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))


def test_axes_have_symbols_and_units_and_plots_name_the_sample(folder):
    text = (folder / "report.html").read_text()
    specs = [json.loads(each) for each in re.findall(r'<script type="application/json">(.*?)</script>', text, re.S)]
    panels = [spec for spec in specs if "layout" in spec]
    axes = {spec["layout"].get(name, {}).get("title", {}).get("text") for spec in panels for name in ("xaxis", "yaxis")}
    pt, kt = "<i>p</i><sub>T</sub>", "<i>k</i><sub>T</sub>"
    assert {f"jet {pt} [GeV]", "jet mass <i>m</i> [GeV]", "ln 1/Δ", f"ln {kt}/GeV"} <= axes
    assert "signal efficiency <i>ε</i><sub>S</sub>" in axes
    assert sum(spec["sample"] == "jets" for spec in panels) == len(panels) - 3  # all but the training curves
    softest = next(spec for spec in panels if spec["layout"]["xaxis"].get("type") == "log")
    assert softest["layout"]["xaxis"]["title"]["text"] == f"{pt} [GeV]"
    assert softest["layout"]["xaxis"]["dtick"] == 1  # one label per decade


def test_all_contestants_are_in_the_table(page):
    for name in ("simple-kt", "gated-kt", "tau21", "mass + tau21"):
        assert name in page.text


def test_models_of_one_name_are_told_apart(folder, tmp_path):
    for place in ("a", "b"):
        shutil.copytree(folder / ("simple-kt" if place == "a" else "gated-kt"), tmp_path / place / "model")
    models = [tmp_path / place / "model" for place in ("a", "b")]
    write_report(folder / "jets", models, tmp_path / "report.html", Window.everything())
    text = Page((tmp_path / "report.html").read_text()).text
    assert {str(model) for model in models} <= set(text)
    with pytest.raises(SettingsError, match="model is given more than once"):
        write_report(folder / "jets", [models[0], models[0]], tmp_path / "twice.html")


def test_foreign_text_stays_text(folder):
    assert "<tests>" not in (folder / "report.html").read_text()
    assert "&lt;tests&gt; &amp; more" in (folder / "report.html").read_text()


def test_the_numbers_are_those_of_evaluate(folder, page):
    scores = predict_dataset(load_model(folder / "gated-kt"), Dataset(folder / "jets"), "test", name="gated-kt")
    (gated,) = evaluate([scores], Window.everything()).models
    assert f"{gated.auc.mean:.3f} ± {gated.errors.auc:.3f}" in page.text


def test_without_models_there_is_no_report(folder):
    with pytest.raises(EvaluationError, match="no models"):
        write_report(folder / "jets", [], folder / "none.html")


def test_the_command_and_the_users_window(folder, capsys):
    arguments = ["report", str(folder / "jets"), str(folder / "gated-kt"), "--out", str(folder / "cli.html")]
    with pytest.raises(SystemExit) as end:
        main([*arguments, "--pt", "20", "900", "--mass", "0", "500"])
    assert end.value.code == 0
    out = capsys.readouterr().out
    assert "mass + tau21" in out
    assert "20 < pT < 900 GeV, 0 <= m <= 500 GeV, flat in pT" in out
    assert out.strip().endswith("cli.html")
    with pytest.raises(SystemExit) as end:
        main(["report", str(folder / "jets"), str(folder / "nothing")])
    assert end.value.code == 1
    assert "nothing" in capsys.readouterr().err
    with pytest.raises(SystemExit) as end:
        main([*arguments, "--pt", "20", "900", "--all-pt"])
    assert end.value.code == 2
    with pytest.raises(SystemExit) as end:
        main([*arguments, "--pt", "900", "20"])
    assert end.value.code == 1
    assert "expected two finite numbers, the lower before the upper" in capsys.readouterr().err


def test_a_jet_as_the_model_sees_it(folder, capsys):
    picture = folder / "seen.png"
    arguments = ["show", str(folder / "jets"), "--jet", "3", "--split", "test", "--out", str(picture)]
    with pytest.raises(SystemExit) as end:
        main([*arguments, "--model", str(folder / "gated-kt")])
    assert end.value.code == 0
    assert "gated-kt sees it" in capsys.readouterr().out
    jet = Dataset(folder / "jets").row(3, "test")
    figure = draw_importance(node_importance(load_model(folder / "gated-kt"), jet, 3), jet, 3)
    labels = [axes.get_ylabel() for sub in figure.subfigs for axes in sub.axes]
    assert IMPORTANCE in labels
    save_figure(figure, folder / "again.png")
    assert (folder / "again.png").read_bytes() == picture.read_bytes()


def test_a_browser_shows_it(folder, visit, phone):
    page = visit(folder / "report.html", **phone)
    assert page.evaluate("document.documentElement.scrollWidth") == phone["viewport"]["width"]
    expect(page.locator(".plot .scatterlayer").first).to_be_visible()
    expect(page.locator(".plot .heatmaplayer image").first).to_be_visible()
    expect(page.locator(".headline")).to_have_text(re.compile("^Jet "))
    page.get_by_role("button", name="next").tap()
    expect(page.locator(".steps output")).to_have_text("2 of 24")
    page.get_by_role("radio", name="anti-kt").check()
    expect(page.locator(".headline")).to_contain_text("anti-kt tree")
    page.get_by_text("The same for simple-kt").tap()
    page.wait_for_function(
        "[...document.querySelectorAll('details .heatmaplayer image')].some(i => i.width.baseVal.value > 80)"
    )
    assert page.evaluate("document.documentElement.scrollWidth") == phone["viewport"]["width"]
    sizes = page.locator(".plot text").evaluate_all("all => all.map(t => parseFloat(getComputedStyle(t).fontSize))")
    assert min(size for size in sizes if size) >= 10  # CSS pixels, as nothing is scaled down


def test_classes_in_another_order_are_refused(qcd_jets, tmp_path):
    """The baselines and the data would be shown with the dataset's numbers under the model's names."""
    jets = Jets(qcd_jets.momenta, qcd_jets.offsets)
    jets = jets.with_columns(label=(jets.pt > np.median(jets.pt)).astype(np.int8))
    half = np.arange(len(jets)) % 2 == 0
    for folder, classes in (("jets", ["soft", "hard"]), ("other", ["hard", "soft"])):
        save(tmp_path / folder, {"train": jets[half], "test": jets[~half]}, {"classes": classes})
    recipe = TrainingSettings(epochs=1, batch=64, validation=40)
    settings = ModelSettings(classes=("soft", "hard"), hidden=4)
    train(Job(tmp_path / "jets", tmp_path / "model", settings, recipe))
    with pytest.raises(TrainingError, match="other has the classes hard, soft; this model learns soft, hard"):
        write_report(tmp_path / "other", [tmp_path / "model"], tmp_path / "report.html", Window.everything())


def test_several_classes(qcd_jets, tmp_path, capsys):
    """From a dataset with three labels to a model, its scores, their evaluation and the report."""
    classes = ("soft", "medium", "hard")
    jets = Jets(qcd_jets.momenta, qcd_jets.offsets)
    label = np.searchsorted(np.quantile(jets.pt, [1 / 3, 2 / 3]), jets.pt).astype(np.int8)
    jets = jets.with_columns(label=label)
    half = np.arange(len(jets)) % 2 == 0
    save(tmp_path / "jets", {"train": jets[half], "test": jets[~half]}, {"source": "tests"})
    recipe = TrainingSettings(epochs=10, batch=16, validation=40, rate=0.01)
    train(Job(tmp_path / "jets", tmp_path / "three", ModelSettings(classes=classes, hidden=8), recipe))
    pairs = [f"three: {pair}" for pair in ("medium vs soft", "hard vs soft", *(f"{name} vs rest" for name in classes))]
    found = write_report(tmp_path / "jets", [tmp_path / "three"], tmp_path / "three.html", Window.everything())
    assert [model.model for model in found.models] == pairs
    assert found.models[1].auc.mean > 0.95, "hard jets are told from soft ones"
    page = Page((tmp_path / "three.html").read_text())
    assert {"three: hard vs soft", "three: soft vs rest"} <= set(page.text)
    assert set(classes) <= set(page.text), "the classes of the data have their names"
    assert '"class":"medium"' in (tmp_path / "three.html").read_text()
    scores = tmp_path / "three.parquet"
    for command in (
        ["predict", str(tmp_path / "three"), str(tmp_path / "jets"), "--out", str(scores), "--name", "three"],
        ["evaluate", str(scores), "--all-pt", "--bootstrap", "0"],
    ):
        with pytest.raises(SystemExit) as stop:
            main(command)
        assert stop.value.code == 0
    printed = capsys.readouterr().out
    assert all(pair in printed for pair in pairs)


@pytest.fixture(scope="module")
def three_classes(qcd_jets, tmp_path_factory):
    """Jets of three classes without names, with three names, with other names; and two models of two classes."""
    folder = tmp_path_factory.mktemp("classes")
    jets = Jets(qcd_jets.momenta, qcd_jets.offsets)[:240]
    jets = jets.with_columns(label=np.arange(len(jets)) % 3)
    splits = {"train": jets[:120], "test": jets[120:]}
    for name, classes in (("numbers", None), ("names", ["qcd", "w", "top"]), ("others", ["a", "b", "c"])):
        save(folder / name, splits, {"classes": classes})
    for name, labels in (("signal", None), ("w", ("qcd", "w"))):
        settings = ModelSettings(cell="simple", hidden=3, classes=labels)
        two = jets[jets.columns["label"] < 2]
        save(folder / f"two {name}", {"train": two, "test": two}, {"classes": list(labels) if labels else None})
        train(Job(folder / f"two {name}", folder / name, settings, TrainingSettings(epochs=1, validation=40)))
    return folder


@pytest.mark.parametrize(
    ("jets", "model", "match"),
    [
        ("numbers", "signal", "3 classes: background, signal, class 2; the model signal tells 2 apart: background, si"),
        ("names", "signal", "3 classes: qcd, w, top; the model signal tells 2 apart: background, signal; expected no"),
        ("others", "w", "3 classes: a, b, c; the model w tells 2 apart: qcd, w; .* train a model on this dataset"),
    ],
)
def test_more_classes_than_a_model_has_are_named(three_classes, jets, model, match):
    with pytest.raises(EvaluationError, match=match):
        write_report(three_classes / jets, [three_classes / model], three_classes / "none.html", Window.everything())
    assert not (three_classes / "none.html").exists()


def test_a_class_that_a_model_does_not_know_by_name_is_left_out(three_classes):
    with pytest.warns(SuspiciousJetsWarning, match="top counts as unknown|40 of 120 jets are of no class"):
        found = write_report(
            three_classes / "names", [three_classes / "w"], three_classes / "w.html", Window.everything()
        )
    assert [(seed.signal, seed.background) for seed in found.seeds] == [(40, 40)] * 3


def test_own_jets_need_no_training_split_and_any_target(folder, qcd_jets, tmp_path):
    """Jets of one's own count all, and the class may be in any column."""
    jets = Jets(qcd_jets.momenta, qcd_jets.offsets)[:120]
    label = (jets.pt > np.median(jets.pt)).astype(np.int8)
    recipe = TrainingSettings(epochs=1, validation=40, rate=0.005)
    save(tmp_path / "named", jets.with_columns(is_hard=label), {"source": "tests"})
    train(Job(tmp_path / "named", tmp_path / "model", ModelSettings(hidden=5, targets="is_hard"), recipe))
    save(tmp_path / "own", jets.with_columns(is_hard=label), {"source": "tests"}, split="test")
    found = write_report(tmp_path / "own", [tmp_path / "model"], tmp_path / "report.html")
    assert found.window == Window.everything()
    assert [model.model for model in found.models] == ["model", "tau21"], "mass + tau21 has nothing to learn from"
    assert [seed.signal for seed in found.seeds] == [label.sum()] * 2
    page = Page((tmp_path / "report.html").read_text())
    assert f"{label.sum():,} / {(1 - label).sum():,}" in page.text
    assert {"background", "signal"} <= set(page.text), "the data by the column that was learned"
    assert '"class":"signal"' in (tmp_path / "report.html").read_text()
    save(tmp_path / "labelled", jets.with_columns(label=label), {"source": "tests"}, split="test")
    found = write_report(tmp_path / "labelled", [folder / "gated-kt"], tmp_path / "report.html")
    assert [model.model for model in found.models] == ["gated-kt", "tau21"]
    named = tmp_path / "three-names"
    save(named, jets.with_columns(label=label), {"classes": ["quark", "gluon", "b"]}, split="test")
    write_report(named, [folder / "gated-kt"], tmp_path / "report.html")
    page = Page((tmp_path / "report.html").read_text())
    assert {"quark", "gluon"} <= set(page.text), "a model without names of classes takes those of the jets"
    assert '"class":"gluon"' in (tmp_path / "report.html").read_text()
    assert "of several outputs" not in (tmp_path / "report.html").read_text(), "it has one, whatever its jets are"


@pytest.mark.parametrize(
    ("own", "of_jets", "names"),
    [
        (None, ("quark", "gluon", "b"), ("quark", "gluon", "b")),
        (("qcd", "w"), ("background", "signal"), ("qcd", "w")),
        (("qcd", "w"), ("qcd", "w", "top"), ("qcd", "w", "top")),
        ((0, 1, 2), ("background", "signal"), ("0", "1", "2")),
    ],
)
def test_names_of_classes_of_model_and_jets(qcd_jets, tmp_path, own, of_jets, names):
    model = JetModel.untrained(ModelSettings(classes=own, hidden=4), Jets(qcd_jets.momenta, qcd_jets.offsets)[:20])
    scores = Scores.create({"score": [0.5]}, [1], [270.0], [80.0])
    assert TrainedModel("model", tmp_path, model, [], scores, of_jets).classes == names


def test_a_report_on_events(qcd_events, tmp_path):
    energy = qcd_events.total[:, 3]
    events = qcd_events.with_columns(label=(energy > np.median(energy)).astype(np.int8))
    half = np.arange(len(events)) % 2 == 0
    save(tmp_path / "events", {"train": events[half], "test": events[~half]}, {"source": "tests"})
    recipe = TrainingSettings(epochs=1, validation=20, rate=0.005)
    train(Job(tmp_path / "events", tmp_path / "net", ModelSettings(event="jets", hidden=5, state=5), recipe))
    found = write_report(tmp_path / "events", [tmp_path / "net"], tmp_path / "report.html")
    assert found.rows == "events"
    page = Page((tmp_path / "report.html").read_text())
    assert "R at 80 %" in page.text
    assert any("events of the test split" in text for text in page.text)
