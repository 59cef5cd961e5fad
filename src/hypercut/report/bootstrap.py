"""Intervals over datasets: percentile bootstrap with a fixed random seed, the same draws for every comparison."""

from functools import cache

import numpy as np

from hypercut.seeds import stream

#: Bootstrap samples of the datasets behind an interval, and the share of them inside it.
RESAMPLES, COVERAGE = 10_000, 0.95

#: An interval from fewer datasets than this would be meaningless.
FEWEST_FOR_INTERVAL = 3


def resampled_gains(ours: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the gain, a ratio of means in percent, on each bootstrap sample of the datasets."""
    draws = _draws(len(ours))
    sums = other[draws].sum(axis=1)
    return 100 * (ours[draws].sum(axis=1) / np.where(sums > 0, sums, np.nan) - 1)


def resampled_means(values: np.ndarray) -> np.ndarray:
    """Return the mean over datasets on each bootstrap sample of the datasets."""
    means: np.ndarray = values[_draws(len(values))].mean(axis=1)
    return means


@cache
def _draws(datasets: int) -> np.ndarray:
    return stream("report", "bootstrap").integers(0, datasets, (RESAMPLES, datasets))


def interval(values: np.ndarray, datasets: int) -> tuple[float, float]:
    """Return the percentile interval of resampled values; NaN for too few datasets."""
    if datasets < FEWEST_FOR_INTERVAL or np.isnan(values).any():
        return float("nan"), float("nan")
    low, high = np.quantile(values, [(1 - COVERAGE) / 2, (1 + COVERAGE) / 2])
    return float(low), float(high)
