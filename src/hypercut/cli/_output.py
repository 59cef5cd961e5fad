"""Writing labels: choose and check the output before computing, and write it in the format of its suffix."""

import argparse
import os
import sys
import warnings
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from hypercut.cli._input import STDIN
from hypercut.errors import InputError
from hypercut.files import atomic_write, explain_write_errors

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from hypercut.data.tables import Source

STDOUT = Path("-")
TABLES = (".csv", ".tsv", ".xlsx", ".parquet")
ARRAYS = (".npz", ".npy")
PLOTS = (".html", ".png", ".svg", ".pdf")
#: The label of a row that was left out, in formats without missing integers.
NO_LABEL = -1


def output_path(args: argparse.Namespace) -> Path:
    """Return where the labels go: ``--out``, or a file named after the input, or standard output."""
    if args.out is not None:
        return Path(args.out)
    if args.file == STDIN or not os.path.isfile(args.file):  # reading a missing file will fail
        return STDOUT
    stem = args.file.with_suffix("") if args.file.suffix.lower() == ".gz" else args.file
    suffix = stem.suffix.lower()
    return Path(stem.with_suffix(f".clusters{suffix if suffix in _suffixes(args) else '.csv'}"))


def _suffixes(args: argparse.Namespace) -> tuple[str, ...]:
    return TABLES if args.append else TABLES + ARRAYS


def check_outputs(args: argparse.Namespace, *, last: bool = False) -> None:
    """Raise InputError if a file cannot be written, or would replace the input.

    With ``last``, an existing file is also an error unless --overwrite is given. This is checked last, since a user who
    sees it first would add --overwrite to a command with other mistakes.
    """
    for path, option, suffixes in ((output_path(args), "--out", _suffixes(args)), (args.plot, "--plot", PLOTS)):
        if path in (None, STDOUT):
            continue
        if path.suffix.lower() not in suffixes:
            found = repr(path.suffix) if path.suffix else "no suffix"
            raise InputError(f"{path}: expected an output file ending in {', '.join(suffixes)}, found {found}.")
        if not os.path.isdir(path.parent) or not os.access(path.parent, os.W_OK | os.X_OK):
            raise InputError(f"{path}: no folder {path.parent} that can be written to. Create it, or change {option}.")
        if os.path.isdir(path):
            raise InputError(f"{path} is a folder. Specify a file.")
        if os.path.exists(path) and os.path.exists(args.file) and os.path.samefile(path, args.file):
            raise InputError(f"{path} is the input file. Choose another {option}.")
        if last and os.path.lexists(path) and not args.overwrite:
            raise InputError(f"{path} exists. Choose another {option}, or add --overwrite to replace it.")


def write_labels(path: Path, labels: "NDArray[Any]", kept: "NDArray[Any] | None", append_to: "Source | None") -> str:
    """Write the labels, which are empty for rows that were left out; return the name of their column, "" for arrays.

    On failure, no file is left behind. ``append_to`` is the input, if its columns are to be written too.
    """
    # Here, since `hypercut --help` need not wait for them.
    import numpy as np
    import pandas as pd

    every = np.full(len(labels) if kept is None else len(kept), NO_LABEL, dtype=np.int64)
    every[... if kept is None else kept] = labels
    frame = pd.DataFrame(index=range(len(every))) if append_to is None else append_to.frame.copy(deep=False)
    suffix, name = path.suffix.lower(), ""
    if suffix not in ARRAYS:
        name = next(name for name in chain(["cluster"], (f"cluster_{i}" for i in count(2))) if name not in frame)
        frame[name] = every if kept is None else pd.arrays.IntegerArray(every, every == NO_LABEL)
    if path == STDOUT:
        _write_table(sys.stdout.buffer, suffix, frame, append_to)
        sys.stdout.buffer.flush()
        return name
    with explain_write_errors(path.parent), atomic_write(path) as part, part.open("wb") as file:
        if name:
            try:
                _write_table(file, suffix, frame, append_to)
            except (ValueError, TypeError, UserWarning) as error:
                raise InputError(
                    f"{path}: a {suffix} file cannot hold the columns of the input: {error}. Choose another format, "
                    "such as .csv, or omit --append."
                ) from None
        elif suffix == ".npy":
            np.save(file, every)
        else:
            np.savez(file, labels=every)
    return name


def _write_table(file: BinaryIO, suffix: str, frame: "pd.DataFrame", like: "Source | None") -> None:
    if suffix == ".xlsx":
        _write_excel(file, frame)
    elif suffix == ".parquet":
        frame.to_parquet(file)
    else:
        separator, decimal = (like.separator, like.decimal) if like is not None else (",", ".")
        separator = "\t" if suffix == ".tsv" else " " if len(separator) > 1 else separator
        frame.to_csv(file, index=False, sep=separator, decimal=decimal)


def _write_excel(file: BinaryIO, frame: "pd.DataFrame") -> None:
    """Write a sheet in which text stays text; raise an error if a cell cannot hold it."""
    import pandas as pd  # here, since `hypercut --help` need not wait for it
    from openpyxl.utils.exceptions import IllegalCharacterError

    try:
        with warnings.catch_warnings(), pd.ExcelWriter(file, engine="openpyxl") as book:
            warnings.simplefilter("error", UserWarning)  # text that is too long for a cell
            frame.to_excel(book, index=False)
            for row in book.book.active.iter_rows():
                for cell in row:
                    if isinstance(cell.value, str):
                        cell.data_type = "s"  # otherwise =… is a formula, and #REF! an error
    except IllegalCharacterError:
        raise ValueError("control characters in text") from None
