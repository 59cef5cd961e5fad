"""Reading a user's table, one sample per row: text, Excel, Parquet or numpy files.

Reading has two steps: :func:`load` returns all columns of a file, :func:`select` those that are features.
:func:`read_table` does both. Every error is an :class:`~hypercut.errors.InputError` that names the file and the place
in it. Rows are counted from 1, without the header line.
"""

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

from hypercut.data.tables.columns import Selection, Source, Table, check_labels, listed, select, source_of
from hypercut.data.tables.text import has_header, read_text
from hypercut.errors import InputError

__all__ = ["Selection", "Source", "Table", "listed", "load", "read_labels", "read_table", "select"]

TEXT = (".csv", ".tsv", ".txt", ".tab", ".dat", ".data")
EXCEL = ".xlsx"
ALL = Selection()


def read_table(path: Path, selection: Selection = ALL, **options: Any) -> Table:
    """Return the features and labels of a file; see :func:`load`, whose options it takes, and :class:`Selection`.

    A first column without a name that counts the rows, as ``DataFrame.to_csv`` writes it, is ignored.
    """
    return select(load(path, **options), selection)


def load(path: Path, *, header: bool | None = None, sheet: str | None = None, content: bytes | None = None) -> Source:
    """Read all columns of a file, whose suffix determines the format. Text may be compressed (``.gz``).

    Parameters
    ----------
    header
        Whether the first line of text or of a sheet names the columns; if not, their names are ``0``, ``1``, … By
        default, the content of the line decides, see :func:`hypercut.data.tables.text.has_header`.
    sheet
        The sheet of an ``.xlsx`` file, by its name or its number from 1; default the first.
    content
        The content of a text file that has been read already. ``path`` then only names it in messages.
    """
    path = Path(path)
    with _opened(path) if content is None else io.BytesIO(content) as file:
        suffix = _suffix(path) if content is None else TEXT[0]
        if sheet is not None and suffix != EXCEL:
            raise InputError(f"{path}: only an {EXCEL} file has sheets. Do not specify a sheet.")
        if suffix == EXCEL:
            return _excel(path, file, header, sheet)
        if suffix in TEXT:
            return read_text(path, file.read(), header)
        if header is not None:
            raise InputError(f"{path}: only text and {EXCEL} files can have a header line. Do not specify a header.")
        return _READERS[suffix](path, file)


def read_labels(path: Path) -> np.ndarray:
    """Read a file of labels, (n,): a one-dimensional ``.npy``, or a text file with one label per line."""
    path = Path(path)
    with _opened(path) as file:
        if path.suffix.lower() == ".npy":
            labels = np.asarray(np.load(file, allow_pickle=False))
        else:
            lines = np.array(file.read().decode("utf-8-sig").split("\n"))
            labels = np.char.strip(lines[:-1] if lines[-1] == "" else lines)
    if labels.ndim != 1 or labels.size == 0:
        raise InputError(f"{path}: expected a list of labels, found an array of shape {labels.shape}.")
    check_labels(path, labels)
    return labels


def _suffix(path: Path) -> str:
    """Return the suffix that determines the format, in lower case, without the ``.gz`` of text."""
    suffix = path.suffix.lower()
    if suffix == ".gz" and Path(path.stem).suffix.lower() in ("", *TEXT):
        return TEXT[0]
    if suffix not in (known := (*TEXT, EXCEL, *_READERS)):
        raise InputError(
            f"{path}: cannot read files of type {path.suffix or '(no suffix)'!r}; expected one of {', '.join(known)}, "
            f"or text in .gz. Save it as .csv or {EXCEL}, or rename it if only the suffix is wrong."
        )
    return suffix


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading, and explain all errors of the libraries that read it."""
    if not os.path.isfile(path):  # Path.is_file would raise an error in a folder without permission
        found = "a folder" if os.path.isdir(path) else "nothing"
        raise InputError(f"{path}: expected a file, found {found} there. Check the path.")
    try:
        with path.open("rb") as file:
            yield file
    except (InputError, MemoryError):
        raise
    except Exception as error:  # a damaged file can fail in any layer: zip, zlib, the header of an array
        if isinstance(error, OSError) and error.strerror:
            raise InputError(f"{path}: cannot be read: {error.strerror}. Check the file and its permissions.") from None
        raise InputError(
            f"{path}: expected the content of a {path.suffix.lower()} file, found something else, such as text or "
            "Python objects, or a damaged file. Save it in that format, or rename it if only the suffix is wrong."
        ) from None


def _excel(path: Path, file: BinaryIO, header: bool | None, sheet: str | None) -> Source:
    with pd.ExcelFile(file, engine="openpyxl") as book:
        names = [str(name) for name in book.sheet_names]
        numbers = {str(number): name for number, name in enumerate(names, start=1)}
        chosen = names[0] if sheet is None else sheet if sheet in names else numbers.get(sheet)
        if chosen is None:
            raise InputError(f"{path}: no sheet {sheet!r}; found {', '.join(map(repr, names))}.")
        cells = pd.read_excel(book, sheet_name=chosen, header=None, dtype=object, na_values=["?"])
    cells = cells.loc[cells.notna().any(axis=1).cummax()].reset_index(drop=True)  # empty rows at the top
    if cells.empty:
        raise InputError(f"{path}: sheet {chosen!r} is empty. Specify another: {', '.join(names)}.")
    first = ["" if pd.isna(cell) else str(cell).strip() for cell in cells.iloc[0]]
    named = has_header(path, first) if header is None else header
    if named:
        cells = cells.iloc[1:].reset_index(drop=True)
        cells.columns = pd.Index([name or f"Unnamed: {i}" for i, name in enumerate(first)])
    place = f"sheet {chosen!r}" + (f" (the others: {', '.join(n for n in names if n != chosen)})" if names[1:] else "")
    return source_of(path, cells.infer_objects(), place, named=named)


def _npz(path: Path, file: BinaryIO) -> Source:
    with np.load(file, allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    matrices = ["X"] if "X" in arrays else [name for name, array in arrays.items() if array.ndim == 2]
    if len(matrices) != 1:
        raise InputError(
            f"{path}: expected an array 'X', or just one two-dimensional array; found {sorted(arrays) or 'no array'}. "
            "Save it with numpy.savez(path, X=..., y=...), a sparse matrix as X.toarray()."
        )
    return _matrix(path, arrays.pop(matrices[0]), arrays)


def _matrix(path: Path, X: np.ndarray, arrays: dict[str, np.ndarray]) -> Source:
    if X.dtype.kind not in "biuf":
        raise InputError(f"{path}: expected numbers, found an array of type {X.dtype}.")
    if X.ndim != 2 or X.size == 0:
        raise InputError(f"{path}: expected a matrix (samples, features), found an array of shape {X.shape}.")
    return source_of(path, pd.DataFrame(X, copy=False), arrays=arrays)


_READERS: dict[str, Callable[[Path, BinaryIO], Source]] = {
    ".parquet": lambda path, file: source_of(path, pd.read_parquet(file)),
    ".npz": _npz,
    ".npy": lambda path, file: _matrix(path, np.asarray(np.load(file, allow_pickle=False)), {}),
}
