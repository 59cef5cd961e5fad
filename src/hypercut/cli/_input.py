"""Reading the file of ``hypercut cluster``, or standard input."""

import argparse
import csv
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hypercut.core import memory
from hypercut.errors import InputError

if TYPE_CHECKING:
    from hypercut.data.tables import Selection, Source, Table

STDIN = Path("-")


def input_name(path: Path) -> str:
    """Return how messages name the input."""
    return "standard input" if path == STDIN else str(path)


def selection(args: argparse.Namespace) -> "Selection":
    """Return which columns the options choose."""
    from hypercut.data.tables import Selection  # here, since `hypercut --help` need not wait for numpy

    return Selection(
        label_column=args.truth,
        columns=_names("--columns", args.columns) if args.columns is not None else None,
        ignore=_names("--ignore", args.ignore) if args.ignore is not None else (),
        missing=args.missing,
        skip_text=True,
        skip_row_numbers=True,
    )


def read(args: argparse.Namespace, selection: "Selection") -> tuple["Source", "Table"]:
    """Return all columns of the input, and those that are features, standardized on request."""
    # Here, since `hypercut --help` need not wait for numpy.
    from hypercut.data.scaling import zscore
    from hypercut.data.tables import select

    try:
        source = _load(args)
        table = select(source, selection)
        if args.standardize:
            table = replace(table, X=zscore(table.X))
    except MemoryError:
        raise out_of_memory(args.file, "reading it") from None
    if len(table.X) < 2:
        raise InputError(f"{input_name(args.file)}: expected at least two rows to cluster, found {len(table.X)}.")
    if args.clusters is not None and args.clusters > len(table.X):
        raise InputError(
            f"--clusters {args.clusters}: {input_name(args.file)} has only {len(table.X)} rows to cluster."
        )
    return source, table


def out_of_memory(path: Path, during: str) -> InputError:
    """Return the error for a lack of memory."""
    return InputError(
        f"{input_name(path)}: out of memory while {during}; nothing was written. Close other programs, use a sample of "
        "the rows or a machine with more memory."
    )


def _load(args: argparse.Namespace) -> "Source":
    from hypercut.data.tables import load

    header = None if args.header is None else args.header == "yes"
    if args.file != STDIN:
        _check_size(args.file)
        return load(args.file, header=header, sheet=args.sheet)
    if sys.stdin.isatty():
        print("Reading rows from standard input; end them with Ctrl-D.", file=sys.stderr)
    return load(Path(input_name(STDIN)), header=header, sheet=args.sheet, content=sys.stdin.buffer.read())


def _check_size(path: Path) -> None:
    """Raise InputError for a file larger than memory: the kernel would kill the process without a message."""
    available = memory.available_mb()
    size = path.stat().st_size // memory.MB if os.path.isfile(path) else 0
    if available is not None and size > available:
        raise InputError(
            f"{path} has {size / 1024:.1f} GB, but only {available / 1024:.1f} GB of memory are free. "
            "Use a sample of the rows or a machine with more memory."
        )


def _names(option: str, text: str) -> list[str]:
    """Return column names separated by commas; a name with a comma is quoted as in a .csv file."""
    names = [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]
    if not names or not all(names):
        raise InputError(f"{option} {text!r}: expected the names of columns, separated by commas.")
    return names
