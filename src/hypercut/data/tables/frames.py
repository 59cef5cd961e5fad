"""Tables from data frames: ``.csv`` and ``.parquet`` files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hypercut.data.tables.csv_text import read_csv
from hypercut.data.tables.table import Table, check_labels
from hypercut.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


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
    y = None
    if label_column is not None:
        if label_column not in frame.columns:
            raise InputError(
                f"{path}: expected a column {label_column!r} with the labels; found {_some(list(frame.columns))}."
            )
        y = frame.pop(label_column).to_numpy()
        check_labels(path, y)
    if _counts_rows(frame):
        frame = frame.iloc[:, 1:]
        notes += ("column 1 has no name and counts the rows: left out",)
    columns = list(frame.columns)
    if frame.empty:
        raise InputError(
            f"{path}: expected rows of numbers, found {len(frame)} rows with {len(columns)} feature columns."
        )
    numbers = [_numeric(path, name, frame[name]) for name in columns]
    return Table(np.stack(numbers, axis=1), y, columns, notes)


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


def _some(names: list[str], limit: int = 12) -> str:
    """Return the first names as a list, and the number of the others."""
    return f"{names[:limit]}" + (f" and {len(names) - limit} more" if len(names) > limit else "")
