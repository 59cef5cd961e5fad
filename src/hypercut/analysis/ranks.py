"""Mean ranks of the algorithms over datasets, and the tests of Friedman and Nemenyi."""

from dataclasses import dataclass
from functools import cache
from math import factorial

import numpy as np
import pandas as pd
from scipy.stats import f, friedmanchisquare, studentized_range

from hypercut.analysis.evidence import Evidence
from hypercut.analysis.experiments import PAIRS

#: The level of the Friedman and Nemenyi tests.
ALPHA = 0.05

#: The tests need at least this many datasets and algorithms.
FEWEST = 3


@dataclass(frozen=True)
class Ranking:
    """The ranks of the algorithms in one experiment and metric over the datasets that all of them have."""

    experiment: str
    metric: str
    scores: pd.DataFrame
    """datasets × algorithms, rounded, so that equal scores are equal"""

    @property
    def mean_ranks(self) -> pd.Series:
        """Mean rank over datasets, 1 is best, the best first; equal scores share the mean of their ranks."""
        return self.scores.rank(axis=1, ascending=False).mean().sort_values(kind="stable")

    @property
    def testable(self) -> bool:
        """Whether there are enough datasets and algorithms to test."""
        return min(self.scores.shape) >= FEWEST

    @property
    def p_value(self) -> float:
        """p of Friedman's test that all algorithms are equally good; NaN if that cannot be tested.

        F is infinite if all n datasets have the same order of the k algorithms. p is therefore at least the probability
        of that by chance, 1/k!^(n − 1).
        """
        if not self.testable or not self.scores.nunique(axis=1).gt(1).any():
            return float("nan")
        n, k = self.scores.shape
        statistic = iman_davenport(friedmanchisquare(*self.scores.to_numpy().T).statistic, datasets=n, algorithms=k)
        return max(float(f.sf(statistic, k - 1, (k - 1) * (n - 1))), factorial(k) ** -(n - 1))

    @property
    def critical_difference(self) -> float:
        """Nemenyi's critical difference q_α √(k(k + 1)/6n): mean ranks closer than this do not differ significantly.

        NaN if there is too little to test.
        """
        if not self.testable:
            return float("nan")
        n, k = self.scores.shape
        return _studentized_range(k) / np.sqrt(2) * float(np.sqrt(k * (k + 1) / (6 * n)))


def iman_davenport(chi_square: float, *, datasets: int, algorithms: int) -> float:
    """Return the F statistic of Friedman's test, with k − 1 and (k − 1)(n − 1) degrees of freedom.

    F = (n − 1) χ² / (n(k − 1) − χ²) (Iman and Davenport 1980). With few datasets, Friedman's own χ² finds too little.
    """
    rest = datasets * (algorithms - 1) - chi_square
    return (datasets - 1) * chi_square / rest if rest > 1e-9 else float("inf")


@cache
def _studentized_range(algorithms: int) -> float:
    """Return the quantile of the studentized range; computing it takes a tenth of a second."""
    return float(studentized_range.ppf(1 - ALPHA, algorithms, np.inf))


def ranking(evidence: Evidence, experiment: str, metric: str) -> Ranking:
    """Rank the algorithms (no baselines, no controls) on the paper's comparable datasets that all of them have."""
    rows = evidence.comparable_averages(experiment)
    algorithms = evidence.with_role("algorithm")
    rows = rows[(rows["metric"] == metric) & rows["algorithm"].isin(algorithms)]
    scores = rows.pivot(index="dataset", columns="algorithm", values="mean")
    # An algorithm without any of these datasets would leave no dataset that all have.
    return Ranking(experiment, metric, scores[[name for name in algorithms if name in scores]].dropna().round(12))


def rankings(evidence: Evidence) -> list[Ranking]:
    """Return the rankings that have a dataset."""
    found = [ranking(evidence, *pair) for pair in PAIRS]
    return [it for it in found if len(it.scores)]


def cliques(ranks: np.ndarray, difference: float) -> list[tuple[int, int]]:
    """Return first and last of every maximal run of sorted ranks that are closer than the critical difference.

    >>> cliques(np.array([1.0, 1.5, 2.2, 4.0]), 1.0)
    [(0, 1), (1, 2)]
    """
    last = [int(np.searchsorted(ranks, rank + difference)) - 1 for rank in ranks]
    runs = [(i, end) for i, end in enumerate(last) if end > i]
    return [(i, end) for i, end in runs if not any(j < i and end <= other for j, other in runs)]
