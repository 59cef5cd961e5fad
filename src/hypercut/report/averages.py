"""The averages that the paper's tables hold: over the levels of a corruption, the clean set being level L0."""

import numpy as np
import pandas as pd

from hypercut.benchmark.rows import METRICS
from hypercut.report.experiments import at_paper_levels, experiment_settings, level_name

#: A difference between two algorithms on one dataset that is no larger than this is a tie, and so is one within two
#: standard errors over repeats. One sample of Iris is 0.0067.
TIE = 0.01


def average(summary: pd.DataFrame, experiment: str) -> pd.DataFrame:
    """Return one row per dataset × algorithm × metric: the mean over the paper's levels that were run.

    ``summary`` has one row per dataset, algorithm and setting, of one selection rule.

    ``spread`` is the standard deviation of that mean from the repeats of each level, √(Σ s²)/levels: of a single level
    it is the plain one over repeats. ``error`` is the standard error of the mean over levels and repeats. ``complete``
    tells that all levels of the paper were run. Levels that the paper does not have are in no average. A dataset of
    which only the clean level was run is no row of noise or outliers.
    """
    settings = experiment_settings(experiment)
    order = {setting: number for number, setting in enumerate(settings)}
    chosen = summary[at_paper_levels(summary, experiment)]
    chosen = chosen.sort_values("setting", key=lambda names: names.map(order))
    cells = _long(chosen).groupby(["dataset", "algorithm", "metric"])
    rows = cells.agg(
        mean=("mean", "mean"),
        variance=("variance", "sum"),
        of_mean=("of_mean", "sum"),
        known=("variance", "count"),
        run=("setting", "size"),
        levels=("setting", lambda run: " ".join(map(level_name, run))),
        repeats=("repeats", "min"),
        failed=("failed", "sum"),
    ).reset_index()
    # A level with a single repeat has no deviation, and then the average has none either.
    known = rows["known"] == rows["run"]
    rows["spread"] = (np.sqrt(rows["variance"]) / rows["run"]).where(known)
    rows["error"] = (np.sqrt(rows["of_mean"]) / rows["run"]).where(known)
    rows["complete"] = rows["run"] == len(settings)
    if experiment != "clean":
        rows = rows[rows["levels"] != level_name("clean")].reset_index(drop=True)
    return rows.drop(columns=["variance", "of_mean", "known", "run"])


def _long(chosen: pd.DataFrame) -> pd.DataFrame:
    """One row per metric instead of one column: its mean, its variance over repeats, and that of the mean."""
    parts = []
    for metric in METRICS:
        part = chosen[["dataset", "algorithm", "setting", "repeats", "failed"]].copy()
        part["metric"] = metric
        part["mean"] = chosen[f"{metric}_mean"]
        part["variance"] = chosen[f"{metric}_std"] ** 2
        part["of_mean"] = part["variance"] / part["repeats"]
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def outcome(ours: float, other: float, error: float = 0.0) -> int:
    """Return 1 if ``ours`` wins, −1 if it loses, 0 for a tie; ``error`` is the standard error of the difference."""
    margin = max(TIE, 2 * (0.0 if np.isnan(error) else error))
    difference = ours - other
    return 0 if abs(difference) <= margin else int(np.sign(difference))
