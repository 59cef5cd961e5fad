"""The five verdicts, and the two criteria that are judged both as printed and under other readings."""

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


def never_lower(compared: pd.DataFrame, datasets: int) -> Verdict:
    """Judge that PKO+HSC is the best: confirmed if it is lower nowhere, contradicted by one loss beyond a tie."""
    complete = len(compared) == datasets * len(published.COMPETITORS) * len(published.METRICS)
    return decide(bool((compared["difference"] >= 0).all()), bool((compared["outcome"] < 0).any()), complete=complete)


def above_zero(gains: pd.DataFrame, expected: int) -> Verdict:
    """Judge that all ``expected`` gains have intervals above zero; contradicted if one is below zero.

    ``gains`` are those over all datasets: a gain over fewer decides nothing, since the missing ones could reverse it.
    """
    complete = len(gains) == expected
    return decide(bool((gains["low"] > 0).all()), bool((gains["high"] < 0).any()), complete=complete)
