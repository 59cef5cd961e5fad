"""The averages that the paper's tables hold: over the levels of a corruption, the clean set being level L0."""

import numpy as np
import pandas as pd

from hypercut.report.experiments import experiment_settings, level_name
from hypercut.results import METRICS

#: A difference between two algorithms on one dataset that is no larger than this is a tie, and so is one within two
#: standard errors over repeats. One sample of Iris is 0.0067.
TIE = 0.01


def average(summary: pd.DataFrame, experiment: str) -> pd.DataFrame:
    """Return one row per dataset × algorithm × metric: the mean over the levels that were run.

    ``summary`` has one row per dataset, algorithm and setting, of one selection rule.

    ``spread`` is the standard deviation of that mean from the repeats of each level, √(Σ s²)/levels: of a single level
    it is the plain one over repeats. ``error`` is the standard error of the mean over levels and repeats. ``complete``
    tells that all levels of the paper were run. A dataset of which only the clean level was run is no row of noise or
    outliers.
    """
    settings = experiment_settings(experiment)
    chosen = summary[summary["setting"].isin(settings)]
    levels = pd.Categorical(chosen["setting"], settings, ordered=True)
    cells = chosen.assign(level=levels).sort_values("level").groupby(["dataset", "algorithm"])
    facts = pd.DataFrame(
        {
            "repeats": cells["repeats"].min(),
            "levels": cells["setting"].agg(lambda run: " ".join(map(level_name, run))),
            "complete": cells.size() == len(settings),
            "failed": cells["failed"].sum(),
        }
    )
    parts = [facts.join(_mean_over_levels(chosen, metric)).assign(metric=metric) for metric in METRICS]
    rows = pd.concat(parts).reset_index()
    return rows if experiment == "clean" else rows[rows["levels"] != level_name("clean")].reset_index(drop=True)


def _mean_over_levels(chosen: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Mean, spread and standard error of one metric; ``chosen`` has one row per dataset, algorithm and level."""
    variance = chosen[f"{metric}_std"] ** 2
    parts = pd.DataFrame(
        {
            "dataset": chosen["dataset"],
            "algorithm": chosen["algorithm"],
            "mean": chosen[f"{metric}_mean"],
            "variance": variance,
            "of_mean": variance / chosen["repeats"],
        }
    ).groupby(["dataset", "algorithm"])
    levels = parts.size()
    # A level with a single repeat has no deviation, and then the average has none either.
    deviations = np.sqrt(parts[["variance", "of_mean"]].agg(lambda column: column.sum(skipna=False)))
    return pd.DataFrame(
        {
            "mean": parts["mean"].mean(),
            "spread": deviations["variance"] / levels,
            "error": deviations["of_mean"] / levels,
        }
    )


def outcome(ours: float, other: float, error: float = 0.0) -> int:
    """Return 1 if ``ours`` wins, −1 if it loses, 0 for a tie; ``error`` is the standard error of the difference."""
    margin = max(TIE, 2 * (0.0 if np.isnan(error) else error))
    difference = ours - other
    return 0 if abs(difference) <= margin else int(np.sign(difference))
