"""Jets per second of exported models in ONNX Runtime, next to the native and the torch engine, on one thread.

    python benchmarks/onnx_export.py DATASET [--batch 256] [--rounds 7]

Features are computed before the clock starts; the clock is that of the process.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnxruntime
import torch

from jetgram import Dataset
from jetgram.cli.progress import progress
from jetgram.export.onnx_file import export_onnx, onnx_inputs
from jetgram.models.model import JetModel
from jetgram.models.settings import make_settings
from jetgram.momenta import Jets
from jetgram.networks.device import using_threads
from jetgram.networks.recursive import RecursiveEmbedding

MODELS = {"simple kt": {}, "gated kt": {"cell": "gated"}, "modern": {"recipe": "modern"}}


def ways(model: JetModel, jets: Jets, folder: Path) -> dict[str, Callable[[], object]]:
    """One batch by each engine."""
    path = export_onnx(model, folder / "model.onnx")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    inputs, trees = onnx_inputs(model, jets), model.read(jets)
    embedding = model.network.embedding
    assert isinstance(embedding, RecursiveEmbedding)

    def in_torch() -> object:
        embedding.engine = "torch"
        try:
            return model.network.predict(trees)
        finally:
            embedding.engine = "auto"

    return {
        "ONNX": lambda: session.run(None, inputs),
        "native": lambda: model.network.predict(trees),
        "torch": in_torch,
    }


def main() -> None:
    """Measure every model by every engine, in turn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    jets = next(iter(Dataset(arguments.dataset).stream("test")))[: arguments.batch]
    torch.set_num_threads(1)
    times: dict[tuple[str, str], list[float]] = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        using_threads(1),
        progress("rounds", arguments.rounds, "rounds") as tick,
    ):
        works = {
            name: ways(JetModel.untrained(make_settings(**choices)[0], jets, seed=1), jets, Path(folder))
            for name, choices in MODELS.items()
        }
        for _ in range(arguments.rounds):
            for name, by_engine in works.items():
                for engine, work in by_engine.items():
                    work()
                    begin = time.process_time()
                    for _ in range(5):
                        work()
                    times.setdefault((name, engine), []).append((time.process_time() - begin) / 5)
            tick(1)
    print(f"jets per second on one thread, batches of {len(jets)}, medians of {arguments.rounds} rounds")
    for name in MODELS:
        rates = {engine: len(jets) / statistics.median(times[name, engine]) for engine in ("ONNX", "native", "torch")}
        ratios = np.array(times[name, "native"]) / np.array(times[name, "ONNX"])
        shown = "  ".join(f"{engine} {rate:9,.0f}" for engine, rate in rates.items())
        print(f"{name:10}  {shown}  ONNX / native {np.median(ratios):.2f}")


if __name__ == "__main__":
    main()
