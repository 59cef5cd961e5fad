"""What jobs cost: one model of memory, time and cores, from the size of a dataset.

The workflow requests resources from it before a job starts, and :mod:`hypercut.benchmark.plan` adds up core-hours.
The time of a clustering is fitted to past rows where the plan has some (:func:`fitted_costs`), else it is
:data:`DEFAULT`. Requests always use the default, times :data:`SAFETY`, so that they do not depend on earlier results.
"""

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypercut.core.memory import DOUBLE_PRECISION_SAMPLES, dense_mb

if TYPE_CHECKING:
    import pandas as pd

#: Memory of Python and its libraries, MB.
BASE_MB = 300
#: On a cluster the two Snakemake processes that start a job count as part of it: 205 MB each.
SUBMISSION_MB = 450
#: Up to this size a clustering takes less time than starting Python, so jobs are submitted in groups.
SMALL_SAMPLES = 1000

#: Minutes requested for everything but clusterings: starting Python from a busy file system, distances, writing.
BASE_MINUTES = 5
#: Requested time over expected time: a scheduler kills a job that exceeds its request.
SAFETY = 4

#: The name under which over-clusterings have a cost, like an algorithm.
OVERCLUSTERING = "(over-clustering)"


@dataclass(frozen=True)
class Cost:
    """Seconds of one clustering: a constant plus a part that grows with N²."""

    constant: float
    at_2000: float  # the growing part at N = 2000
    measured: int = 0  # number of clusterings that the cost was fitted to

    def seconds(self, samples: int) -> float:
        """Return the seconds at N = ``samples``."""
        return self.constant + self.at_2000 * (samples / 2000) ** 2


#: For an algorithm that has never been run.
DEFAULT = Cost(0.125, 1.0)


def fitted_costs(rows: "pd.DataFrame") -> dict[str, Cost]:
    """Return the cost of each algorithm in the rows, fitted to its mean time at each number of samples.

    Uses processor time, since other jobs may have shared the machine. Over-clusterings only record wall time.
    """
    import pandas as pd  # here, as scipy below: the workflow imports this module before every job

    shared = rows[rows["shared_seconds"] > 0]
    overclusterings = shared.assign(algorithm=OVERCLUSTERING, cpu_seconds=shared["shared_seconds"])
    timed = pd.concat([rows, overclusterings]).dropna(subset=["cpu_seconds"])
    return {str(algorithm): _fit(group) for algorithm, group in timed.groupby("algorithm")}


def _fit(rows: "pd.DataFrame") -> Cost:
    """Fit both non-negative terms to the relative error, so that small datasets count as much as large ones."""
    import numpy as np
    from scipy.optimize import nnls

    means = rows.groupby("n_samples")["cpu_seconds"].mean()
    samples, seconds = means.index.to_numpy(float), means.to_numpy(float)
    weights = 1 / np.maximum(seconds, 1e-4)
    terms = np.column_stack([np.ones(len(samples)), (samples / 2000) ** 2])
    constant, at_2000 = nnls(terms * weights[:, None], seconds * weights)[0]
    return Cost(float(constant), float(at_2000), len(rows))


@dataclass(frozen=True)
class Size:
    """The number of samples and features of a dataset."""

    samples: int
    features: int


def described_size(dataset: str, entry: Mapping[str, Any]) -> Size | None:
    """Return the size of a dataset from its description; None for a user's own data, which has no description."""
    from hypercut.data.datasets import resolve  # here: it imports every dataset

    described, options = resolve(dataset, entry)
    if described.samples is None or described.features is None:
        return None
    samples = described.samples
    if "per_class" in options and described.classes and described.collected:
        samples = options["per_class"] * described.classes or described.collected
    return Size(options["subset"] or samples, described.features)


def stored_size(path: Path, array: str) -> Size:
    """Return the size from the header of an array: the ``draws`` of a problem, or the ``X`` of features."""
    from numpy.lib import format as npy

    with zipfile.ZipFile(path) as archive, archive.open(f"{array}.npy") as file:
        npy.read_magic(file)
        shape, _, _ = npy.read_array_header_1_0(file)
    return Size(*shape[-2:])


def clustering_mb(samples: int, features: int) -> int:
    """Return the MB of a job that clusters."""
    return BASE_MB + dense_mb(samples, features)


def corruption_mb(samples: int, features: int, repeats: int) -> int:
    """Return the MB of a job that corrupts: all repeats, in double precision for own data, with a copy for writing."""
    return BASE_MB + samples * features * 16 * (repeats + 1) // 2**20


def clustering_minutes(samples: int, clusterings: int, time_limit: float, give_up_after: int) -> int:
    """Return the minutes to request for a job: its clusterings, and as many timeouts as it waits for."""
    each = SAFETY * DEFAULT.seconds(samples)
    seconds = clusterings * min(each, time_limit) + give_up_after * time_limit
    return BASE_MINUTES + int(seconds // 60)


def clustering_threads(samples: int) -> int:
    """Return the number of cores that a clustering uses well."""
    return 1 if samples <= DOUBLE_PRECISION_SAMPLES else 2
