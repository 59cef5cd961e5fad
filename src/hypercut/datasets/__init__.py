"""The datasets, one file each.

A file of this package that defines ``DATASET`` is a dataset: it is found here by being there, and so by
``hypercut data`` and by every test of ``tests/datasets``. Files whose name starts with an underscore are what datasets
share.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from typing import Any

from hypercut.datasets._base import Dataset
from hypercut.datasets._own import own_dataset
from hypercut.datasets._store import (
    DEFAULT_ROOT,
    MIRROR_VARIABLE,
    Features,
    Manifest,
    acquire,
    check,
    featurize,
    find_manifest,
    load_features,
    save_features,
)
from hypercut.errors import InputError

__all__ = [
    "DEFAULT_ROOT",
    "MIRROR_VARIABLE",
    "Dataset",
    "Features",
    "Manifest",
    "acquire",
    "check",
    "featurize",
    "find_manifest",
    "get",
    "load_features",
    "names",
    "registry",
    "resolve",
    "save_features",
]


@cache
def registry() -> dict[str, Dataset]:
    """Return every dataset by its name, in the order of their files."""
    found: dict[str, Dataset] = {}
    for info in pkgutil.iter_modules(__path__):
        if info.name.startswith("_"):
            continue
        module = importlib.import_module(f"{__name__}.{info.name}")
        dataset = getattr(module, "DATASET", None)
        if not isinstance(dataset, Dataset) or dataset.name != info.name:
            raise InputError(f"{module.__file__}: expected DATASET, a Dataset named {info.name!r} like its file.")
        found[dataset.name] = dataset
    return found


def names() -> list[str]:
    """Return the names of all datasets."""
    return list(registry())


def get(name: str) -> Dataset:
    """Return a dataset by its name, e.g. ``get("orl")``."""
    if name not in registry():
        raise InputError(f"Unknown dataset {name!r}. Available: {', '.join(names())}.")
    return registry()[name]


def resolve(name: str, entry: Mapping[str, Any]) -> tuple[Dataset, dict[str, Any]]:
    """Return the dataset and its options that an entry of the configuration means.

    An entry with a ``path`` is a user's own data; any other holds options of the registered dataset of that name.
    """
    if "path" in entry:
        if name in registry():
            raise InputError(f"dataset {name}: this name is taken by a dataset of hypercut's. Choose another.")
        return own_dataset(name, entry), {}
    dataset = get(name)
    return dataset, dataset.chosen_options(entry)
