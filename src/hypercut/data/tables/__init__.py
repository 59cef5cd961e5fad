"""Reading a user's table, one sample per row: text, Excel, Parquet or numpy files.

Reading has two steps: :func:`load` returns all columns of a file, :func:`select` those that are features.
:func:`read_table` does both. Every error is an :class:`~hypercut.errors.InputError` that names the file and the place
in it. Rows are counted from 1, without the header line.
"""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np

from hypercut.data.tables.dialect import not_text
from hypercut.data.tables.features import DROP, MEDIAN, Selection, Table, check_labels, listed, select
from hypercut.data.tables.readers import (
    Source,
    excel_source,
    load_array,
    npy_source,
    npz_source,
    parquet_source,
    text_source,
)
from hypercut.data.tables.text import GZIP
from hypercut.data.tables.wording import KEYS, OPTIONS, Wording
from hypercut.errors import InputError

__all__ = [
    "DROP",
    "KEYS",
    "MEDIAN",
    "OPTIONS",
    "Selection",
    "Source",
    "Table",
    "listed",
    "load",
    "read_labels",
    "read_table",
    "select",
]

TEXT = (".csv", ".tsv", ".txt", ".tab", ".dat", ".data")
EXCEL = ".xlsx"
_READERS = {".parquet": parquet_source, ".npz": npz_source, ".npy": npy_source}
SUFFIXES = (*TEXT, EXCEL, *_READERS)

#: The first bytes of a file, by suffix; text has no fixed ones.
_MAGIC = {".parquet": b"PAR1", ".npz": b"PK", ".npy": b"\x93NUMPY", EXCEL: b"PK"}
#: Formats that are not read, and what to do.
_ADVICE = {".xls": "Save it as .xlsx", ".ods": "Save it as .xlsx or .csv", ".json": "Save it as .csv or .parquet"}


def read_table(
    path: Path,
    *,
    label_column: str | None = None,
    header: bool | None = None,
    sheet: str | None = None,
    selection: Selection | None = None,
    wording: Wording = OPTIONS,
) -> Table:
    """Read the samples of a file.

    Parameters
    ----------
    path
        The file; its suffix is the format.
    label_column
        The column, or the array of an ``.npz`` file, that holds the labels. By default, only an ``.npz`` file with an
        array ``y`` has labels.
    header, sheet, wording
        See :func:`load`.
    selection
        Which columns are features, instead of ``label_column``. By default, all others than the labels, and any text or
        missing value is an error. A first column without a name that counts the rows, as ``DataFrame.to_csv`` writes
        it, is ignored.
    """
    return select(load(path, header=header, sheet=sheet, wording=wording), selection or Selection(label_column))


def load(
    path: Path,
    *,
    header: bool | None = None,
    sheet: str | None = None,
    content: bytes | None = None,
    wording: Wording = OPTIONS,
) -> Source:
    """Read all columns of a file.

    Parameters
    ----------
    path
        The file; its suffix is the format. Text may be compressed (``.gz``).
    header
        Whether the first line of text or of a sheet names the columns; if not, their names are ``0``, ``1``, … By
        default, the line itself must show it.
    sheet
        The sheet of an ``.xlsx`` file, by its name or its number from 1; default the first.
    content
        The content of a text file that has been read already. ``path`` then only names it in messages.
    wording
        How messages name settings: as options of ``hypercut cluster``, or as keys of the configuration.
    """
    path = Path(path)
    suffix = TEXT[0]
    if content is None:
        _check_file(path)
        suffix = _suffix(path)
        _check_content(path, suffix)
    if sheet is not None and suffix != EXCEL:
        raise InputError(f"{path}: only an {EXCEL} file has sheets. Leave out {wording.sheet}.")
    if suffix in TEXT:
        return replace(text_source(path, header, wording, content), wording=wording)
    if suffix == EXCEL:
        return replace(excel_source(path, header, wording, sheet), wording=wording)
    if header is not None:
        raise InputError(f"{path}: only text and {EXCEL} files can have a header line. Leave out {wording.header}.")
    return replace(_READERS[suffix](path), wording=wording)


def read_labels(path: Path) -> np.ndarray:
    """Read a file of labels, (n,): a one-dimensional ``.npy``, or a text file with one label per line."""
    path = Path(path)
    _check_file(path)
    _check_content(path, path.suffix.lower())
    if path.suffix.lower() == ".npy":
        labels = load_array(path)
    else:
        try:
            labels = np.array(path.read_text(encoding="utf-8-sig").split("\n"))
        except UnicodeDecodeError:
            raise not_text(path) from None
        labels = np.char.strip(labels[:-1] if labels[-1] == "" else labels)
    if labels.ndim != 1 or labels.size == 0:
        raise InputError(f"{path}: expected a list of labels, found an array of shape {labels.shape}.")
    check_labels(path, labels)
    return labels


def _suffix(path: Path) -> str:
    """Return the suffix that is the format, in lower case, without ``.gz``."""
    suffix = path.suffix.lower()
    if suffix == ".gz":
        suffix = Path(path.stem).suffix.lower() or TEXT[0]
        if suffix not in TEXT:
            raise InputError(f"{path}: only text files can be compressed. Unpack it first: gunzip {path.name}")
    if suffix not in SUFFIXES:
        advice = _ADVICE.get(suffix, "Convert the file, or rename it if only the suffix is wrong")
        raise InputError(
            f"{path}: cannot read files of type {path.suffix or '(no suffix)'!r}; "
            f"expected one of {', '.join(SUFFIXES)}, or text in .gz. {advice}."
        )
    return suffix


def _check_file(path: Path) -> None:
    if not os.path.isfile(path):  # Path.is_file would raise an error in a folder without permission
        found = "a folder" if os.path.isdir(path) else "nothing"
        raise InputError(f"{path}: expected a file, found {found} there. Check the path.")


def _check_content(path: Path, suffix: str) -> None:
    """Raise an error for an unreadable file or one of another type, for which library errors would mislead."""
    try:
        with path.open("rb") as file:
            start = file.read(8)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}. Check the file and its permissions.") from None
    if not start.startswith(_MAGIC.get(suffix, b"")):
        raise InputError(
            f"{path}: expected the content of a {suffix} file, found something else, perhaps text. "
            "Convert it to that format, or rename it if only the suffix is wrong."
        )
    if path.suffix.lower() == ".gz" and not start.startswith(GZIP):
        raise InputError(f"{path}: expected compressed text, found something else. Remove .gz from the name.")
