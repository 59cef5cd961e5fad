"""The five verdicts, and the two criteria that are judged both as printed and under other readings."""

from enum import StrEnum

import numpy as np
import pandas as pd

from hypercut.paper import published
from hypercut.paper.forensics import average_gain
from hypercut.report.bootstrap import interval, resampled_gains


class Verdict(StrEnum):
    """Whether our results support a claim."""

    CONFIRMED = "confirmed"
    CONTRADICTED = "contradicted"
    DEPENDS = "depends on the reading"
    UNDECIDED = "undecided"
    """all results are available, and neither criterion is met"""
    UNTESTABLE = "not testable"
    """results that the criterion needs are missing, and could decide"""

    @property
    def css(self) -> str:
        """Its class in the style sheet."""
        return self.partition(" ")[0] if self is not Verdict.UNTESTABLE else "untestable"


def decide(confirmed: bool, contradicted: bool, *, complete: bool) -> Verdict:
    """Return the verdict as printed: a contradiction prevails, and only complete results confirm."""
    if contradicted:
        return Verdict.CONTRADICTED
    if not complete:
        return Verdict.UNTESTABLE
    return Verdict.CONFIRMED if confirmed else Verdict.UNDECIDED


def never_lower(compared: pd.DataFrame, datasets: int) -> Verdict:
    """Judge that PKO+HSC is the best: confirmed if it is lower nowhere, contradicted by one loss beyond a tie."""
    complete = len(compared) == datasets * len(published.COMPETITORS) * len(published.METRICS)
    return decide(bool((compared["difference"] >= 0).all()), bool((compared["outcome"] < 0).any()), complete=complete)


def gains_over(averages: pd.DataFrame) -> pd.DataFrame:
    """Return one row per metric and competitor: the average gain of PKO+HSC in percent and its interval."""
    rows = []
    for metric in published.METRICS:
        scores = score_grid(averages, metric).reindex(columns=[published.METHOD, *published.COMPETITORS]).to_numpy()
        for competitor, column in zip(published.COMPETITORS, scores.T[1:], strict=True):
            both = ~np.isnan(scores[:, 0] + column)
            ours, other = scores[both, 0], column[both]
            low, high = interval(resampled_gains(ours, other), len(ours)) if len(ours) else (np.nan, np.nan)
            rows.append([metric, competitor, average_gain(ours, other), low, high, len(ours)])
    return pd.DataFrame(rows, columns=["metric", "competitor", "ours", "low", "high", "n_datasets"])


def above_zero(gains: pd.DataFrame, expected: int) -> Verdict:
    """Judge that all ``expected`` gains have intervals above zero; contradicted if one is below zero.

    ``gains`` are those over all datasets: others decide nothing.
    """
    complete = len(gains) == expected
    return decide(bool((gains["low"] > 0).all()), bool((gains["high"] < 0).any()), complete=complete)


def score_grid(averages: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the means in one metric: datasets × algorithms."""
    rows = averages[averages["metric"] == metric]
    return rows.pivot(index="dataset", columns="algorithm", values="mean").astype(float)


def on_both(scores: pd.DataFrame, competitor: str) -> np.ndarray:
    """Return the scores of PKO+HSC and a competitor (columns) on the datasets that both have."""
    found = scores.reindex(columns=[published.METHOD, competitor]).to_numpy()
    return found[~np.isnan(found).any(axis=1)]
