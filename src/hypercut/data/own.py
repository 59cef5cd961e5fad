"""A user's own data, described by an entry of the configuration with these keys:

``path``
    a table (text, ``.xlsx``, ``.parquet``, ``.npz``, ``.npy``), or a folder with one subfolder of files per class
``features``
    ``raw`` (the columns of a table, the default), ``pixels`` or ``gist`` (of images), ``dft`` (of trajectories)
``label_column``
    the column of the table, or the array of the ``.npz`` file, that holds the labels
``labels``
    a file with one label per row of the table, ``.npy`` or text, if the table has none
``header``
    whether the first line of a text or ``.xlsx`` file names its columns; needed where that is ambiguous
``sheet``
    the sheet of an ``.xlsx`` file, if not the first
``columns``, ``ignore``
    the columns of the table that are features, or those that are not; columns of text and columns that number the
    rows are none, as for ``hypercut cluster``
``missing``
    ``drop`` rows with missing values, or replace these by the ``median`` of their column; otherwise they are an error

Trajectories are a table with rows x₁, y₁, x₂, y₂, …, or a folder of tables with two columns, x and y.
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
from hypercut.data.tables import KEYS, Selection, Table, read_labels, read_table
from hypercut.errors import InputError

_DESCRIBE: dict[str, Callable[[Sequence[np.ndarray]], np.ndarray]] = {
    # Double precision, since some values, such as times in seconds, do not fit into single.
    "raw": partial(flattened, dtype=np.float64),
    "pixels": pixel_features,
    "gist": gist_features,
    "dft": dft_features,
}
_KEYS = {
    "path": str,
    "features": str,
    "label_column": str,
    "labels": str,
    "header": bool,
    "sheet": str,
    "columns": list,
    "ignore": list,
    "missing": str,
}
_EXPECTED = {str: "text", bool: "true or false", list: "a list of names"}
_MISSING = (None, "drop", "median")

_log = logging.getLogger(__name__)


def own_dataset(name: str, entry: Mapping[str, Any]) -> Dataset:
    """Return the dataset that an entry describes."""
    unknown = sorted(set(entry) - set(_KEYS))
    if unknown:
        raise InputError(f"dataset {name}: unknown key {unknown[0]!r}; the keys are {', '.join(_KEYS)}.")
    for key, value in entry.items():
        if not isinstance(value, _KEYS[key]):
            raise InputError(f"dataset {name}: {key} must be {_EXPECTED[_KEYS[key]]}, found {value!r}.")
    if entry.get("missing") not in _MISSING:
        raise InputError(f"dataset {name}: missing must be drop or median, found {entry['missing']!r}.")
    features = entry.get("features", "raw")
    if features not in _DESCRIBE:
        raise InputError(f"dataset {name}: unknown features {features!r}; expected one of {', '.join(_DESCRIBE)}.")
    path = Path(entry["path"]).expanduser()
    labels = Path(entry["labels"]).expanduser() if entry.get("labels") else None

    def files() -> list[Path]:
        if not path.exists():
            raise InputError(f"{path}: does not exist, but is the path of dataset {name}. Check the path.")
        found = [file for _, file in class_files(path)] if path.is_dir() else [path]
        return [*found, *([labels] if labels else [])]

    def read(raw: Path) -> Collection:
        if path.is_dir():
            return _read_folder(path, features, entry.get("header"))
        return _read_table(path, features, entry, labels)

    def count() -> int:
        files()
        return len(class_files(path)) if path.is_dir() else len(read(path).items)

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
    # Coordinates of a trajectory are in fixed positions.
    selection = Selection(
        **{key: entry[key] for key in ("label_column", "columns", "ignore", "missing") if key in entry},
        skip_text=features == "raw",
        skip_row_numbers=features == "raw",
    )
    table = read_table(path, header=entry.get("header"), sheet=entry.get("sheet"), selection=selection, wording=KEYS)
    _report(path, table)
    y = _labels_of(path, table, labels)
    if features == "raw":
        return numbered(table.X, _numbers(path, y))
    if table.X.shape[1] % 2:
        raise InputError(f"{path}: expected rows x, y, x, y, …; found an odd number of columns, {table.X.shape[1]}.")
    return numbered(table.X.reshape(len(table.X), -1, 2), _numbers(path, y))


def _report(path: Path, table: Table) -> None:
    """Log how a table was read."""
    for note in (*table.notes, *(f"column {name!r} left out: {reason}" for name, reason in table.left_out.items())):
        _log.info("%s: %s", path, note)
    if table.kept is not None:
        _log.info("%s: %d row(s) with missing values left out", path, np.count_nonzero(~table.kept))


def _labels_of(path: Path, table: Table, labels: Path | None) -> np.ndarray:
    """Return the labels of the samples, from the table or from a file with one label per row of it."""
    if labels is None:
        if table.y is None:
            guess = f" Column {table.classes[0]!r} looks like classes." if table.classes else ""
            raise InputError(
                f"{path}: has no labels. Specify their column (label_column) or their file (labels).{guess}"
            )
        return table.y
    y, n_rows = read_labels(labels), len(table.X) if table.kept is None else len(table.kept)
    if len(y) != n_rows:
        raise InputError(f"{labels}: expected {n_rows} labels, one per row of {path}; found {len(y)}.")
    return y if table.kept is None else y[table.kept]


def _read_folder(folder: Path, features: str, header: bool | None) -> Collection:
    if features == "raw":
        raise InputError(f"{folder}: features of a folder must be pixels, gist or dft; found raw.")
    pairs = class_files(folder)
    if features == "dft":
        items = [_read_trajectory(file, header) for _, file in pairs]
    else:
        items = [decoded_image(file.read_bytes(), str(file)) for _, file in pairs]
        if any(item.ndim == 3 for item in items):
            # GIST needs the same number of channels in all images, so grey ones among colour ones get three.
            items = [item if item.ndim == 3 else np.dstack([item] * 3) for item in items]
    return Collection(items, _numbers(folder, np.array([name for name, _ in pairs])), [str(file) for _, file in pairs])


def _read_trajectory(path: Path, header: bool | None) -> np.ndarray:
    X = read_table(path, header=header, wording=KEYS).X
    if X.shape[1] != 2:
        raise InputError(f"{path}: expected two columns, x and y; found {X.shape[1]}.")
    return X


def class_files(folder: Path) -> list[tuple[str, Path]]:
    """Return the class and the path of every file in a folder of class folders, except hidden ones."""
    classes = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    files = [(path.name, file) for path in classes for file in sorted(path.iterdir()) if not file.name.startswith(".")]
    if not files:
        raise InputError(f"{folder}: expected one subfolder of files per class, found none.")
    for _, file in files:
        if not file.is_file():
            raise InputError(
                f"{file}: expected the file of a sample, found a folder. Folders are classes: "
                f"move it into {folder}, or its files into {file.parent}."
            )
    return files


def _numbers(path: Path, labels: np.ndarray) -> np.ndarray:
    classes, numbers = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise InputError(f"{path}: expected samples of at least two classes, all have the label {classes[0]!r}.")
    return numbers
