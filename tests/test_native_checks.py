"""Wrong input into every entry of the native core: an exception each, and nothing is read or written out of bounds.

`make sanitize` runs these tests with a core that is compiled with address and undefined-behaviour sanitizers.
"""

import numpy as np
import pytest

from jetgram import backend
from jetgram.kinematics import from_ptetaphim

core, _ = backend.load()
if core is None:
    pytest.skip("the native core was not built", allow_module_level=True)

REFUSED = (ValueError, TypeError)  # values and lengths; types and layouts
PARTICLES = from_ptetaphim([50.0, 40.0, 1.0, 30.0, 20.0], [0.0, 0.3, 0.2, -0.4, 1.0], [0.0, 0.1, 0.1, 1.0, 2.0])
OFFSETS = np.array([0, 3, 5])
WRONG_OFFSETS = {
    "none": np.array([], dtype=np.int64),
    "late": np.array([1, 3, 5]),
    "negative": np.array([0, -1, 5]),
    "falling": np.array([0, 4, 3, 5]),
    "too few": np.array([0, 3, 4]),
    "too many": np.array([0, 3, 6]),
    "far": np.array([0, 2**62, 5]),
    "wrapping": np.array([0, -(2**63), 5]),
    "floats": np.array([0.0, 3.0, 5.0]),
    "int32": OFFSETS.astype(np.int32),
    "strided": np.array([0, 9, 3, 9, 5, 9])[::2],
    "two dimensions": OFFSETS[None],
}
EMPTY_GROUP = {"empty group": np.array([0, 3, 3, 5])}
WRONG_THREADS = {"no threads": 0, "minus one thread": -1, "a million threads": 10**6, "half a thread": 0.5}


def read_only(array: np.ndarray) -> np.ndarray:
    array = array.copy()
    array.flags.writeable = False
    return array


def wrong_outputs(right: np.ndarray) -> dict[str, np.ndarray]:
    """Outputs that would be written past their end, or in vain."""
    other = np.float32 if right.dtype == np.float64 else np.float64
    wider = np.zeros((*right.shape[:-1], 2 * right.shape[-1]), dtype=right.dtype)
    found = {
        "short": right[:-1].copy(),
        "long": np.concatenate([right, right]),
        "type": right.astype(other),
        "strides": wider[..., ::2],
        "read-only": read_only(right),
        "one dimension more": right[None],
    }
    if right.ndim == 2:
        found["columns"] = right[:, :-1].copy()
        found["order"] = np.asfortranarray(np.zeros_like(right)) if min(right.shape) > 1 else wider[:, ::2]
    return found


def is_refused(call, arguments: dict) -> bool:
    try:
        call(**arguments)
    except REFUSED:
        return True
    return False


def refuse_each(call, right: dict, wrong: dict[str, dict[str, object]]) -> None:
    """The call works; with any one argument wrong, it raises."""
    call(**right)
    for name, values in wrong.items():
        for why, value in values.items():
            assert is_refused(call, {**right, name: value}), f"{name}: {why} was accepted"


def wrong_momenta(right: np.ndarray) -> dict[str, object]:
    return {
        "float32": right.astype(np.float32),
        "strided": np.repeat(right, 2, axis=0)[::2],
        "three columns": np.ascontiguousarray(right[:, :3]),
        "flat": right.reshape(-1),
        "short": right[:-1].copy(),
        "a list": right.tolist(),
        "nothing": None,
    }


def with_component(value: float) -> np.ndarray:
    momenta = PARTICLES.copy()
    momenta[4, 2] = value
    return momenta


NOT_FINITE = {str(value): with_component(value) for value in (np.nan, np.inf, -np.inf, 1e200)}


def test_places():
    places = np.zeros((len(PARTICLES), 2))
    wrong = {"momenta": wrong_momenta(PARTICLES) | NOT_FINITE, "places": wrong_outputs(places)}
    refuse_each(core.places, {"momenta": PARTICLES, "places": places}, wrong)


def test_clean():
    sums, hardest = np.zeros_like(PARTICLES), np.zeros(len(PARTICLES), dtype=np.int64)
    new_offsets = np.zeros_like(OFFSETS)
    right = {"momenta": PARTICLES, "offsets": OFFSETS, "min_pt": 0.1, "distance": 0.1, "threads": 2}
    wrong = {
        "momenta": wrong_momenta(PARTICLES) | NOT_FINITE,
        "offsets": WRONG_OFFSETS | EMPTY_GROUP,
        "threads": WRONG_THREADS,
        "sums": wrong_outputs(sums),
        "hardest": wrong_outputs(hardest),
        "new_offsets": wrong_outputs(new_offsets),
    }
    refuse_each(core.clean, {**right, "sums": sums, "hardest": hardest, "new_offsets": new_offsets}, wrong)


def test_lund_features():
    momenta, children = np.zeros((8, 4)), np.zeros((8, 2), dtype=np.int32)
    core.build_trees(PARTICLES, OFFSETS, "ca", 0, 1, momenta, children)
    offsets, features = 2 * OFFSETS - np.arange(len(OFFSETS)), np.zeros((8, 15))
    right = {"momenta": momenta, "children": children, "offsets": offsets, "threads": 2}
    inner = int(np.flatnonzero(children[:, 0] >= 0)[0])

    def with_child(node, value):
        changed = children.copy()
        changed[node, 1] = value
        return changed

    wrong = {
        "momenta": wrong_momenta(momenta),
        "children": {
            "short": children[:-1].copy(),
            "int64": children.astype(np.int64),
            "a later node": with_child(inner, inner),
            "far away": with_child(inner, 2**30),
            "negative": with_child(inner, -2),
            "of a leaf": with_child(0, 1),
        },
        "threads": WRONG_THREADS,
        "features": wrong_outputs(features),
    }
    refuse_each(core.lund_features, {**right, "features": features}, wrong)


@pytest.mark.parametrize(("features", "columns"), [("paper", 7), ("lund", 15)])
@pytest.mark.parametrize("topology", ["kt", "ca", "random", "desc-pt"])
def test_tree_rows(topology, features, columns):
    rows, inner = np.zeros((8, columns), dtype=np.float32), np.zeros(8, dtype=np.bool_)
    right = {"leaves": PARTICLES, "offsets": OFFSETS, "topology": topology, "seed": 0, "features": features}
    column = np.ones(columns, dtype=np.float32)
    scaler = dict.fromkeys(("center", "scale", "limit"), column)
    wrong_column = {
        "short": column[:-1].copy(),
        "empty": column[:0].copy(),
        "float64": column.astype(np.float64),
        "the rows themselves": rows.reshape(-1)[:columns],
    }
    wrong = {
        "leaves": wrong_momenta(PARTICLES) | NOT_FINITE,
        "offsets": WRONG_OFFSETS | EMPTY_GROUP,
        "topology": {"unknown": "median", "none": None},
        "seed": {"negative": -1, "large": 2**64},
        "features": {"unknown": "images", "of another width": "lund" if features == "paper" else "paper"},
        **dict.fromkeys(scaler, wrong_column),
        "threads": WRONG_THREADS,
        "rows": wrong_outputs(rows),
        "inner": wrong_outputs(inner),
    }
    refuse_each(core.tree_rows, {**right, **scaler, "threads": 2, "rows": rows, "inner": inner}, wrong)


def test_scale_rows():
    rows, column = np.zeros((8, 3), dtype=np.float32), np.ones(3, dtype=np.float32)
    wrong_column = {"short": column[:-1].copy(), "float64": column.astype(np.float64), "strided": np.ones(6, "f4")[::2]}
    overlapping = {"the rows themselves": rows.reshape(-1)[:3]}
    wrong_rows = {why: value for why, value in wrong_outputs(rows).items() if why not in ("short", "long")}
    wrong = {
        "rows": wrong_rows | {"no columns": np.zeros((8, 0), dtype=np.float32)},
        "center": wrong_column | overlapping,
        "scale": wrong_column | overlapping,
        "limit": wrong_column | overlapping,
        "threads": WRONG_THREADS,
    }
    right = {"rows": rows, "center": column, "scale": column, "limit": column, "threads": 2}
    refuse_each(core.scale_rows, right, wrong)


@pytest.mark.parametrize("topology", ["kt", "ca", "antikt", "random", "asc-pt", "desc-pt"])
def test_build_trees(topology):
    momenta, children = np.zeros((8, 4)), np.zeros((8, 2), dtype=np.int32)
    right = {"leaves": PARTICLES, "offsets": OFFSETS, "topology": topology, "seed": 0, "threads": 2}
    wrong = {
        "leaves": wrong_momenta(PARTICLES) | NOT_FINITE,
        "offsets": WRONG_OFFSETS | EMPTY_GROUP,
        "topology": {"unknown": "median", "none": None},
        "seed": {"negative": -1, "large": 2**64},
        "threads": WRONG_THREADS,
        "momenta": wrong_outputs(momenta),
        "children": wrong_outputs(children),
    }
    refuse_each(core.build_trees, {**right, "momenta": momenta, "children": children}, wrong)


def test_outputs_must_not_lie_over_what_is_read():
    """Offsets that change while they are used would lead anywhere."""
    memory = np.zeros(64)
    offsets = memory.view(np.int64)[:3]
    offsets[:] = OFFSETS
    features, order = memory[:56].reshape(8, 7), np.zeros(8, dtype=np.int64)
    with pytest.raises(ValueError, match="features: found memory that it shares with offsets"):
        core.node_features(np.ones((5, 4)), offsets, 1, features[:5])
    children = memory.view(np.int32)[:16].reshape(8, 2)
    with pytest.raises(ValueError, match="children: found memory that it shares with offsets"):
        core.build_trees(PARTICLES, offsets, "kt", 0, 1, np.zeros((8, 4)), children)
    with pytest.raises(ValueError, match="children: found memory that it shares with momenta|momenta: found"):
        core.build_trees(PARTICLES, OFFSETS, "kt", 0, 1, memory[:32].reshape(8, 4), children)
    with pytest.raises(ValueError, match="labels: found memory that it shares with offsets"):
        core.find_subjets(PARTICLES, offsets, 0.3, memory.view(np.int32)[:5], 1)
    tree = np.array([[-1, -1], [-1, -1], [0, 1]], dtype=np.int32)
    offsets[:2] = 0, 3
    with pytest.raises(ValueError, match="inner: found memory that it shares with offsets"):
        core.breadth_first(tree, offsets[:2], 1, order[:3], memory.view(np.bool_)[:3])


def test_node_features():
    right = {"momenta": PARTICLES, "offsets": OFFSETS, "threads": 2, "features": np.zeros((5, 7))}
    wrong = {
        "momenta": wrong_momenta(PARTICLES),
        "offsets": WRONG_OFFSETS | EMPTY_GROUP,
        "threads": WRONG_THREADS,
        "features": wrong_outputs(right["features"]),
    }
    refuse_each(core.node_features, right, wrong)


def test_find_subjets():
    labels = np.zeros(5, dtype=np.int32)
    right = {"momenta": PARTICLES, "offsets": OFFSETS, "radius": 0.3, "labels": labels, "threads": 2}
    wrong = {
        "momenta": wrong_momenta(PARTICLES) | NOT_FINITE,
        "offsets": WRONG_OFFSETS | EMPTY_GROUP,
        "radius": {"zero": 0.0, "negative": -1.0, "nan": np.nan, "infinite": np.inf, "none": None},
        "labels": wrong_outputs(labels),
        "threads": WRONG_THREADS,
    }
    refuse_each(core.find_subjets, right, wrong)


LABELS = np.array([0, 1, 2, 0, 1], dtype=np.int32)
WRONG_LABELS = {
    f"{value} at {row}": np.where(np.arange(5) == row, value, LABELS).astype(np.int32)
    for row, value in [(0, -1), (4, -(2**31)), (2, 3), (4, 2), (0, 2**31 - 1)]
} | {
    "floats": LABELS.astype(float),
    "nan": np.full(5, np.nan),
    "int64": LABELS.astype(np.int64),
    "short": LABELS[:4].copy(),
    "long": np.zeros(6, dtype=np.int32),
    "strided": np.repeat(LABELS, 2)[::2],
}


def test_keep_hard_subjets():
    kept, min_pt = np.zeros(5, dtype=np.bool_), np.array([3.0, 1.0])
    right = {"momenta": PARTICLES, "offsets": OFFSETS, "labels": LABELS, "min_pt": min_pt, "threads": 2, "kept": kept}
    wrong = {
        "momenta": wrong_momenta(PARTICLES),
        "offsets": WRONG_OFFSETS | EMPTY_GROUP,
        "labels": WRONG_LABELS,
        "min_pt": {"short": min_pt[:1], "long": np.ones(3), "float32": min_pt.astype(np.float32)},
        "threads": WRONG_THREADS,
        "kept": wrong_outputs(kept),
    }
    refuse_each(core.keep_hard_subjets, right, wrong)


def test_align():
    right = {"momenta": PARTICLES.copy(), "offsets": OFFSETS, "labels": LABELS, "threads": 2}
    wrong = {
        "momenta": wrong_momenta(PARTICLES) | {"read-only": read_only(PARTICLES)},
        "offsets": WRONG_OFFSETS | EMPTY_GROUP,
        "labels": WRONG_LABELS,
        "threads": WRONG_THREADS,
    }
    refuse_each(core.align, right, wrong)


def test_all_physical():
    right = {"momenta": PARTICLES, "rounding": 1e-6, "largest": 1e100, "threads": 2}
    wrong = wrong_momenta(PARTICLES)
    del wrong["short"]
    refuse_each(core.all_physical, right, {"momenta": wrong, "threads": WRONG_THREADS})


CHILDREN = np.array([[-1, -1], [-1, -1], [-1, -1], [1, 2], [0, 3], [-1, -1], [-1, -1], [0, 1]], dtype=np.int32)


def test_breadth_first():
    order, inner = np.zeros(8, dtype=np.int64), np.zeros(8, dtype=np.bool_)
    right = {"children": CHILDREN, "offsets": np.array([0, 5, 8]), "threads": 2, "order": order, "inner": inner}
    children = {}
    for why, value in {"below": -2, "itself": 4, "after": 5, "far": 2**31 - 1, "a leaf twice": 0}.items():
        children[why] = CHILDREN.copy()
        children[why][4, 1] = value
    wrong = {
        "children": {
            **children,
            "int64": CHILDREN.astype(np.int64),
            "one column": np.ascontiguousarray(CHILDREN[:, :1]),
            "strided": np.repeat(CHILDREN, 2, axis=0)[::2],
        },
        "offsets": {**WRONG_OFFSETS, "even": np.array([0, 4, 8]), "empty": np.array([0, 5, 5, 8])},
        "threads": WRONG_THREADS,
        "order": wrong_outputs(order),
        "inner": wrong_outputs(inner),
    }
    refuse_each(core.breadth_first, right, wrong)


def test_adam():
    gradient = np.ones(7, dtype=np.float32)
    numbers = {"step": 1, "rate": 1e-3, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8}
    arrays = {name: np.zeros(7, dtype=np.float32) for name in ("parameters", "mean", "square")}
    wrong = {name: wrong_outputs(array) for name, array in arrays.items()}
    wrong["gradient"] = {"short": gradient[:6].copy(), "float64": gradient.astype(float), "over": arrays["mean"]}
    wrong["step"] = {"zero": 0, "negative": -1, "far": 2**62}
    refuse_each(core.adam, {"gradient": gradient, **numbers, **arrays}, wrong)


FEATURES = np.zeros((8, 7), dtype=np.float32)
INNER = np.array([1, 0, 1, 0, 0, 1, 0, 0], dtype=np.bool_)
TREES = np.array([0, 5, 8])
WRONG_INNER = {
    "short": INNER[:7].copy(),
    "all inner": np.ones(8, dtype=np.bool_),
    "no inner": np.zeros(8, dtype=np.bool_),
    "child before parent": np.array([1, 0, 0, 1, 0, 1, 0, 0], dtype=np.bool_),
    "bytes": INNER.astype(np.uint8),
    "strided": np.repeat(INNER, 2)[::2],
}
WRONG_FEATURES = {
    "float64": FEATURES.astype(float),
    "six columns": FEATURES[:, :6].copy(),
    "a million columns": np.zeros((0, 10**6), dtype=np.float32),
    "short": FEATURES[:7].copy(),
    "fortran": np.asfortranarray(FEATURES),
}
# Only the offsets of chosen trees are followed, so that a step costs nothing for the rest of a large dataset.
WRONG_TREES = {
    "none": np.array([], dtype=np.int64),
    "beyond": np.array([0, 5, 9]),
    "far": np.array([0, 2**62, 8]),
    "negative": np.array([-1, 5, 8]),
    "falling": np.array([0, 9, 8]),
    "empty": np.array([0, 0, 8]),
    "even": np.array([0, 4, 8]),
    "int32": TREES.astype(np.int32),
}
WRONG_CHOICES = {
    "beyond": np.array([2]),
    "negative": np.array([-1]),
    "far": np.array([2**62]),
    "floats": np.array([0.0]),
    "int32": np.array([0], dtype=np.int32),
    "strided": np.array([0, 0, 1, 1])[::2],
}
CHOSEN = np.array([1, 0])


def engine_arguments(parameters: int) -> tuple[dict, dict]:
    """What engines read, for two trees, and what they must not accept."""
    right = {
        "parameters": np.zeros(parameters, dtype=np.float32),
        "features": FEATURES,
        "inner": INNER,
        "offsets": TREES,
        "jets": CHOSEN,
        "threads": 2,
    }
    wrong = {
        "parameters": {"short": right["parameters"][1:], "float64": np.zeros(parameters)},
        "features": WRONG_FEATURES,
        "inner": WRONG_INNER,
        "offsets": WRONG_TREES,
        "jets": WRONG_CHOICES,
        "threads": WRONG_THREADS,
    }
    return right, wrong


@pytest.mark.parametrize("cell", ["simple", "gated", "blend"])
@pytest.mark.parametrize("verb", ["embed", "predict", "record"])
@pytest.mark.parametrize("readout", ["root", "children"])
def test_engine(cell, verb, readout):
    width = 5 if readout == "root" else 10
    engine = core.Engine(cell, 7, 5, [width, 3, 2], readout=readout)
    size = sum(int(np.prod(shape)) for _, shape in engine.parameters)
    right, wrong = engine_arguments(size)
    out = np.zeros((2, 2 if verb == "predict" else width), dtype=np.float32)
    refuse_each(getattr(engine, verb), {**right, "out": out}, {**wrong, "out": wrong_outputs(out)})


TARGETS, WEIGHTS = np.zeros((2, 2), dtype=np.float32), np.ones(2, dtype=np.float32)
WRONG_TARGETS = {"short": TARGETS[:1].copy(), "columns": TARGETS[:, :1].copy(), "type": TARGETS.astype(float)}
WRONG_WEIGHTS = {"short": WEIGHTS[:1].copy(), "type": WEIGHTS.astype(float), "two dimensions": WEIGHTS[None]}


@pytest.mark.parametrize("cell", ["simple", "gated", "blend"])
def test_a_step_of_the_engine(cell):
    engine = core.Engine(cell, 7, 5, [5, 3, 2])
    size = sum(int(np.prod(shape)) for _, shape in engine.parameters)
    right, wrong = engine_arguments(size)
    gradient = np.zeros(size, dtype=np.float32)
    right |= {"targets": TARGETS, "weights": WEIGHTS, "loss": "squared"}
    wrong |= {"targets": WRONG_TARGETS, "weights": WRONG_WEIGHTS, "loss": {"unknown": "cubic"}}
    refuse_each(engine.step, {**right, "gradient": gradient}, {**wrong, "gradient": wrong_outputs(gradient)})


def test_a_tape_outlives_the_arrays_it_reads():
    engine = core.Engine("simple", 7, 5)
    size = sum(int(np.prod(shape)) for _, shape in engine.parameters)
    rng = np.random.default_rng(1)
    parameters, slope = rng.normal(size=size).astype(np.float32), np.ones((2, 5), dtype=np.float32)
    gradients = []
    for keep in (True, False):
        features = np.random.default_rng(2).normal(size=(8, 7)).astype(np.float32)
        tape = engine.record(parameters, features, INNER, TREES, CHOSEN, 1, np.zeros((2, 5), dtype=np.float32))
        if not keep:
            del features
            noise = [np.full((8, 7), np.nan, dtype=np.float32) for _ in range(50)]  # would take the freed memory
            assert len(noise) == 50
        gradients.append(np.zeros(size, dtype=np.float32))
        tape.backward(slope, 1, gradients[-1])
    np.testing.assert_array_equal(*gradients)


def test_tape():
    engine = core.Engine("gated", 7, 5)
    size = sum(int(np.prod(shape)) for _, shape in engine.parameters)
    right, _ = engine_arguments(size)
    tape = engine.record(**right, out=np.zeros((2, 5), dtype=np.float32))
    slope, gradient = np.ones((2, 5), dtype=np.float32), np.zeros(size, dtype=np.float32)
    wrong = {
        "embedding_gradient": {"short": slope[:1].copy(), "columns": slope[:, :4].copy(), "type": slope.astype(float)},
        "threads": WRONG_THREADS,
        "gradient": wrong_outputs(gradient),
    }
    arguments = {"embedding_gradient": slope, "threads": 1, "gradient": gradient}
    for name, values in wrong.items():
        for value in values.values():
            with pytest.raises(REFUSED):
                tape.backward(**{**arguments, name: value})
    tape.backward(**arguments)
    with pytest.raises(RuntimeError, match="already run"):
        tape.backward(**arguments)


SIZES = {"none": 0, "negative": -1, "absurd": 2**30, "beyond int": 2**40, "a fraction": 1.5}


def test_engines_have_sizes():
    right = {"cell": "simple", "features": 7, "hidden": 5, "head": [5, 3, 1], "path": "auto", "chunk": 8}
    heads = {"other width": [4, 1], "one width": [5], "zero": [5, 0], "absurd": [5, 2**30], "deep": [5] * 100}
    wrong = {"cell": {"unknown": "lstm"}, "path": {"unknown": "sse"}, "head": heads, "readout": {"unknown": "leaves"}}
    wrong |= {name: SIZES for name in ("features", "hidden", "chunk")}
    refuse_each(core.Engine, right, wrong)
    refuse_each(core.EventEngine, {**right, "state": 5}, {**wrong, "state": SIZES})


def test_event_engine():
    engine = core.EventEngine("simple", 7, 5, 6, [6, 2])
    size = sum(int(np.prod(shape)) for _, shape in engine.parameters)
    momenta = np.zeros((2, 4), dtype=np.float32)
    right, wrong = engine_arguments(size)
    right["tree_offsets"], wrong["tree_offsets"] = right.pop("offsets"), wrong.pop("offsets")
    del right["jets"], wrong["jets"]
    right |= {"momenta": momenta, "offsets": np.array([0, 1, 2]), "events": CHOSEN}
    wrong |= {
        "momenta": {"short": momenta[:1].copy(), "columns": momenta[:, :3].copy(), "type": momenta.astype(float)},
        "offsets": {
            "none": np.array([], dtype=np.int64),
            "beyond": np.array([0, 1, 3]),
            "negative": np.array([-1, 1, 2]),
            "empty event": np.array([0, 0, 2]),
            "far": np.array([0, 2**62, 2]),
            "floats": np.array([0.0, 1.0, 2.0]),
        },
        "events": WRONG_CHOICES,
    }
    out, gradient = np.zeros((2, 2), dtype=np.float32), np.zeros(size, dtype=np.float32)
    refuse_each(engine.predict, {**right, "out": out}, {**wrong, "out": wrong_outputs(out)})
    right |= {"targets": TARGETS, "weights": WEIGHTS, "loss": "squared"}
    wrong |= {"targets": WRONG_TARGETS, "weights": WRONG_WEIGHTS, "loss": {"unknown": "cubic"}}
    refuse_each(engine.step, {**right, "gradient": gradient}, {**wrong, "gradient": wrong_outputs(gradient)})


@pytest.mark.parametrize("kernel", ["exp", "sigmoid"])
def test_elementwise_kernels(kernel):
    x, y = np.zeros(11, dtype=np.float32), np.zeros(11, dtype=np.float32)
    wrong = {"x": {"short": x[:9].copy(), "type": x.astype(float)}, "y": wrong_outputs(y), "path": {"unknown": "sse"}}
    refuse_each(getattr(core.engine_kernels, kernel), {"path": "portable", "x": x, "y": y}, wrong)


def test_multiply_add_kernel():
    wrong = {"path": {"unknown": "sse"}, "rounds": {"negative": -1, "many": 2**41, "type": 1.5}}
    refuse_each(core.engine_kernels.multiply_add, {"path": "portable", "rounds": 1}, wrong)


def test_affine_kernel():
    zeros = lambda *shape: np.zeros(shape, dtype=np.float32)  # noqa: E731
    right = {"x": zeros(3, 5), "parameters": zeros(24), "dy": zeros(3, 4), "y": zeros(3, 4), "dx": zeros(3, 5)}
    right |= {"gradient": zeros(24), "path": "portable"}
    inputs = {"short": zeros(2, 5), "columns": zeros(3, 6), "none": zeros(0, 5), "float64": np.zeros((3, 5))}
    wrong = {"x": inputs, "parameters": {"short": zeros(23), "long": zeros(25)}, "dy": {"short": zeros(2, 4)}}
    wrong |= {name: wrong_outputs(right[name]) for name in ("y", "dx", "gradient")}
    refuse_each(core.engine_kernels.affine, right, wrong)


def test_gate_kernels():
    z, slot, state = (np.zeros(shape, dtype=np.float32) for shape in ((4, 16), (4, 16), 16))
    odd = np.zeros(15, dtype=np.float32)
    slots = {"rows": slot[:3].copy(), "columns": slot[:, :8].copy(), "type": slot.astype(float)}
    right = {"path": "portable", "z": z, "slot": slot}
    wrong = {"z": wrong_outputs(z), "slot": slots}
    states = {**wrong_outputs(state), "no whole vectors": odd}
    refuse_each(core.engine_kernels.update, {**right, "state": state}, {**wrong, "state": states})
    backward = {**right, "dstate": state, "dslot": np.zeros((4, 16), dtype=np.float32)}
    wrong |= {"dstate": {"odd": odd, "short": state[:8].copy()}, "dslot": wrong_outputs(backward["dslot"])}
    refuse_each(core.engine_kernels.update_backward, backward, wrong)
