"""One reader per format, each of which returns a :class:`Source`."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hypercut.data.tables.text import has_header, read_text
from hypercut.data.tables.wording import OPTIONS, Wording
from hypercut.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Source:
    """A file as it was read: all its columns, of any type."""

    path: Path
    frame: pd.DataFrame
    """column names are text"""
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    """the arrays of an ``.npz`` file other than the samples"""
    notes: tuple[str, ...] = ()
    """decisions made while reading, for the user to know"""
    separator: str = ","
    decimal: str = "."
    wording: Wording = OPTIONS
    """how messages name settings"""


def text_source(path: Path, header: bool | None, wording: Wording, content: bytes | None = None) -> Source:
    """Read a text file, or the ``content`` of one."""
    frame, dialect, named = read_text(path, header, wording, content)
    frame, empty = _without_empty_end(frame)
    notes = (dialect.description, _header_note(named), *empty)
    return Source(path, _named(frame), {}, notes, dialect.separator, dialect.decimal)


def excel_source(path: Path, header: bool | None, wording: Wording, sheet: str | None) -> Source:
    """Read a sheet of an ``.xlsx`` file: the first one, or that of a name or number (from 1)."""
    import pandas as pd  # slow to import, and needed for few files

    try:
        with pd.ExcelFile(path, engine="openpyxl") as book:
            names = [str(name) for name in book.sheet_names]
            chosen = _sheet(path, names, sheet)
            cells = pd.read_excel(book, sheet_name=chosen, header=None, dtype=object, na_values=["?"])
    except (zipfile.BadZipFile, KeyError, OSError) as error:
        raise InputError(f"{path}: expected an Excel workbook, but it cannot be read: {error}") from None
    cells = cells.loc[cells.notna().any(axis=1).cummax()].reset_index(drop=True)  # empty rows at the top
    if cells.empty:
        raise InputError(f"{path}: sheet {chosen!r} is empty. Choose another ({wording.sheet}): {', '.join(names)}.")
    first = ["" if pd.isna(cell) else str(cell).strip() for cell in cells.iloc[0]]
    named = has_header(path, first, wording) if header is None else header
    if named:
        cells = cells.iloc[1:].reset_index(drop=True)
        cells.columns = pd.Index([name or f"Unnamed: {i}" for i, name in enumerate(first)])
    frame, empty = _without_empty_end(cells.infer_objects())
    place = f"sheet {chosen!r}" + (f" (the others: {', '.join(n for n in names if n != chosen)})" if names[1:] else "")
    return Source(path, _named(frame), notes=(place, _header_note(named), *empty))


def parquet_source(path: Path) -> Source:
    """Read a ``.parquet`` file."""
    import pandas as pd  # slow to import, and needed for few files
    import pyarrow

    try:
        frame = pd.read_parquet(path)
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"{path}: expected a Parquet file: {error}") from None
    return Source(path, _named(frame))


def npz_source(path: Path) -> Source:
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
    return _array_source(path, arrays.pop(matrices[0]), arrays)


def npy_source(path: Path) -> Source:
    """Read a ``.npy`` file."""
    return _array_source(path, load_array(path), {})


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


def _array_source(path: Path, X: np.ndarray, arrays: dict[str, np.ndarray]) -> Source:
    import pandas as pd  # slow to import

    if X.dtype.kind not in "biuf":
        raise InputError(f"{path}: expected numbers, found an array of type {X.dtype}.")
    if X.ndim != 2 or X.size == 0:
        raise InputError(f"{path}: expected a matrix (samples, features), found an array of shape {X.shape}.")
    return Source(path, _named(pd.DataFrame(X, copy=False)), arrays)


def _sheet(path: Path, names: list[str], sheet: str | None) -> str:
    if sheet is None:
        return names[0]
    if sheet in names:
        return sheet
    if sheet.isdecimal() and 1 <= int(sheet) <= len(names):
        return names[int(sheet) - 1]
    raise InputError(f"{path}: no sheet {sheet!r}; found {', '.join(map(repr, names))}.")


def _header_note(named: bool) -> str:
    return "the first line names the columns" if named else "there is no header, the first line is a row"


def _named(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose column names are distinct texts."""
    return frame.set_axis(_distinct([str(column).strip() for column in frame.columns]), axis=1)


def _distinct(names: list[str]) -> list[str]:
    """Return the names, repeated ones numbered as pandas does: a, a.1, a.2."""
    found: dict[str, None] = {}
    for name in names:
        numbered = (f"{name}.{number}" for number in count(1))
        found[name if name not in found else next(new for new in numbered if new not in found)] = None
    return list(found)


def _without_empty_end(frame: pd.DataFrame) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return a frame without empty rows at its end, as spreadsheets export them, and a note if there are any."""
    if frame.empty or frame.iloc[-1].notna().any():
        return frame, ()
    filled = frame.notna().any(axis=1).to_numpy()
    last = len(filled) - int(filled[::-1].argmax()) if filled.any() else 0
    return frame.iloc[:last], (f"{len(frame) - last} empty row(s) at the end left out",)


def is_unnamed(name: Any) -> bool:
    """Whether a column has no name; pandas calls it ``Unnamed: 0``."""
    return str(name).startswith("Unnamed: ")
