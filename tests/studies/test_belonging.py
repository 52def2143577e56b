"""What a folder holds counts if it is of the settings of today, and is refused otherwise."""

import dataclasses

import numpy as np
import pytest

from jetgram.errors import EvaluationError, ModelError, SettingsError
from jetgram.evaluation.score_files import read_scores, write_scores
from jetgram.evaluation.scores import Scores
from jetgram.models.history import read_history
from jetgram.models.store import load_model, save_model
from jetgram.momenta import Jets
from jetgram.storage.dataset import save
from jetgram.studies import belonging, digests
from jetgram.studies.belonging import STAMP, have_settings, require_revision, revision_note, stamped
from jetgram.studies.contestants import recursive
from jetgram.studies.judge import read_scoring
from jetgram.studies.run import train_and_score
from jetgram.studies.scales import Scale
from jetgram.studies.tables import Row
from jetgram.studies.tasks import run_scorings
from jetgram.studies.workspace import Workspace

SCALE = Scale(name="tiny", jets=160, events=60, seeds=1, epochs=1, sizes=(40,))
KT = Row("", recursive("particles", "simple", "kt"))


@pytest.fixture
def workspace(qcd_jets, tmp_path):
    """A folder with one network, trained and scored."""
    jets = Jets(qcd_jets.momenta, qcd_jets.offsets)[:160]
    jets = jets.with_columns(label=(jets.pt > np.median(jets.pt)).astype(np.int8))
    workspace = Workspace(tmp_path / "study", SCALE, 1)
    save(workspace.dataset("particles"), {"train": jets[:80], "test": jets[80:]}, {"source": "tests"})
    with workspace.occupied():
        task = workspace.scoring(KT, 1)
        train_and_score(task.job, [task])
    return workspace


@pytest.fixture
def another_recipe(monkeypatch):
    """A version whose networks of the same name are trained otherwise."""
    old = Workspace.training_settings

    def changed(self, contestant, seed=0):
        return old(self, contestant, seed).model_copy(update={"rate": 0.05})

    return lambda: monkeypatch.setattr(Workspace, "training_settings", changed)


@pytest.fixture
def another_revision(monkeypatch):
    """A version in which the same settings give other numbers."""

    def change():
        for module in (digests, belonging):
            monkeypatch.setattr(module, "REVISION", 2)
        digests.settings_digest.cache_clear()

    yield change
    digests.settings_digest.cache_clear()


def without_stamp(task):
    """The score file as it was written before settings were noted."""
    scores = read_scores(task.file)
    details = {name: value for name, value in scores.provenance.details.items() if name != STAMP}
    provenance = scores.provenance.model_copy(update={"details": details})
    write_scores(task.file, dataclasses.replace(scores, provenance=provenance))


def test_scores_of_the_same_settings_are_judged_again_also_without_a_stamp(workspace):
    task = workspace.scoring(KT, 1)
    before = run_scorings([task])
    assert read_scoring(task).provenance.details[STAMP] == task.settings
    without_stamp(task)
    assert run_scorings([task]) == before
    assert workspace.training(KT.contestant, 1).share == 1


@pytest.mark.parametrize("old", [False, True])
def test_models_and_scores_of_another_recipe_are_not_those_of_today(workspace, another_recipe, old):
    if old:
        without_stamp(workspace.scoring(KT, 1))
    another_recipe()
    task = workspace.scoring(KT, 1)
    with pytest.raises((EvaluationError, ModelError), match="of other settings|with other settings"):
        run_scorings([task])
    task.file.unlink()
    with pytest.raises(ModelError, match="seed-001 holds a model with other settings or of other jets; remove it"):
        run_scorings([task])
    assert not task.file.exists()
    assert workspace.training(KT.contestant, 1).share < 1


@pytest.mark.parametrize("old", [False, True])
def test_scores_of_another_revision_are_refused(workspace, another_revision, old):
    if old:
        without_stamp(workspace.scoring(KT, 1))
    another_revision()
    task = workspace.scoring(KT, 1)
    for use in (lambda: run_scorings([task]), lambda: read_scoring(task)):
        with pytest.raises(EvaluationError, match=r"scores-nominal.parquet holds scores of other settings.*remove it"):
            use()


def test_a_folder_is_of_one_revision(workspace, another_revision):
    workspace.require_own()
    another_revision()
    with pytest.raises(SettingsError, match="study holds models and scores of revision 1; those of revision 2"):
        workspace.require_own()
    new = dataclasses.replace(workspace, out=workspace.out / "new")
    with new.occupied():
        new.require_own()
    assert revision_note() == {"revision": 2}
    with pytest.raises(SettingsError, match="of revision 3"):
        require_revision({"revision": 3}, workspace.out)


def test_scores_of_another_model_are_refused(workspace):
    task = workspace.scoring(KT, 1)
    model = load_model(task.folder)
    metrics = {**model.record["metrics"], "validation_loss": 0.5}
    again = dataclasses.replace(model, record={**model.record, "metrics": metrics})
    save_model(task.folder, again, read_history(task.folder))
    with pytest.raises(EvaluationError, match="holds scores of another model than that in"):
        run_scorings([task])


def test_a_stamp_is_of_one_settings():
    scores = Scores.create({"score": [0.9, 0.2]}, [1, 0], [270.0] * 2, [80.0] * 2)
    assert have_settings(scores, "abc")
    assert have_settings(stamped(scores, "abc"), "abc")
    assert not have_settings(stamped(scores, "abc"), "abd")
