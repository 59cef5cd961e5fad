"""Time and memory of one clustering, and how time grows with the number of samples."""

import numpy as np
import pandas as pd

from hypercut.analysis.evidence import Evidence
from hypercut.results.summary import overclustering_seconds
from hypercut.run.failures import FAILURES

#: The exponent of time against N is fitted to at least this many sizes.
FEWEST_FOR_SCALING = 4


def clustering_costs(evidence: Evidence) -> pd.DataFrame:
    """Return the mean time and the peak memory of one clustering of a clean set at one σ, without failures.

    ``cpu_seconds`` and ``wall_seconds`` include the over-clustering that the clustering was given, but not the
    distances, which all algorithms share.
    """
    rows = evidence.cells
    rows = rows[(rows["setting"] == "clean") & ~rows["status"].isin(FAILURES) & (rows["role"] != "control")]
    rows = rows.assign(
        cpu_seconds=rows["cpu_seconds"] + overclustering_seconds(rows),
        own_cpu_seconds=rows["cpu_seconds"],
        wall_seconds=rows["wall_seconds"] + rows["shared_seconds"].fillna(0),
    )
    cost = rows.groupby(["dataset", "algorithm"]).agg(
        n_samples=("n_samples", "first"),
        cpu_seconds=("cpu_seconds", "mean"),
        own_cpu_seconds=("own_cpu_seconds", "mean"),
        wall_seconds=("wall_seconds", "mean"),
        peak_bytes=("peak_bytes", "max"),
        threads=("threads", "max"),
        runs=("cpu_seconds", "size"),
    )
    return cost.reset_index().sort_values(["algorithm", "n_samples", "dataset"], ignore_index=True)


def scaling_exponent(evidence: Evidence, algorithm: str) -> tuple[float, float]:
    """Return the slope of log processor time over log N, and the factor that N spans; NaN and 0 for too few datasets.

    Stand-ins are excluded, since the number of steps to convergence depends on the data.
    """
    rows = clustering_costs(evidence)
    rows = rows[(rows["algorithm"] == algorithm) & (rows["cpu_seconds"] > 0)]
    rows = rows[rows["dataset"].map(evidence.kind) != "stand-in"]
    if rows["n_samples"].nunique() < FEWEST_FOR_SCALING:
        return float("nan"), 0.0
    slope, _ = power_of_size(rows["n_samples"], rows["cpu_seconds"])
    return slope, float(rows["n_samples"].max() / rows["n_samples"].min())


def power_of_size(sizes: "pd.Series[float]", values: "pd.Series[float]") -> tuple[float, float]:
    """Return b and log a of the power law a·N^b that fits the values best on logarithmic axes."""
    slope, height = np.polyfit(np.log(sizes.astype(float)), np.log(values), 1)
    return float(slope), float(height)
