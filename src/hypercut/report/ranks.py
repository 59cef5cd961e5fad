"""Ranks of the algorithms over datasets, and how little they can decide."""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import friedmanchisquare, studentized_range

from hypercut.paper import published
from hypercut.report.averages import outcome
from hypercut.report.evidence import Evidence

#: The level of the Friedman and Nemenyi tests.
ALPHA = 0.05

#: With fewer datasets than this, or fewer algorithms, there is nothing to test.
FEWEST = 3

SCOPES = {"paper": "the paper's datasets that are comparable", "all": "every complete dataset but stand-ins"}


@dataclass(frozen=True)
class Ranking:
    """The ranks of the algorithms in one experiment and metric over the datasets that all of them have."""

    scope: str
    experiment: str
    metric: str
    scores: pd.DataFrame
    """datasets × algorithms"""

    @property
    def mean_ranks(self) -> pd.Series:
        """Mean rank over datasets, 1 for the best; equal scores share the mean of their ranks. Best first."""
        ranks = self.scores.round(12).rank(axis=1, ascending=False).mean()
        return ranks.sort_values(kind="stable")

    @property
    def testable(self) -> bool:
        """Whether there is enough to test."""
        return min(self.scores.shape) >= FEWEST

    @property
    def p_value(self) -> float:
        """Of Friedman's test that all algorithms are alike."""
        if not self.testable or not self.scores.round(12).nunique(axis=1).gt(1).any():
            return float("nan")
        return float(friedmanchisquare(*self.scores.round(12).to_numpy().T).pvalue)

    @property
    def critical_difference(self) -> float:
        """Mean ranks closer than this cannot be told apart (Nemenyi): q_α √(k(k + 1)/6n)."""
        n, k = self.scores.shape
        return float(studentized_range.ppf(1 - ALPHA, k, np.inf) / np.sqrt(2) * np.sqrt(k * (k + 1) / (6 * n)))

    def nemenyi(self) -> pd.DataFrame:
        """The p value of every pair of algorithms."""
        # Imported here: it takes a second, and is of use only where there is something to test.
        from scikit_posthocs import posthoc_nemenyi_friedman

        blocks = self.scores.round(12).reset_index(drop=True)
        return posthoc_nemenyi_friedman(blocks.to_numpy()).set_axis(blocks.columns).set_axis(blocks.columns, axis=1)


def ranking(evidence: Evidence, scope: str, experiment: str, metric: str) -> Ranking:
    """Rank the algorithms (no references, no controls) on the datasets of a scope that all of them have."""
    if scope == "paper":
        rows = evidence.comparable_averages(experiment)
    else:
        rows = evidence.averages(experiment)
        real = evidence.facts["complete"].astype(bool) & (evidence.facts["data_kind"] != "stand-in")
        rows = rows[rows["complete"].astype(bool) & rows["dataset"].map(real).astype(bool)]
    algorithms = evidence.with_role("algorithm")
    rows = rows[(rows["metric"] == metric) & rows["algorithm"].isin(algorithms)]
    scores = rows.pivot(index="dataset", columns="algorithm", values="mean")
    # An algorithm that no dataset of the scope has would leave no dataset that all have.
    present = [name for name in algorithms if name in scores]
    return Ranking(scope, experiment, metric, scores[present].dropna())


def rankings(evidence: Evidence) -> list[Ranking]:
    """Return the rankings that have a dataset; that of all datasets only where it is not the paper's again."""
    found = []
    for experiment, metric in product(published.EXPERIMENTS, published.METRICS):
        paper = ranking(evidence, "paper", experiment, metric)
        every = ranking(evidence, "all", experiment, metric)
        found += [paper] if len(paper.scores) else []
        found += [every] if len(every.scores) and list(every.scores.index) != list(paper.scores.index) else []
    return found


def duels(evidence: Evidence) -> pd.DataFrame:
    """Return wins, ties and losses of PKO+HSC against each other algorithm, over the paper's comparable datasets."""
    rows: list[dict[str, Any]] = []
    for experiment, metric in product(published.EXPERIMENTS, published.METRICS):
        cells = evidence.comparable_averages(experiment)
        cells = cells[cells["metric"] == metric].set_index(["algorithm", "dataset"])
        rows += [
            {"experiment": experiment, "metric": metric, "competitor": competitor, **_count(cells, competitor)}
            for competitor in evidence.with_role("algorithm", "reference")
            if competitor != published.METHOD
        ]
    duels = pd.DataFrame(rows, columns=["experiment", "metric", "competitor", "wins", "ties", "losses"])
    return duels[duels[["wins", "ties", "losses"]].sum(axis=1) > 0].reset_index(drop=True)


def _count(cells: pd.DataFrame, competitor: str) -> dict[str, int]:
    results = [result for _, result in outcomes(cells, competitor)]
    return {"wins": results.count(1), "ties": results.count(0), "losses": results.count(-1)}


def outcomes(cells: pd.DataFrame, competitor: str) -> list[tuple[str, int]]:
    """Return how PKO+HSC does against a competitor on each dataset that both have: 1, 0 or −1.

    ``cells`` has ``mean`` and ``error`` by algorithm and dataset.
    """
    names = cells.index.get_level_values("algorithm")
    if published.METHOD not in names or competitor not in names:
        return []
    ours, other = cells.loc[published.METHOD], cells.loc[competitor]
    both = ours.add_suffix("_ours").join(other.add_suffix("_other"), how="inner")
    errors = np.hypot(both["error_ours"], both["error_other"])
    return [
        (str(dataset), outcome(row["mean_ours"], row["mean_other"], float(errors[dataset])))
        for dataset, row in both.iterrows()
    ]
