import numpy as np
import pytest

from jetgram import kinematics
from jetgram.errors import BadJetError, SettingsError
from jetgram.jets.perturb import COLLINEAR, KINDS, _split, perturb
from jetgram.jets.preprocess import preprocess
from jetgram.jets.soft import soft_momenta
from jetgram.momenta import Jets
from jetgram.validity import require_good


@pytest.mark.parametrize("kind", KINDS)
def test_the_jets_remain_the_jets(qcd_jets, kind):
    perturbed = perturb(qcd_jets, kind, seed=1)
    require_good(perturbed)
    np.testing.assert_allclose(perturbed.pt, qcd_jets.pt, rtol=1e-4)
    np.testing.assert_allclose(perturbed.mass, qcd_jets.mass, rtol=1e-3, atol=0.01)
    assert perturbed.columns.keys() == qcd_jets.columns.keys()
    assert len(perturbed.particles["pdgid"]) == len(perturbed.momenta)


@pytest.mark.parametrize(("kind", "splits", "hardest"), [(kind, *how) for kind, how in COLLINEAR.items()])
def test_splits_conserve_the_four_momentum(qcd_jets, kind, splits, hardest):
    split = perturb(qcd_jets, kind, seed=2)
    np.testing.assert_array_equal(split.multiplicity, qcd_jets.multiplicity + splits)
    np.testing.assert_allclose(split.total, qcd_jets.total, rtol=0, atol=1e-10)
    np.testing.assert_allclose(split.mass, qcd_jets.mass, rtol=1e-9)


@pytest.mark.parametrize("z", [1e-12, 1e-6, 0.3, 1 - 1e-12])
def test_pieces_are_physical_however_small(z):
    rng = np.random.default_rng(1)
    momenta = kinematics.from_ptetaphim(10 ** rng.uniform(-6, 3, 500), rng.normal(0, 2, 500), rng.uniform(-3, 3, 500))
    momenta[::2, 3] *= 1 + 10 ** rng.uniform(-12, 0, 250)  # half of them massive
    first, second = _split(momenta, np.full(500, z))
    for piece in (first, second):
        require_good(Jets(piece, np.arange(501)))
        assert np.all(piece[:, 3] >= kinematics.momentum(piece) * (1 - 1e-15))
    np.testing.assert_allclose(first + second, momenta, rtol=1e-14, atol=0)
    np.testing.assert_allclose(first[:, :3], z * momenta[:, :3], rtol=1e-14)


def test_the_pieces_of_one_split(qcd_jets):
    split = perturb(qcd_jets, "collinear1-max", seed=4)
    z = np.empty(len(qcd_jets))
    for jet in range(len(qcd_jets)):
        before, after = qcd_jets[jet], split[jet]
        row = int(np.argmax(kinematics.pt(before)))
        whole, first, second = before[row], after[row], after[-1]
        z[jet] = np.linalg.norm(first[:3]) / np.linalg.norm(whole[:3])
        np.testing.assert_allclose(first[:3], z[jet] * whole[:3], rtol=1e-13)
        np.testing.assert_allclose(first + second, whole, rtol=1e-14, atol=1e-14)
        assert second[3] == pytest.approx(np.linalg.norm(second[:3]), rel=1e-15)
        np.testing.assert_array_equal(np.delete(after[:-1], row, axis=0), np.delete(before, row, axis=0))
        begin, end = split.offsets[jet], split.offsets[jet + 1]
        assert split.particles["pdgid"][end - 1] == split.particles["pdgid"][begin + row]
    # Uniform in (0, 1): mean and variance within five standard errors.
    assert 0 < z.min() < z.max() < 1
    assert z.mean() == pytest.approx(0.5, abs=5 / np.sqrt(12 * len(z)))
    assert z.var() == pytest.approx(1 / 12, rel=5 * np.sqrt(0.8 / len(z)))


def test_max_leaves_no_hard_constituent_whole(qcd_jets):
    once, often = perturb(qcd_jets, "collinear1-max", seed=5), perturb(qcd_jets, "collinear10-max", seed=5)
    for jet in range(len(qcd_jets)):
        hardest = kinematics.pt(qcd_jets[jet]).max()
        assert kinematics.pt(once[jet]).max() < hardest
        second = np.sort(kinematics.pt(qcd_jets[jet]))[-2:][0]
        assert kinematics.pt(often[jet]).max() < max(second, hardest / 1.5)


def test_random_splits_choose_every_constituent_alike():
    jets = Jets(np.tile([1.0, 0.0, 0.0, 1.0], (4000 * 5, 1)), np.arange(0, 20001, 5))
    split = perturb(jets, "collinear1", seed=6).momenta.reshape(4000, 6, 4)[:, :5, 0]
    chosen = np.count_nonzero(split < 1, axis=0)
    np.testing.assert_allclose(chosen, 800, atol=5 * np.sqrt(800 * 0.8))


@pytest.mark.parametrize("kind", COLLINEAR)
def test_a_jet_depends_on_the_seed_and_its_number_only(qcd_jets, kind):
    whole = perturb(qcd_jets, kind, seed=7)
    part = perturb(qcd_jets[11:20], kind, seed=7, first=11)
    np.testing.assert_array_equal(part.momenta, whole[11:20].momenta)
    assert not np.array_equal(perturb(qcd_jets, kind, seed=8).momenta, whole.momenta)
    np.testing.assert_array_equal(perturb(qcd_jets, kind, seed=[7, 1])[:3].offsets, whole[:3].offsets)


def test_soft_particles_are_appended_once(qcd_jets):
    crowded = perturb(qcd_jets, "soft")
    soft = qcd_jets.ragged["soft"]
    for jet in range(len(qcd_jets)):
        n = qcd_jets.multiplicity[jet]
        np.testing.assert_array_equal(crowded[jet][:n], qcd_jets[jet])
        np.testing.assert_array_equal(crowded[jet][n:], soft_momenta(soft[jet]))
        assert np.all(crowded.particles["pdgid"][crowded.offsets[jet] + n : crowded.offsets[jet + 1]] == 22)
    np.testing.assert_allclose(kinematics.pt(soft_momenta(soft.values)), 1e-5)
    with pytest.raises(BadJetError, match=r"find the jets with find_jets\(events, soft=SoftParticles\(\)\)"):
        perturb(crowded, "soft")


def test_soft_particles_belong_to_the_frame_of_the_detector(qcd_jets):
    with pytest.raises(BadJetError, match="perturb before preprocessing"):
        perturb(preprocess(qcd_jets), "soft")


@pytest.mark.parametrize("kind", COLLINEAR)
@pytest.mark.parametrize("momentum", [(0.0, 0.0, 5.0, 5.0), (0.0, 0.0, 0.0, 1.0), (1e-5, 0.0, 0.0, 1e-5)])
def test_a_jet_of_one_particle(kind, momentum):
    split = perturb(Jets(np.array([momentum]), np.array([0, 1])), kind)
    require_good(split)
    assert len(split.momenta) == 1 + COLLINEAR[kind][0]


def test_no_jets():
    for kind in COLLINEAR:
        assert len(perturb(Jets(np.empty((0, 4)), np.array([0])), kind)) == 0


def test_an_unknown_kind_is_named():
    with pytest.raises(SettingsError, match="'colinear'; did you mean 'collinear1'"):
        perturb(Jets(np.empty((0, 4)), np.array([0])), "colinear")
