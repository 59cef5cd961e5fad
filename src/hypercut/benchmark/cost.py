"""What a job needs, before it starts: memory, time and cores, from the size of its dataset."""

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypercut.core.memory import DOUBLE_PRECISION_SAMPLES, dense_mb

#: What Python and its libraries need, MB.
BASE_MB = 300
#: On a cluster the two Snakemake processes that start a job count as part of it: 205 MB each.
SUBMISSION_MB = 450
#: Up to here a clustering takes less than starting Python does: jobs are worth putting together.
SMALL_SAMPLES = 1000

#: Minutes for what is no clustering: starting Python from a busy file system, distances, writing.
BASE_MINUTES = 5
#: Seconds that a clustering may take, growing as N²: several times what any algorithm took (1.6 s at N = 1797).
BASE_SECONDS = 0.5
SECONDS_AT_2000 = 4.0


@dataclass(frozen=True)
class Size:
    """A dataset's extent."""

    samples: int
    features: int


def described_size(dataset: str, entry: Mapping[str, Any]) -> Size | None:
    """Return the size that a dataset will have by its description, or None for a user's own, which has none."""
    from hypercut.data.datasets import resolve

    described, options = resolve(dataset, entry)
    if described.samples is None or described.features is None:
        return None
    samples = described.samples
    if "per_class" in options and described.classes and described.collected:
        samples = options["per_class"] * described.classes or described.collected
    return Size(options["subset"] or samples, described.features)


def problem_size(path: Path) -> Size:
    """Return the size of a problem, read off the header of its draws (repeats, samples, features)."""
    return Size(*_shape(path, "draws")[1:])


def features_size(path: Path) -> Size:
    """Return the size of a dataset, read off the header of its features."""
    return Size(*_shape(path, "X"))


def _shape(path: Path, array: str) -> tuple[int, ...]:
    from numpy.lib import format as npy

    with zipfile.ZipFile(path) as archive, archive.open(f"{array}.npy") as file:
        npy.read_magic(file)
        shape, _, _ = npy.read_array_header_1_0(file)
    return tuple(shape)


def clustering_mb(samples: int, features: int) -> int:
    """Return the MB that a job needs for a clustering."""
    return BASE_MB + dense_mb(samples, features)


def corruption_mb(samples: int, features: int, repeats: int) -> int:
    """Return the MB for all repeats of a problem, in double precision if they are a user's own, and while written."""
    return BASE_MB + samples * features * 16 * (repeats + 1) // 2**20


def clustering_minutes(samples: int, clusterings: int, time_limit: float, give_up_after: int) -> int:
    """Return the minutes that so many clusterings may take, and as many timeouts as are waited for."""
    each = BASE_SECONDS + SECONDS_AT_2000 * (samples / 2000) ** 2
    seconds = clusterings * min(each, time_limit) + give_up_after * time_limit
    return BASE_MINUTES + int(seconds // 60)


def clustering_threads(samples: int) -> int:
    """Return the cores that a clustering makes good use of."""
    return 1 if samples <= DOUBLE_PRECISION_SAMPLES else 2


def is_small(samples: int) -> bool:
    """Whether jobs are so short that several belong together."""
    return samples <= SMALL_SAMPLES
