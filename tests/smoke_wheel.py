"""What `make wheel` runs in a new environment, where nothing but the wheel and its dependencies are installed.

The package comes from there and has its native core; it trains, predicts, saves, loads and has a command line.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def main() -> None:
    import numpy as np

    import jetgram
    from jetgram import backend
    from jetgram.kinematics import from_ptetaphim

    compilers = [name for name in ("c++", "g++", "clang++", "cc", "gcc", "clang") if shutil.which(name)]
    assert not compilers, f"found {', '.join(compilers)}; expected no compiler"
    assert Path(jetgram.__file__).is_relative_to(sys.prefix), jetgram.__file__
    core, reason = backend.load()
    assert core is not None, reason

    label = np.arange(600) % 2
    angle = np.random.default_rng(1).normal(0.3 + 0.3 * label, 0.05)
    jets = jetgram.Jets.from_lists([from_ptetaphim([60.0, 40.0], [0.0, a], [0.0, 0.0]) for a in angle])
    tagger = jetgram.JetTagger(hidden=8, epochs=10, batch=16, rate=0.02).fit(jets[:400], label[:400])
    accuracy = tagger.score(jets[400:], label[400:])
    assert accuracy > 0.95, accuracy

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tagger.save(folder / "model")
        again = jetgram.JetTagger.load(folder / "model")
        assert (again.predict_proba(jets) == tagger.predict_proba(jets)).all()
        jetgram.save(folder / "jets", {"test": jets.with_columns(label=label)}, {"source": "smoke test"})
        command = [Path(sys.prefix) / "bin" / "jetgram", "predict", "model", "jets", "--out", "scores.parquet"]
        ended = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert ended.returncode == 0, ended.stderr
    print(f"jetgram {jetgram.__version__} from the wheel: native core, accuracy {accuracy:.3f} on 200 new jets")


if __name__ == "__main__":
    main()
