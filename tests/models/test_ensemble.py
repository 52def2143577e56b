"""Several models as one: the mean logit, from memory, from folders and on stored datasets."""

import dataclasses

import numpy as np
import pytest

from jetgram import cli
from jetgram.errors import ModelError, SettingsError
from jetgram.evaluation.predict import predict_dataset
from jetgram.evaluation.safety import score_perturbed
from jetgram.evaluation.score_files import read_scores
from jetgram.models.ensemble import Ensemble, load_scoring, member_digests
from jetgram.models.model import JetModel
from jetgram.models.settings import ModelSettings
from jetgram.models.store import save_model
from jetgram.momenta import Jets
from jetgram.storage.dataset import save


@pytest.fixture(scope="module")
def jets(qcd_jets):
    return Jets(qcd_jets.momenta, qcd_jets.offsets)[:60]


def member(jets, seed=0, **settings):
    return JetModel.untrained(ModelSettings(**{"hidden": 5, **settings}), jets, seed)


def logit(p):
    return np.log(p) - np.log1p(-p)


@pytest.fixture(scope="module")
def members(jets):
    """Two that read jets alike, and one that does not."""
    return member(jets, 1), member(jets, 2), member(jets, 3, topology="ca", cell="gated", trim=0.05)


def test_the_logit_is_the_mean_of_the_logits(jets, members):
    logits = [logit(each.predict(jets)) for each in members]
    np.testing.assert_allclose(logit(Ensemble(members).predict(jets)), np.mean(logits, axis=0), rtol=1e-9)
    np.testing.assert_array_equal(Ensemble(members[:1]).predict(jets), members[0].predict(jets))


def test_several_classes_are_averaged_before_the_softmax(jets):
    members = tuple(member(jets, seed, classes=("a", "b", "c")) for seed in range(2))
    logs = np.mean([np.log(each.predict(jets)) for each in members], axis=0)
    expected = np.exp(logs) / np.exp(logs).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(Ensemble(members).predict(jets), expected, rtol=1e-6)


def test_regressors_are_averaged_in_their_own_units(jets):
    members = tuple(member(jets, seed, head="regressor", targets=("jet_mass",)) for seed in range(2))
    for number, each in enumerate(members):
        scaler = type(each.scaler)(np.array([10.0 * number]), np.array([2.0 + number]))
        each.network.head.set_scaler(scaler)
    expected = np.mean([each.predict(jets) for each in members], axis=0)
    np.testing.assert_allclose(Ensemble(members).predict(jets), expected, rtol=1e-12)


def test_a_seed_that_broke_off_is_no_member(jets, members, tmp_path):
    for number, each in enumerate(members[:2]):
        metrics = {"stopped": "epoch 2: the loss of step 3 is inf"} if number else {}
        stopped = dataclasses.replace(each, record={**each.record, "metrics": metrics})
        save_model(tmp_path / f"seed-{number:03d}", stopped)
    with pytest.raises(ModelError, match=r"seed-001 broke off \(epoch 2: the loss of step 3 is inf\); name the others"):
        load_scoring(tmp_path)
    assert load_scoring(f"{tmp_path}/seed-000").title == members[0].title


def test_a_dataset_is_scored_by_the_ensemble(jets, members, tmp_path):
    labelled = jets.with_columns(label=np.arange(len(jets)) % 2)
    dataset = save(tmp_path / "jets", labelled, {}, split="test")
    both = Ensemble(members)
    scores = predict_dataset(both, dataset)
    np.testing.assert_allclose(scores.score, both.predict(jets)[:, 0], rtol=1e-12)
    assert scores.provenance.details["ensemble"] == [each.title for each in members]
    split = score_perturbed(both, dataset, "collinear10-max")
    assert not np.array_equal(split.score, scores.score)


def test_a_member_reads_columns_that_the_first_does_not(jets, tmp_path):
    charged = Jets(jets.momenta, jets.offsets, particles={"charge": np.arange(len(jets.momenta)) % 3 - 1.0})
    both = Ensemble((member(charged, 1), member(charged, 2, features="paper+charge")))
    dataset = save(tmp_path / "jets", charged, {}, split="test")
    np.testing.assert_allclose(predict_dataset(both, dataset).score, both.predict(charged)[:, 0], rtol=1e-12)


def test_folders_become_an_ensemble(jets, members, tmp_path, capsys):
    digests = [save_model(tmp_path / "seeds" / f"seed-{number:03d}", each) for number, each in enumerate(members)]
    names = ",".join(str(tmp_path / "seeds" / f"seed-{number:03d}") for number in range(3))
    for where in (names, tmp_path / "seeds"):
        np.testing.assert_array_equal(load_scoring(where).predict(jets), Ensemble(members).predict(jets))
        assert member_digests(where) == digests
    assert isinstance(load_scoring(tmp_path / "seeds" / "seed-001"), JetModel)
    dataset = save(tmp_path / "jets", jets, {}, split="test")
    out = tmp_path / "scores.parquet"
    with pytest.raises(SystemExit) as end:
        cli.main(["predict", names, str(dataset.path), "--out", str(out)])
    assert not end.value.code, capsys.readouterr().err
    found = read_scores(out)
    np.testing.assert_array_equal(found.score, predict_dataset(Ensemble(members), dataset).score)
    assert found.model == "mean of 3: simple kt, gated ca"


def test_a_comma_in_the_name_of_a_folder(jets, members, tmp_path):
    save_model(tmp_path / "model, v2", members[0])
    np.testing.assert_array_equal(load_scoring(tmp_path / "model, v2").predict(jets), members[0].predict(jets))
    with pytest.raises(ModelError, match="model-000 is not a folder"):
        load_scoring(",".join(f"model-{number:03d}" for number in range(900)))


def test_members_answer_the_same_question(jets, members, tmp_path):
    with pytest.raises(SettingsError, match="found a regressor of jets: jet_mass, expected a classifier of jets: 0, 1"):
        Ensemble((members[0], member(jets, head="regressor", targets=("jet_mass",))))
    opposite = [member(jets, classes=classes) for classes in (("qcd", "w"), ("w", "qcd"))]
    with pytest.raises(
        SettingsError, match="found a classifier of jets: w, qcd, expected a classifier of jets: qcd, w"
    ):
        Ensemble(tuple(opposite))
    with pytest.raises(SettingsError, match="found a classifier of jets by is_b: 0, 1, expected a"):
        Ensemble((members[0], member(jets, targets="is_b")))
    with pytest.raises(SettingsError, match="without models"):
        Ensemble(())
    with pytest.raises(ModelError, match="not a folder"):
        load_scoring(f"{tmp_path}/none,{tmp_path}/other")
    save_model(tmp_path / "seeds" / "seed-000", members[0])
    (tmp_path / "seeds" / "seed-001").mkdir()
    with pytest.raises(ModelError, match="seed-001 holds no finished model"):
        load_scoring(tmp_path / "seeds")
