"""Corruptions of a feature matrix: additive noise, and elements lost to zero.

A draw depends only on the names of dataset, corruption and level and on the number of the repeat: every algorithm sees
the same data.
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
    """The clean matrix X under a setting, in its precision; ``repeat`` = 0, 1, … are independent draws.

    ``level`` is the strength, by default the paper's for a level of that name. ``scale`` and ``distribution`` shape the
    noise, see :func:`noise`; outliers have no such choice.
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
    """X + level · s · ε with ε of mean 0 and variance 1, in the precision of X.

    ``scale`` says what s is: the standard deviation of each feature (``feature_std``: a feature that never varies gets
    no noise), that of the whole matrix (``global_std``), or 1 (``absolute``). ``distribution`` is that of ε.
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
    """X with every element set to zero with probability ``level``, in its precision."""
    return np.where(rng.random(X.shape) < level, X.dtype.type(0), X)


def _refuse_unknown(what: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InputError(f"unknown {what} {value!r}; expected one of {', '.join(choices)}.")
