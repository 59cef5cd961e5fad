"""What the paper's figures say about themselves: gains, sizes and constant differences.

Functions of printed tables, applied to those of :mod:`hypercut.paper.published` at the end; no results of ours.
"""

from collections.abc import Callable, Mapping
from functools import cache
from itertools import combinations, product
from math import comb

import numpy as np
import pandas as pd
from scipy.special import bdtrc

from hypercut.paper import published
from hypercut.seeds import stream

#: Scores are printed with four decimals, gains in percent with two. Scores are compared in units of the last place.
UNITS, GAIN_UNITS = 10_000, 100

#: A difference counts as constant if it is the same, within one unit, on at least this many datasets.
FEWEST_DATASETS = 3

#: Random rows that :func:`chance_of_best` compares with a row of figures.
RANDOM_ROWS = 1_500

#: A size is indicated if random rows have one as good with a probability below this.
RARE = 0.01


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

    Returns one row per competitor: the gain ``printed`` and ``recomputed``, and whether the printed one ``agrees``:
    lies between ``low`` and ``high``, the bounds for scores that round to those of the table.
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


# Sizes


def fits(figures: np.ndarray | pd.Series, samples: np.ndarray) -> np.ndarray:
    """Return, for every N of ``samples`` (rows), which figures (columns) are k/N rounded to four decimals.

    >>> fits(np.array([0.7300, 0.7301, 0.8065]), np.array([400, 465])).tolist()
    [[True, False, False], [False, False, True]]
    """
    # |figure − k/N| ≤ half a unit, multiplied by N: how far N·figure is from a whole number k. Ties fit either way.
    remainder = np.multiply.outer(np.asarray(samples, dtype=np.int32), in_units(figures).astype(np.int32)) % UNITS
    return 2 * np.minimum(remainder, UNITS - remainder) <= np.asarray(samples)[:, None]


def range_of(figures: np.ndarray | pd.Series) -> np.ndarray:
    """Return all figures of four decimals from the lowest to the highest: what random figures are drawn from."""
    units = in_units(figures)
    return np.arange(units.min(), units.max() + 1) / UNITS


def fit_counts(figures: np.ndarray | pd.Series, stated: int) -> pd.DataFrame:
    """Return, for every N up to the stated one, how many distinct figures are ``fitting``.

    ``share`` is how much of :func:`range_of` fits, ``chance`` the binomial probability that random figures fit as well.
    """
    distinct = np.unique(figures)
    samples = np.arange(1, stated + 1)
    fitting = fits(distinct, samples).sum(axis=1)
    share = fits(range_of(figures), samples).mean(axis=1)
    columns = {"fitting": fitting, "share": share, "chance": bdtrc(fitting - 1, len(distinct), share)}
    return pd.DataFrame(columns, index=pd.Index(samples, name="samples"))


def chance_of_best(figures: np.ndarray | pd.Series, counts: pd.DataFrame, random: np.random.Generator) -> float:
    """Return the probability that a random row has an N whose ``chance`` is as small as the smallest of these figures.

    Random rows hold as many distinct figures, drawn from :func:`range_of`. The given row counts as one of them.
    """
    distinct, drawn_from = len(np.unique(figures)), range_of(figures)
    # For every N: the chance of at least 0, 1, … fits, and how many fits are as improbable as the best N here.
    chances = bdtrc(np.arange(-1, distinct), distinct, counts[["share"]].to_numpy())
    needed = (chances > counts["chance"].min()).sum(axis=1)
    possible = needed <= distinct
    is_fit = fits(drawn_from, counts.index[possible].to_numpy()).astype(np.uint8)
    rows = np.array([random.choice(len(drawn_from), distinct, replace=False) for _ in range(RANDOM_ROWS)])
    fitting = np.add.reduce([is_fit[:, column] for column in rows.T])
    as_good = (fitting >= needed[possible, None]).any(axis=0).sum()
    return float(as_good + 1) / (RANDOM_ROWS + 1)


def sizes(figures: pd.DataFrame, samples: Mapping[str, int]) -> pd.DataFrame:
    """Return which number of samples each row of purities indicates: datasets × runs.

    The purity of one run on N samples is k/N. The ``best`` N has the smallest chance; a mean over several runs fits a
    multiple of N, and most figures fit ``multiple``. The best N is ``indicated`` if its ``chance_of_best`` is below
    :data:`RARE`, else the stated one.
    """
    rows = []
    for dataset, row in figures.iterrows():
        stated = samples[str(dataset)]
        counts = fit_counts(row, stated)
        best = int(counts["chance"].idxmin())
        multiple = int(counts["fitting"][counts.index % best == 0].idxmax())
        chance = chance_of_best(row, counts, stream("sizes", str(dataset)))
        facts = {"dataset": dataset, "stated": stated, "best": best, "distinct": row.nunique()}
        facts |= {"fitting": counts["fitting"][best], "multiple": multiple, "most_fitting": counts["fitting"][multiple]}
        facts |= {"chance": counts["chance"][best], "chance_of_best": chance}
        rows.append(facts | {"indicated": best if chance < RARE else stated})
    return pd.DataFrame(rows)


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

    They are independent, each between zero and the largest observed one. With R values in that range, m are within one
    unit with probability (R + (R − 1)(2^m − 2)) / R^m; the bound adds this over all choices of m datasets.
    """
    values = int(max(differences.max(), 0) - min(differences.min(), 0)) + 1
    within = (values + (values - 1) * (2**datasets - 2)) / values**datasets
    return min(1.0, comb(len(differences), datasets) * within)


def constant_differences(scores: pd.DataFrame, fewest: int = FEWEST_DATASETS) -> pd.DataFrame:
    """Return the pairs of rows that differ by the same amount, within one unit, on at least ``fewest`` datasets.

    One row per group of such datasets: ``first`` minus ``second`` is from ``low`` to ``high`` on ``datasets``, which a
    random pair reaches with probability ``chance``.
    """
    rows = []
    for first, second in combinations(scores.index, 2):
        differences = in_units(scores.loc[first]) - in_units(scores.loc[second])
        for group in agreeing(differences, fewest):
            low, high = differences[group].min() / UNITS, differences[group].max() / UNITS
            names = tuple(scores.columns[group])
            rows.append([first, second, low, high, names, chance_of_agreement(differences, len(group))])
    return pd.DataFrame(rows, columns=["first", "second", "low", "high", "datasets", "chance"])


# The published tables

#: Pairs of rows in Tables 1, 3 and 4, in both metrics.
COMPARISONS = comb(len(published.ALGORITHMS), 2) * len(published.EXPERIMENTS) * len(published.METRICS)


@cache
def published_gains() -> pd.DataFrame:
    """Return :func:`check_gains` for every gain that the paper prints, with its ``experiment`` and ``metric``."""

    return _by_table(lambda scores, *table: check_gains(scores, published.printed_gains(*table), published.METHOD))


@cache
def published_sizes() -> pd.DataFrame:
    """Return :func:`sizes` for the purities of Table 2."""
    return sizes(published.weight_scores("purity"), published.SAMPLES)


def indicated() -> dict[str, int]:
    """Return the number of samples that the published purities of each dataset indicate.

    >>> indicated()["usps"]
    465
    """
    return {it.dataset: it.indicated for it in published_sizes().itertuples()}


@cache
def published_differences() -> pd.DataFrame:
    """Return :func:`constant_differences` in Tables 1, 3 and 4, with ``experiment`` and ``metric``.

    ``chance_counted`` bounds the probability of such an agreement anywhere in these tables (Bonferroni).
    """
    found = _by_table(lambda scores, *_: constant_differences(scores))
    return found.assign(chance_counted=(found["chance"] * COMPARISONS).clip(upper=1.0))


def _by_table(check: Callable[..., pd.DataFrame]) -> pd.DataFrame:
    """Return what ``check`` finds in Tables 1, 3 and 4, in both metrics."""
    parts = [
        check(published.scores(experiment, metric), experiment, metric).assign(experiment=experiment, metric=metric)
        for experiment, metric in product(published.EXPERIMENTS, published.METRICS)
    ]
    # pandas warns about empty parts, since they have no types.
    return pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)
