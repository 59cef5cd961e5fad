"""Writing labels: choose and check the output before computing, and write it in the format of its suffix."""

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from hypercut.cli._input import STDIN
from hypercut.errors import InputError
from hypercut.files import atomic_write

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from hypercut.data.tables import Source

STDOUT = Path("-")
TABLES = (".csv", ".tsv", ".xlsx", ".parquet")
ARRAYS = (".npz", ".npy")
PLOTS = (".html", ".png", ".svg", ".pdf")
#: The label of a row that was left out, in files that know no missing integers.
NO_LABEL = -1


def output_path(args: argparse.Namespace) -> Path:
    """Return where the labels go: ``--out``, or a file named after the input, or standard output."""
    if args.out is not None:
        return Path(args.out)
    if args.file == STDIN or not os.path.isfile(args.file):  # reading it reports that there is none
        return STDOUT
    stem = args.file.with_suffix("") if args.file.suffix.lower() == ".gz" else args.file
    suffix = stem.suffix.lower()
    allowed = TABLES if args.append else TABLES + ARRAYS
    return Path(stem.with_suffix(f".clusters{suffix if suffix in allowed else '.csv'}"))


def check_outputs(args: argparse.Namespace) -> Path:
    """Return where the labels go; raise InputError if a file cannot be written, or would replace the input."""
    out = output_path(args)
    if out != STDOUT:
        _check_output(out, args, "--out", TABLES if args.append else TABLES + ARRAYS)
    if args.plot is not None:
        _check_output(args.plot, args, "--plot", PLOTS)
    return out


def check_not_replaced(args: argparse.Namespace, out: Path) -> None:
    """Raise InputError if an output exists and may not be replaced: the last check, as --overwrite is easily added."""
    for path, option in ((out, "--out"), (args.plot, "--plot")):
        if path is not None and path != STDOUT and os.path.lexists(path) and not args.overwrite:
            raise InputError(f"{path} exists. Choose another {option}, or add --overwrite to replace it.")


def _check_output(path: Path, args: argparse.Namespace, option: str, suffixes: tuple[str, ...]) -> None:
    if path.suffix.lower() not in suffixes:
        found = repr(path.suffix) if path.suffix else "no suffix"
        raise InputError(f"{path}: expected an output file ending in {', '.join(suffixes)}, found {found}.")
    if not os.path.isdir(path.parent):
        raise InputError(f"{path}: there is no folder {path.parent}. Create it first.")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise InputError(f"{path}: no permission to write in {path.parent}. Choose another folder with {option}.")
    if os.path.isdir(path):
        raise InputError(f"{path} is a folder. Specify a file.")
    if os.path.exists(path) and os.path.exists(args.file) and os.path.samefile(path, args.file):
        raise InputError(f"{path} is the input file. Choose another {option}.")


def write_labels(path: Path, labels: "NDArray[Any]", kept: "NDArray[Any] | None", append_to: "Source | None") -> str:
    """Write the labels, empty for rows that were left out; return the name of the column, "" in arrays.

    On failure, leave no file behind. ``append_to`` is the input, if its columns are to be kept.
    """
    # Here, since `hypercut --help` need not wait for them.
    import numpy as np
    import pandas as pd

    every = np.full(len(labels) if kept is None else len(kept), NO_LABEL, dtype=np.int64)
    every[... if kept is None else kept] = labels
    suffix = path.suffix.lower()
    if suffix in ARRAYS:
        _write(path, lambda file: np.save(file, every) if suffix == ".npy" else np.savez(file, labels=every))
        return ""
    column: Any = every if kept is None else pd.arrays.IntegerArray(every, every == NO_LABEL)
    columns = pd.DataFrame(index=range(len(every))) if append_to is None else append_to.frame
    name = _free_name(list(columns.columns))
    _write(path, lambda file: _write_table(file, suffix, columns.assign(**{name: column}), append_to))
    return name


def _write_table(file: BinaryIO, suffix: str, frame: "pd.DataFrame", like: "Source | None") -> None:
    if suffix == ".xlsx":
        frame.to_excel(file, index=False, engine="openpyxl")
    elif suffix == ".parquet":
        frame.to_parquet(file)
    else:
        separator, decimal = (like.separator, like.decimal) if like is not None else (",", ".")
        separator = "\t" if suffix == ".tsv" else " " if len(separator) > 1 else separator
        frame.to_csv(file, index=False, sep=separator, decimal=decimal)


def _write(path: Path, write: Any) -> None:
    if path == STDOUT:
        write(sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    try:
        with atomic_write(path) as part, part.open("wb") as file:
            write(file)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}.") from None


def _free_name(taken: list[str]) -> str:
    number = 1
    while (name := "cluster" if number == 1 else f"cluster_{number}") in taken:
        number += 1
    return name
