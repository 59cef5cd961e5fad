"""Reading a user's table: ``.csv``, ``.parquet``, ``.npz`` or ``.npy``, one sample a row.

Every complaint is an :class:`~hypercut.errors.InputError` that names the file and the place in it. Rows are counted
from 1, and a CSV's header line is not a row.
"""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hypercut.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Table:
    """A matrix of finite numbers, with labels where the file has them."""

    X: np.ndarray
    """float64, (n samples, d features)"""
    y: np.ndarray | None
    """(n samples,), of whatever type the file uses, or None"""
    columns: list[str]
    """the names of the d features"""


def read_table(path: Path, *, label_column: str | None = None) -> Table:
    """Read the samples of a file.

    ``label_column`` names the column of a ``.csv`` or ``.parquet`` file, or the array of an ``.npz`` file, that holds
    the labels and is no feature. Without it a ``.csv`` or ``.parquet`` file has no labels, and an ``.npz`` file has
    those of its array ``y``, if there is one. A CSV whose first line is all numbers has no header: its columns are
    then called ``0``, ``1``, …
    """
    path = Path(path)
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise InputError(
            f"{path}: cannot read files of type {path.suffix or '(no suffix)'!r}; "
            f"expected one of {', '.join(_READERS)}. Convert the file, or rename it if only the suffix is wrong."
        )
    if not path.is_file():
        found = "a folder" if path.is_dir() else "nothing"
        raise InputError(f"{path}: expected a file, found {found} there. Check the path.")
    table = reader(path, label_column)
    _check_finite(path, table)
    return table


def read_labels(path: Path) -> np.ndarray:
    """Read a file of labels alone, (n,): a one-dimensional ``.npy``, or a text file with one label a line."""
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: expected a file with one label per sample, found none there. Check the path.")
    if path.suffix.lower() == ".npy":
        labels = _load_array(path)
    else:
        try:
            labels = np.array(path.read_text(encoding="utf-8").split("\n"))
        except UnicodeDecodeError:
            raise InputError(f"{path}: expected text with one label a line, found binary data.") from None
        labels = np.char.strip(labels[:-1] if labels[-1] == "" else labels)
    if labels.ndim != 1 or labels.size == 0:
        raise InputError(f"{path}: expected a list of labels, found an array of shape {labels.shape}.")
    _check_labels(path, labels)
    return labels


def _read_csv(path: Path, label_column: str | None) -> Table:
    import pandas as pd

    try:
        with warnings.catch_warnings():
            # pandas would cut fields without a header name off, or take the first column for row names.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(path, header=None if _starts_with_numbers(path) else "infer", index_col=False)
    except pd.errors.EmptyDataError:
        raise InputError(f"{path}: expected a header line and rows of numbers, found an empty file.") from None
    except (pd.errors.ParserError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: expected comma-separated text, but it cannot be read as such: {error}") from None
    except pd.errors.ParserWarning:
        raise InputError(f"{path}: its rows have more fields than its header. Give every column a name.") from None
    return _from_frame(path, frame, label_column)


def _starts_with_numbers(path: Path) -> bool:
    with path.open(encoding="utf-8", errors="replace") as lines:
        fields = lines.readline().strip().split(",")
    try:
        [float(field) for field in fields]
    except ValueError:
        return False
    return True


def _read_parquet(path: Path, label_column: str | None) -> Table:
    import pandas as pd
    import pyarrow

    try:
        frame = pd.read_parquet(path)
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"{path}: expected a Parquet file, but it cannot be read as one: {error}") from None
    return _from_frame(path, frame, label_column)


def _read_npz(path: Path, label_column: str | None) -> Table:
    try:
        # Opened here, since numpy leaves its own handle open when the file is not a good archive.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except (ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(f"{path}: expected an archive of numeric arrays (numpy.savez), but: {error}") from None
    matrices = [name for name, array in arrays.items() if array.ndim == 2]
    if "X" in arrays:
        features = "X"
    elif len(matrices) == 1:
        features = matrices[0]
    else:
        raise InputError(
            f"{path}: expected an array 'X', or just one two-dimensional array; found {sorted(arrays) or 'no array'}. "
            "Save it with numpy.savez(path, X=..., y=...)."
        )
    labels = label_column or "y"
    if label_column is not None and label_column not in arrays:
        raise InputError(f"{path}: expected an array {label_column!r} with the labels; found {sorted(arrays)}.")
    return _from_array(path, arrays[features], arrays.get(labels))


def _read_npy(path: Path, label_column: str | None) -> Table:
    if label_column is not None:
        raise InputError(
            f"{path}: a .npy file has no columns with names, so no label column {label_column!r}. "
            "Keep the labels in a file of their own, or use .npz."
        )
    return _from_array(path, _load_array(path), None)


_READERS: dict[str, Callable[[Path, str | None], Table]] = {
    ".csv": _read_csv,
    ".parquet": _read_parquet,
    ".npz": _read_npz,
    ".npy": _read_npy,
}


def _load_array(path: Path) -> np.ndarray:
    try:
        array = np.load(path, allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise InputError(f"{path}: expected an array saved with numpy.save, but: {error}") from None
    if not isinstance(array, np.ndarray):
        raise InputError(f"{path}: expected one array saved with numpy.save, found an archive. Rename it to .npz.")
    return array


def _from_frame(path: Path, frame: pd.DataFrame, label_column: str | None) -> Table:
    frame.columns = [str(column) for column in frame.columns]
    y = None
    if label_column is not None:
        if label_column not in frame.columns:
            raise InputError(
                f"{path}: expected a column {label_column!r} with the labels; found {_some(list(frame.columns))}."
            )
        y = frame.pop(label_column).to_numpy()
        _check_labels(path, y)
    columns = list(frame.columns)
    if frame.empty:
        raise InputError(
            f"{path}: expected rows of numbers, found {len(frame)} rows with {len(columns)} feature columns."
        )
    numbers = [_numeric(path, name, frame[name]) for name in columns]
    return Table(np.stack(numbers, axis=1), y, columns)


def _numeric(path: Path, name: str, column: pd.Series[Any]) -> np.ndarray:
    """The column as float64; missing values become NaN, anything that is no number is refused."""
    import pandas as pd

    numbers = pd.to_numeric(column, errors="coerce") if column.dtype.kind not in "biuf" else column
    offending = (numbers.isna() & column.notna()).to_numpy()
    if offending.any():
        row = int(offending.argmax())
        raise InputError(
            f"{path}: column {name!r} must hold numbers, but row {row + 1} has {column.iloc[row]!r}. "
            "Remove the column or encode it; if it holds the labels, name it as the label column."
        )
    return np.asarray(numbers.to_numpy(dtype=np.float64, na_value=np.nan))


def _from_array(path: Path, X: np.ndarray, y: np.ndarray | None) -> Table:
    if X.dtype.kind not in "biuf":
        raise InputError(f"{path}: expected numbers, found an array of type {X.dtype}.")
    if X.ndim != 2 or X.size == 0:
        raise InputError(f"{path}: expected a matrix (samples, features), found an array of shape {X.shape}.")
    if y is not None:
        if y.shape != (len(X),):
            raise InputError(f"{path}: expected {len(X)} labels, one per row of X; found an array of shape {y.shape}.")
        _check_labels(path, y)
    return Table(np.ascontiguousarray(X, dtype=np.float64), y, [str(column) for column in range(X.shape[1])])


def _check_finite(path: Path, table: Table) -> None:
    bad = ~np.isfinite(table.X)
    if bad.any():
        row, column = np.unravel_index(int(bad.argmax()), bad.shape)
        value = table.X[row, column]
        finding = "missing or NaN" if np.isnan(value) else value
        raise InputError(
            f"{path}: row {row + 1}, column {table.columns[column]!r} is {finding} ({int(bad.sum())} such value(s) "
            "in all). Clustering needs finite numbers: remove or fill them."
        )


def _check_labels(path: Path, labels: np.ndarray) -> None:
    """Refuse missing labels; a NaN is the only value that differs from itself."""
    missing = np.array([label is None or label == "" or label != label for label in labels.tolist()], dtype=bool)
    if missing.any():
        raise InputError(
            f"{path}: row {int(missing.argmax()) + 1} has no label ({int(missing.sum())} such row(s) in all). "
            "Label the rows or remove them."
        )


def _some(names: list[str], limit: int = 12) -> str:
    """The names as a list that stays readable for a table of a thousand columns."""
    return f"{names[:limit]}" + (f" and {len(names) - limit} more" if len(names) > limit else "")
