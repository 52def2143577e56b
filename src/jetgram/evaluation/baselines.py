r"""The classifiers of the paper's Table 1 that need no network: $\tau_{21}$, and trimmed mass with $\tau_{21}$.

Both look at the jet as a whole: a boson's jet has two prongs, so that $\tau_{21} = \tau_2 / \tau_1$ is small, and a
trimmed mass near the boson's. They say how much is left to gain by reading the constituents.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jetgram.errors import EvaluationError
from jetgram.jets.substructure import substructure, tau21
from jetgram.momenta import Jets

if TYPE_CHECKING:
    from sklearn.ensemble import HistGradientBoostingClassifier

Array = NDArray[np.float64]
Advance = Callable[[int], None]

CHUNK = 2000  # jets measured at a time: small enough for a progress display, large enough to cost nothing
FEATURES = ("trimmed_mass", "tau21")


def score_tau21(jets: Jets, radius: float = 1.0, advance: Advance | None = None) -> Array:
    r"""$1 - \tau_{21}$ of each jet: larger is more signal-like.

    Args:
        jets: a column `tau21`, if they have one, is taken as it is.
        radius: the radius they were found with.
        advance: is called with the number of jets done, chunk by chunk.

    Returns:
        Shape `(jets,)`.

    Example:
        Two narrow prongs are like signal, three equal ones are less so:

        >>> import numpy as np
        >>> from jetgram.kinematics import from_ptetaphim
        >>> two = from_ptetaphim([50.0, 50.0], [0.0, 0.6], [1.0, 1.0])
        >>> three = from_ptetaphim([40.0, 40.0, 40.0], [0.0, 0.4, 0.0], [1.0, 1.0, 1.5])
        >>> score_tau21(Jets.from_lists([two, three])).round(2)
        array([1.  , 0.54])
    """
    if "tau21" in jets.columns:
        return 1 - np.asarray(jets.columns["tau21"], dtype=np.float64)
    return 1 - _in_chunks(lambda piece: tau21(piece, radius=radius), jets, advance)


def mass_and_tau21(jets: Jets, radius: float = 1.0, advance: Advance | None = None) -> Array:
    r"""Trimmed mass (GeV) and $\tau_{21}$ of each jet, shape `(jets, 2)`.

    Args:
        jets: columns `trimmed_mass` and `tau21`, if they have both, are taken as they are.
        radius: the radius they were found with.
        advance: is called with the number of jets done, chunk by chunk.
    """
    if all(name in jets.columns for name in FEATURES):
        return np.stack([np.asarray(jets.columns[name], dtype=np.float64) for name in FEATURES], axis=-1)

    def measure(piece: Jets) -> Array:
        found = substructure(piece, radius)
        return np.stack([found[name] for name in FEATURES], axis=-1)

    return _in_chunks(measure, jets, advance)


@dataclasses.dataclass(frozen=True)
class MassTau21:
    r"""Boosted trees on trimmed mass and $\tau_{21}$, trained; made by `fit_mass_tau21`."""

    trees: HistGradientBoostingClassifier
    radius: float

    def score(self, jets: Jets, advance: Advance | None = None) -> Array:
        """Probability of signal for each jet, shape `(jets,)`."""
        if not len(jets):
            return np.empty(0)
        features = mass_and_tau21(jets, self.radius, advance)
        with _one_thread():
            probability: Array = self.trees.predict_proba(features)[:, 1]
        return probability


def fit_mass_tau21(
    jets: Jets,
    labels: ArrayLike,
    weights: ArrayLike | None = None,
    radius: float = 1.0,
    seed: int = 0,
    advance: Advance | None = None,
) -> MassTau21:
    r"""Train boosted trees on trimmed mass and $\tau_{21}$.

    Args:
        jets: of the training split.
        labels: 1 signal, 0 background; both must be there.
        weights: one a jet; 1 by default.
        radius: the radius the jets were found with.
        seed: of the share that is kept aside to stop in time.
        advance: is called with the number of jets measured, chunk by chunk.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    label = np.asarray(labels)
    if label.shape != (len(jets),) or set(np.unique(label)) != {0, 1}:
        found = f"{len(jets)} jets with labels of shape {label.shape}, values {np.unique(label)[:5]}"
        raise EvaluationError(f"{found}; expected one label a jet, some 0 (background) and some 1 (signal)")
    trees = HistGradientBoostingClassifier(learning_rate=0.05, max_leaf_nodes=15, random_state=seed)
    features = mass_and_tau21(jets, radius, advance)
    with _one_thread():
        trees.fit(features, label, sample_weight=weights)
    return MassTau21(trees, radius)


def _one_thread() -> AbstractContextManager[object]:
    """A context in which scikit-learn uses one thread: enough for two features, and not slowed by a busy machine."""
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[object] = threadpool_limits(1, user_api="openmp")
    return limits


def _in_chunks(measure: Callable[[Jets], Array], jets: Jets, advance: Advance | None) -> Array:
    """What `measure` gives for all jets, a chunk at a time, so that memory stays small and progress is seen."""
    parts = []
    for start in range(0, max(len(jets), 1), CHUNK):
        piece = jets[start : start + CHUNK]
        parts.append(measure(piece))
        if advance is not None:
            advance(len(piece))
    return np.concatenate(parts)
