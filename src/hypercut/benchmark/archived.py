"""Which results of a benchmark an archive holds, according to its index. They are taken from it and not computed.

This module imports nothing slow, since the workflow needs it to list its jobs. :mod:`hypercut.results.archive` reads
the rows.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from hypercut.benchmark import declared
from hypercut.benchmark.design import Benchmark
from hypercut.benchmark.recipe import DATA, recipe
from hypercut.benchmark.variations import Variation
from hypercut.data import MIRROR_VARIABLE
from hypercut.errors import InputError
from hypercut.files import canonical_json

INDEX = "archive.json"
OLD_INDEX = "reference.json"
"""the index of version 1.0, whose results have no recipes"""
FORMAT = 2
"""the version of the file format; later ones are an error"""
CHECKSUM = "sha256"
"""the key with the checksum of the rest of the index"""


@dataclass(frozen=True)
class Sources:
    """Where the results of a benchmark come from."""

    archived: frozenset[Variation] = frozenset()
    """taken from the archive"""
    unavailable: frozenset[Variation] = frozenset()
    """neither archived nor computed, since their data are not available"""


def sources(benchmark: Benchmark) -> Sources:
    """Return which results of a benchmark are taken from its archive, and which are neither archived nor available."""
    if benchmark.config["archive"] is None:
        return Sources()
    recipes = read_index(Path(benchmark.config["archive"])).get("recipes", {})
    datasets = {key.partition("/")[0] for key in recipes}
    archived: list[Variation] = []
    others: list[Variation] = []
    for result in benchmark.results():
        if not benchmark.has_method(result.algorithm):
            others.append(result)
            continue
        wanted = recipe(benchmark, result)
        known = {digest({**wanted, DATA: data}) for data in known_data(benchmark, result.dataset)}
        (archived if recipes.get(result.key) in known else others).append(result)
    unavailable = frozenset(r for r in others if r.dataset in datasets and not _is_at_hand(benchmark, r.dataset))
    # A reading may need the best σ of a cell: if it is computed, so is the cell, even if that is archived.
    needed = {cell for result in others if result not in unavailable and (cell := benchmark.sigma_of(result))}
    return Sources(frozenset(archived) - needed, unavailable)


def archive_files(folder: str) -> list[Path]:
    """Return the files of an archive."""
    return [path for name in ("*.json", "*.npz", "rows/*.parquet") for path in sorted(Path(folder).glob(name))]


def known_data(benchmark: Benchmark, dataset: str) -> list[dict[str, str]]:
    """Return the identities that a dataset may have: that of the data on this machine, that of the published data."""
    local = benchmark.data(dataset)
    if "path" in benchmark.entry(dataset):
        return [local]
    published = declared.published_identity(benchmark.files_of(dataset))
    return [local] if local == published else [local, published]


def _is_at_hand(benchmark: Benchmark, dataset: str) -> bool:
    """Return whether the data are on this machine, or come from a mirror or a package registry.

    Other data may not be reachable, and a stand-in cannot be compared with archived results of the real dataset.
    """
    if benchmark.config["data"]["mirror"] or os.environ.get(MIRROR_VARIABLE):
        return True
    folder = benchmark.files_of(dataset)
    found = declared.stored_identity(Path(benchmark.config["data"]["root"]) / folder)
    return found["kind"] != "stand-in" if found else "path" in benchmark.entry(dataset) or declared.is_packaged(folder)


def digest(content: Mapping[str, Any]) -> str:
    """Return the checksum of a recipe in the index of an archive. Equal numbers such as 1 and 1.0 do not differ."""
    numbers = json.loads(canonical_json(content), parse_int=float)
    return sha256(canonical_json(numbers).encode()).hexdigest()


def read_index(folder: Path) -> dict[str, Any]:
    """Return the index of an archive."""
    path = next((folder / name for name in (INDEX, OLD_INDEX) if (folder / name).is_file()), folder / INDEX)
    try:
        index: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if index["format"] > FORMAT:
            raise InputError(f"{folder}: written by a later version of hypercut. Update hypercut.")
        # An index written by version 1.0 has no checksum.
        if index.pop(CHECKSUM, "") != digest(index) and ("files" in index or index["format"] > 1):
            raise ValueError("its content does not have its checksum")
        return index
    except InputError:
        raise
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"{path} is missing: {folder} is not an archive. Write one with: hypercut archive.") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"{path} is damaged ({error!r}). Get it again, e.g. with git checkout.") from None
