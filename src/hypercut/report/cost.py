"""What a clustering costs: time and memory against the number of samples."""

import numpy as np
import pandas as pd

from hypercut.benchmark.rows import FAILURES
from hypercut.report.evidence import Evidence

#: Fewer datasets than this make no line of time against N.
FEWEST_FOR_SCALING = 4


def seconds(evidence: Evidence) -> pd.DataFrame:
    """Return the mean time and the peak memory of one clustering of a clean set at one σ, failures left out.

    ``seconds`` has the communities that the clustering was given in it, but not the distances, which are computed once
    for all.
    """
    rows = evidence.cells
    rows = rows[(rows["setting"] == "clean") & ~rows["status"].isin(FAILURES) & (rows["role"] != "control")]
    groups = rows.assign(seconds=rows["wall_seconds"] + rows["shared_seconds"].fillna(0)).groupby(
        ["dataset", "algorithm"]
    )
    cost = groups.agg(
        n_samples=("n_samples", "first"),
        seconds=("seconds", "mean"),
        own_seconds=("wall_seconds", "mean"),
        peak_bytes=("peak_bytes", "max"),
        threads=("threads", "max"),
        runs=("seconds", "size"),
    )
    return cost.reset_index().sort_values(["algorithm", "n_samples", "dataset"], ignore_index=True)


def scaling_exponent(evidence: Evidence, algorithm: str) -> tuple[float, float]:
    """Return the slope of log time over log N, and the factor that N spans; NaN and 0 for too few datasets.

    Stand-ins are left out: the number of steps to convergence is the data's.
    """
    rows = seconds(evidence)
    rows = rows[(rows["algorithm"] == algorithm) & (rows["seconds"] > 0)]
    rows = rows[rows["dataset"].map(evidence.kind) != "stand-in"]
    if rows["n_samples"].nunique() < FEWEST_FOR_SCALING:
        return float("nan"), 0.0
    slope = np.polyfit(np.log(rows["n_samples"].astype(float)), np.log(rows["seconds"]), 1)[0]
    return float(slope), float(rows["n_samples"].max() / rows["n_samples"].min())
