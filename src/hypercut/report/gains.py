"""The average gains of PKO+HSC, published and ours, with intervals for ours."""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd

from hypercut.paper import published
from hypercut.report.evidence import Evidence
from hypercut.seeds import stream

#: Bootstrap samples of the datasets behind an interval, and the share of them inside it.
RESAMPLES, COVERAGE = 10_000, 0.95

#: An interval from fewer datasets than this would be meaningless.
FEWEST_FOR_INTERVAL = 3

#: The datasets that a gain is averaged over.
SCOPES = {
    "paper": "the paper's datasets that are comparable, generated trajectories included",
    "real": "the same without the generated trajectories",
    "all": "all datasets except stand-ins, over the paper's levels that both algorithms have",
}

GAIN_COLUMNS = [
    *("scope", "experiment", "metric", "competitor", "printed", "published", "ours", "low", "high"),
    *("n_datasets", "datasets"),
]


def average_gain(ours: np.ndarray, other: np.ndarray) -> float:
    """Return 100·(Σ_d ours_d / Σ_d other_d − 1), in percent: a ratio of means over datasets.

    >>> round(average_gain(np.array([0.6, 0.9]), np.array([0.5, 0.5])), 6)
    50.0
    """
    return float(100 * (ours.sum() / other.sum() - 1)) if other.sum() > 0 else float("nan")


def resampled_gains(ours: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the gain on each bootstrap sample of the datasets; the samples are the same for every pair."""
    draws = stream("report", "bootstrap").integers(0, len(ours), (RESAMPLES, len(ours)))
    sums = other[draws].sum(axis=1)
    return 100 * (ours[draws].sum(axis=1) / np.where(sums > 0, sums, np.nan) - 1)


def interval(values: np.ndarray, datasets: int) -> tuple[float, float]:
    """Return the percentile interval of resampled values; NaN for too few datasets."""
    if datasets < FEWEST_FOR_INTERVAL or np.isnan(values).any():
        return float("nan"), float("nan")
    low, high = np.quantile(values, [(1 - COVERAGE) / 2, (1 + COVERAGE) / 2])
    return float(low), float(high)


def paired_scores(evidence: Evidence, experiment: str, metric: str, scope: str, rule: str = "oracle") -> pd.DataFrame:
    """Return the scores behind the gains: (dataset, part) × algorithm, NaN where there is none to compare.

    For the scope ``all`` a part is a level, so that two algorithms compare on the levels that both have. For the other
    scopes, which need all levels, it is the average.
    """
    if scope == "all":
        levels = evidence.level_scores(experiment, metric, rule)
        kinds = levels.index.get_level_values("dataset").map(evidence.facts["data_kind"])
        return levels[kinds != "stand-in"]
    rows = evidence.comparable_averages(experiment, rule)
    rows = rows[rows["metric"] == metric]
    if scope == "real":
        rows = rows[rows["dataset"].map(evidence.facts["data_kind"]) == "real"]
    return rows.assign(part="average").pivot(index=["dataset", "part"], columns="algorithm", values="mean")


def pair(scores: pd.DataFrame, competitor: str, *, fewest_parts: int = 1) -> pd.DataFrame:
    """Return the averages of PKO+HSC (``ours``) and a competitor (``other``) on the datasets that both have."""
    if published.METHOD not in scores or competitor not in scores:
        return pd.DataFrame({"ours": [], "other": []}, dtype=float)
    # Plain numpy: a table of gains has hundreds of pairs.
    values = scores[[published.METHOD, competitor]].to_numpy(dtype=float)
    both = ~np.isnan(values).any(axis=1)
    names = scores.index.get_level_values("dataset").to_numpy()
    datasets, of, parts = np.unique(names[both], return_inverse=True, return_counts=True)
    means = [np.bincount(of, column, minlength=len(datasets)) / parts for column in values[both].T]
    table = pd.DataFrame({"ours": means[0], "other": means[1]}, index=datasets)
    return table[parts >= fewest_parts]


def gains(evidence: Evidence, rule: str = "oracle") -> pd.DataFrame:
    """Return one row per scope, experiment, metric and competitor: the gain printed, published and ours.

    ``published`` is recomputed from the paper's tables over the same datasets as ours, so that the two compare. The
    scope ``all`` contains subsets and averages over fewer levels, so it has no published counterpart.
    """
    rows = []
    competitors = [name for name in evidence.with_role("algorithm", "reference") if name != published.METHOD]
    for scope, experiment, metric in product(SCOPES, published.EXPERIMENTS, published.METRICS):
        if evidence.averages(experiment, rule).empty:
            continue
        scores = paired_scores(evidence, experiment, metric, scope, rule)
        # A dataset that was run clean only says nothing about noise or outliers.
        fewest = 2 if scope == "all" and experiment != "clean" else 1
        for competitor in competitors:
            both = pair(scores, competitor, fewest_parts=fewest)
            if not both.empty:
                facts = {"scope": scope, "experiment": experiment, "metric": metric, "competitor": competitor}
                rows.append({**facts, **_gain(both, **facts)})
    # A scope with the same datasets as an earlier one adds nothing.
    table = pd.DataFrame(rows, columns=GAIN_COLUMNS)
    content = table[["experiment", "metric", "competitor", "datasets"]].assign(ours=table["ours"].round(9))
    return table[~content.duplicated()].reset_index(drop=True)


def _gain(both: pd.DataFrame, scope: str, experiment: str, metric: str, competitor: str) -> dict[str, object]:
    ours, other = both["ours"].to_numpy(), both["other"].to_numpy()
    low, high = interval(resampled_gains(ours, other), len(both))
    known = competitor in published.COMPETITORS and scope != "all"
    return {
        "printed": published.printed_gains(experiment, metric)[competitor] if known else float("nan"),
        "published": published_gain(experiment, metric, competitor, list(both.index)) if known else float("nan"),
        "ours": average_gain(ours, other),
        "low": low,
        "high": high,
        "n_datasets": len(both),
        "datasets": " ".join(both.index),
    }


def published_gain(experiment: str, metric: str, competitor: str, datasets: Sequence[str]) -> float:
    """Return the gain in the paper's tables over these datasets; NaN if the paper lacks one of them."""
    scores = published.scores(experiment, metric)
    if not set(datasets) <= set(scores.columns):
        return float("nan")
    ours, other = scores.loc[published.METHOD, datasets], scores.loc[competitor, datasets]
    return average_gain(ours.to_numpy(), other.to_numpy())
