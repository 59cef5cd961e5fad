"""Corruptions of a feature matrix: additive noise, and elements set to zero.

The random stream depends only on the dataset, the corruption, the level and the repeat, so every algorithm sees the
same data.
"""

from typing import Literal, get_args

import numpy as np

from hypercut.errors import InputError
from hypercut.paper.protocol import CLEAN, LEVELS, settings
from hypercut.seeds import stream

Scale = Literal["feature_std", "global_std", "absolute"]
Distribution = Literal["gaussian", "uniform"]


def corrupt(
    X: np.ndarray,
    setting: str,
    *,
    dataset: str,
    repeat: int,
    level: float | None = None,
    scale: Scale = "feature_std",
    distribution: Distribution = "gaussian",
) -> np.ndarray:
    """Return X under a setting of the paper, in the precision of X.

    Parameters
    ----------
    X
        The clean features, (N, features).
    setting
        ``clean``, or a corruption and the name of a level, such as ``noise-L1``.
    dataset
        The name of the dataset, on which the random stream depends.
    repeat
        0, 1, …: independent draws.
    level
        The strength; by default, the paper's value for the level of that name.
    scale, distribution
        Shape of the noise, see :func:`noise`; ignored for outliers.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.ones((2, 5))
    >>> corrupt(X, "outlier-L3", dataset="iris", repeat=0)
    array([[0., 1., 0., 1., 0.],
           [0., 0., 0., 1., 0.]])
    """
    if setting == CLEAN:
        return np.array(X)
    corruption, _, name = setting.partition("-")
    if level is None:
        _refuse_unknown("setting", setting, tuple(settings()))
        level = LEVELS[corruption][name]
    _refuse_unknown("corruption", corruption, tuple(LEVELS))
    rng = stream(dataset, corruption, name, repeat)
    if corruption == "noise":
        return noise(X, level, rng, scale=scale, distribution=distribution)
    return outlier(X, level, rng)


def noise(
    X: np.ndarray,
    level: float,
    rng: np.random.Generator,
    *,
    scale: Scale = "feature_std",
    distribution: Distribution = "gaussian",
) -> np.ndarray:
    """Return X + level · s · ε, with ε of mean 0 and variance 1, in the precision of X.

    Parameters
    ----------
    X
        The clean features, (N, features).
    level
        The strength of the noise.
    rng
        The source of ε.
    scale
        s: the standard deviation of each feature (``feature_std``; a constant feature gets no noise), the standard
        deviation of the whole matrix (``global_std``), or 1 (``absolute``).
    distribution
        The distribution of ε: ``gaussian`` or ``uniform``.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 5.0], [2.0, 5.0]])
    >>> noisy = noise(X, 0.5, np.random.default_rng(0))
    >>> bool((noisy[:, 0] != X[:, 0]).all()), noisy[:, 1]
    (True, array([5., 5.]))
    """
    _refuse_unknown("noise scale", scale, get_args(Scale))
    _refuse_unknown("noise distribution", distribution, get_args(Distribution))
    exact = np.asarray(X, dtype=np.float64)
    s = {"feature_std": exact.std(axis=0), "global_std": exact.std(), "absolute": 1.0}[scale]
    if distribution == "gaussian":
        epsilon = rng.standard_normal(exact.shape)
    else:
        epsilon = rng.uniform(-np.sqrt(3), np.sqrt(3), exact.shape)
    return np.asarray(exact + level * s * epsilon, dtype=X.dtype)


def outlier(X: np.ndarray, level: float, rng: np.random.Generator) -> np.ndarray:
    """Return X with each element set to zero with probability ``level``, in the precision of X.

    >>> import numpy as np
    >>> outlier(np.ones((2, 3)), 0.4, np.random.default_rng(0))
    array([[1., 0., 0.],
           [0., 1., 1.]])
    """
    return np.where(rng.random(X.shape) < level, X.dtype.type(0), X)


def _refuse_unknown(what: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InputError(f"unknown {what} {value!r}; expected one of {', '.join(choices)}.")
