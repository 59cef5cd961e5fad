"""PKO+HSC with different weights (α, β): the sweep of Table 2."""

import numpy as np
import pandas as pd

from hypercut.analysis.evidence import Evidence
from hypercut.analysis.gains import gains_over, scope_scores
from hypercut.paper import published
from hypercut.paper.protocol import CLEAN


def weight_data(evidence: Evidence, metric: str) -> pd.DataFrame:
    """Return one row per dataset and pair (α, β), in full precision."""
    columns = ["dataset", "data", "alpha", "beta", "published", "ours", "spread", "error", "difference"]
    columns += ["repeats", "failed"]
    rows = evidence.sweeps[evidence.sweeps["variation"] == "weights"]
    if rows.empty:
        return pd.DataFrame(columns=columns)
    printed = published.weight_scores(metric).stack(["alpha", "beta"], future_stack=True)
    data = rows.rename(columns={f"{metric}_mean": "ours", f"{metric}_std": "spread"})
    data["error"] = data["spread"] / np.sqrt(data["repeats"])
    counterparts = [evidence.counterpart(name, "clean") for name in data["dataset"]]
    keys = zip(counterparts, data["alpha"], data["beta"], strict=True)
    data["published"] = pd.Series([printed.get(key) for key in keys], data.index, dtype=float)
    data["difference"] = data["ours"] - data["published"]
    data["data"] = data["dataset"].map(evidence.kind)
    return data.sort_values(["dataset", "alpha", "beta"], ignore_index=True)[columns]


def tuned_gains(evidence: Evidence) -> pd.DataFrame:
    """Return gains on clean data with the weights of Table 1, and with the pair of Table 2 that our NMI prefers.

    The competitors keep their weights. Both metrics are read at the pair that is the best in NMI.
    """
    swept = {metric: _by_pair(evidence, metric).reindex(columns=published.WEIGHTS) for metric in published.METRICS}
    chosen = swept["nmi"].dropna(how="all").idxmax(axis=1)
    parts = []
    for metric in published.METRICS:
        scores = scope_scores(evidence, CLEAN, metric, "paper")
        scores = scores[scores.index.isin(chosen.index)]
        best = [swept[metric].loc[name, chosen[name]] for name in scores.index]
        fixed = gains_over(scores, published.COMPETITORS)[["competitor", "ours"]].rename(columns={"ours": "fixed"})
        tuned = gains_over(scores.assign(**{published.METHOD: best}), published.COMPETITORS)
        rows = fixed.merge(tuned.rename(columns={"ours": "tuned"}).drop(columns="datasets"), on="competitor")
        parts.append(rows.assign(metric=metric))
    columns = ["metric", "competitor", "fixed", "tuned", "low", "high", "n_datasets"]
    return pd.concat(parts, ignore_index=True)[columns]


def _by_pair(evidence: Evidence, metric: str) -> pd.DataFrame:
    """Return dataset × (α, β): the mean score."""
    return weight_data(evidence, metric).pivot(index="dataset", columns=["alpha", "beta"], values="ours")
