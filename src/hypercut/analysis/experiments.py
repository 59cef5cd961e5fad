"""The three experiments, the settings that each averages over, and the names of experiments and metrics."""

import numpy as np
import pandas as pd

from hypercut.paper import protocol, published
from hypercut.paper.protocol import CLEAN

EXPERIMENT_NAMES = {"clean": "clean", "noise": "noise", "outlier": "outliers"}
METRIC_NAMES = {"nmi": "NMI", "purity": "purity", "matched_accuracy": "matched accuracy", "ari": "ARI", "ami": "AMI"}

PAIRS = [(experiment, metric) for experiment in published.EXPERIMENTS for metric in published.METRICS]
"""every experiment with every metric of the paper"""

#: How we read the paper's noise: Gaussian, in units of the standard deviation of each feature.
PAPER_NOISE = {"scale": "feature_std", "distribution": "gaussian"}

NOISE_UNITS = {
    "feature_std": "standard deviations of each feature",
    "global_std": "standard deviations of the whole set",
    "absolute": "the features' own units",
}


def pair_name(pair: tuple[str, str]) -> str:
    """Return an experiment and a metric in words: ``noise, NMI``."""
    return f"{EXPERIMENT_NAMES[pair[0]]}, {METRIC_NAMES[pair[1]]}"


def experiment_settings(experiment: str) -> list[str]:
    """Return the settings that an experiment averages over: the clean set is level L0 of noise and outliers."""
    if experiment == CLEAN:
        return [CLEAN]
    return [CLEAN, *(f"{experiment}-{level}" for level in protocol.LEVELS[experiment])]


def at_paper_levels(rows: pd.DataFrame, experiment: str) -> pd.Series:
    """Return which rows are at a level of the paper, by name and by value: a configuration can change the value."""
    levels = protocol.LEVELS.get(experiment, {})
    values = {CLEAN: 0.0, **{f"{experiment}-{name}": value for name, value in levels.items()}}
    found = np.isclose(rows["setting"].map(values).astype(float), rows["level"].astype(float))
    return pd.Series(found, index=rows.index)


def other_levels(rows: pd.DataFrame, experiment: str) -> list[str]:
    """Return the levels that were run and are not the paper's, each with its value, the weakest first.

    Averages exclude them.
    """
    levels = rows.loc[rows["corruption"] == experiment, ["setting", "level"]].drop_duplicates()
    levels = levels[~at_paper_levels(levels, experiment)].sort_values("level")
    return [f"{level_name(row.setting)} = {row.level:g}" for row in levels.itertuples()]


def level_name(setting: str) -> str:
    """Return ``L0`` for the clean set, ``L3`` for ``noise-L3``."""
    return setting.partition("-")[2] or "L0"
