import gc

import numpy as np
import pytest

from jetgram.errors import BadJetError, ModelError, SettingsError, SuspiciousJetsWarning, TrainingError
from jetgram.estimator import as_rows
from jetgram.jets.clustering import find_jets
from jetgram.jets.preprocess import preprocess
from jetgram.momenta import Jets
from jetgram.roc import roc_auc
from jetgram.tagger import EventRegressor, EventTagger, JetRegressor, JetTagger
from jetgram.training.prepared import PreparedMemory
from jetgram.training.watching import Watcher

QUICK = {"hidden": 8, "epochs": 8, "batch": 16, "rate": 0.01, "initialisation": "paper"}


@pytest.fixture(scope="module")
def label(qcd_jets):
    return (qcd_jets.pt > np.median(qcd_jets.pt)).astype(int)


@pytest.fixture(scope="module")
def tagger(qcd_jets, label):
    return JetTagger(topology="ca", seed=3, **QUICK).fit(qcd_jets[:300], label[:300])


def test_it_tags_jets_it_has_not_seen(tagger, qcd_jets, label):
    scores = tagger.predict_proba(qcd_jets[300:])[:, 1]
    assert scores.shape == (len(qcd_jets) - 300,)
    assert roc_auc(scores, label[300:]) > 0.9
    np.testing.assert_array_equal(tagger.predict(qcd_jets[300:]), scores > 0.5)
    assert len(tagger.history) == 8


def test_preprocessed_jets_are_those_that_were_found(tagger, qcd_jets, label):
    """What `preprocess` returns carries a mark: fitting and scoring do not preprocess it again."""
    done = preprocess(qcd_jets)
    np.testing.assert_array_equal(tagger.predict_proba(done), tagger.predict_proba(qcd_jets))
    twin = JetTagger(topology="ca", seed=3, **QUICK).fit(done[:300], label[:300])
    np.testing.assert_array_equal(twin.predict_proba(qcd_jets), tagger.predict_proba(qcd_jets))
    with pytest.warns(SuspiciousJetsWarning, match="they look preprocessed"):
        moved = tagger.predict_proba((done.momenta, done.offsets))
    assert np.abs(moved - tagger.predict_proba(qcd_jets)).max() > 0.01


def test_jets_in_single_precision(tagger, qcd_jets, label):
    single = (qcd_jets.momenta.astype(np.float32), qcd_jets.offsets)
    scores = tagger.predict_proba(single)[:, 1]
    assert np.median(np.abs(scores - tagger.predict_proba(qcd_jets)[:, 1])) < 1e-4
    learned = JetTagger(topology="ca", seed=3, **QUICK).fit(single, label)
    assert roc_auc(learned.predict_proba(single)[:, 1], label) > 0.9


def test_a_bad_jet_has_its_own_number_and_values(tagger, qcd_jets, label, monkeypatch):
    monkeypatch.setattr("jetgram.models.model.CHUNK", 50)
    momenta = qcd_jets.momenta.copy()
    rows = qcd_jets.offsets[[317, 333]]
    momenta[rows] = (3.0, 0.0, 4.0, 4.5)
    message = r"jet 317, particle 0: E < \|p\| in \(px, py, pz, E\) = \(3.0, 0.0, 4.0, 4.5\); 2 of 400 bad"
    bad = (momenta, qcd_jets.offsets)
    for call in (tagger.predict_proba, tagger.embed, lambda jets: JetTagger(**QUICK).fit(jets, label)):
        with pytest.raises(BadJetError, match=f"^{message}"):
            call(bad)
    with pytest.raises(BadJetError, match=f"^validation {message}"):
        JetTagger(**QUICK).fit(qcd_jets, label, validation=(bad, label))


def test_all_kinds_of_jets_score_alike(tagger, qcd_jets):
    jets = qcd_jets[:50]
    expected = tagger.predict_proba(jets)
    np.testing.assert_array_equal(tagger.predict_proba(jets.to_awkward()), expected)
    np.testing.assert_array_equal(tagger.predict_proba((jets.momenta, jets.offsets)), expected)
    np.testing.assert_array_equal(tagger.predict_proba((jets.momenta.tolist(), jets.offsets.tolist())), expected)
    assert tagger.embed(jets).shape == (50, 8)


@pytest.mark.parametrize("what", [np.ones((3, 4)), "jets", None, (1, 2, 3)])
def test_other_things_are_no_jets(what):
    with pytest.raises(BadJetError, match="expected Jets, an Awkward array, or .momenta, offsets."):
        as_rows(Jets, what)


def test_a_saved_tagger_is_the_same(tagger, qcd_jets, tmp_path):
    tagger.save(tmp_path / "tagger")
    loaded = JetTagger.load(tmp_path / "tagger")
    np.testing.assert_array_equal(loaded.predict_proba(qcd_jets), tagger.predict_proba(qcd_jets))
    assert repr(loaded) == repr(tagger)
    assert loaded.history == tagger.history
    with pytest.raises(ModelError, match="holds a classifier, which is no JetRegressor"):
        JetRegressor.load(tmp_path / "tagger")


def test_fitting_again_gives_the_same(tagger, qcd_jets, label):
    again = JetTagger(topology="ca", seed=3, **QUICK).fit(qcd_jets[:300], label[:300])
    np.testing.assert_array_equal(again.predict_proba(qcd_jets), tagger.predict_proba(qcd_jets))


def test_validation_jets_may_be_brought_along(qcd_jets, label):
    mine = JetTagger(**{**QUICK, "epochs": 1})
    mine.fit(qcd_jets[:200], label[:200], validation=(qcd_jets[200:300], label[200:300], np.ones(100)))
    auc = roc_auc(mine.predict_proba(qcd_jets[200:300])[:, 1], label[200:300])
    assert mine.history[0]["validation_auc"] == pytest.approx(auc, abs=1e-12)


def test_weights_count_relative_to_each_other(qcd_jets, label):
    some = np.random.default_rng(1).uniform(0, 1, len(label))
    found = [
        JetTagger(**{**QUICK, "epochs": 1}).fit(qcd_jets, label, weight).history[0]["loss"]
        for weight in (None, np.full(len(label), 3.0), some, 5 * some)
    ]
    assert found[0] == found[1]
    assert found[2] == pytest.approx(found[3], rel=1e-6)
    assert found[0] != found[2]


def test_the_best_epoch_survives_ctrl_c(qcd_jets, label):
    class Impatient(Watcher):
        def epoch(self, record, best):
            if record["epoch"] == 2:
                raise KeyboardInterrupt

    tagger = JetTagger(**QUICK)
    with pytest.raises(KeyboardInterrupt):
        tagger.fit(qcd_jets, label, watcher=Impatient())
    assert len(tagger.history) == 2
    probabilities = tagger.predict_proba(qcd_jets)
    assert probabilities.shape == (len(qcd_jets), 2)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-15)


def test_unscaled_inputs_are_gone_before_the_first_epoch(qcd_jets, label):
    """They take as much memory as what is learned from."""
    alive = []

    class Census(Watcher):
        def epoch(self, record, best):
            alive.append(sum(type(thing) is PreparedMemory for thing in gc.get_objects()))

    before = sum(type(thing) is PreparedMemory for thing in gc.get_objects())
    JetTagger(**QUICK).fit(qcd_jets, label, watcher=Census())
    assert set(alive) == {before}


def test_a_fit_that_fails_leaves_what_was_learned_before(qcd_jets, label):
    class Failing(Watcher):
        def step(self, jets, loss):
            raise RuntimeError("in the first step")

    tagger = JetTagger(**{**QUICK, "epochs": 2}).fit(qcd_jets, label)
    history, model = tagger.history, tagger.model
    with pytest.raises(RuntimeError, match="first step"):
        tagger.fit(qcd_jets, label, watcher=Failing())
    assert tagger.history == history
    assert tagger.model is model


def test_two_reports_of_epochs_are_one_too_many(qcd_jets, label):
    with pytest.raises(SettingsError, match="found verbose and a watcher"):
        JetTagger(**QUICK).fit(qcd_jets, label, watcher=Watcher(), verbose=True)


def test_a_teacher_may_read_columns_that_the_student_does_not(qcd_jets, label):
    charge = np.resize([-1.0, 0.0, 1.0], len(qcd_jets.momenta))
    jets = Jets(qcd_jets.momenta, qcd_jets.offsets, particles={"charge": charge})
    short = {**QUICK, "epochs": 1}
    teacher = JetTagger(features="paper+charge", **short).fit(jets, label)
    student = JetTagger(recipe="paper", **short).fit(jets, label, teacher=teacher)
    assert student.settings.input.particle_columns == ()


def test_a_tagger_that_knows_nothing_says_so(qcd_jets):
    with pytest.raises(ModelError, match="has not learned anything yet"):
        JetTagger().predict_proba(qcd_jets)


@pytest.mark.parametrize(
    ("y", "weight", "message"),
    [
        (np.ones(3), None, r"shapes \(3, 1\) and \(400,\); expected \(400, 1\) and \(400,\)"),
        (np.ones(400), np.ones(2), r"shapes \(400, 1\) and \(2,\)"),
        (np.arange(400) % 2, np.ones(400) * 1j, "weights are of type complex128; expected real numbers"),
        (np.arange(400) % 2, np.array(["1"] * 400), "weights are of type <U1; expected real numbers"),
        (np.arange(400) % 2 * 1j, None, "type complex128; expected one label per row"),
    ],
)
def test_labels_and_weights_must_fit(qcd_jets, y, weight, message):
    with pytest.raises(BadJetError, match=message):
        JetTagger().fit(qcd_jets, y, weight)


def test_weights_that_are_all_zero_are_an_error(qcd_jets, label):
    zero, one = np.zeros(len(label)), np.ones(len(label))
    with pytest.raises(TrainingError, match="all weights of the 320 training jets are 0"):
        JetTagger(**QUICK).fit(qcd_jets, label, zero)
    with pytest.raises(TrainingError, match="all weights of the 400 validation jets are 0"):
        JetTagger(**QUICK).fit(qcd_jets, label, one, validation=(qcd_jets, label, zero))


def test_targets_of_a_regressor_are_real_numbers(qcd_jets):
    with pytest.raises(BadJetError, match="targets are of type complex128; expected real numbers"):
        JetRegressor(**QUICK).fit(qcd_jets, qcd_jets.mass * 1j)


def test_a_wrong_name_is_an_error_where_it_is_written():
    with pytest.raises(SettingsError, match="there is no setting 'epoch'; did you mean 'epochs'?"):
        JetTagger(epoch=3)
    with pytest.raises(SettingsError, match="a JetTagger is a classifier"):
        JetTagger(head="regressor")


@pytest.mark.parametrize("loss", ["squared", "huber"])
def test_it_regresses_several_numbers_in_their_own_units(qcd_jets, loss):
    targets = np.stack([qcd_jets.pt, 1 / qcd_jets.pt], axis=1)
    targets[5, 0] = np.nan
    regressor = JetRegressor(loss=loss, **{**QUICK, "epochs": 20}).fit(qcd_jets[:300], targets[:300])
    found = regressor.predict(qcd_jets[300:])
    assert found.shape == (len(qcd_jets) - 300, 2)
    for column in range(2):
        assert np.corrcoef(found[:, column], targets[300:, column])[0, 1] > 0.7
        assert np.median(found[:, column]) == pytest.approx(np.median(targets[300:, column]), rel=0.2)


def test_a_single_target_comes_back_flat(qcd_jets, tmp_path):
    regressor = JetRegressor(**{**QUICK, "epochs": 1}, targets="pt").fit(qcd_jets, qcd_jets.pt)
    assert regressor.predict(qcd_jets).shape == (len(qcd_jets),)
    regressor.save(tmp_path)
    np.testing.assert_array_equal(JetRegressor.load(tmp_path).predict(qcd_jets), regressor.predict(qcd_jets))


def test_jets_are_taken_as_they_are(tagger, qcd_jets):
    bad = Jets(np.array([[0.0, 0.0, 0.0, np.nan]]), np.array([0, 1]))
    with pytest.raises(BadJetError, match="jet 0, particle 0: NaN"):
        tagger.predict_proba(bad)


@pytest.fixture(scope="module")
def event_label(qcd_events):
    second = find_jets(qcd_events, hardest=2).pt[1::2]
    return (second > np.median(second)).astype(int)


@pytest.fixture(scope="module")
def event_tagger(qcd_events, event_label):
    quick = {**QUICK, "epochs": 15, "rate": 0.02, "state": 8}
    return EventTagger(hardest=2, topology="desc-pt", **quick).fit(qcd_events[:150], event_label[:150])


def test_it_tags_events_it_has_not_seen(event_tagger, qcd_events, event_label):
    scores = event_tagger.predict_proba(qcd_events[150:])
    assert roc_auc(scores[:, 1], event_label[150:]) > 0.85
    assert event_tagger.embed(qcd_events[:3]).shape == (3, 8)
    np.testing.assert_array_equal(event_tagger.predict_proba(qcd_events[150:].to_awkward()), scores)


def test_a_saved_event_tagger_is_the_same(event_tagger, qcd_events, tmp_path):
    event_tagger.save(tmp_path / "tagger")
    loaded = EventTagger.load(tmp_path / "tagger")
    np.testing.assert_array_equal(loaded.predict_proba(qcd_events), event_tagger.predict_proba(qcd_events))
    assert repr(loaded) == repr(event_tagger)
    with pytest.raises(ModelError, match="holds a model of events, which is no JetTagger"):
        JetTagger.load(tmp_path / "tagger")


def test_events_are_regressed(qcd_events):
    second = find_jets(qcd_events, hardest=2).pt[1::2]
    quick = {"epochs": 15, "batch": 16, "rate": 0.02}
    regressor = EventRegressor(event="jet-momenta", **quick).fit(qcd_events[:150], second[:150])
    assert np.corrcoef(regressor.predict(qcd_events[150:]), second[150:])[0, 1] > 0.8


def test_jet_taggers_read_jets_and_event_taggers_events(event_tagger, qcd_jets):
    with pytest.raises(SettingsError, match="JetTagger reads jets; found event='jets'"):
        JetTagger(event="jets")
    with pytest.raises(SettingsError, match="EventTagger reads events; found event=None"):
        EventTagger(event=None)
    with pytest.raises(BadJetError, match="found Jets; expected Events"):
        event_tagger.predict_proba(qcd_jets)


def test_energy_flow_is_read_with_its_classes(pflow_jets, tmp_path):
    label = (pflow_jets.pt > np.median(pflow_jets.pt)).astype(int)
    tagger = JetTagger(features="paper+pclass", hidden=5, epochs=1).fit(pflow_jets, label, validation=60)
    probability = tagger.predict_proba(pflow_jets)
    tagger.save(tmp_path / "tagger")
    np.testing.assert_array_equal(JetTagger.load(tmp_path / "tagger").predict_proba(pflow_jets), probability)
    bare = Jets(pflow_jets.momenta, pflow_jets.offsets)
    for use in (tagger.predict, lambda jets: tagger.fit(jets, label)):
        with pytest.raises(BadJetError, match="reads the pclass of particles"):
            use(bare)


def test_images_are_tagged(qcd_jets, label, tmp_path):
    tagger = JetTagger(input="image", epochs=1).fit(qcd_jets, label, validation=60)
    tagger.save(tmp_path / "tagger")
    loaded = JetTagger.load(tmp_path / "tagger")
    assert loaded.settings == tagger.settings
    np.testing.assert_array_equal(loaded.predict_proba(qcd_jets), tagger.predict_proba(qcd_jets))
    assert loaded.embed(qcd_jets).shape == (len(qcd_jets), 128)


NAMES = np.array(["soft", "medium", "hard"])


@pytest.fixture(scope="module")
def three(qcd_jets):
    """Three classes of jets, by their pT."""
    return np.searchsorted(np.quantile(qcd_jets.pt, [1 / 3, 2 / 3]), qcd_jets.pt)


@pytest.fixture(scope="module")
def of_three(qcd_jets, three):
    return JetTagger(seed=3, classes=NAMES.tolist(), **{**QUICK, "epochs": 20}).fit(qcd_jets[:300], NAMES[three][:300])


def test_three_classes_by_name(of_three, qcd_jets, three, tmp_path):
    assert of_three.classes_.tolist() == NAMES.tolist()
    p = of_three.predict_proba(qcd_jets[300:])
    assert p.shape == (len(qcd_jets) - 300, 3)
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
    predicted = of_three.predict(qcd_jets[300:])
    assert np.mean(predicted == NAMES[three[300:]]) > 0.7
    assert of_three.history[-1]["validation_auc"] > 0.85
    assert of_three.history[-1]["validation_accuracy"] > 0.6
    of_three.save(tmp_path / "three")
    loaded = JetTagger.load(tmp_path / "three")
    assert loaded.classes_.tolist() == NAMES.tolist()
    np.testing.assert_array_equal(loaded.predict_proba(qcd_jets[300:]), p)


def test_integers_and_one_hot_rows_give_the_same_network(qcd_jets, three):
    quick = {**QUICK, "epochs": 2}
    integers = JetTagger(**quick).fit(qcd_jets, three)
    one_hot = JetTagger(**quick).fit(qcd_jets, np.eye(3)[three])
    assert integers.classes_.tolist() == one_hot.classes_.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(integers.predict_proba(qcd_jets), one_hot.predict_proba(qcd_jets))
    assert set(integers.predict(qcd_jets)) <= {0, 1, 2}


def test_both_engines_learn_the_same_classes(qcd_jets, three):
    quick = {**QUICK, "epochs": 2, "classes": (0, 1, 2)}
    found = [
        JetTagger(engine=engine, **quick).fit(qcd_jets, three).predict_proba(qcd_jets) for engine in ("auto", "torch")
    ]
    np.testing.assert_allclose(*found, atol=2e-3)


def test_two_classes_by_name_are_signal_and_background(tagger, qcd_jets, label):
    """The first label in rising order is the background; the numbers are those of 0 and 1."""
    named = JetTagger(topology="ca", seed=3, **QUICK).fit(qcd_jets[:300], np.array(["qcd", "w"])[label[:300]])
    assert named.classes_.tolist() == ["qcd", "w"]
    np.testing.assert_array_equal(named.predict_proba(qcd_jets), tagger.predict_proba(qcd_jets))
    assert set(named.predict(qcd_jets)) == {"qcd", "w"}
    with pytest.raises(BadJetError, match="the label of row 0 is 'top'; expected one of 'qcd', 'w'"):
        JetTagger(classes=("qcd", "w"), **QUICK).fit(qcd_jets[:2], ["top", "w"])
