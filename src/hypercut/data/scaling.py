"""Scalings of a feature matrix that the paper does not mention but a reader may assume."""

from typing import Literal

import numpy as np
from scipy.stats import rankdata

from hypercut.errors import InputError

Scaling = Literal["unit", "range", "zscore", "equalized"]


def scaled(X: np.ndarray, scaling: Scaling | None) -> np.ndarray:
    """Return X after the scaling of this name; X itself for None.

    See :func:`unit`, :func:`to_range`, :func:`zscore` and :func:`equalized`.
    """
    if scaling is None:
        return X
    scalings = {"unit": unit, "range": to_range, "zscore": zscore, "equalized": equalized}
    if scaling not in scalings:
        raise InputError(f"unknown scaling of features {scaling!r}; expected one of {', '.join(scalings)}.")
    # In double precision: a sum over thousands of features loses digits in single precision.
    return scalings[scaling](np.asarray(X, dtype=np.float64)).astype(X.dtype)


def unit(X: np.ndarray) -> np.ndarray:
    """Return X with each sample (row) divided by its length; a sample of zeros is unchanged.

    >>> import numpy as np
    >>> unit(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    return _divided(X, np.linalg.norm(X, axis=1, keepdims=True))


def to_range(X: np.ndarray) -> np.ndarray:
    """Return X with each feature (column) mapped linearly to [0, 1]; a constant feature becomes 0.

    >>> import numpy as np
    >>> to_range(np.array([[1.0, 5.0], [2.0, 5.0], [5.0, 5.0]]))
    array([[0.  , 0.  ],
           [0.25, 0.  ],
           [1.  , 0.  ]])
    """
    return _divided(X - X.min(axis=0), np.ptp(X, axis=0))


def zscore(X: np.ndarray) -> np.ndarray:
    """Return X with mean 0 and variance 1 in each feature (column); a constant feature becomes 0.

    >>> import numpy as np
    >>> zscore(np.array([[1.0, 0.1], [3.0, 0.1]]))
    array([[-1.,  0.],
           [ 1.,  0.]])
    """
    # Rounding gives a constant feature a standard deviation above 0.
    varies = np.ptp(X, axis=0) > 0
    return _divided(np.where(varies, X - X.mean(axis=0), 0.0), np.where(varies, X.std(axis=0), 0.0))


def equalized(X: np.ndarray) -> np.ndarray:
    """Return X with each value replaced by the share of values in its sample (row) that are at most as large.

    For pixels, this equalises the histogram of each image.

    >>> import numpy as np
    >>> equalized(np.array([[30.0, 10.0, 20.0, 10.0]]))
    array([[1.  , 0.5 , 0.75, 0.5 ]])
    """
    return rankdata(X, method="max", axis=1) / X.shape[1]


def _divided(X: np.ndarray, by: np.ndarray) -> np.ndarray:
    """Return X / by, and X where the divisor is 0."""
    return X / np.where(by > 0, by, 1.0)
