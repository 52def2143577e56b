"""Scaling of what networks read, and of what they regress."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jetgram.errors import BadJetError, SettingsError

Array = NDArray[np.float64]

NO_SPREAD = 10 * np.finfo(np.float64).eps  # what is less spread is constant, up to rounding; scikit-learn's limit too


@dataclasses.dataclass(frozen=True, eq=False)
class Scaler:
    r"""Robust scaling of columns: $x' = (x - \mathrm{median}) / \mathrm{IQR}$.

    Median and inter-quartile range (third quartile minus first) are those of the training set, so that a few extreme
    values do not matter; a column without spread is only centred. The scaler is part of the model.

    Args:
        center: what is subtracted, `(columns,)`.
        scale: what is divided by, `(columns,)`.

    Example:
        >>> scaler = Scaler.fit([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0], [4.0, 5.0], [100.0, 5.0]])
        >>> scaler.center, scaler.scale
        (array([3., 5.]), array([2., 1.]))
        >>> scaler.transform([[7.0, 6.0]])
        array([[2., 1.]], dtype=float32)
    """

    center: Array
    scale: Array

    def __post_init__(self) -> None:
        center = np.array(self.center, dtype=np.float64)
        scale = np.array(self.scale, dtype=np.float64)
        if center.ndim != 1 or center.shape != scale.shape:
            raise SettingsError(f"a scaler needs as many centres as scales; found {center.shape} and {scale.shape}")
        for name, values, good in (("center", center, np.isfinite(center)), ("scale", scale, scale > 0)):
            if not (good & np.isfinite(values)).all():
                wanted = "finite numbers" if name == "center" else "finite numbers above 0"
                raise SettingsError(f"a scaler's {name} is {values.tolist()}; expected {wanted}")
        object.__setattr__(self, "center", center)
        object.__setattr__(self, "scale", scale)

    @classmethod
    def fit(cls, values: ArrayLike) -> Scaler:
        """The scaler of these values, `(rows, columns)`."""
        array = np.asarray(values)
        if array.ndim != 2 or not len(array):
            raise BadJetError(f"a scaler is fitted to one or more rows of columns; found shape {array.shape}")
        low, center, high = np.percentile(array, (25, 50, 75), axis=0).astype(np.float64)
        spread = high - low
        return cls(center, np.where(spread > NO_SPREAD, spread, 1.0))

    def join(self, other: Scaler) -> Scaler:
        """One scaler for these columns and, behind them, those of the other."""
        return Scaler(np.concatenate([self.center, other.center]), np.concatenate([self.scale, other.scale]))

    def __getitem__(self, columns: slice) -> Scaler:
        """The scaler of some columns."""
        return Scaler(self.center[columns], self.scale[columns])

    def transform(self, values: ArrayLike) -> NDArray[np.float32]:
        """The scaled values, `(rows, columns)`, in single precision as the networks read them."""
        scaled = np.array(values, dtype=np.float32)
        scaled -= self.center.astype(np.float32)
        scaled /= self.scale.astype(np.float32)
        return scaled

    def restore(self, scaled: ArrayLike) -> Array:
        """The values `(rows, columns)` whose scaled ones these are."""
        restored: Array = np.asarray(scaled, dtype=np.float64) * self.scale + self.center
        return restored
