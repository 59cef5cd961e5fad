"""The datasets, one file each.

A file of this package that defines ``DATASET`` is a dataset: it is registered automatically, for ``hypercut data`` and
for every test of ``tests/data``. Files whose name starts with an underscore are what datasets share.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from typing import Any

from hypercut.data.dataset import COMMON_OPTIONS, Dataset
from hypercut.errors import InputError

__all__ = ["Dataset", "get", "load", "names", "registry"]


def names() -> list[str]:
    """Return the names of all datasets, in the order of their files."""
    return [info.name for info in pkgutil.iter_modules(__path__) if not info.name.startswith("_")]


@cache
def get(name: str) -> Dataset:
    """Return a dataset by its name, e.g. ``get("orl")``. Only its own module is loaded."""
    if name not in names():
        raise InputError(f"Unknown dataset {name!r}. Available: {', '.join(names())}.")
    dataset, _ = load(f"{__name__}.{name}", name, {})
    return dataset


def registry() -> dict[str, Dataset]:
    """Return every dataset by its name."""
    return {name: get(name) for name in names()}


def load(module: str, name: str, entry: Mapping[str, Any]) -> tuple[Dataset, dict[str, Any]]:
    """Return the dataset that a module defines, and its options, by an entry of the configuration.

    The module of a registered dataset has ``DATASET``. The module for users' own data has ``own_dataset``, which makes
    one from the part of the entry that describes the files.
    """
    loaded = importlib.import_module(module)
    if hasattr(loaded, "own_dataset"):
        given = {key: value for key, value in entry.items() if key in COMMON_OPTIONS}
        dataset = loaded.own_dataset(name, {key: value for key, value in entry.items() if key not in given})
    else:
        given, dataset = dict(entry), getattr(loaded, "DATASET", None)
    if not isinstance(dataset, Dataset) or dataset.name != name:
        raise InputError(f"{loaded.__file__}: expected DATASET, a Dataset named {name!r} like its file.")
    return dataset, dataset.chosen_options(given)
