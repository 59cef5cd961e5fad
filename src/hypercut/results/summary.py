"""The choice of σ for an entry of a table, and the means over repeats at that σ.

An algorithm is run at every σ of the grid. For each cell, :func:`summarize` applies two rules: each averages its score
(:data:`RULES`) over repeats and takes the σ with the largest mean; if means are equal, the smallest σ. Failed
clusterings, such as timeouts, count as 0 in every metric and score.
"""

from collections.abc import Sequence

import pandas as pd

from hypercut.results.rows import COMBINATION, DIAGNOSTICS, METRICS
from hypercut.run.failures import FAILURES, Status

#: The two rules for σ, and the column whose mean over repeats each maximises. ``oracle`` is the paper's rule and uses
#: the true classes; ``unsupervised`` does not, see :mod:`hypercut.selection`.
RULES = {"oracle": "nmi", "unsupervised": "neighbor_information"}

#: Columns that are the same for all rows of a cell.
FACTS = ["corruption", "level", "role", "data_kind", "complete", "n_samples", "n_features", "n_clusters"]


def summarize(table: pd.DataFrame) -> pd.DataFrame:
    """Return one row per cell and rule: the chosen σ, and mean and standard deviation of each metric there.

    A failed clustering counts as 0 in every metric, which makes a failing σ less likely to be chosen. ``failed`` counts
    such rows at the chosen σ, ``failed_anywhere`` in the whole cell. ``at_edge`` flags a σ at the edge of the grid: a
    better one may lie beyond.
    """
    scales = per_sigma(table)
    summary = pd.concat([best_rows(scales, score).assign(rule=rule) for rule, score in RULES.items()])
    summary = summary.reset_index(drop=True)
    grid = scales.groupby(COMBINATION)["sigma_factor"].agg(["min", "max", "nunique"])
    edges = summary.join(grid, on=COMBINATION)
    summary["at_edge"] = (edges["nunique"] > 1) & (
        (edges["sigma_factor"] == edges["min"]) | (edges["sigma_factor"] == edges["max"])
    )
    anywhere = scales.groupby(COMBINATION)["failed"].sum().rename("failed_anywhere")
    return summary.join(anywhere, on=COMBINATION).sort_values([*COMBINATION, "rule"], ignore_index=True)


def best_rows(means: pd.DataFrame, score: str, within: Sequence[str] = COMBINATION) -> pd.DataFrame:
    """Return the row with the largest mean score of each group; if scores are equal, the row with the smallest σ.

    The σ of a result is chosen only here. Estimators choose theirs by :func:`hypercut.selection.select_sigma`.
    ``means`` are rows of :func:`per_sigma`, sorted by σ. Scores that differ only by rounding error are equal.
    """
    rounded = means[f"{score}_mean"].fillna(0.0).round(12)
    return means.loc[rounded.groupby([means[name] for name in within], sort=False).idxmax()]


def best_sigma(cell: pd.DataFrame) -> float:
    """Return the σ/ρ that the paper's rule chooses for a cell."""
    return float(best_rows(per_sigma(cell), RULES["oracle"])["sigma_factor"].iloc[0])


def per_sigma(table: pd.DataFrame) -> pd.DataFrame:
    """Return one row per cell and σ: means and standard deviations over repeats, where failures count as 0.

    Repeats without diagnostics, and valid ones without a label-free score, are left out of the means of these.
    """
    failed = table["status"].isin(FAILURES)
    rows = table.assign(
        **{metric: table[metric].mask(failed, 0.0) for metric in METRICS},
        # It stays null for an algorithm without σ.
        neighbor_information=table["neighbor_information"].mask(failed & table["sigma_factor"].notna(), 0.0),
        failed=failed,
        degenerate=table["status"] == Status.DEGENERATE,
        not_converged=table["status"] == Status.NOT_CONVERGED,
    )
    groups = rows.groupby([*COMBINATION, "sigma_factor"], dropna=False, sort=True)
    parts = [groups[FACTS].first(), groups.size().rename("repeats")]
    parts += [groups[name].sum() for name in ("failed", "degenerate", "not_converged")]
    for metric in METRICS:
        parts += [groups[metric].mean().rename(f"{metric}_mean"), groups[metric].std().rename(f"{metric}_std")]
    parts += [
        groups[name].mean().rename(f"{name}_mean")
        for name in ("neighbor_information", *DIAGNOSTICS, "wall_seconds", "shared_seconds")
    ]
    parts.append(groups["peak_bytes"].max())
    return pd.concat(parts, axis=1).reset_index()


def overclustering_seconds(rows: pd.DataFrame) -> "pd.Series[float]":
    """Return the core-seconds of the over-clustering that each row used; 0 if it used none.

    Over-clusterings record wall time. The ratio of core-seconds to wall time is taken from the clusterings of the same
    size that used them.
    """
    shared = rows["shared_seconds"].fillna(0.0)
    users = rows[["cpu_seconds", "wall_seconds"]].where((shared > 0) & rows["cpu_seconds"].notna())
    sums = users.groupby([rows[name] for name in ("n_samples", "n_features", "n_clusters")]).transform("sum")
    return shared * sums["cpu_seconds"] / sums["wall_seconds"].clip(lower=1e-9)
