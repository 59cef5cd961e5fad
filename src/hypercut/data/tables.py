"""Reading a user's table: ``.csv``, ``.parquet``, ``.npz`` or ``.npy``, one sample a row.

Every complaint is an :class:`~hypercut.errors.InputError` that names the file and the place in it. Rows are counted
from 1, and a CSV's header line is not a row.
"""

from __future__ import annotations

import csv
import os
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
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
    notes: tuple[str, ...] = ()
    """what was decided in reading, for the user to know"""


def read_table(path: Path, *, label_column: str | None = None, header: bool | None = None) -> Table:
    """Read the samples of a file.

    ``label_column`` names the column of a ``.csv`` or ``.parquet`` file, or the array of an ``.npz`` file, that holds
    the labels and is no feature. Without it a ``.csv`` or ``.parquet`` file has no labels, and an ``.npz`` file has
    those of its array ``y``, if there is one.

    ``header`` says whether the first line of a ``.csv`` file names the columns; if not, they are called ``0``, ``1``, …
    Without it the line itself must show that, see :func:`_has_header`. A first column without a name that counts the
    rows, as ``DataFrame.to_csv`` writes it, is left out.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(
            f"{path}: cannot read files of type {path.suffix or '(no suffix)'!r}; "
            f"expected one of {', '.join(SUFFIXES)}. Convert the file, or rename it if only the suffix is wrong."
        )
    _check_content(path)
    if suffix == ".csv":
        table = _read_csv(path, label_column, header)
    elif header is None:
        table = _READERS[suffix](path, label_column)
    else:
        raise InputError(f"{path}: expected a .csv file, since only that may have a header line. Leave 'header' out.")
    _check_finite(path, table)
    return table


def read_labels(path: Path) -> np.ndarray:
    """Read a file of labels alone, (n,): a one-dimensional ``.npy``, or a text file with one label a line."""
    path = Path(path)
    _check_content(path)
    if path.suffix.lower() == ".npy":
        labels = _load_array(path)
    else:
        try:
            labels = np.array(path.read_text(encoding="utf-8-sig").split("\n"))
        except UnicodeDecodeError:
            raise _not_utf8(path) from None
        labels = np.char.strip(labels[:-1] if labels[-1] == "" else labels)
    if labels.ndim != 1 or labels.size == 0:
        raise InputError(f"{path}: expected a list of labels, found an array of shape {labels.shape}.")
    _check_labels(path, labels)
    return labels


#: How files begin, by their suffix; text begins anyhow.
_STARTS = {".parquet": b"PAR1", ".npz": b"PK", ".npy": b"\x93NUMPY"}


def _check_content(path: Path) -> None:
    """Refuse what cannot be read, or is not what its suffix says: libraries' own words about that lead astray."""
    if not os.path.isfile(path):  # unlike Path.is_file, without an error where nothing may be looked up
        found = "a folder" if os.path.isdir(path) else "nothing"
        raise InputError(f"{path}: expected a file, found {found} there. Check the path.")
    try:
        with path.open("rb") as file:
            start = file.read(8)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}. Check the file and its permissions.") from None
    if not start.startswith(_STARTS.get(path.suffix.lower(), b"")):
        raise InputError(
            f"{path}: expected the content of a {path.suffix} file, found something else, perhaps text. "
            "Save it in that format, or rename it if only the suffix is wrong."
        )


def _read_csv(path: Path, label_column: str | None, header: bool | None) -> Table:
    import pandas as pd

    try:
        lines = _first_lines(path)
        _check_commas(path, lines)
        named = _has_header(path, lines) if header is None else header
        with warnings.catch_warnings():
            # pandas would cut fields without a header name off, or take the first column for row names.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            # In parts, as it would parse a long file, it would take 1 for a number in one and for text in the next.
            frame = pd.read_csv(
                path, header=0 if named else None, index_col=False, encoding="utf-8-sig", low_memory=False
            )
    except UnicodeDecodeError:
        raise _not_utf8(path) from None
    except (pd.errors.ParserError, csv.Error) as error:
        raise InputError(
            f"{path}: expected comma-separated text, but it cannot be read as such: {str(error).strip()}"
        ) from None
    except pd.errors.ParserWarning:
        raise InputError(f"{path}: its rows have more fields than its header. Give every column a name.") from None
    note = "the first line names the columns" if named else "there is no header, the first line is a row"
    return _from_frame(path, frame, label_column, note)


def _first_lines(path: Path) -> list[str]:
    """The first two lines that are not blank; perhaps just one."""
    with path.open(encoding="utf-8-sig") as file:
        lines = list(islice((line for line in file if line.strip()), 2))
    if not lines:
        raise InputError(f"{path}: expected a header line and rows of numbers, found an empty file.")
    if any("\0" in line for line in lines):
        raise _not_utf8(path)
    return lines


def _not_utf8(path: Path) -> InputError:
    return InputError(f"{path}: expected text in UTF-8, found bytes that are not. Save it as UTF-8.")


#: What others put between fields; a run of spaces is one.
_SEPARATORS = {"';'": ";", "tabs": "\t", "spaces": " +"}
_NUMBER = re.compile(r"[-+]?\d+([.,]\d+)?([eE][-+]?\d+)?")


def _check_commas(path: Path, lines: list[str]) -> None:
    """Refuse another separator. It shows in a line that it cuts into numbers, or in a first line without commas."""
    for name, separator in _SEPARATORS.items():
        cut = [re.split(separator, line.strip()) for line in lines]
        numbers = any(len(fields) > 1 and all(map(_NUMBER.fullmatch, fields)) for fields in cut)
        # Spaces are in many names, and prove nothing there.
        names = len(cut[0]) > 1 and "," not in lines[0] and name != "spaces"
        if numbers or names:
            decimal = ", decimal=','" if any("," in line for line in lines) else ""
            raise InputError(
                f"{path}: expected commas between the fields and points in the numbers, found {name} between them: "
                f"{_shortened(lines[0])}. Save it so; pandas.read_csv can read it with sep={separator!r}{decimal}."
            )


def _has_header(path: Path, lines: list[str]) -> bool:
    """Whether the first line names the columns. It does if no field is a number, and does not if no field is text.

    A line with both may have classes beside numbers, or years among names; and 0, 1, 2, … is what pandas calls columns
    that have no names. To guess would lose a row or invent one, so these are refused.
    """
    fields = [field.strip() for field in next(csv.reader(lines))]
    numbers, words = any(map(_is_number, fields)), any(map(_is_word, fields))
    unnamed_first = fields[0] == ""  # of the row numbers
    counted = [str(column) for column in range(len(fields) - unnamed_first)]
    if (numbers and words) or (len(fields) > 1 and fields[unnamed_first:] == counted):
        raise InputError(
            f"{path}: its first line, {_shortened(lines[0])}, may be a row or the names of the columns. "
            "Say which: --header yes or no, or in a configuration's dataset header: true or false."
        )
    return words


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return field.lower() not in _MISSING


def _is_word(field: str) -> bool:
    return not _is_number(field) and field.lower() not in _MISSING


#: What stands for a missing value, in lower case: neither a number nor a name.
_MISSING = ("", "nan", "na", "n/a", "#n/a", "<na>", "null", "none")


def _shortened(line: str, limit: int = 60) -> str:
    line = line.strip()
    return repr(line if len(line) <= limit else f"{line[:limit]}…")


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
    except MemoryError:
        raise
    except Exception as error:  # a damaged archive can fail in any layer: zip, zlib, the array header
        raise InputError(f"{path}: expected an archive of numeric arrays (numpy.savez), but {_reason(error)}") from None
    if {"format", "shape", "data"} <= arrays.keys():
        raise InputError(
            f"{path}: expected a full matrix, found a sparse one (scipy.sparse.save_npz). "
            "Save it with numpy.savez(path, X=matrix.toarray())."
        )
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
    ".parquet": _read_parquet,
    ".npz": _read_npz,
    ".npy": _read_npy,
}
SUFFIXES = (".csv", *_READERS)


def _load_array(path: Path) -> np.ndarray:
    try:
        array: np.ndarray = np.load(path, allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise InputError(f"{path}: expected an array saved with numpy.save, but {_reason(error)}") from None
    return array


def _reason(error: Exception) -> str:
    """What numpy has against a file, without its advice to allow pickles, which can run any code."""
    return (
        "it holds Python objects, not numbers." if "pickle" in str(error) else f"it is damaged: {error}. Get it again."
    )


def _from_frame(path: Path, frame: pd.DataFrame, label_column: str | None, *notes: str) -> Table:
    frame.columns = [str(column) for column in frame.columns]
    y = None
    if label_column is not None:
        if label_column not in frame.columns:
            raise InputError(
                f"{path}: expected a column {label_column!r} with the labels; found {_some(list(frame.columns))}."
            )
        y = frame.pop(label_column).to_numpy()
        _check_labels(path, y)
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
    """Whether the first column has no name, for which pandas has one of its own, and runs from 0 or from 1."""
    if list(frame.columns[:1]) != ["Unnamed: 0"] or frame.empty:
        return False
    column = frame.iloc[:, 0].to_numpy()
    return any(np.array_equal(column, np.arange(first, first + len(frame))) for first in (0, 1))


def _numeric(path: Path, name: str, column: pd.Series[Any]) -> np.ndarray:
    """The column as float64; missing values become NaN, anything that is no number is refused."""
    import pandas as pd

    if column.dtype.kind in "biuf":
        numbers = column
    elif column.dtype.kind in "Mm":
        # Dates and durations, which pandas would turn into nanoseconds.
        numbers = pd.Series(np.nan, index=column.index)
    else:
        numbers = pd.to_numeric(column, errors="coerce")
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
