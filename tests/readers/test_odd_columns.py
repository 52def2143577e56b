"""Columns in the shapes and under the names that people have them: nothing is taken for something else."""

import re

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import jetgram
from jetgram import kinematics
from jetgram.errors import BadJetError, DatasetError, SettingsError, SuspiciousJetsWarning

from . import field_files
from .test_layouts import linked

NAMES = ("px", "py", "pz", "E")


def write_npz(path, jets, **columns):
    np.savez(path, p4=jets.momenta, offsets=jets.offsets, **columns)
    return path


def write_hdf5(path, jets, **columns):
    arrays = field_files.padded(jets, jets.momenta, int(jets.multiplicity.max()))
    with h5py.File(path, "w") as file:
        for number, name in enumerate(NAMES):
            file[name] = arrays[..., number]
        for name, values in columns.items():
            file[name] = values
    return path


def ones(values):
    """Lists of one value each."""
    return pa.ListArray.from_arrays(pa.array(np.arange(len(values) + 1, dtype=np.int32)), pa.array(values))


def test_columns_of_an_npz_with_the_names_of_momenta(tmp_path, jets):
    energy = jets.momenta[jets.offsets[:-1], 3]
    path = write_npz(tmp_path / "jets.npz", jets, E=energy, label=jets.columns["label"])
    jetgram.convert(path, out=tmp_path / "out")
    found = jetgram.read(tmp_path / "out")
    np.testing.assert_array_equal(found.columns["jet_E"], energy)
    np.testing.assert_array_equal(found.columns["label"], jets.columns["label"])


def test_a_dataset_with_two_columns_of_a_name_is_not_begun(tmp_path, jets):
    with pytest.raises(DatasetError, match="more than one column 'E'; px, py, pz, E are the momenta: rename it"):
        jetgram.save(tmp_path / "out", jets.with_columns(E=jets.pt), {})
    with pytest.raises(DatasetError, match="holds no dataset|no dataset"):
        jetgram.read(tmp_path / "out")


def test_an_npz_carries_the_columns_that_are_wanted(tmp_path, jets):
    path = write_npz(tmp_path / "jets.npz", jets, a=jets.pt, b=jets.pt, weight=jets.pt, label=jets.columns["label"])
    assert set(jetgram.read(path, columns=["a"]).columns) == {"a", "weight", "label"}
    chosen = jetgram.read(path, weight="b")
    np.testing.assert_array_equal(chosen.columns["weight"], jets.pt)
    twice = write_npz(tmp_path / "twice.npz", jets, w=2 * jets.pt, weight=jets.pt)
    np.testing.assert_array_equal(jetgram.read(twice, weight="w").columns["weight"], 2 * jets.pt)


def test_classes_and_weights_in_arrays_of_one_column(tmp_path, jets):
    label, weight = jets.columns["label"], jets.pt
    files = [
        write_hdf5(tmp_path / "jets.h5", jets, label=label[:, None], weight=weight[:, None]),
        write_npz(tmp_path / "jets.npz", jets, label=label[:, None], weight=weight[:, None]),
        field_files.write_parquet(tmp_path / "jets.parquet", jets, NAMES, label=ones(label), weight=ones(weight)),
    ]
    for path in files:
        found = jetgram.read(path)
        np.testing.assert_array_equal(found.columns["label"], label)
        np.testing.assert_array_equal(found.columns["weight"], weight)
    names = field_files.write_parquet(
        tmp_path / "names.parquet", jets, NAMES, label=ones(np.array(["q", "g", "t"])[label])
    )
    np.testing.assert_array_equal(jetgram.read(names).columns["label"], np.array([1, 0, 2])[label])


@pytest.mark.parametrize("option", ["label", "weight"])
def test_several_values_per_jet_are_no_class_and_no_weight(tmp_path, jets, option):
    path = field_files.write_parquet(tmp_path / "jets.parquet", jets, NAMES, text=pa.array(["a"] * len(jets)))
    with pytest.raises(SettingsError, match=r"jets\.parquet: pz has lists of values; expected one value per row"):
        jetgram.read(path, map=dict(zip(NAMES, ("px", "py", "px", "E"), strict=True)), **{option: "pz"})


def test_what_is_no_weight(tmp_path, jets):
    three = write_hdf5(tmp_path / "jets.h5", jets, weight=np.ones((len(jets), 3)))
    with pytest.raises(SettingsError, match=r"the weights have shape \(300, 3\) and type float64; expected a number"):
        jetgram.read(three)
    text = field_files.write_parquet(tmp_path / "jets.parquet", jets, NAMES, text=pa.array(["a"] * len(jets)))
    with pytest.raises(SettingsError, match="the weights have shape .* expected a number per row"):
        jetgram.read(text, weight="text")
    with pytest.raises(BadJetError, match=r"the label has shape \(300, 1\); expected one number for each"):
        jetgram.save(tmp_path / "out", jets.with_columns(label=jets.columns["label"][:, None]), {})


def test_masks_of_lists(tmp_path, jets):
    there = np.random.default_rng(3).random(len(jets.momenta)) < 0.5
    there[jets.offsets[:-1]] = True
    offsets = pa.array(jets.offsets.astype(np.int32))
    for name, options in (("mask", {}), ("valid", {"map": {**dict(zip(NAMES, NAMES, strict=True)), "mask": "valid"}})):
        columns = {name: pa.ListArray.from_arrays(offsets, pa.array(there))}
        columns["d0"] = pa.ListArray.from_arrays(offsets, pa.array(jets.momenta[:, 2]))
        path = field_files.write_parquet(tmp_path / f"{name}.parquet", jets, NAMES, **columns)
        found = jetgram.read(path, **options)
        np.testing.assert_array_equal(found.momenta, jets.momenta[there])
        np.testing.assert_array_equal(found.particles["d0"], jets.momenta[there, 2])
        np.testing.assert_array_equal(found.multiplicity, np.bincount(jets.group[there]))


def test_masks_of_padded_columns_are_found(tmp_path, jets):
    place = np.arange(jets.multiplicity.max()) < (jets.multiplicity // 2 + 1)[:, None]
    found = jetgram.read(write_hdf5(tmp_path / "jets.h5", jets, mask=place))
    np.testing.assert_array_equal(found.multiplicity, np.minimum(jets.multiplicity, jets.multiplicity // 2 + 1))


def test_a_mask_of_rows_is_a_column_like_others(tmp_path, jets):
    there = np.arange(len(jets)) % 2 == 0
    found = jetgram.read(write_hdf5(tmp_path / "jets.h5", jets, mask=there))
    np.testing.assert_array_equal(found.multiplicity, jets.multiplicity)
    np.testing.assert_array_equal(found.columns["mask"], there)


def test_padded_momenta_next_to_lists_of_something_else(tmp_path, jets):
    path = write_hdf5(tmp_path / "jets.h5", jets)
    with h5py.File(path, "a") as file:
        tracks = file.create_dataset("tracks", (len(jets),), dtype=h5py.vlen_dtype(np.int32))
        for row in range(len(jets)):
            tracks[row] = np.arange(row % 4)
    found = jetgram.read(path)
    np.testing.assert_array_equal(found.multiplicity, jets.multiplicity)
    np.testing.assert_array_equal(found.ragged["tracks"].counts, np.arange(len(jets)) % 4)


def test_one_column_is_not_class_and_weight(tmp_path, jets):
    with pytest.raises(SettingsError, match="'label' cannot be both the class and the weight"):
        jetgram.read(write_npz(tmp_path / "jets.npz", jets, label=jets.columns["label"]), weight="label")


def test_lists_in_hdf5(tmp_path, jets):
    with h5py.File(tmp_path / "lists.h5", "w") as file:
        for number, name in enumerate(NAMES):
            array = file.create_dataset(name, (len(jets),), dtype=h5py.vlen_dtype(np.float64))
            for row, (begin, end) in enumerate(zip(jets.offsets[:-1], jets.offsets[1:], strict=True)):
                array[row] = jets.momenta[begin:end, number]
        file["label"] = jets.columns["label"]
    found = jetgram.read(tmp_path / "lists.h5")
    np.testing.assert_array_equal(found.momenta, jets.momenta)
    np.testing.assert_array_equal(found.offsets, jets.offsets)
    np.testing.assert_array_equal(found.columns["label"], jets.columns["label"])


def test_bytes_in_the_other_order(tmp_path, jets):
    swapped = jets.columns["label"].astype(">i4"), jets.pt.astype(">f4")
    path = write_npz(tmp_path / "jets.npz", jets, label=swapped[0], weight=swapped[1])
    jetgram.convert(path, out=tmp_path / "out")
    found = jetgram.read(tmp_path / "out")
    np.testing.assert_array_equal(found.columns["weight"], jets.pt.astype(np.float32))
    np.testing.assert_array_equal(found.columns["label"], jets.columns["label"])


@pytest.mark.parametrize(("unit", "gev"), [("GeV", 1.0), ("MeV", 1000.0)])
def test_masses_of_pdg_ids_in_any_unit(tmp_path, unit, gev):
    with h5py.File(tmp_path / "jets.h5", "w") as file:
        for name, value in (("pt", 50.0 * gev), ("eta", 0.5), ("phi", 1.0), ("pdgid", 2212)):
            file[name] = np.full((4, 3), value)
    found = jetgram.read(tmp_path / "jets.h5", units=unit)
    np.testing.assert_allclose(kinematics.mass(found.momenta), 0.938272, rtol=1e-4)


def test_an_array_that_is_not_energyflows(tmp_path, two_classes):
    columns = np.stack(list(field_files.polar(two_classes).values()), axis=1)
    columns[:, 3] = 0.13957
    path = tmp_path / "X.npz"
    np.savez(path, X=field_files.padded(two_classes, columns, 60), y=two_classes.columns["label"])
    with pytest.raises(BadJetError, match=r"0\.13957 is no PDG id.*name them: layout columns, map ptetaphim=X"):
        jetgram.read(path)
    found = jetgram.read(path, layout="columns", map={"ptetaphim": "X"}, label="y")
    np.testing.assert_allclose(kinematics.mass(found.momenta), 0.13957, rtol=1e-3)


def test_a_file_without_rows_among_others_with_names_of_classes(tmp_path, jets):
    names = np.array(["qcd", "top", "w"])[jets.columns["label"]]
    full = field_files.write_parquet(tmp_path / "full.parquet", jets, NAMES, label=pa.array(names))
    empty = field_files.write_parquet(tmp_path / "empty.parquet", jets[:0], NAMES, label=pa.array(names[:0]))
    for number, order in enumerate(([full, empty], [empty, full])):
        found = jetgram.convert(order, out=tmp_path / f"out{number}")
        assert found.provenance["classes"] == ["qcd", "top", "w"]
        assert found.rows() == len(jets)


@pytest.mark.parametrize("option", [{"min_pt": 500.0}, {"hardest": 1}, {"algorithm": "kt"}])
def test_options_of_clustering_without_clustering(tmp_path, jets, option):
    with pytest.raises(SettingsError, match=f"{next(iter(option))} is about the jets that events are clustered into"):
        jetgram.read(write_npz(tmp_path / "jets.npz", jets), **option)


def test_a_class_or_weight_that_a_layout_does_not_read(tmp_path, qcd_events):
    path = field_files.write_delphes(tmp_path / "delphes.root", qcd_events[:5])
    with pytest.raises(SettingsError, match="label is no option of the layout delphes; the class of a whole file"):
        jetgram.read(path, label="Flag")
    with pytest.raises(SettingsError, match="weight is no option of the layout delphes"):
        jetgram.read(path, weight="Mine")


def test_pfnano_has_the_weights_and_classes_that_are_asked_for(tmp_path, qcd_events):
    jets, number = linked(qcd_events[:40])
    path = field_files.write_pfnano(tmp_path / "nano.root", qcd_events[:40], (jets, number))
    found = jetgram.read(path, label="event", weight="FatJet_pt")
    np.testing.assert_array_equal(found.columns["label"], jets.columns["event"] + 7)
    np.testing.assert_allclose(found.columns["weight"], jets.pt, rtol=1e-6)
    clustered = jetgram.read(path, jets=0.8, label="event")
    np.testing.assert_array_equal(clustered.columns["label"], clustered.columns["event_number"])
    with pytest.raises(SettingsError, match=r"nano\.root has no branch 'nope'"):
        jetgram.read(path, weight="nope")
    with pytest.raises(
        SettingsError, match="FatJet_pt has lists of values; expected one value per row; rows are events"
    ):
        jetgram.read(path, jets=0.8, label="FatJet_pt")


def test_negative_weights_can_be_scored_and_left_out(tmp_path, two_classes):
    weight = np.where(np.arange(len(two_classes)) % 10, 1.0, -1.0)
    path = write_npz(tmp_path / "jets.npz", two_classes, label=two_classes.columns["label"], weight=weight)
    found = jetgram.read(path)
    np.testing.assert_array_equal(found.columns["weight"], weight)
    without = jetgram.read(path, weight="")
    assert "weight" not in without.columns
    np.testing.assert_array_equal(without.columns["original_weight"], weight)


def lists(**columns):
    """Four jets of one particle each, as weaver keeps them."""
    momenta = {"part_px": [[3.0]] * 4, "part_py": [[4.0]] * 4, "part_pz": [[0.0]] * 4, "part_energy": [[5.0]] * 4}
    return pa.table({**momenta, **columns})


def test_a_weight_of_particles_does_not_hide_that_of_jets(tmp_path):
    table = lists(label=[0, 1, 0, 1], part_weight=[[0.5]] * 4, w=[2.0, 3.0, 4.0, 5.0])
    pq.write_table(table, tmp_path / "jets.parquet")
    jets = jetgram.read(tmp_path / "jets.parquet", weight="w")
    assert jets.columns["weight"].tolist() == [2.0, 3.0, 4.0, 5.0]
    assert jets.particles["particle_weight"].tolist() == [0.5] * 4


def test_one_column_is_no_set_of_classes(tmp_path):
    pq.write_table(lists(label=[0, 1, 0, 1], label_run=[7, 7, 8, 8]), tmp_path / "jets.parquet")
    assert jetgram.read(tmp_path / "jets.parquet").columns["label"].tolist() == [0, 1, 0, 1]
    assert jetgram.read(tmp_path / "jets.parquet", label="label_run").columns["label"].tolist() == [7, 7, 8, 8]


@pytest.mark.parametrize("option", ["label", "weight"])
def test_a_coordinate_is_no_class_or_weight(tmp_path, option):
    pq.write_table(lists(), tmp_path / "jets.parquet")
    with pytest.raises(SettingsError, match="part_px is a coordinate of the momenta; expected a column with one value"):
        jetgram.read(tmp_path / "jets.parquet", **{option: "part_px"})


def test_padding_with_negative_pt_is_an_error_that_shows_it(tmp_path):
    pt, eta = np.array([[50.0, -9.0], [40.0, 30.0]]), np.array([[0.1, -9.0], [0.1, 0.2]])
    np.savez(tmp_path / "jets.npz", pt=pt, eta=eta, phi=eta)
    with pytest.raises(BadJetError, match="jet 0, particle 1: pT < 0 in pt = -9.0, eta = -9.0"):
        jetgram.read(tmp_path / "jets.npz")
    with pytest.warns(SuspiciousJetsWarning, match="1 particle left out: pT < 0"):
        jets = jetgram.read(tmp_path / "jets.npz", on_bad="clip", on_bad_particle="drop")
    assert jets.multiplicity.tolist() == [1, 2]


def test_the_first_bad_jet_is_named(tmp_path):
    p4 = np.array([[3.0, 4.0, 0.0, 5.0]] * 4)
    p4[1, 3], p4[2, 3], p4[3, 3] = 4.0, np.nan, -1.0
    np.savez(tmp_path / "jets.npz", p4=p4, offsets=np.arange(5))
    found = r"jet 1, particle 0: E < \|p\| .*3 of 4 jets are bad: 1 E < \|p\|, 1 NaN, 1 E < 0"
    with pytest.raises(BadJetError, match=found):
        jetgram.read(tmp_path / "jets.npz")


@pytest.mark.filterwarnings("ignore::jetgram.errors.SuspiciousJetsWarning")
def test_what_has_no_momentum_cannot_be_clipped(tmp_path):
    """E = |p| = 0 is unphysical too."""
    p4 = np.array([[3.0, 4.0, 0.0, 5.0], [0.0, 0.0, 0.0, -1.0], [3.0, 4.0, 0.0, 4.0]])
    np.savez(tmp_path / "jets.npz", p4=p4, offsets=[0, 2, 3])
    jets = jetgram.read(tmp_path / "jets.npz", on_bad="clip")
    np.testing.assert_array_equal(jets.momenta, [[3.0, 4.0, 0.0, 5.0]] * 2)


def lists_of(jets, **columns):
    """A table as a list per coordinate and jet, and other columns."""
    offsets = pa.array(jets.offsets, pa.int32())
    momenta = {name: pa.ListArray.from_arrays(offsets, pa.array(jets.momenta[:, i])) for i, name in enumerate(NAMES)}
    return pa.table({**momenta, **columns})


@pytest.mark.parametrize("index", [pa.int8(), pa.uint16(), pa.int32()])
@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_text_in_dictionaries_is_text(tmp_path, jets, index, form):
    """As of a category of pandas, whether it is the class or only carried along."""
    names = np.array(["top", "qcd"])[np.arange(len(jets)) % 2]
    category = pa.DictionaryArray.from_arrays(pa.array(np.arange(len(jets)) % 2, index), pa.array(["top", "qcd"]))
    table, path = lists_of(jets, label=category, sample=category), tmp_path / f"jets.{form}"
    if form == "parquet":
        pq.write_table(table, path)
    else:
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    with pytest.warns(SuspiciousJetsWarning, match="not carried along: 1 column: sample; it is text"):
        found = jetgram.read(path)
    assert found.columns["label"].tolist() == (names == "top").astype(int).tolist()


def test_lists_that_are_empty_in_a_whole_chunk(tmp_path, jets):
    none = pa.ListArray.from_arrays(pa.array(np.zeros(len(jets) + 1), pa.int32()), pa.array(np.empty(0)))
    pq.write_table(lists_of(jets, sv_pt=none), tmp_path / "jets.parquet")
    found = jetgram.read(tmp_path / "jets.parquet")
    assert found.ragged["sv_pt"].values.shape == (0, 1)
    assert len(found) == len(jets)


def test_particles_relative_to_a_jet_whose_columns_nobody_asked_for(tmp_path, jets):
    path = field_files.write_jetnet(tmp_path / "jets.hdf5", jets)
    whole, some = jetgram.read(path), jetgram.read(path, columns=["jet_pt"])
    np.testing.assert_array_equal(some.momenta, whole.momenta)
    assert "jet_mass" in whole.columns
    assert set(some.columns) == {"jet_pt"}


@pytest.mark.parametrize(("units", "scale"), [(None, 1e-3), ("MeV", 1e-3), ("GeV", 1.0)])
def test_what_the_user_says_of_units_replaces_what_the_file_says(tmp_path, units, scale):
    pyhepmc = pytest.importorskip("pyhepmc")
    event, vertex = pyhepmc.GenEvent(pyhepmc.Units.MEV, pyhepmc.Units.MM), pyhepmc.GenVertex()
    vertex.add_particle_in(pyhepmc.GenParticle((0, 0, 6500, 6500), 2212, 4))
    vertex.add_particle_out(pyhepmc.GenParticle((3000, 4000, 0, 5000), 22, 1))
    event.add_vertex(vertex)
    with pyhepmc.open(tmp_path / "mev.hepmc", "w") as file:
        file.write(event)
    found = jetgram.read(tmp_path / "mev.hepmc", units=units)
    np.testing.assert_allclose(found.momenta, [[3000 * scale, 4000 * scale, 0, 5000 * scale]])


def test_an_array_of_another_length_does_not_hide_the_others(tmp_path, jets):
    """Whether it comes first, as names of classes do, or is longer than all, as a histogram may be."""
    momenta, label = field_files.padded(jets, jets.momenta, 20), np.arange(len(jets)) % 2
    np.savez(tmp_path / "jets.npz", classes=np.array(["qcd", "top"]), pxpypzE=momenta, label=label)
    with h5py.File(tmp_path / "jets.h5", "w") as file:
        file["constituents"], file["label"], file["histogram"] = momenta, label, np.zeros(10 * len(jets))
    for path, name in ((tmp_path / "jets.npz", "pxpypzE"), (tmp_path / "jets.h5", "constituents")):
        with pytest.warns(SuspiciousJetsWarning, match="not carried along"):
            found = jetgram.read(path, map={"pxpypzE": name})
        assert found.columns["label"].tolist() == label.tolist()


def of_files(tmp_path, *columns):
    """A file of four jets of one particle for each set of columns."""
    paths = [tmp_path / f"{number}.parquet" for number in range(len(columns))]
    for path, some in zip(paths, columns, strict=True):
        pq.write_table(lists(**some), path)
    return paths


@pytest.mark.parametrize(
    ("first", "other", "words"),
    [
        ([[0.5]] * 4, [[0.5, 0.5]] * 4, "d0 (lists of 1 per row, one per particle)"),
        ([[0.5, 0.5]] * 4, [0.5] * 4, "d0 (lists of 1 per row, one per row)"),
    ],
    ids=["particles and lists", "lists and rows"],
)
def test_a_column_that_is_something_else_in_another_file(tmp_path, first, other, words):
    for number, order in enumerate([(first, other), (other, first)]):
        (tmp_path / str(number)).mkdir()
        paths = of_files(tmp_path / str(number), *({"part_d0": values} for values in order))
        for use in (jetgram.read, lambda paths, out=tmp_path / f"out{number}": jetgram.convert(paths, out)):
            with pytest.raises(DatasetError, match=re.escape(f"have different columns: {words}; choose those")):
                use(paths)
        assert len(jetgram.read(paths, columns=["label"])) == 8


def test_a_column_that_is_something_else_after_the_first_rows(tmp_path, jets):
    """As where it is cut off after so many particles, and the longest jets come last."""
    ordered = jets[np.argsort(jets.multiplicity, kind="stable")]
    assert ordered.multiplicity[200] < ordered.multiplicity[-1]
    counts = np.minimum(ordered.multiplicity, ordered.multiplicity[-1] - 1)
    cut = pa.ListArray.from_arrays(
        pa.array(np.append(0, np.cumsum(counts)), pa.int32()), pa.array(np.ones(counts.sum()))
    )
    path = tmp_path / "jets.parquet"
    pq.write_table(lists_of(ordered, d0=cut), path, row_group_size=100)
    with pytest.raises(
        DatasetError, match=r"jets\.parquet has different columns: d0 \(lists of 1 per row, one per part"
    ):
        jetgram.convert(path, tmp_path / "out", rows=100)
