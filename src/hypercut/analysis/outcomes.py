"""When one algorithm beats another: wins, ties and losses."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from hypercut.analysis.evidence import Evidence
from hypercut.paper import published

#: A difference between two algorithms on one dataset is a tie up to this, or up to two standard errors over repeats.
#: One sample of Iris is 0.0067.
TIE = 0.01


def outcome(ours: float, other: float, error: float = 0.0) -> int:
    """Return 1 if ``ours`` wins, −1 if it loses, 0 for a tie; ``error`` is the standard error of the difference."""
    margin = max(TIE, 2 * (0.0 if np.isnan(error) else error))
    # A difference of exactly the margin is a tie, also where floats make it 0.010000000000000009.
    difference = round(ours - other, 12)
    return 0 if abs(difference) <= margin else int(np.sign(difference))


def compare(averages: pd.DataFrame, competitors: Iterable[str] = published.COMPETITORS) -> pd.DataFrame:
    """Return one row per metric, competitor and dataset that PKO+HSC and it have: ``difference`` and ``outcome``."""
    rows = []
    for metric in published.METRICS:
        part = averages[averages["metric"] == metric]
        means, errors = (
            part.pivot(index="dataset", columns="algorithm", values=name).astype(float) for name in ("mean", "error")
        )
        for competitor in competitors:
            if published.METHOD not in means or competitor not in means:
                continue
            # A single repeat has no error; that of the other side still counts.
            apart = np.hypot(errors[published.METHOD].fillna(0.0), errors[competitor].fillna(0.0))
            scores = zip(means.index, means[published.METHOD], means[competitor], apart, strict=True)
            rows += [
                [metric, competitor, dataset, round(ours - other, 12), outcome(ours, other, error)]
                for dataset, ours, other, error in scores
                if not np.isnan(ours - other)
            ]
    return pd.DataFrame(rows, columns=["metric", "competitor", "dataset", "difference", "outcome"])


def duels(evidence: Evidence) -> pd.DataFrame:
    """Return wins, ties and losses of PKO+HSC against each other algorithm, over the paper's comparable datasets."""
    rows = []
    competitors = [name for name in evidence.with_role("algorithm", "baseline") if name != published.METHOD]
    for experiment in published.EXPERIMENTS:
        compared = compare(evidence.comparable_averages(experiment), competitors)
        for (metric, competitor), part in compared.groupby(["metric", "competitor"], sort=False):
            results = part["outcome"].tolist()
            rows.append([experiment, metric, competitor, results.count(1), results.count(0), results.count(-1)])
    return pd.DataFrame(rows, columns=["experiment", "metric", "competitor", "wins", "ties", "losses"])
