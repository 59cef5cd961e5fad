"""Intervals over datasets: bootstrap with a fixed random seed, the same draws for every comparison.

A percentile interval over few datasets is too narrow: its draws have the variance of n values divided by n instead of
n − 1, and normal instead of t quantiles. The expanded percentile interval (Hesterberg, *What teachers should know about
the bootstrap*, 2015) takes quantiles further out that correct both.
"""

from functools import cache

import numpy as np
from scipy.stats import norm, t

from hypercut.seeds import stream

#: Bootstrap samples of the datasets behind an interval, and its nominal coverage.
RESAMPLES, COVERAGE = 10_000, 0.95

#: Over three datasets not even the range of the bootstrap samples covers the true value often enough.
FEWEST_FOR_INTERVAL = 4


def resampled_gains(ours: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the gain, a ratio of means in percent, on each bootstrap sample of the datasets."""
    counts = _counts(len(ours))
    sums = counts @ other
    gains: np.ndarray = 100 * (counts @ ours / np.where(sums > 0, sums, np.nan) - 1)
    return gains


def resampled_means(values: np.ndarray) -> np.ndarray:
    """Return the mean over datasets on each bootstrap sample of the datasets."""
    means: np.ndarray = _counts(len(values)) @ values / len(values)
    return means


@cache
def _counts(datasets: int) -> np.ndarray:
    """Return how often each bootstrap sample has each dataset: sums over samples are then one product."""
    draws = stream("report", "bootstrap").integers(0, datasets, (RESAMPLES, datasets))
    counts = np.zeros((RESAMPLES, datasets))
    np.add.at(counts, (np.arange(RESAMPLES)[:, None], draws), 1)
    return counts


def interval(values: np.ndarray, datasets: int) -> tuple[float, float]:
    """Return the expanded percentile interval of resampled values; NaN for too few datasets."""
    if datasets < FEWEST_FOR_INTERVAL or np.isnan(values).any():
        return float("nan"), float("nan")
    tail = _tail(datasets)
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)


def _tail(datasets: int) -> float:
    """Return the share of bootstrap samples beyond each end of an interval."""
    quantile = t.ppf((1 + COVERAGE) / 2, datasets - 1) * np.sqrt(datasets / (datasets - 1))
    return float(norm.cdf(-quantile))
