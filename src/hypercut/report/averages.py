"""Averages over the levels of a corruption, as in the paper's tables: the clean set is level L0."""

import numpy as np
import pandas as pd

from hypercut.benchmark.rows import METRICS
from hypercut.report.experiments import at_paper_levels, experiment_settings, level_name


def average(summary: pd.DataFrame, experiment: str) -> pd.DataFrame:
    """Return one row per dataset × algorithm × metric: the mean over the paper's levels that were run.

    ``summary`` has one row per dataset, algorithm and setting, of one selection rule. Levels that the paper does not
    have are ignored. A dataset that was run clean only has no average over noise or outliers.

    ``spread`` is √(Σ s²)/levels, with s the standard deviation over the repeats of a level. ``error`` is the standard
    error of the mean over levels and repeats. ``complete`` says whether all levels of the paper were run.
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
    # A level with a single repeat has no deviation, so neither has the average.
    known = rows["known"] == rows["run"]
    rows["spread"] = (np.sqrt(rows["variance"]) / rows["run"]).where(known)
    rows["error"] = (np.sqrt(rows["of_mean"]) / rows["run"]).where(known)
    rows["complete"] = rows["run"] == len(settings)
    if experiment != "clean":
        rows = rows[rows["levels"] != level_name("clean")].reset_index(drop=True)
    return rows.drop(columns=["variance", "of_mean", "known", "run"])


def _long(chosen: pd.DataFrame) -> pd.DataFrame:
    """Return one row per metric: its mean, its variance over repeats, and the variance of the mean."""
    parts = []
    for metric in METRICS:
        part = chosen[["dataset", "algorithm", "setting", "repeats", "failed"]].copy()
        part["metric"] = metric
        part["mean"] = chosen[f"{metric}_mean"]
        part["variance"] = chosen[f"{metric}_std"] ** 2
        part["of_mean"] = part["variance"] / part["repeats"]
        parts.append(part)
    return pd.concat(parts, ignore_index=True)
