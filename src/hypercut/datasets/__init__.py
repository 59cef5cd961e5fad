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

from hypercut.datasets._base import COMMON_OPTIONS, Dataset
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


def names() -> list[str]:
    """Return the names of all datasets, in the order of their files."""
    return [info.name for info in pkgutil.iter_modules(__path__) if not info.name.startswith("_")]


@cache
def get(name: str) -> Dataset:
    """Return a dataset by its name, e.g. ``get("orl")``. Only its own module is loaded."""
    if name not in names():
        raise InputError(f"Unknown dataset {name!r}. Available: {', '.join(names())}.")
    module = importlib.import_module(f"{__name__}.{name}")
    dataset = getattr(module, "DATASET", None)
    if not isinstance(dataset, Dataset) or dataset.name != name:
        raise InputError(f"{module.__file__}: expected DATASET, a Dataset named {name!r} like its file.")
    return dataset


def registry() -> dict[str, Dataset]:
    """Return every dataset by its name."""
    return {name: get(name) for name in names()}


def resolve(name: str, entry: Mapping[str, Any]) -> tuple[Dataset, dict[str, Any]]:
    """Return the dataset and its options that an entry of the configuration means.

    An entry with a ``path`` is a user's own data; any other holds options of the registered dataset of that name.
    """
    if "path" in entry:
        if name in names():
            raise InputError(f"dataset {name}: this name is taken by a dataset of hypercut's. Choose another.")
        # Found by name like every dataset, so that only own data depend on its code: see hypercut.sources.
        from hypercut.datasets._own import own_dataset

        given = {key: value for key, value in entry.items() if key in COMMON_OPTIONS}
        dataset = own_dataset(name, {key: value for key, value in entry.items() if key not in given})
        return dataset, dataset.chosen_options(given)
    dataset = get(name)
    return dataset, dataset.chosen_options(entry)
