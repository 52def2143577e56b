import numpy as np
import pytest

from jetgram import kinematics
from jetgram.coordinates import BLOCK, MASSES, masses, momentum_names, parse_order, to_momenta
from jetgram.errors import BadJetError, SettingsError

RNG = np.random.default_rng(3)
MASS = RNG.choice([0.0, 0.13957039, 0.93827209], 200)
P4 = kinematics.from_ptetaphim(RNG.uniform(0.1, 300, 200), RNG.normal(0, 2, 200), RNG.uniform(-3, 3, 200), MASS)
COORDINATES = {
    "px": P4[:, 0],
    "py": P4[:, 1],
    "pz": P4[:, 2],
    "E": P4[:, 3],
    "pt": kinematics.pt(P4),
    "eta": kinematics.eta(P4),
    "y": kinematics.rapidity(P4),
    "phi": kinematics.phi(P4),
    "mass": MASS,
    "pdgid": np.select([MASS == 0, MASS < 0.2], [22, -211], 2212).astype(float),
}


@pytest.mark.parametrize("base", ["pxpypz", "ptetaphi", "ptyphi"])
@pytest.mark.parametrize("scale", ["E", "mass", "pdgid"])
def test_all_coordinates_name_the_same_momentum(base, scale):
    order = parse_order(base + scale)
    np.testing.assert_allclose(to_momenta({name: COORDINATES[name] for name in order}), P4, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("base", ["pxpypz", "ptetaphi", "ptyphi"])
def test_without_a_scale_particles_are_massless(base):
    p4 = to_momenta({name: COORDINATES[name] for name in parse_order(base)})
    np.testing.assert_allclose(p4[:, 3], kinematics.momentum(p4), rtol=1e-14)
    np.testing.assert_allclose(kinematics.pt(p4), COORDINATES["pt"], rtol=1e-14)


def test_rapidity_is_not_pseudorapidity():
    """A proton of pT = 1 GeV at y = 1 is at eta = 1.27."""
    proton = to_momenta({name: np.array([value]) for name, value in (("pt", 1), ("y", 1), ("phi", 0), ("pdgid", 2212))})
    assert kinematics.rapidity(proton) == pytest.approx(1)
    assert kinematics.eta(proton) == pytest.approx(np.arcsinh(np.hypot(1, MASSES[2212]) * np.sinh(1)))


def test_a_negative_mass_is_a_negative_mass_squared():
    p4 = to_momenta(
        {"px": np.array([3.0, 3.0]), "py": np.full(2, 4.0), "pz": np.zeros(2), "mass": np.array([-3, -1e-6])}
    )
    np.testing.assert_allclose(p4[:, 3], [4.0, 5.0])


def test_without_a_transverse_momentum_there_is_none():
    """As Delphes writes tracks that it lost."""
    track = {"pt": np.zeros(1), "eta": np.array([999.9]), "phi": np.zeros(1), "mass": np.array([0.14])}
    assert to_momenta(track).tolist() == [[0.0, 0.0, 0.0, 0.0]]


def test_the_masses_are_those_of_the_particle_data_group():
    particle = pytest.importorskip("particle")
    for pid, mass in MASSES.items():
        if mass:
            assert mass == pytest.approx(particle.Particle.from_pdgid(pid).mass / 1000, rel=1e-4)
    assert masses(np.array([421])) == pytest.approx(1.865, rel=1e-3)  # a D meson, looked up
    several = masses(np.array([[22, -421], [-211, 5122]]))  # of known and of rare particles, in their places
    np.testing.assert_allclose(several, [[0.0, 1.86484], [MASSES[211], 5.6196]], rtol=1e-4)
    assert np.isnan(masses(np.array([np.nan]))).all()
    with pytest.raises(BadJetError, match="no particle with PDG id 999999"):
        masses(np.array([999999]))


@pytest.mark.parametrize(
    ("order", "names"),
    [
        ("Epxpypz", ("E", "px", "py", "pz")),
        ("PTEtaPhiMass", ("pt", "eta", "phi", "mass")),
        ("ptyphipid", ("pt", "y", "phi", "pdgid")),
        ("etaphiptmask", ("eta", "phi", "pt", "mask")),
        (["pt", "eta", "phi", "d0"], ("pt", "eta", "phi", "d0")),
    ],
)
def test_orders(order, names):
    assert parse_order(order) == names


def test_what_is_no_order_or_no_momentum_is_an_error():
    with pytest.raises(SettingsError, match="order 'pxpypzQ' is not made of px, py, .* expected e.g. Epxpypz"):
        parse_order("pxpypzQ")
    with pytest.raises(SettingsError, match="has pt twice"):
        parse_order("pt,eta,phi,et")
    assert momentum_names(["pt", "eta"]) is None
    with pytest.raises(SettingsError, match="pt, eta makes no momentum; expected px, py, pz, or pt, eta"):
        to_momenta({"pt": P4[:, 0], "eta": P4[:, 0]})


@pytest.mark.parametrize("values", [np.array([1j]), np.array(["3"]), np.array([None])])
def test_coordinates_are_real_numbers(values):
    with pytest.raises(BadJetError, match=r"py are of type .*; expected real numbers"):
        to_momenta({"px": np.ones(1), "py": values, "pz": np.ones(1), "E": np.ones(1)})


def test_many_momenta_are_those_of_few_at_a_time():
    rng = np.random.default_rng(5)
    size = BLOCK + 3
    pt = np.where(rng.random(size) < 0.1, 0.0, rng.exponential(9.0, size))
    columns = {
        "pt": pt.astype(np.float32),
        "y": rng.normal(size=size),
        "phi": rng.uniform(-3, 3, size),
        "pdgid": rng.choice([22, 211, -2212], size),
    }
    found = to_momenta(columns)
    parts = [
        to_momenta({name: values[part] for name, values in columns.items()}) for part in np.array_split(range(size), 9)
    ]
    np.testing.assert_array_equal(found, np.concatenate(parts))
    np.testing.assert_allclose(kinematics.pt(found), columns["pt"], rtol=1e-12)
    grid = {name: values[:12].reshape(3, 4) for name, values in columns.items()}
    np.testing.assert_array_equal(to_momenta(grid), found[:12].reshape(3, 4, 4))


def test_ids_that_are_no_numbers_have_no_mass():
    found = masses(np.array([np.nan, -np.inf, 211.0, -1000020040.0]))
    assert np.isnan(found[:2]).all()
    np.testing.assert_allclose(found[2:], [0.13957, 3.728], rtol=1e-3)
