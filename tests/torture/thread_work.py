"""Work of the native core on many threads at once; `make races` runs it under the thread sanitizer."""

import threading

import numpy as np

from jetgram import backend

CALLERS, THREADS, ROUNDS = 4, 3, 10


def main() -> None:
    """Trees, scores and gradients: from every caller the bits of one thread."""
    core = backend.load()[0]
    assert core is not None
    rng = np.random.default_rng(1)
    momenta = rng.normal(size=(4000, 4)) * 20
    momenta[:, 3] = np.sqrt((momenta[:, :3] ** 2).sum(axis=1) + 0.02)
    offsets = np.arange(0, 4001, 10)
    engine = core.Engine("simple", 1, 4, [4, 1], "auto", 1)
    parameters = np.ones(sum(int(np.prod(shape)) for _, shape in engine.parameters), dtype=np.float32)
    jets, ones = np.arange(2000), np.ones((2000, 1), dtype=np.float32)
    scaler = [np.full(15, value, dtype=np.float32) for value in (0.5, 2.0, 6.0)]
    leaves = ones, np.zeros(2000, dtype=np.bool_), np.arange(2001)

    def work(threads: int) -> bytes:
        nodes, children = np.zeros((7600, 4)), np.zeros((7600, 2), dtype=np.int32)
        core.build_trees(momenta, offsets, "kt", 0, threads, nodes, children)
        rows, inner = np.zeros((7600, 15), dtype=np.float32), np.zeros(7600, dtype=np.bool_)
        core.tree_rows(momenta, offsets, "ca", 0, "lund", *scaler, threads, rows, inner)
        out, gradient = np.empty((2000, 1), dtype=np.float32), np.empty_like(parameters)
        engine.predict(parameters, *leaves, jets, threads, out)
        engine.step(parameters, *leaves, jets, ones, ones[:, 0], "logistic", threads, gradient)
        return b"".join(array.tobytes() for array in (nodes, children, rows, inner, out, gradient))

    expected, found = work(1), []
    callers = [
        threading.Thread(target=lambda: found.extend(work(THREADS) == expected for _ in range(ROUNDS)))
        for _ in range(CALLERS)
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert found == [True] * (CALLERS * ROUNDS)
    print(f"{len(found)} rounds on {CALLERS} callers with {THREADS} threads each: the bits of one thread")


if __name__ == "__main__":
    main()
