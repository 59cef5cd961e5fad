"""Reading a user's table: ``.csv``, ``.parquet``, ``.npz`` or ``.npy``, one sample per row.

Every error is an :class:`~hypercut.errors.InputError` that names the file and the place in it. Rows are counted from 1,
without the header line of a CSV file.
"""

import os
from pathlib import Path

import numpy as np

from hypercut.data.tables.csv_text import not_utf8
from hypercut.data.tables.readers import Table, csv_table, load_array, npy_table, npz_table, parquet_table
from hypercut.errors import InputError

__all__ = ["Table", "read_labels", "read_table"]

_READERS = {".parquet": parquet_table, ".npz": npz_table, ".npy": npy_table}
SUFFIXES = (".csv", *_READERS)

#: The first bytes of a file, by suffix; text has no fixed ones.
_MAGIC = {".parquet": b"PAR1", ".npz": b"PK", ".npy": b"\x93NUMPY"}


def read_table(path: Path, *, label_column: str | None = None, header: bool | None = None) -> Table:
    """Read the samples of a file.

    Parameters
    ----------
    path
        The file; its suffix is the format.
    label_column
        The column of a ``.csv`` or ``.parquet`` file, or the array of an ``.npz`` file, that holds the labels. By
        default, only an ``.npz`` file with an array ``y`` has labels.
    header
        Whether the first line of a ``.csv`` file names the columns; if not, their names are ``0``, ``1``, … By
        default, the line itself must show it. A first column without a name that counts the rows, as
        ``DataFrame.to_csv`` writes it, is ignored.
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
        table = csv_table(path, label_column, header)
    elif header is None:
        table = _READERS[suffix](path, label_column)
    else:
        raise InputError(f"{path}: only a .csv file can have a header line. Leave 'header' out.")
    _check_finite(path, table)
    if table.y is not None:
        _check_labels(path, table.y)
    return table


def read_labels(path: Path) -> np.ndarray:
    """Read a file of labels, (n,): a one-dimensional ``.npy``, or a text file with one label per line."""
    path = Path(path)
    _check_content(path)
    if path.suffix.lower() == ".npy":
        labels = load_array(path)
    else:
        try:
            labels = np.array(path.read_text(encoding="utf-8-sig").split("\n"))
        except UnicodeDecodeError:
            raise not_utf8(path) from None
        labels = np.char.strip(labels[:-1] if labels[-1] == "" else labels)
    if labels.ndim != 1 or labels.size == 0:
        raise InputError(f"{path}: expected a list of labels, found an array of shape {labels.shape}.")
    _check_labels(path, labels)
    return labels


def _check_content(path: Path) -> None:
    """Raise an error for an unreadable file or one of another type, for which library errors would mislead."""
    if not os.path.isfile(path):  # Path.is_file would raise an error in a folder without permission
        found = "a folder" if os.path.isdir(path) else "nothing"
        raise InputError(f"{path}: expected a file, found {found} there. Check the path.")
    try:
        with path.open("rb") as file:
            start = file.read(8)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}. Check the file and its permissions.") from None
    if not start.startswith(_MAGIC.get(path.suffix.lower(), b"")):
        raise InputError(
            f"{path}: expected the content of a {path.suffix} file, found something else, perhaps text. "
            "Convert it to that format, or rename it if only the suffix is wrong."
        )


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
    # Only NaN differs from itself.
    missing = np.array([label is None or label == "" or label != label for label in labels.tolist()], dtype=bool)
    if missing.any():
        raise InputError(
            f"{path}: row {int(missing.argmax()) + 1} has no label ({int(missing.sum())} such row(s) in all). "
            "Label the rows or remove them."
        )
