"""The jet explorer: its numbers, and how it answers to a mouse, to keys and to fingers in a real browser."""

import json
import re

import numpy as np
import pytest
from playwright.sync_api import expect

from jetgram import kinematics
from jetgram.errors import SettingsError
from jetgram.evaluation.scores import Scores
from jetgram.models.importance import node_importance
from jetgram.models.model import JetModel
from jetgram.models.settings import ModelSettings
from jetgram.momenta import Jets
from jetgram.plots.layout import FOOT, horizontal_positions
from jetgram.report.explorer import choose_jets, explorer
from jetgram.report.html import document, section
from jetgram.trees.topologies import TOPOLOGIES, build_trees

NUMBERS = (7, 3, 11, 5)


@pytest.fixture(scope="module")
def jets(qcd_jets):
    few = Jets(qcd_jets.momenta, qcd_jets.offsets)[list(NUMBERS)]
    return few.with_columns(label=np.array([1, 0, 1, 0], dtype=np.int8))


@pytest.fixture(scope="module")
def models(jets):
    settings = {"kt": ModelSettings(hidden=5), "gated": ModelSettings(cell="gated", hidden=4)}
    settings["random"] = ModelSettings(topology="random", hidden=5, tree_seed=3)
    return {f"<{name}>": JetModel.untrained(each, jets) for name, each in settings.items()}


@pytest.fixture(scope="module")
def html(jets, models):
    scores = {name: model.predict(jets)[:, 0] for name, model in models.items()}
    return explorer(jets, models, scores, NUMBERS)


@pytest.fixture(scope="module")
def data(html):
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', html, re.DOTALL)[1])


@pytest.fixture(scope="module")
def file(html, tmp_path_factory):
    path = tmp_path_factory.mktemp("explorer") / "page.html"
    path.write_text(document("Jets", "to explore", [section("Explorer", html)]))
    return path


def tree_of(data, jet, topology, colouring=0):
    chosen = data["topologies"][topology]["colourings"][colouring]
    return data["jets"][jet]["trees"][chosen["tree"]], chosen["model"]


def test_every_topology_is_there_and_says_its_models(data):
    assert [each["name"] for each in data["topologies"]] == list(TOPOLOGIES)
    models = {each["name"]: [way["model"] for way in each["colourings"]] for each in data["topologies"]}
    assert models.pop("kt") == ["<kt>", "<gated>", None]
    assert models.pop("random") == ["<random>", None]
    assert set(map(tuple, models.values())) == {(None,)}


def test_models_that_read_alike_share_their_trees(data):
    first, second, by_pt = data["topologies"][0]["colourings"]
    assert first["tree"] == second["tree"] == by_pt["tree"]
    assert [len(jet["trees"]) for jet in data["jets"]] == [6] * 4  # one a topology
    assert [len(jet["frames"]) for jet in data["jets"]] == [1] * 4  # one preprocessing


@pytest.mark.parametrize(("topology", "name"), [(0, "<kt>"), (3, "<random>")])
def test_trees_and_importance_are_those_of_the_model(data, jets, models, topology, name):
    for i, number in enumerate(NUMBERS):
        found = node_importance(models[name], jets[[i]], number)
        tree, model = tree_of(data, i, topology)
        assert model == name
        inner = ~found.trees.is_leaf
        assert tree["children"] == found.trees.children[inner].reshape(-1).tolist()
        assert np.allclose(tree["pt"], kinematics.pt(found.trees.momenta[inner]), rtol=1e-3)
        assert np.allclose(tree["m"], kinematics.mass(found.trees.momenta[inner]), rtol=1e-3)
        assert np.allclose(tree["x"], horizontal_positions(found.trees.children), atol=0.006)
        assert all(FOOT < y <= 1 for y in tree["y"])
        importance = np.array(data["jets"][i]["importance"][name]) / 1000
        assert np.allclose(importance, found.values / found.values.max(), atol=0.0006)


def test_without_models_jets_are_shown_as_they_were_found(jets):
    html = explorer(jets, {}, {}, topologies=["ca"])
    data = json.loads(re.search(r'<script type="application/json">(.*?)</script>', html, re.DOTALL)[1])
    trees = build_trees(jets[[0]], "ca")
    assert data["topologies"] == [
        {"name": "ca", "title": "Cambridge/Aachen", "colourings": [{"model": None, "tree": 0}]}
    ]
    assert np.allclose(data["jets"][0]["frames"][0]["pt"], kinematics.pt(jets[0]), rtol=1e-3)
    assert data["jets"][0]["trees"][0]["children"] == trees.children[~trees.is_leaf].reshape(-1).tolist()


def test_a_stereo_model_lends_its_preprocessing_only(jets):
    stereo = JetModel.untrained(ModelSettings(topology="kt+antikt", hidden=4, trim=0.05), jets)
    html = explorer(jets, {"stereo": stereo}, {}, topologies=["kt"])
    data = json.loads(re.search(r'<script type="application/json">(.*?)</script>', html, re.DOTALL)[1])
    assert data["topologies"][0]["colourings"] == [{"model": None, "tree": 0}]
    assert len(data["jets"][0]["frames"][0]["pt"]) <= len(jets[0])


def test_pixels_have_leaves_of_their_own(jets, models):
    pixels = JetModel.untrained(ModelSettings(input="pixels", hidden=4), jets)
    image = JetModel.untrained(ModelSettings(input="image"), jets)
    html = explorer(jets, {"image": image, "pixels": pixels, "<kt>": models["<kt>"]}, {}, NUMBERS, ["kt", "ca"])
    data = json.loads(re.search(r'<script type="application/json">(.*?)</script>', html, re.DOTALL)[1])
    kt, ca = (each["colourings"] for each in data["topologies"])
    assert [way["model"] for way in kt] == ["pixels", "<kt>", None]
    assert [way["model"] for way in ca] == [None]
    for jet in data["jets"]:
        assert [jet["trees"][way["tree"]]["frame"] for way in (*kt, *ca)] == [0, 1, 0, 0]
        for name, frame in (("pixels", 0), ("<kt>", 1)):
            assert len(jet["importance"][name]) == 2 * len(jet["frames"][frame]["pt"]) - 1


def test_wrong_input_is_named(jets, models):
    with pytest.raises(SettingsError, match="numbers has shape"):
        explorer(jets, models, {}, [1, 2])
    with pytest.raises(SettingsError, match="did you mean 'antikt'"):
        explorer(jets, models, {}, NUMBERS, ["anti-kt"])
    with pytest.raises(SettingsError, match="no topologies"):
        explorer(jets, models, {}, NUMBERS, [])


def test_chosen_jets_span_both_classes():
    rng = np.random.default_rng(1)
    label = np.arange(500) % 2
    scores = Scores.create({"score": label + rng.normal(size=500)}, label, np.full(500, 270.0), np.full(500, 80.0))
    chosen = choose_jets(scores, 10)
    assert len(np.unique(chosen)) == 10
    assert scores.label[chosen].sum() == 5
    assert (np.diff(scores.score[chosen]) <= 0).all()
    for label in (0, 1):
        of_class = scores.score[scores.label == label]
        assert {of_class.min(), of_class.max()} <= set(scores.score[chosen])
    few = choose_jets(scores[np.flatnonzero(scores.label == 1)[:3]], 10)
    assert sorted(few) == [0, 1, 2]


# ---- in the browser --------------------------------------------------------------------------------------------------


def facts(page):
    return dict(page.locator(".facts > div").evaluate_all("all => all.map(d => [...d.children].map(c => c.innerText))"))


def strokes(page):
    return page.locator(".node path[stroke]").evaluate_all("all => all.map(path => path.getAttribute('stroke'))")


def zoom(page):
    return float(re.search(r"scale\(([\d.]+)\)", page.locator(".world").get_attribute("transform"))[1])


def test_buttons_keys_and_list_change_the_jet(visit, file, data):
    page = visit(file)
    headline = page.locator(".headline")
    expect(headline).to_have_text(re.compile(r"^Jet 7: signal, score "))
    page.get_by_role("button", name="next").click()
    expect(headline).to_have_text(re.compile(r"^Jet 3: background"))
    page.keyboard.press("n")
    expect(headline).to_have_text(re.compile(r"^Jet 11:"))
    page.keyboard.press("p")
    expect(headline).to_have_text(re.compile(r"^Jet 3:"))
    page.locator(".option").nth(3).click()
    expect(headline).to_have_text(re.compile(r"^Jet 5:"))
    page.keyboard.press("ArrowUp")
    expect(headline).to_have_text(re.compile(r"^Jet 11:"))
    assert page.locator(".option[aria-selected=true]").all_inner_texts()[0].split()[0] == "signal"
    page.keyboard.press("End")
    page.keyboard.press("n")  # there is no further one
    expect(page.locator(".steps output")).to_have_text("4 of 4")


def test_keys_work_without_a_click(visit, file):
    page = visit(file)
    page.locator(".desk").scroll_into_view_if_needed()
    for key, number in (("n", 3), ("n", 11), ("p", 3)):
        page.keyboard.press(key)
        expect(page.locator(".headline")).to_have_text(re.compile(f"^Jet {number}:"))
    page.keyboard.press("+")
    expect(page.locator(".world")).to_have_attribute("transform", re.compile(r"scale\(1\.5\)"))
    page.keyboard.press("ArrowRight")  # into the tree; up and down scroll the page until then
    expect(page.locator(".node.current")).to_have_count(1)
    assert page.evaluate("document.activeElement.getAttribute('role')") == "treeitem"


def test_keys_are_left_to_the_page_where_the_explorer_is_not_in_sight(visit, html, tmp_path):
    tall = '<div style="height: 3000px"></div>'
    (tmp_path / "page.html").write_text(document("Jets", "far down", [section("Above", tall), section("Jets", html)]))
    page = visit(tmp_path / "page.html")
    page.keyboard.press("n")
    expect(page.locator(".steps output")).to_have_text("1 of 4")
    page.locator(".desk").scroll_into_view_if_needed()
    page.keyboard.press("n")
    expect(page.locator(".steps output")).to_have_text("2 of 4")


def test_arrows_walk_the_tree_after_a_topology_is_picked(visit, file):
    page = visit(file)
    page.get_by_role("radio", name="anti-kt").check()
    expect(page.locator(".facts")).to_contain_text("whole jet")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".node.current")).to_have_count(1)
    expect(page.locator(".facts")).not_to_contain_text("whole jet")
    expect(page.locator(".headline")).to_contain_text("anti-kt tree")
    page.get_by_role("radio", name="anti-kt").focus()
    page.keyboard.press("ArrowRight")  # from the keyboard, arrows go on switching
    expect(page.locator(".headline")).to_contain_text("random tree")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "treeitem"


def test_the_jet_as_found_and_as_read_are_told_apart(visit, file, jets, models):
    page = visit(file)
    read = node_importance(models["<kt>"], jets[[0]], NUMBERS[0]).trees.momenta[-1]
    expect(page.locator(".headline")).to_contain_text(
        f"As found: pT {jets.pt[0]:.1f} GeV, mass {jets.mass[0]:.1f} GeV, {jets.multiplicity[0]} constituents. "
        f"As read (boosted, rotated and reflected): pT {kinematics.pt(read):.1f} GeV"
    )
    assert page.locator(".option").first.inner_text().split()[2] == f"{jets.pt[0]:.0f}"


def test_classes_are_named(visit, jets, models, tmp_path):
    html = explorer(jets, models, {}, NUMBERS, ["kt"], classes=["top <quark>", "qcd", "w", "unknown"])
    (tmp_path / "page.html").write_text(document("Jets", "of classes", [section("Explorer", html)]))
    page = visit(tmp_path / "page.html")
    expect(page.locator(".headline")).to_contain_text("Jet 7: top <quark>.")
    expect(page.locator(".option")).to_contain_text(["top <quark>", "qcd", "w", "unknown"])


def test_the_topology_is_switched_and_the_jet_stays(visit, file, data):
    page = visit(file)
    nodes = page.get_by_role("treeitem").count()
    assert nodes == 2 * len(data["jets"][0]["frames"][0]["pt"]) - 1
    assert "importance for <kt>" in page.locator(".scale .what").inner_text()
    for title in [topology.title for topology in TOPOLOGIES.values()][1:]:
        page.get_by_role("radio", name=title, exact=True).check()
        assert title in page.locator(".headline").inner_text()
        assert page.locator(".headline").inner_text().startswith("Jet 7:")
        assert page.get_by_role("treeitem").count() == nodes
        model = "importance for <random>" if title == "random" else "no model was trained on this topology"
        assert model in page.locator(".scale .what").inner_text()
    page.get_by_role("radio", name="descending pT").press("ArrowLeft")
    assert "ascending pT tree" in page.locator(".headline").inner_text()


def test_the_page_opens_with_the_topology_of_the_first_model(visit, jets, models, tmp_path):
    html = explorer(jets, {"<random>": models["<random>"], "<kt>": models["<kt>"]}, {}, NUMBERS)
    (tmp_path / "page.html").write_text(document("Jets", "of random trees", [section("Explorer", html)]))
    page = visit(tmp_path / "page.html")
    expect(page.get_by_role("radio", name="random", exact=True)).to_be_checked()
    expect(page.locator(".scale .what")).to_contain_text("importance for <random>")


def test_models_with_other_leaves_share_the_page(visit, jets, models, tmp_path):
    pixels = JetModel.untrained(ModelSettings(input="pixels", hidden=4), jets)
    html = explorer(jets, {"<kt>": models["<kt>"], "pixels": pixels}, {}, NUMBERS, ["kt"])
    (tmp_path / "page.html").write_text(document("Jets", "two ways", [section("Explorer", html)]))
    page = visit(tmp_path / "page.html")
    before = page.get_by_role("treeitem").count()
    page.get_by_label("Colour").select_option(label="importance for pixels")
    assert page.get_by_role("treeitem").count() != before


def test_the_colour_follows_the_model(visit, file):
    page = visit(file)
    first = strokes(page)
    page.get_by_label("Colour").select_option(label="importance for <gated>")
    assert "(<gated>)" in page.locator(".headline").inner_text()
    assert strokes(page) != first
    page.get_by_label("Colour").select_option(label="share of pT")
    assert "share of the jet's pT" in page.locator(".scale .what").inner_text()
    assert "importance" not in facts(page)


def test_keys_walk_the_tree(visit, file, data, jets, models):
    page = visit(file)
    found = node_importance(models["<kt>"], jets[[0]], NUMBERS[0])
    root = found.trees.momenta[-1]
    page.locator(".options").focus()
    page.keyboard.press("Tab")  # the current node, which is the root
    assert facts(page)["node"] == "whole jet"
    assert float(facts(page)["pT"].split()[0]) == pytest.approx(kinematics.pt(root), rel=5e-3)
    page.keyboard.press("ArrowDown")
    left = int(found.trees.children[-1, 0])
    p = found.trees.momenta[left]
    shown = {
        name: float(text.replace("−", "-").split()[0].replace(",", ""))
        for name, text in facts(page).items()
        if name != "node"
    }
    assert shown["pT"] == pytest.approx(kinematics.pt(p), rel=5e-3)
    assert shown["η"] == pytest.approx(kinematics.eta(p), abs=0.006)
    assert shown["φ"] == pytest.approx(kinematics.phi(p), abs=0.006)
    assert shown["m"] == pytest.approx(kinematics.mass(p), rel=5e-3)
    assert shown["E"] == pytest.approx(p[3], rel=5e-3)
    assert shown["importance"] == pytest.approx(found.values[left] / found.values.max(), abs=0.002)
    active = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert f"pT {facts(page)['pT']}" in active
    assert page.evaluate("document.activeElement.getAttribute('role')") == "treeitem"
    page.keyboard.press("ArrowUp")
    assert facts(page)["node"] == "whole jet"
    for _ in range(60):
        page.keyboard.press("ArrowDown")
    assert facts(page)["leaves"] == "1"


def test_both_views_mark_the_same(visit, file, data):
    page = visit(file)
    tree, _ = tree_of(data, 0, 0)
    leaves = len(data["jets"][0]["frames"][0]["pt"])
    left = tree["children"][-2]
    page.locator(f".tree [data-node='{left}'] .dot").hover(force=True)
    expect(page.locator(f".tree [data-node='{left}'].current")).to_have_count(1)
    inside = int(facts(page)["leaves"])
    assert 1 < inside < leaves
    assert page.locator(".disc.on").count() == inside
    assert page.locator(".node.on").count() == 2 * inside - 1
    page.mouse.move(1, 1)
    expect(page.locator(".marked")).to_have_count(0)
    softest = int(np.argmin(data["jets"][0]["frames"][0]["pt"]))  # lies on top
    page.locator(f".disc[data-node='{softest}']").hover()
    for view in (".disc", ".node"):
        expect(page.locator(f"{view}.on")).to_have_count(1)
        assert page.locator(f"{view}.on").get_attribute("data-node") == str(softest)
    assert facts(page)["node"] == f"particle {softest}"


def test_zoom_by_keys_buttons_and_wheel(visit, file):
    page = visit(file)
    tree = page.locator(".tree svg")
    tree.scroll_into_view_if_needed()
    tree.hover(position={"x": 300, "y": 100})
    page.evaluate("window.wheels = 0; addEventListener('wheel', () => window.wheels++, { passive: true })")
    page.mouse.wheel(0, -200)
    page.wait_for_function("wheels === 1")
    assert zoom(page) == 1  # a reader who only scrolls by is not caught
    page.get_by_role("radio", name="anti-kt").check()  # the tree has the focus, but nobody clicked it
    tree.hover(position={"x": 300, "y": 100})
    page.mouse.wheel(0, -200)
    page.wait_for_function("wheels === 2")
    assert zoom(page) == 1
    tree.click(position={"x": 300, "y": 100})
    page.mouse.wheel(0, -200)
    page.wait_for_function("wheels === 3")
    before = zoom(page)
    assert before > 1.2
    page.keyboard.press("+")
    assert zoom(page) == pytest.approx(1.5 * before, rel=1e-3)
    moved = page.locator(".world").get_attribute("transform")
    page.keyboard.press("Shift+ArrowRight")
    assert page.locator(".world").get_attribute("transform") != moved
    page.get_by_role("button", name="whole tree").click()
    assert zoom(page) == 1


def test_two_fingers_zoom_on_a_phone(visit, file, phone):
    page = visit(file, **phone)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.locator(".tree svg").scroll_into_view_if_needed()
    box = page.locator(".tree svg").bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    fingers = page.context.new_cdp_session(page)
    for kind, gap in (("touchStart", 20), ("touchMove", 40), ("touchMove", 60)):
        points = [{"x": middle[0] + side * gap, "y": middle[1], "id": side + 1} for side in (-1, 1)]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_function(
        "Number(/scale\\(([\\d.]+)/.exec(document.querySelector('.world').getAttribute('transform'))[1]) > 1.5"
    )
    page.locator(".disc").last.tap()  # the browser makes a click of it when it is sure that no second tap follows
    expect(page.locator(".facts > div").filter(has_text=re.compile(r"^leaves\s*1$"))).to_be_visible()


def test_dark_and_light(visit, file):
    shades = []
    for scheme in ("light", "dark"):
        page = visit(file, color_scheme=scheme)
        shades.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        shades.append(page.locator(".node path[stroke]").last.get_attribute("stroke"))
    assert len(set(shades)) == 4
    page.emulate_media(color_scheme="light")
    page.wait_for_selector(f".node path[stroke='{shades[1]}']", state="attached")


def test_paper_shows_the_current_view(visit, file):
    page = visit(file, color_scheme="dark")
    page.get_by_role("radio", name="Cambridge/Aachen").check()
    page.locator(".options").focus()
    for key in ("Tab", "ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    shown = facts(page)
    assert shown["node"] == "branch"
    page.emulate_media(media="print", color_scheme="dark")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert facts(page) == shown
    assert "Cambridge/Aachen" in page.locator(".headline").inner_text()
    assert page.locator(".tree svg").is_visible()
    assert page.locator(".facts").is_visible()
    assert not page.locator(".controls").is_visible()
    assert not page.locator(".list").is_visible()
    assert page.pdf().startswith(b"%PDF")


def test_without_programs_there_is_a_note(visit, file):
    page = visit(file, java_script_enabled=False)
    assert page.get_by_text("The jet explorer needs JavaScript").is_visible()
    assert not page.locator(".desk").is_visible()
