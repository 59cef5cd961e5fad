"""The three experiments, the settings that each averages over, and what things are called."""

import re

import numpy as np
import pandas as pd

from hypercut.paper import protocol
from hypercut.paper.protocol import CLEAN

EXPERIMENT_NAMES = {"clean": "clean", "noise": "noise", "outlier": "outliers"}
METRIC_NAMES = {"nmi": "NMI", "purity": "accuracy", "matched_accuracy": "matched accuracy", "ari": "ARI"}

#: What the paper's noise is taken for: Gaussian, in units of the standard deviation of each feature.
PAPER_NOISE = {"scale": "feature_std", "distribution": "gaussian"}

#: The scales of noise in words.
NOISE_UNITS = {
    "feature_std": "standard deviations of each feature",
    "global_std": "standard deviations of the whole set",
    "absolute": "the features' own units",
}


def experiment_settings(experiment: str) -> list[str]:
    """The settings that the average of an experiment runs over: the clean set is level L0 of noise and outliers."""
    if experiment == CLEAN:
        return [CLEAN]
    return [CLEAN, *(f"{experiment}-{level}" for level in protocol.LEVELS[experiment])]


def at_paper_levels(rows: pd.DataFrame, experiment: str) -> pd.Series:
    """Tell which rows are at one of these settings, by its name and by its value: a name can stand for any strength."""
    levels = protocol.LEVELS.get(experiment, {})
    values = {CLEAN: 0.0, **{f"{experiment}-{name}": value for name, value in levels.items()}}
    found = np.isclose(rows["setting"].map(values).astype(float), rows["level"].astype(float))
    return pd.Series(found, index=rows.index)


def other_levels(rows: pd.DataFrame, experiment: str) -> list[str]:
    """The levels of these rows that are not the paper's, each with its value, the weakest first."""
    levels = rows.loc[rows["setting"] != CLEAN, ["setting", "level"]].drop_duplicates()
    levels = levels[~at_paper_levels(levels, experiment)].sort_values("level")
    return [f"{level_name(row.setting)} = {row.level:g}" for row in levels.itertuples()]


def capitalized(text: str) -> str:
    """With a capital at the start, the rest as it is."""
    return text[:1].upper() + text[1:]


def slug(name: str) -> str:
    """A user's name as part of a file name or a link."""
    return re.sub(r"[^\w.-]+", "-", name)


def level_name(setting: str) -> str:
    """``L0`` for the clean set, ``L3`` for ``noise-L3``."""
    return setting.partition("-")[2] or "L0"
