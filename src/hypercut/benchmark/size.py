"""The size of a dataset, N, F and K: from its file before there are any data, or from stored data.

This module imports nothing slow, since the workflow uses it before any job runs.
"""

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypercut.benchmark import declared


@dataclass(frozen=True)
class Size:
    """The numbers of samples, features and clusters of a dataset: N, F and K."""

    samples: int
    features: int
    clusters: int


def described_size(dataset: str, entry: Mapping[str, Any]) -> Size | None:
    """Return the size that the file of a dataset declares; None for a user's own data, which have no such file."""
    if "path" in entry:
        return None
    described = entry.get("part_of", dataset)
    samples, features, classes = (declared.fact(described, name) for name in ("samples", "features", "classes"))
    options = {**declared.options(described), **entry}
    if "per_class" in options:
        samples = options["per_class"] * classes or declared.fact(described, "collected")
    return Size(options.get("subset") or samples, features, classes)


def own_size(dataset: str, entry: Mapping[str, Any]) -> Size:
    """Return the size of a user's own data, after reading them."""
    from hypercut.data.datasets import resolve  # here, since it imports numpy

    described, options = resolve(dataset, entry)
    collection = described.read(Path(entry["path"]))
    features = described.describe(collection.items[:1]).shape[1]
    return Size(options["subset"] or len(collection.items), features, len(set(collection.labels.tolist())))


def stored_size(path: Path) -> Size:
    """Return the size of a problem or of features; reads only the header and the classes."""
    from numpy.lib import format as npy  # here, since only a user's own data need it

    with zipfile.ZipFile(path) as archive:
        samples = "draws.npy" if "draws.npy" in archive.namelist() else "X.npy"
        with archive.open(samples) as file:
            npy.read_magic(file)
            shape, _, _ = npy.read_array_header_1_0(file)
        with archive.open("y.npy") as file:
            classes = npy.read_array(file)
    n_samples, n_features = shape[-2:]
    return Size(n_samples, n_features, len(set(classes.ravel().tolist())))
