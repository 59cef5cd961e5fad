"""The datasets, one file each.

A file of this package that defines ``DATASET`` is a dataset: it is found here by being there, and so by
``hypercut data`` and by every test of ``tests/datasets``. Files whose name starts with an underscore are what datasets
share.
"""

import importlib
import pkgutil
import re
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
    check_files,
    featurize,
    find_manifest,
    load_features,
    present,
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
    "check_files",
    "featurize",
    "find_manifest",
    "get",
    "load_features",
    "names",
    "present",
    "registry",
    "resolve",
    "save_features",
]

NAME = r"^[A-Za-z0-9_+][A-Za-z0-9_.+ -]*$"
"""what a dataset may be called, since a folder is; the schema of the configuration says the same"""

LEAST_SUBSET = 2
"""the fewest samples that can be clustered; the schema says the same"""


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
        if not re.fullmatch(NAME, name):
            raise InputError(
                f"dataset {name!r}: expected a name of letters, digits, spaces and _ . + -, and none of ' . -' first."
            )
        if name in names():
            raise InputError(f"dataset {name}: this name is taken by a dataset of hypercut's. Choose another.")
        # Found by name like every dataset, so that only own data depend on its code: see hypercut.sources.
        from hypercut.datasets._own import own_dataset

        given = {key: value for key, value in entry.items() if key in COMMON_OPTIONS}
        dataset = own_dataset(name, {key: value for key, value in entry.items() if key not in given})
    else:
        dataset, given = get(name), dict(entry)
    options = dataset.chosen_options(given)
    if options["subset"] is not None and options["subset"] < LEAST_SUBSET:
        raise InputError(
            f"dataset {name}: option subset must be a number of samples, at least {LEAST_SUBSET}; "
            f"found {options['subset']}."
        )
    return dataset, options
