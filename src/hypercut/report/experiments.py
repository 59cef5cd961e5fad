"""The three experiments, the settings that each averages over, and what things are called."""

import re

from hypercut import corruption
from hypercut.settings import CLEAN

EXPERIMENT_NAMES = {"clean": "clean", "noise": "noise", "outlier": "outliers"}
METRIC_NAMES = {"nmi": "NMI", "purity": "accuracy", "matched_accuracy": "matched accuracy", "ari": "ARI"}


def experiment_settings(experiment: str) -> list[str]:
    """The settings that the average of an experiment runs over: the clean set is level L0 of noise and outliers."""
    if experiment == CLEAN:
        return [CLEAN]
    return [CLEAN, *(f"{experiment}-{level}" for level in corruption.LEVELS[experiment])]


def capitalized(text: str) -> str:
    """With a capital at the start, the rest as it is."""
    return text[:1].upper() + text[1:]


def slug(name: str) -> str:
    """A user's name as part of a file name or a link."""
    return re.sub(r"[^\w.-]+", "-", name)


def level_name(setting: str) -> str:
    """``L0`` for the clean set, ``L3`` for ``noise-L3``."""
    return setting.partition("-")[2] or "L0"
