"""The main numbers of the report, for MLflow."""

import re
from collections.abc import Sequence

import pandas as pd

from hypercut.paper import published
from hypercut.report.evidence import Evidence
from hypercut.report.sections.ranks import Ranking


def headline(evidence: Evidence, gains: pd.DataFrame, rankings: Sequence[Ranking]) -> dict[str, float]:
    """Return average gains, mean scores and mean ranks under names that MLflow accepts.

    ``gain/clean/nmi/CSC`` is the average gain of PKO+HSC over CSC in percent, ``gain_low`` and ``gain_high`` the ends
    of its interval, ``mean/clean/nmi/CSC`` the mean over the comparable datasets, ``rank/clean/nmi/CSC`` the mean rank.
    Numbers that could not be computed are left out.
    """
    found: dict[str, float] = {}
    for row in gains[gains["scope"] == "paper"].itertuples():
        key = f"{row.experiment}/{row.metric}/{_metric_name(row.competitor)}"
        found |= {f"gain/{key}": row.ours, f"gain_low/{key}": row.low, f"gain_high/{key}": row.high}
    for experiment in published.EXPERIMENTS:
        means = evidence.comparable_averages(experiment).groupby(["metric", "algorithm"])["mean"].mean()
        for (metric, algorithm), value in means.items():
            found[f"mean/{experiment}/{metric}/{_metric_name(algorithm)}"] = value
    for ranking in rankings:
        if ranking.scope == "paper":
            for algorithm, rank in ranking.mean_ranks.items():
                found[f"rank/{ranking.experiment}/{ranking.metric}/{_metric_name(str(algorithm))}"] = rank
    return {name: float(value) for name, value in found.items() if value == value}


def _metric_name(algorithm: str) -> str:
    return re.sub(r"[^A-Za-z0-9_\-. ]", "-", algorithm)
