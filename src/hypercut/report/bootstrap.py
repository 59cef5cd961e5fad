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
    """Return the percentile interval of resampled values; NaN for too few datasets."""
    if datasets < FEWEST_FOR_INTERVAL or np.isnan(values).any():
        return float("nan"), float("nan")
    low, high = np.quantile(values, [(1 - COVERAGE) / 2, (1 + COVERAGE) / 2])
    return float(low), float(high)
