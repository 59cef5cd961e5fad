"""What an entry of the configuration, under ``datasets``, means."""

import re
from collections.abc import Mapping
from typing import Any

from hypercut.data import own as _own
from hypercut.data.datasets import Dataset, get, load, names
from hypercut.errors import InputError

NAME = r"^[A-Za-z0-9_+][A-Za-z0-9_.+ -]*$"
"""what a dataset may be called, since a folder is; the schema of the configuration says the same"""


def resolve(name: str, entry: Mapping[str, Any]) -> tuple[Dataset, dict[str, Any]]:
    """Return the dataset and its options that an entry of the configuration means.

    An entry with a ``path`` is a user's own data; any other holds options of the registered dataset of that name.
    """
    if "path" not in entry:
        dataset = get(name)
        return dataset, dataset.chosen_options(entry)
    if not re.fullmatch(NAME, name):
        raise InputError(
            f"dataset {name!r}: expected a name of letters, digits, spaces and _ . + -, and none of ' . -' first."
        )
    if name in names():
        raise InputError(f"dataset {name}: this name is taken by a dataset of hypercut's. Choose another.")
    return load(_own.__name__, name, entry)
