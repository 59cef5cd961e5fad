"""What the paper's figures say about themselves: gains, granularity and constant differences.

Functions of tables of printed figures; at the end, the same for the tables in :mod:`hypercut.paper.published`. No
results of ours are used here.
"""

from collections.abc import Callable, Mapping
from functools import cache
from itertools import combinations, product
from math import comb

import numpy as np
import pandas as pd

from hypercut.paper import published

#: Scores are printed with four decimals. They are compared as whole numbers of units of the last place.
UNITS = 10_000

#: Gains are printed in percent with two decimals.
GAIN_UNITS = 100

#: A difference counts as constant if it is the same, within one unit, on at least this many datasets.
FEWEST_DATASETS = 3


def in_units(figures: np.ndarray | pd.Series) -> np.ndarray:
    """Return printed figures in units of their last place.

    >>> in_units(np.array([0.8065, 1.0])).tolist()
    [8065, 10000]
    """
    return np.rint(np.asarray(figures, dtype=float) * UNITS).astype(np.int64)


# Gains


def average_gain(ours: np.ndarray, other: np.ndarray) -> float:
    """Return 100·(Σ_d ours_d / Σ_d other_d − 1), in percent: a ratio of means over datasets, as in the paper.

    >>> round(average_gain(np.array([0.6, 0.9]), np.array([0.5, 0.5])), 6)
    50.0
    """
    return float(100 * (ours.sum() / other.sum() - 1)) if other.sum() > 0 else float("nan")


def check_gains(scores: pd.DataFrame, printed: pd.Series, method: str) -> pd.DataFrame:
    """Compare printed gains of ``method`` with those that its table (algorithms × datasets) gives.

    Returns one row per competitor: the gain ``printed`` and ``recomputed``, the range from ``low`` to ``high`` of what
    could be printed for scores that round to those of the table, and whether the printed gain ``agrees``, that is, lies
    in that range.
    """
    ours = scores.loc[method].to_numpy()
    rounding = 0.5 / UNITS
    rows = []
    for competitor, gain in printed.items():
        other = scores.loc[competitor].to_numpy()
        low = average_gain(ours - rounding, other + rounding) - 0.5 / GAIN_UNITS
        high = average_gain(ours + rounding, other - rounding) + 0.5 / GAIN_UNITS
        rows.append([competitor, gain, average_gain(ours, other), low, high, low <= gain <= high])
    return pd.DataFrame(rows, columns=["competitor", "printed", "recomputed", "low", "high", "agrees"])


# Granularity


def fits(figures: np.ndarray | pd.Series, samples: int) -> np.ndarray:
    """Return which figures are a share k/N of N samples, rounded to four decimals (ties either way).

    >>> fits(np.array([0.7300, 0.7301, 0.8065]), 400).tolist(), fits(np.array([0.8065]), 465).tolist()
    ([True, False, False], [True])
    """
    return _fits(in_units(figures), np.array([samples]))[0]


def _fits(units: np.ndarray, samples: np.ndarray) -> np.ndarray:
    """Return, for every number of samples (rows), which figures (columns) fit."""
    # |figure − k/N| ≤ half a unit, multiplied by N: the distance of N·figure from a whole number k.
    remainder = np.multiply.outer(samples, units) % UNITS
    return 2 * np.minimum(remainder, UNITS - remainder) <= samples[:, None]


def explaining(figures: np.ndarray | pd.Series, limit: int) -> list[int]:
    """Return every N up to ``limit`` at which all figures are shares k/N."""
    candidates = np.arange(1, limit + 1)
    return candidates[_fits(in_units(figures), candidates).all(axis=1)].tolist()


@cache
def share_that_fits(samples: int) -> float:
    """Return the share of the figures 0.0000 … 1.0000 that are shares k/N: the chance of a random figure to fit."""
    return float(_fits(np.arange(UNITS + 1), np.array([samples])).mean())


def chance_of_fit(figures: np.ndarray | pd.Series, samples: int) -> float:
    """Return the probability that as many distinct random figures are all shares k/N."""
    return share_that_fits(samples) ** len(np.unique(in_units(figures)))


def granularity(figures: pd.DataFrame, samples: Mapping[str, int]) -> pd.DataFrame:
    """Return which numbers of samples explain each row of accuracies: datasets × runs.

    The accuracy of one run on N samples is k/N. A mean over runs, or over levels of noise, need not be.

    ``fitting`` figures are shares at the ``stated`` N, where random ones fit with ``chance_stated``. ``explaining`` is
    every N up to the stated one at which all fit, ``smallest`` the smallest of them, where random figures fit with
    ``chance``. ``chance_counted`` bounds the probability that random figures fit this or a smaller N (Bonferroni).
    """
    rows = []
    for dataset, row in figures.iterrows():
        stated = samples[str(dataset)]
        found = explaining(row, stated)
        smallest = found[0] if found else None
        chance = chance_of_fit(row, smallest) if smallest else float("nan")
        rows.append(
            {
                "dataset": dataset,
                "stated": stated,
                "figures": len(row),
                "distinct": row.nunique(),
                "fitting": int(fits(row, stated).sum()),
                "chance_stated": chance_of_fit(row, stated),
                "explaining": tuple(found),
                "smallest": smallest,
                "chance": chance,
                "chance_counted": min(1.0, smallest * chance) if smallest else float("nan"),
            }
        )
    return pd.DataFrame(rows).astype({"smallest": "Int64"})


# Constant differences


def agreeing(differences: np.ndarray, fewest: int) -> list[list[int]]:
    """Return the largest groups of at least ``fewest`` positions whose differences, in units, are at most one apart.

    >>> agreeing(np.array([103, 365, 103, 104]), 3)
    [[0, 2, 3]]
    """
    groups = [np.flatnonzero((differences >= low) & (differences <= low + 1)) for low in np.unique(differences)]
    members = [frozenset(group.tolist()) for group in groups if len(group) >= fewest]
    return [sorted(group) for group in members if not any(group < other for other in members)]


def chance_of_agreement(differences: np.ndarray, datasets: int) -> float:
    """Return a bound on the probability that random differences are at most one unit apart on ``datasets`` datasets.

    The model: independent differences, each anywhere between zero and the largest one observed for the pair. With R
    values in that range, m differences are within one unit with probability (R + (R − 1)(2^m − 2)) / R^m; the bound
    adds this over all choices of m datasets.
    """
    values = int(max(differences.max(), 0) - min(differences.min(), 0)) + 1
    within = (values + (values - 1) * (2**datasets - 2)) / values**datasets
    return min(1.0, comb(len(differences), datasets) * within)


def row_differences(scores: pd.DataFrame) -> dict[tuple[str, str], np.ndarray]:
    """Return the differences in units between every two rows of a table, over its columns."""
    units = {str(name): in_units(row) for name, row in scores.iterrows()}
    return {(first, second): units[first] - units[second] for first, second in combinations(units, 2)}


def constant_differences(scores: pd.DataFrame, fewest: int = FEWEST_DATASETS) -> pd.DataFrame:
    """Return the pairs of rows that differ by the same amount, within one unit, on at least ``fewest`` datasets.

    One row per group of such datasets: ``first`` minus ``second`` is from ``low`` to ``high`` on ``datasets``, which a
    random pair reaches with probability ``chance``.
    """
    rows = []
    for (first, second), differences in row_differences(scores).items():
        for group in agreeing(differences, fewest):
            low, high = differences[group].min() / UNITS, differences[group].max() / UNITS
            names = tuple(scores.columns[group])
            rows.append([first, second, low, high, names, chance_of_agreement(differences, len(group))])
    return pd.DataFrame(rows, columns=["first", "second", "low", "high", "datasets", "chance"])


# The published tables


@cache
def published_gains() -> pd.DataFrame:
    """Return :func:`check_gains` for every gain that the paper prints, with its ``experiment`` and ``metric``."""

    def check(scores: pd.DataFrame, experiment: str, metric: str) -> pd.DataFrame:
        return check_gains(scores, published.printed_gains(experiment, metric), published.METHOD)

    return _by_table(check)


@cache
def published_granularity() -> pd.DataFrame:
    """Return :func:`granularity` of the accuracies of Tables 1 to 4, with the number of the ``table``.

    Tables 3 and 4 hold averages over levels, which are not expected to be multiples of 1/N.
    """
    tables = {number: published.scores(experiment, "purity").T for experiment, number in published.EXPERIMENTS.items()}
    tables[2] = published.weight_scores("purity")
    parts = [granularity(tables[number], published.SAMPLES).assign(table=number) for number in sorted(tables)]
    return pd.concat(parts, ignore_index=True)


@cache
def published_differences(fewest: int = FEWEST_DATASETS) -> pd.DataFrame:
    """Return :func:`constant_differences` in Tables 1, 3 and 4, with ``experiment`` and ``metric``.

    ``chance_counted`` bounds the probability of such an agreement anywhere in these tables (Bonferroni).
    """
    found = _by_table(lambda scores, experiment, metric: constant_differences(scores, fewest))
    return found.assign(chance_counted=(found["chance"] * comparisons()).clip(upper=1.0))


def comparisons() -> int:
    """Return the number of pairs of rows in Tables 1, 3 and 4, in both metrics."""
    return comb(len(published.ALGORITHMS), 2) * len(published.EXPERIMENTS) * len(published.METRICS)


def _by_table(check: Callable[[pd.DataFrame, str, str], pd.DataFrame]) -> pd.DataFrame:
    """Return what ``check`` finds in Tables 1, 3 and 4, in both metrics."""
    parts = [
        check(published.scores(experiment, metric), experiment, metric).assign(experiment=experiment, metric=metric)
        for experiment, metric in product(published.EXPERIMENTS, published.METRICS)
    ]
    # pandas warns about empty parts, since they have no types.
    return pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)
