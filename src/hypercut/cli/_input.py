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
    """Return the name of the input in messages."""
    return "standard input" if path == STDIN else str(path)


def selection(args: argparse.Namespace) -> "Selection":
    """Return the selection of columns that the options specify."""
    from hypercut.data.tables import Selection  # here, since `hypercut --help` need not wait for numpy

    return Selection(
        label_column=args.truth,
        columns=_names("--columns", args.columns) if args.columns is not None else None,
        ignore=_names("--ignore", args.ignore) if args.ignore is not None else (),
        missing=args.missing,
        guess=True,
    )


def _names(option: str, text: str) -> list[str]:
    """Return column names separated by commas; a name with a comma is quoted as in a .csv file."""
    names = [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]
    if not names or not all(names):
        raise InputError(f"{option} {text!r}: expected the names of columns, separated by commas.")
    return names


def read(args: argparse.Namespace, selection: "Selection") -> tuple["Source", "Table"]:
    """Return all columns of the input, and those that are features, standardized on request."""
    # Here, since `hypercut --help` need not wait for numpy.
    from hypercut.data.scaling import zscore
    from hypercut.data.tables import load, select

    content = None
    if args.file == STDIN:
        if sys.stdin.isatty():
            print("Reading rows from standard input; end them with Ctrl-D.", file=sys.stderr)
        content = sys.stdin.buffer.read()
    elif os.path.isfile(args.file):
        # The kernel would kill a process that reads more than fits into memory, without a message.
        memory.require(args.file.stat().st_size // memory.MB, "reading it", "Use a sample of the rows")
    header = None if args.header is None else args.header == "yes"
    source = load(Path(input_name(args.file)), header=header, sheet=args.sheet, content=content)
    table = select(source, selection)
    if len(table.X) < (args.clusters or 2):
        least = f"--clusters {args.clusters}" if args.clusters else "two"
        raise InputError(f"{input_name(args.file)}: expected at least {least} rows to cluster, found {len(table.X)}.")
    return source, replace(table, X=zscore(table.X)) if args.standardize else table
