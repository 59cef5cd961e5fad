"""The five verdicts, and the criteria that are judged both as printed and under other readings."""

from enum import StrEnum

import pandas as pd

from hypercut.paper import published


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


def never_lower(compared: pd.DataFrame, cells: int) -> Verdict:
    """Judge that PKO+HSC is the best in all ``cells`` (dataset, metric): contradicted by one loss beyond a tie."""
    return rarely_lower(compared, cells, share=0.0)


def rarely_lower(compared: pd.DataFrame, cells: int, share: float) -> Verdict:
    """Judge that PKO+HSC is lower nowhere; contradicted if more than a share of the comparisons are losses."""
    expected = cells * len(published.COMPETITORS)
    lower, losses = bool((compared["difference"] < 0).any()), int((compared["outcome"] < 0).sum())
    return decide(not lower, losses > share * expected, complete=len(compared) == expected)


def mostly_highest(scores: pd.DataFrame, cells: int) -> tuple[Verdict, int]:
    """Judge that PKO+HSC is the highest in most of all ``cells``, of which rows are known; return in how many too."""
    best = int((scores[published.METHOD] >= scores.max(axis=1) - 1e-12).sum())
    is_most, cannot = best > cells / 2, best + (cells - len(scores)) < cells / 2
    return decide(is_most, cannot, complete=len(scores) == cells or is_most), best


def above_zero(gains: pd.DataFrame, expected: int) -> Verdict:
    """Judge that all ``expected`` gains have intervals above zero; contradicted if one is below zero.

    ``gains`` are those over all datasets: a gain over fewer decides nothing, since the missing ones could reverse it.
    """
    complete = len(gains) == expected
    return decide(bool((gains["low"] > 0).all()), bool((gains["high"] < 0).any()), complete=complete)
