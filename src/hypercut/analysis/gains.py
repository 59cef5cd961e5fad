"""Average gains of PKO+HSC over other algorithms, with intervals over datasets; :func:`gain` computes each of them."""

from collections.abc import Iterable
from functools import cache
from itertools import product

import numpy as np
import pandas as pd

from hypercut.analysis.bootstrap import interval, resampled_gains
from hypercut.analysis.evidence import SIZES, STATED, Evidence
from hypercut.paper import published
from hypercut.paper.forensics import average_gain

#: The datasets that a gain is averaged over: the paper's that are comparable, and the same without the generated ones.
SCOPES = ("paper", "real")

COLUMNS = [
    *("size", "scope", "experiment", "metric", "competitor", "printed", "published", "ours", "low", "high"),
    *("n_datasets", "datasets"),
]

Scores = tuple[np.ndarray, np.ndarray]
"""of PKO+HSC and of a competitor, on the same datasets"""


def gain(scores: Scores, since: Scores | None = None) -> tuple[float, float, float]:
    """Return the average gain in percent and the ends of its interval; with ``since``, its growth since those scores.

    All comparisons resample the datasets in the same way.
    """
    value, samples = average_gain(*scores), resampled_gains(*scores)
    if since is not None:
        value, samples = value - average_gain(*since), samples - resampled_gains(*since)
    return value, *interval(samples, len(scores[0]))


def gains_over(scores: pd.DataFrame, competitors: Iterable[str], since: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return one row per competitor: the average gain over it (``ours``), on the datasets that both have.

    With the scores ``since`` which it grows, the growth of the gain.
    """
    rows = []
    for competitor in competitors:
        both, older = on_common_datasets(scores, competitor), None
        if since is not None:
            before = on_common_datasets(since, competitor)
            both = both[both.index.isin(before.index)]
            older = _pair(before.reindex(both.index))
        if len(both):
            rows.append([competitor, *gain(_pair(both), older), len(both), " ".join(both.index)])
    return pd.DataFrame(rows, columns=["competitor", "ours", "low", "high", "n_datasets", "datasets"])


def _pair(both: pd.DataFrame) -> Scores:
    return both["ours"].to_numpy(), both["other"].to_numpy()


def on_common_datasets(scores: pd.DataFrame, competitor: str) -> pd.DataFrame:
    """Return the averages of PKO+HSC (``ours``) and a competitor (``other``) on the datasets that both have."""
    columns = {"ours": published.METHOD, "other": competitor}
    return pd.DataFrame(
        {name: scores.get(column, default=np.nan) for name, column in columns.items()}, scores.index
    ).dropna()


def scope_scores(evidence: Evidence, experiment: str, metric: str, scope: str, rule: str = "oracle") -> pd.DataFrame:
    """Return the scores behind the gains: dataset × algorithm, NaN where there is none to compare."""
    rows = evidence.comparable_averages(experiment, rule)
    rows = rows[rows["metric"] == metric]
    if scope == "real":
        rows = rows[rows["dataset"].map(evidence.facts["data_kind"]) == "real"]
    return rows.pivot(index="dataset", columns="algorithm", values="mean")


def average_gains(evidence: Evidence, rule: str = "oracle") -> pd.DataFrame:
    """Return one row per size, scope, experiment, metric and competitor: the gain printed, published and ours.

    ``published`` is recomputed from the paper's tables over the same datasets as ours, so that the two compare. Gains
    at the indicated sizes are over all datasets of the gain at the stated sizes, or left out.
    """
    competitors = [name for name in evidence.with_role("algorithm", "baseline") if name != published.METHOD]
    parts = [pd.DataFrame(columns=COLUMNS)]
    for size, scope, experiment, metric in product(SIZES, SCOPES, published.EXPERIMENTS, published.METRICS):
        rows = gains_over(scope_scores(evidence.at(size), experiment, metric, scope, rule), competitors)
        rows = rows.assign(size=size, scope=scope, experiment=experiment, metric=metric)
        rows["printed"] = rows["competitor"].map(published.printed_gains(experiment, metric))
        sets = zip(rows["competitor"], rows["datasets"], strict=True)
        rows["published"] = [published_gain(experiment, metric, *it) for it in sets]
        parts += [rows[COLUMNS]] if len(rows) else []
    table = pd.concat(parts[1:] or parts, ignore_index=True)
    # A scope with the same datasets as an earlier one adds nothing.
    table = table[~table.duplicated(["size", "experiment", "metric", "competitor", "datasets"])]
    keys = ["scope", "experiment", "metric", "competitor"]
    stated = table[table["size"] == STATED].set_index(keys)["n_datasets"].rename("stated")
    fewer = table["n_datasets"] < table.join(stated, on=keys)["stated"]
    return table[~fewer].reset_index(drop=True)


def paper_gains(gains: pd.DataFrame, size: str = STATED) -> pd.DataFrame:
    """Return the gains at one size over the paper's datasets, with the generated ones."""
    return gains[(gains["size"] == size) & (gains["scope"] == SCOPES[0])]


@cache
def published_gain(experiment: str, metric: str, competitor: str, datasets: str) -> float:
    """Return the gain in the paper's tables over these datasets; NaN if they lack one of them, or the competitor."""
    scores = published.scores(experiment, metric)
    if competitor not in scores.index or not set(datasets.split()) <= set(scores.columns):
        return float("nan")
    ours, other = scores.loc[[published.METHOD, competitor], datasets.split()].to_numpy()
    return average_gain(ours, other)


def published_distance(evidence: Evidence, size: str = STATED) -> tuple[float, float, int]:
    """Return the mean |ours − published| in NMI over the cells (dataset × algorithm) of Table 1 at a size.

    Also that at the stated sizes, over those of these cells that were run there, and the number of cells.
    """
    found, stated = _distances(evidence.at(size)), _distances(evidence)
    return float(found.mean()), float(stated[stated.index.isin(found.index)].mean()), len(found)


def _distances(evidence: Evidence) -> "pd.Series[float]":
    ours = scope_scores(evidence, "clean", "nmi", SCOPES[0]).reindex(columns=published.ALGORITHMS)
    return (ours - published.scores("clean", "nmi").T.reindex(ours.index)).abs().stack().dropna()
