import pytest

from jetgram.errors import SettingsError
from jetgram.models.recipes import RECIPES, TrainingSettings
from jetgram.models.settings import ModelSettings, make_settings
from jetgram.networks.classification import Binary
from jetgram.networks.families import PEERS
from jetgram.training.job import Job
from jetgram.training.train import train


def test_the_papers_recipe_is_all_defaults():
    assert make_settings(recipe="paper") == (ModelSettings(), TrainingSettings())


def test_without_a_recipe_it_is_the_modern_one_unless_a_part_of_a_network_is_named():
    assert make_settings() == make_settings(recipe="modern")
    assert make_settings(hidden=64, lr=0.01) == make_settings(recipe="modern", hidden=64, lr=0.01)
    assert make_settings(topology="kt") == make_settings(recipe="paper")
    assert make_settings(cell="gated") == make_settings(recipe="paper", cell="gated")
    assert make_settings(input="image") == make_settings(recipe="paper", input="image")
    assert make_settings(event="jets") == make_settings(recipe="paper", event="jets")


def test_the_modern_network_is_small():
    model, training = make_settings(recipe="modern")
    network = model.build(seed=1)
    assert isinstance(network.head, Binary)
    assert network.engine() in ("native", "torch")
    assert sum(weight.numel() for weight in network.parameters()) < 20_000
    assert (training.batch, training.schedule, training.epochs) == (256, "cosine", 12)


def test_a_student_is_a_modern_network_that_needs_a_teacher(tmp_path):
    (modern, shorter), (model, training) = make_settings(), make_settings(recipe="student")
    assert model == make_settings(recipe="modern", hidden=64)[0]
    assert modern.input == model.input
    assert sum(weight.numel() for weight in model.build(seed=1).parameters()) < 50_000
    changes = {"epochs": 2 * shorter.epochs, "teacher_weight": 0.75}
    assert training == shorter.model_copy(update=changes)
    with pytest.raises(SettingsError, match="teacher_weight = 0.75 without a teacher; name one"):
        train(Job(tmp_path / "jets", tmp_path / "student", model, training))


def test_what_is_said_counts_more_than_the_recipe():
    model, training = make_settings(recipe="modern", hidden=64, lr=0.001)
    assert (model.network.hidden, model.network.cell, training.rate) == (64, "blend", 0.001)


@pytest.mark.parametrize("recipe", ["paper", "modern"])
def test_events_follow_recipes_too(recipe):
    model, _ = make_settings(recipe=recipe, event="jets", hardest=3)
    assert model.input.rows == "events"


@pytest.mark.parametrize("recipe", PEERS)
def test_networks_of_others_have_recipes_of_their_own_and_read_jets(recipe):
    model, training = make_settings(recipe=recipe)
    assert (model.network.kind, training.schedule) == (recipe, "cosine")
    with pytest.raises(SettingsError, match=f"network = {recipe} with event = jets"):
        make_settings(recipe=recipe, event="jets")


def test_every_recipe_can_be_built():
    for recipe in RECIPES:
        assert make_settings(recipe=recipe)[0].build(seed=1).head.outputs == 1


@pytest.mark.parametrize("choice", [{"event": "particles"}, {"event": "jet-momenta"}, {"input": "image"}], ids=str)
def test_a_recipe_of_trees_trains_what_reads_none(choice):
    """Nobody named the cell that such a model does not have; one who does is told."""
    model, training = make_settings(recipe="modern", **choice)
    assert model == ModelSettings(**choice, initialisation="uniform")
    assert training == make_settings(recipe="modern")[1]
    with pytest.raises(SettingsError, match="found cell with"):
        make_settings(recipe="modern", cell="blend", **choice)


def test_a_recipe_of_particles_gives_another_network_what_it_has():
    model, training = make_settings(recipe="part", network="lundnet")
    assert model == make_settings(recipe="lundnet")[0]
    assert training == make_settings(recipe="part")[1]
