"""The numbers that the paper printed, read from ``published.toml``."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

# The workflow needs the names of datasets before any job runs, and no tables.
if TYPE_CHECKING:
    import pandas as pd

#: The three experiments, each with the number of the paper's table of its averages.
EXPERIMENTS = {"clean": 1, "noise": 3, "outlier": 4}

#: The metrics that the paper reports.
METRICS = ("nmi", "purity")


@cache
def _file() -> dict[str, Any]:
    return tomllib.loads(files("hypercut.paper").joinpath("published.toml").read_text(encoding="utf-8"))


TITLE: str = _file()["title"]

#: The paper's proposed algorithm.
METHOD: str = _file()["method"]

#: The eight algorithms, the proposed one first.
ALGORITHMS: list[str] = _file()["algorithms"]

#: The seven algorithms that it is compared with.
COMPETITORS: list[str] = _file()["gains"]["over"]

#: Of these, PKO+HSC without a part of it: without the over-clustering, the neighbours, or its own cut.
VARIANTS = ("PK+HSC", "PO+HSC", "PKO+NC")

#: The seven datasets, each with the paper's name for it.
DATASETS: dict[str, str] = _file()["datasets"]

#: The number of samples that the paper's text states for each dataset.
SAMPLES: dict[str, int] = _file()["samples"]

#: The number of samples that the published purities indicate, where it is not the stated one (:mod:`.forensics`).
INDICATED: dict[str, int] = {"yaleb": 373, "usps": 465, "mnist": 599, "corel": 500}

#: Random parts of these sizes, each with the dataset whose published results it is compared with.
PARTS: dict[str, str] = {f"{whole}{size}": whole for whole, size in INDICATED.items()}

#: The nine pairs (α, β) of Table 2.
WEIGHTS: list[tuple[float, float]] = [(alpha, beta) for alpha, beta in _file()["weights"]["pairs"]]

#: Seconds that PKO+HSC took on USPS.
USPS_SECONDS: float = _file()["usps_seconds"]


def datasets(experiment: str) -> list[str]:
    """Return the datasets of Table 1, 3 or 4."""
    found: list[str] = _file()[experiment]["datasets"]
    return found


@cache
def scores(experiment: str, metric: str) -> "pd.DataFrame":
    """Return Table 1, 3 or 4 in one metric: algorithms × datasets."""
    import pandas as pd

    part = _file()[experiment]
    return pd.DataFrame(part[metric], index=part["datasets"], dtype=float).T


@cache
def weight_scores(metric: str) -> "pd.DataFrame":
    """Return Table 2 in one metric: datasets × pairs (α, β)."""
    import pandas as pd

    columns = pd.MultiIndex.from_tuples(WEIGHTS, names=["alpha", "beta"])
    return pd.DataFrame(_file()["weights"][metric], index=columns, dtype=float).T


@cache
def printed_gains(experiment: str, metric: str) -> "pd.Series[float]":
    """Return the average gains that the paper prints in its text, in percent, by competitor."""
    import pandas as pd

    return pd.Series(_file()["gains"][experiment][metric], index=COMPETITORS, dtype=float)


def sensitivity_figure(sweep: str) -> tuple[list[str], list[int]]:
    """Return the datasets and the values of the paper's figure over ``neighbors`` or ``communities``."""
    part = _file()["sensitivity"][sweep]
    return part["datasets"], part["values"]
