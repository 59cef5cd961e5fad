"""What jobs cost: one model of memory, time and cores, from the size of a dataset.

The workflow requests resources from it before a job starts, and :mod:`hypercut.benchmark.plan` adds up core-hours.
The times are in ``costs.toml``, which ``make calibrate`` measures and writes. Requests use them as they are, times
:data:`SAFETY`, so that they do not depend on the machine or on earlier results.
"""

import time
import tomllib
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from hypercut.core.memory import DOUBLE_PRECISION_SAMPLES, dense_mb

COSTS_FILE = Path(__file__).with_name("costs.toml")

#: Memory of Python and its libraries, MB.
BASE_MB = 300
#: On a cluster the two Snakemake processes that start a job count as part of it: 205 MB each.
SUBMISSION_MB = 450
#: Up to this size a clustering takes less time than starting Python, so jobs are submitted in groups.
SMALL_SAMPLES = 1000

#: Minutes requested for everything but clusterings: starting Python from a busy file system, reading, writing.
BASE_MINUTES = 5
#: Requested time over expected time: a scheduler kills a job that exceeds its request.
SAFETY = 4

#: What else has a cost, like an algorithm: both over-clusterings, once per repeat and scale; distances, once per job
#: and draw; the scores of a clustering, with and without labels.
OVERCLUSTERING, DISTANCES, SCORES = "(over-clustering)", "(distances)", "(scores)"
#: The algorithm whose cost is assumed for one that was not calibrated, such as a user's own.
ASSUMED = "PKO+HSC"


@dataclass(frozen=True)
class Size:
    """The numbers of samples, features and clusters of a dataset: N, F and K."""

    samples: int
    features: int
    clusters: int


#: The size at which the growing part of a cost is given.
UNIT = Size(1000, 100, 10)


@dataclass(frozen=True)
class Cost:
    """Core-seconds of one clustering: ``constant`` + ``growing`` · (N/1000)^p · (F/100)^f · (K/10)^k."""

    constant: float
    growing: float
    samples: float  # the exponent p
    features: float  # f
    clusters: float  # k
    spread: float  # the factor by which measurements typically differ from this
    scaled: bool  # whether the algorithm runs at every scale, or once per repeat

    def seconds(self, size: Size) -> float:
        """Return the core-seconds at a size."""
        growth = (size.samples / UNIT.samples) ** self.samples * (size.features / UNIT.features) ** self.features
        return self.constant + self.growing * growth * (size.clusters / UNIT.clusters) ** self.clusters


@dataclass(frozen=True)
class Costs:
    """The costs of all algorithms on the machine that was calibrated."""

    reference_seconds: float  # of reference_seconds() on that machine
    job_seconds: float  # of a job besides its clusterings
    by_name: Mapping[str, Cost]

    def of(self, name: str) -> Cost:
        """Return the cost of an algorithm, or of what else has one."""
        return self.by_name[name if name in self.by_name else ASSUMED]


def read_costs(path: Path = COSTS_FILE) -> Costs:
    """Read the file that ``benchmarks/calibrate.py`` writes."""
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    by_name = {name: Cost(**cost) for name, cost in content["costs"].items()}
    return Costs(content["reference_seconds"], content["job_seconds"], by_name)


@cache
def calibrated() -> Costs:
    """Return the costs of :data:`COSTS_FILE`."""
    return read_costs()


def reference_seconds(samples: int = 2000, runs: int = 5) -> float:
    """Return the core-seconds of a fixed computation that stands for all clusterings: kernels, products, eigenvalues.

    The median of several runs, about a second together: processor time depends on what else the machine does.
    """
    # Here, as all imports that the workflow does not need before every job.
    import numpy as np
    from threadpoolctl import threadpool_limits

    points = np.random.default_rng(0).standard_normal((samples, 64))
    block = points[:, :20]
    seconds = []
    with threadpool_limits(1):
        for _ in range(runs):
            begun = time.process_time()
            squares = (points**2).sum(axis=1)
            distances = squares[:, None] + squares - 2 * points @ points.T
            for dtype in (np.float64, np.float32):
                kernel = np.exp(-distances.astype(dtype) / 128)
                vectors = block.astype(dtype)
                for _ in range(10):
                    vectors = np.linalg.qr(kernel @ vectors)[0]
            np.linalg.eigvalsh(kernel[:500, :500])
            seconds.append(time.process_time() - begun)
    return float(np.median(seconds))


def described_size(dataset: str, entry: Mapping[str, Any]) -> Size | None:
    """Return the size of a dataset from its description; None for a user's own data, which has no description."""
    from hypercut.data.datasets import resolve  # here: it imports every dataset

    described, options = resolve(dataset, entry)
    if described.samples is None or described.features is None or described.classes is None:
        return None
    samples = described.samples
    if "per_class" in options and described.collected:
        samples = options["per_class"] * described.classes or described.collected
    return Size(options["subset"] or samples, described.features, described.classes)


def own_size(dataset: str, entry: Mapping[str, Any]) -> Size:
    """Return the size of a user's own data, which are read for it."""
    from hypercut.data.datasets import resolve

    described, options = resolve(dataset, entry)
    collection = described.read(Path(entry["path"]))
    features = described.describe(collection.items[:1]).shape[1]
    return Size(options["subset"] or len(collection.items), features, len(set(collection.labels.tolist())))


def stored_size(path: Path, array: str) -> Size:
    """Return the size of the ``draws`` of a problem, or of the ``X`` of features; reads only the header and classes."""
    from numpy.lib import format as npy

    with zipfile.ZipFile(path) as archive:
        with archive.open(f"{array}.npy") as file:
            npy.read_magic(file)
            shape, _, _ = npy.read_array_header_1_0(file)
        with archive.open("y.npy") as file:
            classes = npy.read_array(file)
    samples, features = shape[-2:]
    return Size(samples, features, len(set(classes.ravel().tolist())))


def clustering_mb(samples: int, features: int) -> int:
    """Return the MB of a job that clusters."""
    return BASE_MB + dense_mb(samples, features)


def corruption_mb(samples: int, features: int, repeats: int) -> int:
    """Return the MB of a job that corrupts: all repeats, in double precision for own data, with a copy for writing."""
    return BASE_MB + samples * features * 16 * (repeats + 1) // 2**20


def clustering_threads(samples: int) -> int:
    """Return the number of cores that a clustering uses well."""
    return 1 if samples <= DOUBLE_PRECISION_SAMPLES else 2
