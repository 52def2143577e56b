"""The report on taggers: read as a program, and in a real browser."""

from html.parser import HTMLParser

import numpy as np
import pytest

from jetgram.cli import main
from jetgram.display import save_figure
from jetgram.errors import EvaluationError
from jetgram.evaluation.selection import Window
from jetgram.models.recipe import TrainingSettings
from jetgram.models.settings import ModelSettings
from jetgram.models.store import load_model
from jetgram.momenta import Jets
from jetgram.report import write_report
from jetgram.report.importance import LABEL, draw_importance
from jetgram.storage.dataset import Dataset, save
from jetgram.training.train import Job, train


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
    sources = [attributes["src"] for attributes in page.of("img")]
    assert len(sources) >= 3
    assert all(source.startswith("data:image/png;base64,") for source in sources)
    assert not any("src" in attributes for attributes in page.of("script"))
    assert not page.of("link")
    style = (folder / "report.html").read_text().split("</style>")[0]
    assert "@import" not in style
    assert "url(" not in style


def test_every_picture_is_described(page):
    assert all(attributes["alt"] for attributes in page.of("img"))


def test_all_contestants_are_in_the_table(page):
    for name in ("simple-kt", "gated-kt", "tau21", "mass + tau21"):
        assert name in page.text


def test_foreign_text_stays_text(folder):
    assert "<tests>" not in (folder / "report.html").read_text()
    assert "&lt;tests&gt; &amp; more" in (folder / "report.html").read_text()


def test_the_numbers_are_those_of_evaluate(folder, page):
    report = write_report(folder / "jets", [folder / "gated-kt"], folder / "again.html", Window.everything())
    gated = report.models[0]
    assert gated.model == "gated-kt"
    assert f"{gated.auc.mean:.3f} ± {gated.errors.auc:.3f}" in page.text


def test_without_models_there_is_no_report(folder):
    with pytest.raises(EvaluationError, match="no models"):
        write_report(folder / "jets", [], folder / "none.html")


def test_the_command(folder, capsys):
    with pytest.raises(SystemExit) as end:
        main(["report", str(folder / "jets"), str(folder / "gated-kt"), "--all-pt", "--out", str(folder / "cli.html")])
    assert end.value.code == 0
    out = capsys.readouterr().out
    assert "mass + tau21" in out
    assert out.strip().endswith("cli.html")
    with pytest.raises(SystemExit) as end:
        main(["report", str(folder / "jets"), str(folder / "nothing")])
    assert end.value.code == 1
    assert "nothing" in capsys.readouterr().err


def test_a_jet_as_the_model_sees_it(folder, capsys):
    picture = folder / "seen.png"
    arguments = ["show", str(folder / "jets"), "--jet", "3", "--split", "test", "--out", str(picture)]
    with pytest.raises(SystemExit) as end:
        main([*arguments, "--model", str(folder / "gated-kt")])
    assert end.value.code == 0
    assert "gated-kt sees it" in capsys.readouterr().out
    figure = draw_importance(load_model(folder / "gated-kt"), Dataset(folder / "jets").row(3, "test"), 3)
    labels = [axes.get_ylabel() for sub in figure.subfigs for axes in sub.axes]
    assert LABEL in labels
    save_figure(figure, folder / "again.png")
    assert (folder / "again.png").read_bytes() == picture.read_bytes()


def test_a_browser_shows_it(folder, visit, phone):
    page = visit(folder / "report.html", **phone)
    assert page.evaluate("document.documentElement.scrollWidth") == phone["viewport"]["width"]
    assert page.locator(".plot .scatterlayer").first.is_visible()
    assert page.locator(".headline").inner_text().startswith("Jet ")
    page.get_by_role("button", name="next").tap()
    assert page.locator(".steps output").inner_text() == "2 of 24"
    page.get_by_role("radio", name="anti-kt").check()
    assert "anti-kt tree" in page.locator(".headline").inner_text()
