"""Intervals over datasets: bootstrap, the same samples for every comparison.

Few datasets have few bootstrap samples: all are enumerated. Of many datasets, samples are drawn with a fixed seed.

A percentile interval over few datasets is too narrow: its draws have the variance of n values divided by n instead of
n − 1, and normal instead of t quantiles. The expanded percentile interval (Hesterberg, *What teachers should know about
the bootstrap*, 2015) takes quantiles further out that correct both.
"""

from functools import cache
from itertools import combinations_with_replacement

import numpy as np
from scipy.stats import multinomial, norm, t

from hypercut.seeds import stream

#: Nominal coverage of an interval.
COVERAGE = 0.95

#: Up to ENUMERATED datasets, all samples are used (24 310 of nine datasets); with more, DRAWN random ones.
ENUMERATED, DRAWN = 9, 100_000

#: Over three datasets not even the range of the bootstrap samples covers the true value often enough.
FEWEST_FOR_INTERVAL = 4


def resampled_gains(ours: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the gain, a ratio of means in percent, on each bootstrap sample of the datasets."""
    counts, _ = _samples(len(ours))
    sums = counts @ other
    gains: np.ndarray = 100 * (counts @ ours / np.where(sums > 0, sums, np.nan) - 1)
    return gains


def resampled_means(values: np.ndarray) -> np.ndarray:
    """Return the mean over datasets on each bootstrap sample of the datasets."""
    counts, _ = _samples(len(values))
    means: np.ndarray = counts @ values / len(values)
    return means


@cache
def _samples(datasets: int) -> tuple[np.ndarray, np.ndarray]:
    """Return how often each bootstrap sample has each dataset, and the probabilities of the samples."""
    if datasets > ENUMERATED:
        equal = np.full(datasets, 1 / datasets)
        drawn = stream("report", "bootstrap").multinomial(datasets, equal, DRAWN)
        return drawn.astype(float), np.full(DRAWN, 1 / DRAWN)
    chosen = combinations_with_replacement(range(datasets), datasets)
    counts = np.array([np.bincount(sample, minlength=datasets) for sample in chosen])
    return counts.astype(float), multinomial.pmf(counts, datasets, np.full(datasets, 1 / datasets))


def interval(values: np.ndarray, datasets: int) -> tuple[float, float]:
    """Return the expanded percentile interval of resampled values; NaN for too few datasets."""
    if datasets < FEWEST_FOR_INTERVAL or np.isnan(values).any():
        return float("nan"), float("nan")
    _, weights = _samples(datasets)
    tail = _tail(datasets)
    low, high = np.quantile(values, [tail, 1 - tail], weights=weights, method="inverted_cdf")
    # Equal scores can differ in the last digit, which must not decide whether an interval is below zero.
    return round(float(low), 9), round(float(high), 9)


def coverage(datasets: int) -> float:
    """Return in which share of cases an interval over few datasets covers the true value, about.

    Where not even one bootstrap sample in each tail may be left out, the interval is the range of the single datasets,
    and all of these are on one side of the true median with probability 2^(1 − n).
    """
    is_range = _tail(datasets) < datasets ** -float(datasets)
    return 1 - 2 ** (1 - datasets) if is_range else COVERAGE


def _tail(datasets: int) -> float:
    """Return the share of bootstrap samples beyond each end of an interval."""
    quantile = t.ppf((1 + COVERAGE) / 2, datasets - 1) * np.sqrt(datasets / (datasets - 1))
    return float(norm.cdf(-quantile))
