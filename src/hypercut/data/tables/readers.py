"""One reader per format, each of which returns a :class:`Table`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hypercut.data.tables.csv_text import read_csv
from hypercut.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Table:
    """A matrix of finite numbers, with labels if the file has them."""

    X: np.ndarray
    """float64, (n samples, d features)"""
    y: np.ndarray | None
    """(n samples,), of the type that the file uses, or None"""
    columns: list[str]
    """the names of the d features"""
    notes: tuple[str, ...] = ()
    """decisions made while reading, for the user to know"""


def csv_table(path: Path, label_column: str | None, header: bool | None) -> Table:
    """Read a ``.csv`` file."""
    frame, named = read_csv(path, header)
    note = "the first line names the columns" if named else "there is no header, the first line is a row"
    return _from_frame(path, frame, label_column, note)


def parquet_table(path: Path, label_column: str | None) -> Table:
    """Read a ``.parquet`` file."""
    import pandas as pd  # slow to import, and needed for few files
    import pyarrow

    try:
        frame = pd.read_parquet(path)
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"{path}: expected a Parquet file: {error}") from None
    return _from_frame(path, frame, label_column)


def _from_frame(path: Path, frame: pd.DataFrame, label_column: str | None, *notes: str) -> Table:
    frame.columns = [str(column) for column in frame.columns]
    if label_column is not None and label_column not in frame.columns:
        some = f"{list(frame.columns[:12])}" + (f" and {frame.shape[1] - 12} more" if frame.shape[1] > 12 else "")
        raise InputError(f"{path}: expected a column {label_column!r} with the labels; found {some}.")
    y = None if label_column is None else frame.pop(label_column).to_numpy()
    if _counts_rows(frame):
        frame = frame.iloc[:, 1:]
        notes += ("column 1 has no name and counts the rows: left out",)
    if frame.empty:
        raise InputError(f"{path}: expected rows of numbers, found {len(frame)} rows of {frame.shape[1]} features.")
    columns = list(frame.columns)
    return Table(np.stack([_numeric(path, name, frame[name]) for name in columns], axis=1), y, columns, notes)


def _counts_rows(frame: pd.DataFrame) -> bool:
    """Whether the first column counts the rows from 0 or 1 and has no name (pandas calls it ``Unnamed: 0``)."""
    if list(frame.columns[:1]) != ["Unnamed: 0"] or frame.empty:
        return False
    column = frame.iloc[:, 0].to_numpy()
    return any(np.array_equal(column, np.arange(first, first + len(frame))) for first in (0, 1))


def _numeric(path: Path, name: str, column: pd.Series[Any]) -> np.ndarray:
    """Return a column as float64, missing values as NaN; raise an error for anything that is not a number."""
    import pandas as pd

    if column.dtype.kind in "biuf":
        numbers = column
    elif column.dtype.kind in "Mm":
        # Dates and durations, which pandas would convert to nanoseconds.
        numbers = pd.Series(np.nan, index=column.index)
    else:
        numbers = pd.to_numeric(column, errors="coerce")
    offending = (numbers.isna() & column.notna()).to_numpy()
    if offending.any():
        row = int(offending.argmax())
        raise InputError(
            f"{path}: column {name!r} must hold numbers, but row {row + 1} has {column.iloc[row]!r}. "
            "Remove the column or encode it; if it holds the labels, specify it as the label column."
        )
    return np.asarray(numbers.to_numpy(dtype=np.float64, na_value=np.nan))


def npz_table(path: Path, label_column: str | None) -> Table:
    """Read an ``.npz`` file."""
    try:
        # Opened here, since numpy does not close its own handle of a damaged archive.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except MemoryError:
        raise
    except Exception as error:  # a damaged archive can fail in any layer: zip, zlib, the array header
        raise InputError(f"{path}: expected an archive of numeric arrays (numpy.savez), but {_reason(error)}") from None
    if {"format", "shape", "data"} <= arrays.keys():
        raise InputError(f"{path}: found a sparse matrix. Save it with numpy.savez(path, X=matrix.toarray()).")
    matrices = ["X"] if "X" in arrays else [name for name, array in arrays.items() if array.ndim == 2]
    if len(matrices) != 1:
        raise InputError(
            f"{path}: expected an array 'X', or just one two-dimensional array; found {sorted(arrays) or 'no array'}. "
            "Save it with numpy.savez(path, X=..., y=...)."
        )
    if label_column is not None and label_column not in arrays:
        raise InputError(f"{path}: expected an array {label_column!r} with the labels; found {sorted(arrays)}.")
    return _from_array(path, arrays[matrices[0]], arrays.get(label_column or "y"))


def npy_table(path: Path, label_column: str | None) -> Table:
    """Read a ``.npy`` file."""
    if label_column is not None:
        raise InputError(f"{path}: a .npy file has no column {label_column!r}. Use .npz, or a separate file of labels.")
    return _from_array(path, load_array(path), None)


def load_array(path: Path) -> np.ndarray:
    """Return the array of a ``.npy`` file."""
    try:
        return np.asarray(np.load(path, allow_pickle=False))
    except (ValueError, OSError, EOFError) as error:
        raise InputError(f"{path}: expected an array saved with numpy.save, but {_reason(error)}") from None


def _reason(error: Exception) -> str:
    """Return the end of a message, without numpy's advice to allow pickles, which can run any code."""
    return (
        "it holds Python objects, not numbers." if "pickle" in str(error) else f"it is damaged: {error}. Get it again."
    )


def _from_array(path: Path, X: np.ndarray, y: np.ndarray | None) -> Table:
    if X.dtype.kind not in "biuf":
        raise InputError(f"{path}: expected numbers, found an array of type {X.dtype}.")
    if X.ndim != 2 or X.size == 0:
        raise InputError(f"{path}: expected a matrix (samples, features), found an array of shape {X.shape}.")
    if y is not None and y.shape != (len(X),):
        raise InputError(f"{path}: expected {len(X)} labels, one per row of X; found an array of shape {y.shape}.")
    return Table(np.ascontiguousarray(X, dtype=np.float64), y, [str(column) for column in range(X.shape[1])])
