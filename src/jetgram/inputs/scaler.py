"""Scaling of what networks read, and of what they regress."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jetgram import backend
from jetgram.errors import BadJetError, SettingsError

Array = NDArray[np.float64]

Scaling = Literal["robust", "standard"]
FARTHEST = 6.0  # standard deviations, where scaled values are cut off
NO_SPREAD = 10 * np.finfo(np.float64).eps  # what is less spread is constant, up to rounding; scikit-learn's limit too


@dataclasses.dataclass(frozen=True, eq=False)
class Scaler:
    r"""Scaling of columns: $x' = (x - c) / s$, cut off at $\pm l$ where there is such a limit.

    Robust: $c$ is the median and $s$ the inter-quartile range (third quartile minus first) of the training set, so that
    a few extreme values do not matter. Standard: mean and standard deviation, and a limit of six of them; a value that
    a row does not have (NaN) becomes 0. A column without spread is only centred. The scaler is part of the model.

    Args:
        center: what is subtracted, `(columns,)`.
        scale: what is divided by, `(columns,)`.
        limit: what the scaled values are cut off at, `(columns,)`; infinite by default.

    Example:
        >>> scaler = Scaler.fit([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0], [4.0, 5.0], [100.0, 5.0]])
        >>> scaler.center, scaler.scale
        (array([3., 5.]), array([2., 1.]))
        >>> scaler.transform([[7.0, 6.0]])
        array([[2., 1.]], dtype=float32)
        >>> standard = Scaler.fit([[1.0, np.nan], [2.0, 4.0], [3.0, 6.0]], "standard")
        >>> standard.transform([[2.0, np.nan], [100.0, 5.5]])
        array([[0. , 0. ],
               [6. , 0.5]], dtype=float32)
    """

    center: Array
    scale: Array
    limit: Array = dataclasses.field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        center = np.array(self.center, dtype=np.float64)
        scale = np.array(self.scale, dtype=np.float64)
        if center.ndim != 1 or center.shape != scale.shape:
            raise SettingsError(f"a scaler needs as many centres as scales; found {center.shape} and {scale.shape}")
        for name, values, good in (("center", center, np.isfinite(center)), ("scale", scale, scale > 0)):
            if not (good & np.isfinite(values)).all():
                wanted = "finite numbers" if name == "center" else "finite numbers above 0"
                raise SettingsError(f"a scaler's {name} is {values.tolist()}; expected {wanted}")
        limit = np.array(self.limit, dtype=np.float64) if len(self.limit) else np.full(center.shape, np.inf)
        if limit.shape != center.shape or not (limit > 0).all():
            raise SettingsError(f"a scaler's limit is {limit.tolist()}; expected one above 0 per column, or none")
        object.__setattr__(self, "center", center)
        object.__setattr__(self, "scale", scale)
        object.__setattr__(self, "limit", limit)

    @classmethod
    def fit(cls, values: ArrayLike, scaling: Scaling = "robust", least: ArrayLike = NO_SPREAD) -> Scaler:
        """The scaler of these values.

        Args:
            values: `(rows, columns)`.
            scaling: robust or standard.
            least: a column that is not spread more than this is only centred; one number, or one per column.
        """
        array = np.asarray(values)
        if array.ndim != 2 or not len(array):
            raise BadJetError(f"a scaler is fitted to one or more rows of columns; found shape {array.shape}")
        if scaling == "standard":
            return cls._standard(array, least)
        low, center, high = np.percentile(array, (25, 50, 75), axis=0).astype(np.float64)
        spread = high - low
        return cls(center, np.where(spread > least, spread, 1.0))

    @classmethod
    def _standard(cls, array: NDArray[Any], least: ArrayLike) -> Scaler:
        there = ~np.isnan(array)
        count = np.maximum(there.sum(axis=0), 1)
        center = np.sum(array, axis=0, dtype=np.float64, where=there) / count
        spread = np.sqrt(np.sum((array - center) ** 2, axis=0, dtype=np.float64, where=there) / count)
        return cls(center, np.where(spread > least, spread, 1.0), np.full(len(center), FARTHEST))

    def join(self, other: Scaler) -> Scaler:
        """One scaler for these columns and, behind them, those of the other."""
        names = ("center", "scale", "limit")
        return Scaler(*(np.concatenate([getattr(self, name), getattr(other, name)]) for name in names))

    def __getitem__(self, columns: slice) -> Scaler:
        """The scaler of some columns."""
        return Scaler(self.center[columns], self.scale[columns], self.limit[columns])

    @property
    def single_precision(self) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        """Center, scale and limit in the precision of the networks."""
        return self.center.astype(np.float32), self.scale.astype(np.float32), self.limit.astype(np.float32)

    def transform(self, values: ArrayLike) -> NDArray[np.float32]:
        """The scaled values, `(rows, columns)`, in single precision as the networks read them."""
        scaled = np.array(values, dtype=np.float32, order="C")
        center, scale, limit = self.single_precision
        core, _ = backend.load()  # the numbers are the same without, so nobody needs to be warned
        if core is not None and scaled.ndim == 2 and scaled.shape[1] == len(center) > 0:
            core.scale_rows(scaled, center, scale, limit, backend.threads())
            return scaled
        scaled -= center
        scaled /= scale
        if np.isfinite(limit).any():
            np.clip(scaled, -limit, limit, out=scaled)
            scaled[np.isnan(scaled) & np.isfinite(limit)] = 0
        return scaled

    def restore(self, scaled: ArrayLike) -> Array:
        """The values `(rows, columns)` whose scaled ones these are."""
        restored: Array = np.asarray(scaled, dtype=np.float64) * self.scale + self.center
        return restored
