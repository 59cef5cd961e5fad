"""A user's own data, described by an entry of the configuration; docs/data.md explains its keys.

Trajectories are a table with rows x₁, y₁, x₂, y₂, …, or a folder of tables with two columns, x and y. Images are in a
folder with one subfolder per class.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from hypercut.data.archives import decoded_image
from hypercut.data.collection import Collection, numbered
from hypercut.data.dataset import OWN_TERMS, Dataset, flattened
from hypercut.data.features.dft import dft_features
from hypercut.data.features.gist import gist_features
from hypercut.data.features.pixels import pixel_features
from hypercut.data.sources import InPlace
from hypercut.data.tables import Selection, read_labels, read_table
from hypercut.errors import InputError

_DESCRIBE: dict[str, Callable[[Sequence[np.ndarray]], np.ndarray]] = {
    # Double precision, since some values, such as times in seconds, do not fit into single.
    "raw": partial(flattened, dtype=np.float64),
    "pixels": pixel_features,
    "gist": gist_features,
    "dft": dft_features,
}
_KEYS = {
    **dict.fromkeys(("path", "features", "label_column", "labels", "sheet", "missing"), str),
    "header": bool,
    "columns": list,
    "ignore": list,
}
_TYPES = {str: "text", bool: "true or false", list: "a list of names"}

_log = logging.getLogger(__name__)


def own_dataset(name: str, entry: Mapping[str, Any]) -> Dataset:
    """Return the dataset that an entry describes."""
    for key, value in entry.items():
        if key not in _KEYS:
            raise InputError(f"dataset {name}: unknown key {key!r}; the keys are {', '.join(_KEYS)}.")
        if type(value) is not _KEYS[key]:
            raise InputError(f"dataset {name}: {key} must be {_TYPES[_KEYS[key]]}, found {value!r}.")
    features = entry.get("features", "raw")
    for key, choices in (("features", list(_DESCRIBE)), ("missing", ["drop", "median"])):
        if key in entry and entry[key] not in choices:
            raise InputError(f"dataset {name}: unknown {key} {entry[key]!r}; expected one of {', '.join(choices)}.")
    path = Path(entry["path"]).expanduser()
    labels = Path(entry["labels"]).expanduser() if entry.get("labels") else None

    def files() -> list[Path]:
        if not path.exists():
            raise InputError(f"{path}: does not exist, but is the path of dataset {name}. Check the path.")
        found = [file for _, file in _class_files(path)] if path.is_dir() else [path]
        return [*found, *([labels] if labels else [])]

    def read(raw: Path) -> Collection:
        if path.is_dir():
            return _read_folder(path, features, entry.get("header"))
        return _read_table(path, features, entry, labels)

    def count() -> int:
        files()
        return len(_class_files(path)) if path.is_dir() else len(read(path).items)

    return Dataset(
        name=name,
        title=f"own data: {path.name}",
        terms=OWN_TERMS,
        sources=(InPlace(path, files),),
        describe=_DESCRIBE[features],
        read=read,
        count=count,
    )


def _read_table(path: Path, features: str, entry: Mapping[str, Any], labels: Path | None) -> Collection:
    if features in ("pixels", "gist"):
        raise InputError(f"{path}: features {features} need one folder of images per class, found a file.")
    if entry.get("label_column") is not None and labels is not None:
        raise InputError(f"{path}: specify label_column or labels, not both.")
    is_raw = features == "raw"  # coordinates of a trajectory are in fixed positions
    given = {key: entry[key] for key in ("label_column", "columns", "ignore", "missing") if key in entry}
    selection = Selection(**given, guess=is_raw)
    table = read_table(path, selection, header=entry.get("header"), sheet=entry.get("sheet"))
    for note in (*table.notes, *(f"column {name!r} left out: {why}" for name, why in table.left_out.items())):
        _log.info("%s: %s", path, note)
    if table.kept is not None:
        _log.info("%s: %d row(s) with missing values left out", path, np.count_nonzero(~table.kept))
    y = table.y
    if labels is not None:
        every, kept = read_labels(labels), np.ones(len(table.X), dtype=bool) if table.kept is None else table.kept
        if len(every) != len(kept):
            raise InputError(f"{labels}: expected {len(kept)} labels, one per row of {path}; found {len(every)}.")
        y = every[kept]
    if y is None:
        guess = f" Column {table.classes[0]!r} looks like classes." if table.classes else ""
        raise InputError(f"{path}: has no labels. Specify their column (label_column) or their file (labels).{guess}")
    if not is_raw and table.X.shape[1] % 2:
        raise InputError(f"{path}: expected rows x, y, x, y, …; found an odd number of columns, {table.X.shape[1]}.")
    return numbered(table.X if is_raw else table.X.reshape(len(table.X), -1, 2), _numbers(path, y))


def _read_folder(folder: Path, features: str, header: bool | None) -> Collection:
    if features == "raw":
        raise InputError(f"{folder}: features of a folder must be pixels, gist or dft; found raw.")
    pairs = _class_files(folder)
    if features == "dft":
        items = [read_table(file, header=header).X for _, file in pairs]
        for (_, file), item in zip(pairs, items, strict=True):
            if item.shape[1] != 2:
                raise InputError(f"{file}: expected two columns, x and y; found {item.shape[1]}.")
    else:
        items = [decoded_image(file.read_bytes(), str(file)) for _, file in pairs]
        if any(item.ndim == 3 for item in items):
            # GIST needs the same number of channels in all images, so grey ones among colour ones get three.
            items = [item if item.ndim == 3 else np.dstack([item] * 3) for item in items]
    return Collection(items, _numbers(folder, np.array([name for name, _ in pairs])), [str(file) for _, file in pairs])


def _class_files(folder: Path) -> list[tuple[str, Path]]:
    """Return the class and the path of every file in a folder of class folders, except hidden ones."""
    classes = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    files = [(path.name, file) for path in classes for file in sorted(path.iterdir()) if not file.name.startswith(".")]
    if not files:
        raise InputError(f"{folder}: expected one subfolder of files per class, found none.")
    for _, file in files:
        if not file.is_file():
            raise InputError(f"{file}: expected the file of a sample, found a folder. Folders are classes: move it.")
    return files


def _numbers(path: Path, labels: np.ndarray) -> np.ndarray:
    classes, numbers = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise InputError(f"{path}: expected samples of at least two classes, all have the label {classes[0]!r}.")
    return numbers
