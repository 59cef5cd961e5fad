"""The registered datasets, one file each.

A file of this package that defines ``DATASET`` is registered automatically, for ``hypercut data`` and for every test in
``tests/data``. Files whose name starts with an underscore hold code that datasets share.
"""

import importlib
import pkgutil
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from hypercut.data.dataset import COMMON_OPTIONS, Dataset
from hypercut.errors import InputError

__all__ = ["Dataset", "get", "load", "names", "registry", "resolve"]

NAME = r"^[A-Za-z0-9_+][A-Za-z0-9_.+ -]*$"
"""allowed names of datasets, which are also names of folders; the schema of the configuration has the same pattern"""


def names() -> list[str]:
    """Return the names of all registered datasets, in alphabetical order.

    >>> names()
    ['corel', 'digits', 'iris', 'libras', 'mnist', 'orl', 'traj', 'usps', 'yaleb']
    """
    return [info.name for info in pkgutil.iter_modules(__path__) if not info.name.startswith("_")]


@cache
def get(name: str) -> Dataset:
    """Return a registered dataset; import no other one.

    >>> iris = get("iris")
    >>> iris.samples, iris.features, iris.classes
    (150, 4, 3)
    """
    if name not in names():
        raise InputError(
            f"Unknown dataset {name!r}. Available: {', '.join(names())}. Parts of these are entries of the "
            "configuration, such as usps465: {part_of: usps, subset: 465}."
        )
    return load(f"{__name__}.{name}", name, {})[0]


def registry() -> dict[str, Dataset]:
    """Return all registered datasets by name."""
    return {name: get(name) for name in names()}


def resolve(name: str, entry: Mapping[str, Any]) -> tuple[Dataset, dict[str, Any]]:
    """Return the dataset and the options that an entry under ``datasets`` in the configuration specifies.

    An entry with a ``path`` describes a user's own data, one with ``part_of`` a random subset of a registered dataset;
    any other one sets options of the registered dataset.

    >>> dataset, options = resolve("iris", {"subset": 60})
    >>> dataset.name, options
    ('iris', {'subset': 60, 'seed': 0, 'resample': False})
    """
    if not entry.keys() & {"path", "part_of"}:
        dataset = get(name)
        return dataset, dataset.chosen_options(entry)
    if not re.fullmatch(NAME, name):
        raise InputError(
            f"dataset {name!r}: a name consists of letters, digits, spaces and _ . + -, and does not start with a "
            "space, . or -."
        )
    if name in names():
        raise InputError(f"dataset {name}: a registered dataset has this name. Choose another.")
    if "path" in entry:
        return load("hypercut.data.own", name, entry)
    return load(f"{__name__}.{get(entry['part_of']).name}", name, entry)


def load(module: str, name: str, entry: Mapping[str, Any]) -> tuple[Dataset, dict[str, Any]]:
    """Return the dataset that a module defines, and the options that an entry of the configuration specifies.

    The module of a registered dataset, or of the whole of a part, defines ``DATASET``. The module for users' own data
    defines ``own_dataset``, which builds the dataset from the keys of the entry that describe the files.
    """
    loaded = importlib.import_module(module)
    if hasattr(loaded, "own_dataset"):
        dataset = loaded.own_dataset(name, {key: entry[key] for key in entry if key not in COMMON_OPTIONS})
        return dataset, dataset.chosen_options({key: entry[key] for key in entry if key in COMMON_OPTIONS})
    dataset, file = getattr(loaded, "DATASET", None), entry.get("part_of", name)
    if not isinstance(dataset, Dataset) or dataset.name != file:
        raise InputError(f"{loaded.__file__}: must define DATASET, a Dataset with the name of the file, {file!r}.")
    options = {key: entry[key] for key in entry if key != "part_of"}
    dataset = dataset.part(name, options) if "part_of" in entry else dataset
    return dataset, dataset.chosen_options(options)
