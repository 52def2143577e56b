r"""The classifiers of the paper's Table 1 that need no network: $\tau_{21}$, and mass with $\tau_{21}$.

Both look at the trimmed jet as a whole: a boson's jet has two prongs, so that $\tau_{21} = \tau_2 / \tau_1$ is small,
and a mass near the boson's. They say how much is left to gain by reading the constituents.
`score_observables` scores a stored dataset with both.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jetgram.classes import NO_LABEL
from jetgram.errors import DatasetError, EvaluationError
from jetgram.evaluation.scores import Provenance, Scores
from jetgram.evaluation.selection import Window
from jetgram.jets.substructure import substructure
from jetgram.joining import chunks
from jetgram.momenta import Jets
from jetgram.progress import Advance
from jetgram.roc import SCORE
from jetgram.storage.dataset import Dataset

if TYPE_CHECKING:
    from sklearn.ensemble import ExtraTreesClassifier


Array = NDArray[np.float64]

CHUNK = 2000  # jets measured at a time: small enough for a progress display, large enough to cost nothing
FEATURES = ("trimmed_mass", "tau21")
MEASURED = ("trimmed_pt", *FEATURES)
TREES = 1000
LEAF = 100  # jets in a leaf, at least
LEAVES = 20  # where there are too few jets for so many leaves, the leaves hold fewer


def measure(jets: Jets, radius: float = 1.0, advance: Advance | None = None) -> Jets:
    r"""The jets with columns `trimmed_pt`, `trimmed_mass` (GeV) and `tau21`, all of the trimmed jet.

    Args:
        jets: as they were found; those that have the columns are returned as they are.
        radius: the radius they were found with.
        advance: is called with the number of jets done, chunk by chunk.
    """
    if all(name in jets.columns for name in MEASURED):
        return jets
    parts: list[dict[str, Array]] = []
    for _, piece in chunks(jets, CHUNK):
        parts.append(substructure(piece, radius))
        if advance is not None:
            advance(len(piece))
    return jets.with_columns(**{name: np.concatenate([part[name] for part in parts]) for name in MEASURED})


def score_tau21(jets: Jets, radius: float = 1.0, advance: Advance | None = None) -> Array:
    r"""$1 - \tau_{21}$ of each trimmed jet: larger is more signal-like.

    Args:
        jets: as they were found, or with the columns of `measure`.
        radius: the radius they were found with.
        advance: is called with the number of jets done, chunk by chunk.

    Returns:
        Shape `(jets,)`.

    Example:
        Two narrow prongs are like signal, three are less so:

        >>> import numpy as np
        >>> from jetgram.kinematics import from_ptetaphim
        >>> two = from_ptetaphim([50.0, 50.0], [0.0, 0.6], [1.0, 1.0])
        >>> three = from_ptetaphim([50.0, 40.0, 30.0], [0.0, 0.4, 0.0], [1.0, 1.0, 1.5])
        >>> score_tau21(Jets.from_lists([two, three])).round(2)
        array([1.  , 0.52])
    """
    return 1 - np.asarray(measure(jets, radius, advance).columns["tau21"], dtype=np.float64)


@dataclasses.dataclass(frozen=True)
class MassTau21:
    r"""Randomised trees on mass and $\tau_{21}$ of trimmed jets, trained; made by `fit_mass_tau21`."""

    trees: ExtraTreesClassifier
    radius: float

    def score(self, jets: Jets, advance: Advance | None = None) -> Array:
        """Probability of signal for each jet, shape `(jets,)`."""
        if not len(jets):
            return np.empty(0)
        probability: Array = self.trees.predict_proba(_features(measure(jets, self.radius, advance)))[:, 1]
        return probability


def fit_mass_tau21(
    jets: Jets,
    labels: ArrayLike,
    weights: ArrayLike | None = None,
    radius: float = 1.0,
    seed: int = 0,
    advance: Advance | None = None,
    window: Window | None = None,
) -> MassTau21:
    r"""Train 1,000 extremely randomised trees on mass and $\tau_{21}$ of trimmed jets, as the paper's authors did.

    Each split is the best of one random cut on one random feature, and each leaf holds at least 100 jets (of fewer than
    2,000 jets, a twentieth); the probabilities of all trees are averaged (doi:10.1007/s10994-006-6226-1).

    Args:
        jets: of the training split.
        labels: 1 signal, 0 background; both must be there.
        weights: one per jet; 1 by default.
        radius: the radius the jets were found with.
        seed: of the trees.
        advance: is called with the number of jets measured, chunk by chunk.
        window: the jets to learn from, by pT and mass after trimming; the paper's by default.
    """
    from sklearn.ensemble import ExtraTreesClassifier

    label, window = np.asarray(labels), window or Window()
    if label.shape != (len(jets),) or not set(np.unique(label)) <= {0, 1}:
        found = f"{len(jets)} jets with labels of shape {label.shape}, values {np.unique(label)[:5]}"
        raise EvaluationError(f"{found}; expected one label per jet, some 0 (background) and some 1 (signal)")
    measured = measure(jets, radius, advance)
    inside = window.contains(measured.columns["trimmed_pt"], measured.columns["trimmed_mass"])
    counts = [int(np.count_nonzero(label[inside] == name)) for name in (1, 0)]
    if not all(counts):
        found = f"of {len(jets)} training jets {counts[0]} signal and {counts[1]} background jets"
        raise EvaluationError(f"{found} have, trimmed, {window}; expected some of both, or another window")
    leaf = min(LEAF, -(-sum(counts) // LEAVES))
    trees = ExtraTreesClassifier(TREES, min_samples_leaf=leaf, max_features=1, random_state=seed)
    chosen = None if weights is None else np.asarray(weights)[inside]
    trees.fit(_features(measured)[inside], label[inside], sample_weight=chosen)
    return MassTau21(trees, radius)


def _features(jets: Jets) -> Array:
    """What the trees read of measured jets, `(jets, 2)`."""
    return np.stack([np.asarray(jets.columns[name], dtype=np.float64) for name in FEATURES], axis=-1)


Observable = Literal["tau21", "mass + tau21"]
OBSERVABLES: tuple[Observable, ...] = ("tau21", "mass + tau21")


def score_observables(
    dataset: Dataset,
    observables: Sequence[Observable] = OBSERVABLES,
    window: Window | None = None,
    advance: Advance | None = None,
    label: str = "label",
) -> dict[Observable, Scores]:
    r"""The scores of the test split by $\tau_{21}$, and by randomised trees on mass and $\tau_{21}$.

    The pT and mass next to the scores, which windows and weights go by, are those of the trimmed jet. Jets of other
    classes than 0 and 1 are of no class that is known: the trees do not learn from them, and their label is -1.

    Args:
        dataset: of jets; the trees are fitted to its training split.
        observables: which of both.
        window: the training jets that the trees learn from; the paper's by default.
        advance: is told how many jets are measured since the last call; see `jets_to_measure`.
        label: the column of the class.
    """
    test = measure(_jets(dataset, "test"), advance=advance)
    if label in test.columns:
        test = test.with_columns(**{label: np.where(_binary(test, label), test.columns[label], NO_LABEL)})
    pt, mass = test.columns["trimmed_pt"], test.columns["trimmed_mass"]
    found = {}
    for name in observables:
        if name == "tau21":
            values = score_tau21(test)
        else:
            train = _jets(dataset, "train")
            known = _binary(train, label)
            if not known.all():
                train = train[known]
                if advance is not None:
                    advance(int(np.count_nonzero(~known)))
            train = measure(train, advance=advance)
            weights = train.columns.get("weight")  # which the scores are judged with, too
            values = fit_mass_tau21(train, train.columns[label], weights, window=window).score(test)
        provenance = Provenance.of_dataset(dataset, "test", name)
        found[name] = Scores.from_rows({SCORE: values}, test, pt, mass, provenance, label=label)
    return found


def jets_to_measure(dataset: Dataset, observables: Sequence[Observable] = OBSERVABLES) -> int:
    """How many jets `score_observables` measures."""
    splits = ["test", *["train"] * ("mass + tau21" in observables)]
    return sum(dataset.splits.get(split, 0) for split in splits)


def _binary(jets: Jets, label: str) -> NDArray[np.bool_]:
    """Whether each jet is signal or background, `(jets,)`."""
    return np.isin(jets.columns[label], (0, 1))


def _jets(dataset: Dataset, split: str) -> Jets:
    """The jets of a split."""
    jets = dataset.read(split)
    if not isinstance(jets, Jets):
        raise DatasetError(f"{dataset.path} holds {dataset.kind}; tau21 and mass are measured on jets")
    return jets
