"""Both engines: the same numbers, for trees of all shapes, networks of all sizes and any number of threads."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from random_trees import (
    assert_agrees_with_float64,
    double,
    loss_and_gradient,
    random_network,
    random_schedule,
    relative,
)

from jetgram import backend
from jetgram.inputs.schedule import Schedule
from jetgram.networks.cells import CELLS
from jetgram.networks.classification import MultiClass
from jetgram.networks.engine import native_engine, torch_engine
from jetgram.networks.network import TrainingStep, jet_classifier
from jetgram.networks.regression import Regression

core, _ = backend.load()
needs_native = pytest.mark.skipif(core is None, reason="the native core was not built")
every_cell = pytest.mark.parametrize("cell", CELLS)
every_engine = pytest.mark.parametrize("engine", ["torch", pytest.param("native", marks=needs_native)])

LEAVES = [1, 2, 61, 3, 1, 17, 4, 40, 5, 33, 9, 2, 80, 7, 1, 25, 12, 6, 50]


@needs_native
@every_cell
@pytest.mark.parametrize("hidden", [1, 3, 8, 40, 64, 100])
@pytest.mark.parametrize("features", [1, 7, 12])
def test_the_native_engine_agrees_with_float64(cell, hidden, features):
    trees = random_schedule(LEAVES, features)
    network = random_network(cell, features, hidden, engine="native")
    assert_agrees_with_float64(network, trees)


@needs_native
@every_cell
@pytest.mark.parametrize("topology", ["kt", "antikt", "random", "desc-pt"])
def test_all_shapes_of_trees(cell, topology):
    trees = random_schedule(LEAVES, topology=topology)
    network = random_network(cell, engine="native")
    _, gradient = loss_and_gradient(network, trees)
    _, expected = loss_and_gradient(*double(network, trees))
    assert relative(gradient, expected) < 1e-5


@needs_native
@every_cell
def test_a_graph_that_is_kept_can_be_gone_back_twice(cell):
    """As with two losses over one embedding; weights that change meanwhile do not count."""
    trees, found = random_schedule(LEAVES), []
    for engine in ("native", "torch"):
        network = random_network(cell, engine=engine)
        embedding = network.embedding(trees)
        embedding.sum().backward(retain_graph=True)
        once = [weight.grad.clone() for weight in network.embedding.parameters()]
        (embedding**2).sum().backward()
        found.append([weight.grad - grad for weight, grad in zip(network.embedding.parameters(), once, strict=True)])
    for native, expected in zip(*found, strict=True):
        torch.testing.assert_close(native, expected, rtol=1e-4, atol=1e-4)


@settings(max_examples=30)
@needs_native
@given(st.lists(st.integers(1, 30), min_size=1, max_size=40), st.sampled_from(list(CELLS)), st.integers(0, 99))
def test_any_batch(leaves, cell, seed):
    trees = random_schedule(leaves, features=3, topology="random", seed=seed)
    network = random_network(cell, features=3, hidden=5, engine="native")
    loss, gradient = loss_and_gradient(network, trees, seed=seed)
    expected_loss, expected = loss_and_gradient(*double(network, trees), seed=seed)
    assert loss == pytest.approx(expected_loss, rel=1e-5)
    assert relative(gradient, expected) < 2e-5


@every_cell
@every_engine
def test_batched_is_one_by_one(cell, engine):
    trees = random_schedule(LEAVES)
    network = random_network(cell, engine=engine)
    together = network.predict(trees)
    alone = np.concatenate([network.predict(trees, [jet]) for jet in range(len(trees))])
    if engine == "native":
        np.testing.assert_array_equal(together, alone)
    assert relative(together, alone) < 1e-6
    _, gradient = loss_and_gradient(network, trees, jets=np.arange(len(trees)))
    parts = np.random.default_rng([0, 2])
    targets, weights = parts.integers(0, 2, (len(trees), 1)).astype(np.float64), parts.uniform(0.5, 2.0, len(trees))
    step, total = TrainingStep(network), np.zeros_like(gradient, dtype=np.float64)
    for jet in range(len(trees)):
        step(trees, [jet], targets[[jet]], weights[[jet]])
        total += step.parameters.gradient.numpy() / len(trees)
    assert relative(gradient, total) < 1e-5


@every_cell
@every_engine
def test_the_order_of_the_batch_is_the_order_of_the_results(cell, engine):
    trees = random_schedule(LEAVES)
    network = random_network(cell, engine=engine)
    jets = np.random.default_rng(5).permutation(len(trees))[:11]
    assert relative(network.predict(trees, jets), network.predict(trees)[jets]) < 1e-6
    assert relative(network.predict(trees[jets]), network.predict(trees)[jets]) < 1e-6


@every_cell
@every_engine
def test_every_parameter_gets_a_gradient(cell, engine):
    network = random_network(cell, engine=engine)
    loss_and_gradient(network, random_schedule(LEAVES))
    for name, weight in network.named_parameters():
        assert weight.grad.abs().max() > 0, name


@every_cell
def test_gradients_are_those_of_the_difference_quotient(cell):
    network, trees = double(random_network(cell, hidden=4), random_schedule([5, 1, 8]))
    _, gradient = loss_and_gradient(network, trees)
    step = TrainingStep(network)
    rng = np.random.default_rng(3)
    for _ in range(3):
        direction = torch.from_numpy(rng.normal(size=len(gradient)))
        losses = []
        for epsilon in (1e-6, -1e-6):
            step.parameters.values.add_(direction, alpha=epsilon)
            losses.append(loss_and_gradient(network, trees)[0])
            step = TrainingStep(network)
            step.parameters.values.sub_(direction, alpha=epsilon)
        assert (losses[0] - losses[1]) / 2e-6 == pytest.approx(float(direction.numpy() @ gradient), rel=1e-5)


@needs_native
@every_cell
@pytest.mark.parametrize("jets", [1, 15, 16, 64, 700])
def test_threads_do_not_change_a_bit(cell, jets, monkeypatch):
    leaves = np.random.default_rng(jets).integers(1, 20, jets).tolist()
    trees = random_schedule(leaves, features=3)
    results = []
    for threads in (1, 2, 5):
        monkeypatch.setattr(backend, "threads", lambda threads=threads: threads)
        network = random_network(cell, features=3, hidden=9, engine="native")
        loss, gradient = loss_and_gradient(network, trees)
        network(trees).square().sum().backward()
        by_tape = torch.cat([weight.grad.reshape(-1) for weight in network.parameters()]).numpy()
        results.append((loss, gradient, network.predict(trees), by_tape))
    for other in results[1:]:
        for found, expected in zip(other, results[0], strict=True):
            np.testing.assert_array_equal(found, expected)


def step_on(
    path: str, cell: str, hidden: int, weight: float = 1.0, trees: Schedule | None = None, chunk: int = 8
) -> tuple[float, np.ndarray, np.ndarray]:
    """Loss, gradient and outputs by the kernels of one path; every tree has the same weight."""
    trees = random_schedule(LEAVES) if trees is None else trees
    chosen = np.arange(len(trees))
    network = random_network(cell, hidden=hidden)
    flat = torch.cat([weight.detach().reshape(-1) for weight in network.parameters()]).numpy()
    y, w = np.ones((len(trees), 1), np.float32), np.full(len(trees), weight, np.float32)
    engine = core.Engine(cell, 7, hidden, [hidden, hidden, hidden, 1], path, chunk)
    gradient, outputs = np.empty_like(flat), np.empty_like(y)
    arrays = trees.features, trees.inner, trees.offsets, chosen
    loss = engine.step(flat, *arrays, y, w, "logistic", 1, gradient)
    engine.predict(flat, *arrays, 1, outputs)
    return loss, gradient, outputs


@needs_native
@every_cell
def test_the_portable_path_agrees(cell):
    (loss, gradient, outputs), *other = (step_on(path, cell, 37) for path in ("portable", "auto"))
    assert loss == pytest.approx(other[0][0], rel=1e-6)
    assert relative(gradient, other[0][1]) < 1e-5
    assert relative(outputs, other[0][2]) < 1e-5


@pytest.mark.skipif(core is None or core.cpu_path() != "avx512", reason="this machine has no AVX-512")
@every_cell
@pytest.mark.parametrize("hidden", [8, 24, 37, 40, 64])
def test_avx512_and_avx2_are_bit_identical(cell, hidden):
    for found, expected in zip(step_on("avx512", cell, hidden), step_on("avx2", cell, hidden), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.skipif(core is None or core.cpu_path() != "avx512", reason="this machine has no AVX-512")
@every_cell
@pytest.mark.parametrize("rows", range(1, 20))
def test_tiles_of_any_number_of_rows_are_bit_identical(cell, rows):
    """Equally long chains, all in one chunk: so many nodes on every level."""
    chains = random_schedule([4] * rows, topology="desc-pt")
    wide, narrow = (step_on(path, cell, 40, trees=chains, chunk=rows) for path in ("avx512", "avx2"))
    for found, expected in zip(wide, narrow, strict=True):
        np.testing.assert_array_equal(found, expected)


@needs_native
@every_cell
@pytest.mark.parametrize("readout", ["root", "children", "mean"])
def test_predictions_do_not_depend_on_chunks_and_threads(cell, readout):
    trees, chosen = random_schedule(5 * LEAVES, features=3), np.arange(5 * len(LEAVES))
    network = random_network(cell, features=3, hidden=9, readout=readout)
    flat = torch.cat([weight.detach().reshape(-1) for weight in network.parameters()]).numpy()
    head = [network.embedding.outputs, *(layer.out_features for layer in network.head.layers)]
    results = []
    for chunk, threads in [(8, 1), (8, 2), (1, 1), (3, 4), (64, 1)]:
        engine = core.Engine(cell, 3, 9, head, chunk=chunk, readout=readout)
        outputs = np.empty((len(trees), 1), np.float32)
        engine.predict(flat, trees.features, trees.inner, trees.offsets, chosen, threads, outputs)
        results.append(outputs)
    for outputs in results[1:]:
        np.testing.assert_array_equal(outputs, results[0])


@needs_native
@every_cell
def test_gradients_too_small_for_a_float_are_zero_and_the_thread_keeps_its_own_rules(cell):
    assert step_on("auto", cell, 8, weight=1e-30)[1].any()
    assert not step_on("auto", cell, 8, weight=1e-39)[1].any()
    assert np.float32(1e-39) * np.float32(0.5) > 0


@needs_native
@pytest.mark.parametrize("cell", ["simple", pytest.param("gated", marks=pytest.mark.slow)])
def test_a_chain_of_ten_thousand_leaves(cell):
    trees = random_schedule([10_000, 3], features=2, topology="desc-pt")
    network = random_network(cell, features=2, hidden=3, engine="native")
    with torch.no_grad():
        network.embedding.cell.W_h.mul_(0.5)  # so that states do not grow from level to level
    loss, gradient = loss_and_gradient(network, trees)
    expected_loss, expected = loss_and_gradient(*double(network, trees))
    assert loss == pytest.approx(expected_loss, rel=1e-5)
    assert relative(gradient, expected) < 1e-4


@needs_native
@every_cell
def test_a_long_chain_at_full_size(cell):
    trees = random_schedule([10_000] * 3, topology="asc-pt")
    network = jet_classifier(cell, scheme="paper", engine="native")
    _, gradient = loss_and_gradient(network, trees)
    assert np.isfinite(gradient).all()
    assert np.isfinite(network.predict(trees)).all()


@every_cell
@every_engine
def test_trees_of_one_node(cell, engine):
    trees = random_schedule([1, 1, 1])
    network = random_network(cell, engine=engine)
    x = torch.from_numpy(trees.features)
    expected = network.embedding.cell.node_input(x).detach()
    assert relative(network.embedding(trees).detach(), expected) < 1e-6
    _, gradient = loss_and_gradient(network, trees)
    assert np.isfinite(gradient).all()
    assert network.embedding.cell.W_u.grad.abs().max() > 0
    assert network.embedding.cell.W_h.grad.abs().max() == 0


@every_engine
def test_an_empty_batch(engine):
    trees = random_schedule([3, 4])
    network = random_network(engine=engine)
    assert network.predict(trees, []).shape == (0, 1)
    assert network.embedding(trees, []).shape == (0, 40)
    loss, gradient = loss_and_gradient(network, trees, jets=[])
    assert loss == 0
    assert not gradient.any()


@needs_native
@every_cell
def test_embeddings_take_part_in_larger_graphs(cell):
    """Two topologies side by side, a linear layer after them, and a weight that is used twice."""
    first, second = random_schedule(LEAVES), random_schedule(LEAVES, topology="desc-pt")
    gradients = []
    for engine in ("native", "torch"):
        network = random_network(cell, engine=engine)
        both = torch.cat([network.embedding(first), network.embedding(second, np.arange(len(second)))], dim=1)
        (both @ torch.linspace(-1, 1, both.shape[1])).tanh().sum().backward()
        gradients.append(torch.cat([weight.grad.reshape(-1) for weight in network.embedding.parameters()]))
    assert relative(gradients[0], gradients[1]) < 1e-5


@needs_native
def test_a_graph_that_is_not_kept_is_gone_back_once():
    network = random_network(engine="native")
    out = network(random_schedule([5, 6])).sum()
    out.backward()
    with pytest.raises(RuntimeError, match="second time|already been freed"):
        out.backward()


@needs_native
def test_features_outlive_the_graph():
    """The tape reads the features again: they must live as long as it does."""
    network = random_network(engine="native")
    out = network(random_schedule([5, 60] * 20)).sum()
    junk = [np.ones((1000, 7), dtype=np.float32) for _ in range(20)]
    out.backward()
    found = network.embedding.cell.W_u.grad.clone()
    network.zero_grad()
    network(random_schedule([5, 60] * 20)).sum().backward()
    assert torch.equal(found, network.embedding.cell.W_u.grad)
    assert len(junk) == 20


@needs_native
@pytest.mark.parametrize("loss", ["squared", "huber"])
@pytest.mark.parametrize("targets", [1, 3])
def test_regressors(loss, targets):
    trees = random_schedule(LEAVES)
    names = [f"target_{number}" for number in range(targets)]
    network = random_network(head=Regression(40, names, hidden=(24, 24), loss=loss), engine="native")
    value, gradient = loss_and_gradient(network, trees)
    expected_value, expected = loss_and_gradient(*double(network, trees))
    assert value == pytest.approx(expected_value, rel=1e-5)
    assert relative(gradient, expected) < 1e-5


@needs_native
@pytest.mark.parametrize("classes", [3, 7, 11])
def test_several_classes(classes):
    """Loss and gradient of the softmax are those of PyTorch; and so they are where the targets are no single class."""
    trees = random_schedule(LEAVES)
    network = random_network(head=MultiClass(40, range(classes), hidden=(24, 24)), engine="native")
    value, gradient = loss_and_gradient(network, trees)  # with random targets of 0 and 1
    step = TrainingStep(network)
    one_hot = np.eye(classes)[np.arange(len(LEAVES)) % classes]
    value_one = step(trees, None, one_hot)
    expected_value, expected = loss_and_gradient(*double(network, trees))
    assert value == pytest.approx(expected_value, rel=1e-5)
    assert relative(gradient, expected) < 1e-5
    outputs = torch.as_tensor(network.predict(trees))
    mean = torch.nn.functional.cross_entropy(outputs, torch.arange(len(LEAVES)) % classes)
    assert value_one == pytest.approx(mean.item(), rel=1e-5)


@needs_native
@pytest.mark.parametrize("head", [None, MultiClass(40, "abc")])
def test_a_broken_number_stays_visible(head):
    trees = random_schedule([5, 6, 7])
    trees.features[8, 3] = np.nan
    for cell in CELLS:
        network = random_network(cell, head=head, engine="native")
        loss, _ = loss_and_gradient(network, trees)
        assert np.isnan(loss)
        assert np.isnan(network.predict(trees)[:, 0]).tolist() == [True, False, False]


def test_features_can_ask_for_gradients():
    trees = random_schedule([5, 6])
    network = random_network("gated", engine="torch")
    features = torch.from_numpy(trees.features).requires_grad_()
    embedding = torch_engine.embed(network.embedding.cell, trees, None, features)
    network.head(embedding).sum().backward()
    assert (features.grad.abs().sum(dim=1) > 0).all()


@needs_native
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"inner": np.ones(9, bool)}, "one leaf more"),
        ({"inner": np.array([1, 0, 0, 1, 0, 1, 0, 1, 0], bool)}, "comes after its children"),
        ({"offsets": np.array([0, 8])}, "one leaf more"),
        ({"offsets": np.array([0, 11])}, "leave the 9 rows"),
        ({"offsets": np.array([-1, 9])}, "leave the 9 rows"),
        ({"jets": np.array([1])}, "not among the 1 trees"),
        ({"jets": np.array([-1])}, "not among the 1 trees"),
        ({"features": np.zeros((9, 6), np.float32)}, "6 features; expected 7"),
        ({"features": np.zeros((8, 7), np.float32)}, "length of inner: found 9, expected 8"),
        ({"parameters": np.zeros(10, np.float32)}, "number of parameters: found 10, expected 8481"),
        ({"out": np.zeros((2, 1), np.float32)}, "rows of out: found 2, expected 1"),
    ],
)
def test_the_native_engine_checks_what_it_gets(change, message):
    trees = random_schedule([5])
    arguments = {
        "parameters": np.zeros(8481, np.float32),
        "features": trees.features,
        "inner": trees.inner,
        "offsets": trees.offsets,
        "jets": np.array([0]),
        "threads": 1,
        "out": np.zeros((1, 1), np.float32),
    }
    engine = core.Engine("simple", 7, 40, [40, 40, 40, 1])
    engine.predict(**arguments)
    with pytest.raises(ValueError, match=message):
        engine.predict(**{**arguments, **change})


@needs_native
@every_cell
def test_the_flat_vector_has_the_order_of_the_modules(cell):
    network = random_network(cell)
    names = [name.rpartition(".")[2] for name, _ in network.embedding.named_parameters()]
    engine = core.Engine(cell, 7, 40, list(network.head.widths))
    assert [name for name, _ in engine.parameters][: len(names)] == names
    assert native_engine.FusedNetwork(network.embedding.cell, network.head.widths).parameter_shapes == [
        tuple(weight.shape) for weight in network.parameters()
    ]
