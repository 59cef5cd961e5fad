"""``hypercut cluster``: cluster the rows of a file."""

import argparse
import logging
import os
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypercut import algorithms
from hypercut.cli._completion import complete
from hypercut.cli._estimator import DEFAULT, make_estimator
from hypercut.cli._labels import check_output, write_labels
from hypercut.cli._summary import summarize
from hypercut.core import memory
from hypercut.errors import InputError

if TYPE_CHECKING:
    from hypercut.algorithms import Estimator
    from hypercut.data.tables import Table

_log = logging.getLogger(__name__)

HELP = "cluster the rows of a file"
DESCRIPTION = """\
Cluster the rows of a file and write one label per row.

The input is a .csv, .parquet, .npz (array X) or .npy file of numbers with one
sample per row. The suffix of the output chooses its format: .csv and .parquet
get a column 'cluster', .npz an array 'labels', .npy the labels alone.

A .csv file must use commas, decimal points and UTF-8. Its first line is read
as column names if it contains no number, and as data if it contains nothing
else; in all other cases specify --header. Unnamed columns are called 0, 1, 2, …
"""
EXAMPLES = """\
examples:
  # estimate the number of clusters
  hypercut cluster data.csv --out labels.csv

  # replace an existing file of labels
  hypercut cluster data.csv --clusters 10 --out labels.csv --overwrite

  # choose the algorithm, its scale and its parameters
  hypercut cluster data.parquet --clusters 3 --algorithm PKO+HSC \\
      --sigma 0.4 --set alpha=0.6 --out labels.parquet

  # compare the clusters with known classes
  hypercut cluster iris.csv --clusters 3 --truth species --out species.csv
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("file", type=Path, help="samples: .csv, .parquet, .npz or .npy")
    add("--clusters", type=int, metavar="K", help=f"number of clusters, at least 2; {DEFAULT} can estimate it")
    add("--out", type=Path, required=True, metavar="FILE", help="file to write the labels to")
    add("--overwrite", action="store_true", help="replace the output file if it exists")
    chosen = add(
        "--algorithm", default=DEFAULT, metavar="NAME", help=f"default: {DEFAULT}, for any size and without tuning"
    )
    complete(chosen, algorithms.names)
    add("--list-algorithms", action=_ListAlgorithms, help="print the algorithms, a line about each, and exit")
    add(
        "--sigma",
        default="auto",
        metavar="FACTOR",
        help="scale of the kernel as a multiple of the mean distance between samples, such as 0.4; "
        "auto (default) tries fifteen and chooses without labels",
    )
    add(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        dest="settings",
        help="any other parameter of the algorithm, such as alpha=0.6 or n_neighbors=5; repeatable",
    )
    add("--header", choices=["yes", "no"], help="whether the first line of a .csv file names the columns")
    add("--truth", metavar="COLUMN", help="column of known classes: not a feature, only compared with the clusters")
    add("--seed", type=int, default=0, help="random seed (default: 0)")
    add("--quiet", action="store_true", help="print neither progress nor a summary")


class _ListAlgorithms(argparse.Action):
    """Print the algorithms and exit, like --help: no other argument is required."""

    def __init__(self, option_strings: list[str], dest: str, help: str) -> None:
        super().__init__(option_strings, dest=argparse.SUPPRESS, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        for name, algorithm in algorithms.registry().items():
            about = (algorithm.__doc__ or "").strip().partition("\n")[0]
            print(f"{name:<8} {about.removeprefix(f'{name}: ')}")
        parser.exit()


def run(args: argparse.Namespace) -> int:
    """Cluster a file and write its labels; check all options before reading it."""
    if str(args.file) == "-":
        raise InputError("-: standard input cannot be read. Save it to a file first: ... > data.csv")
    check_output(args.out, args.file, overwrite=args.overwrite)
    estimator = make_estimator(args)
    table = _read(args)
    logging.basicConfig(level=logging.WARNING if args.quiet else logging.INFO, format="%(message)s", stream=sys.stderr)
    started = time.perf_counter()
    _fit(estimator, table, args.file)
    seconds = time.perf_counter() - started
    write_labels(args.out, estimator.labels_)
    if not args.quiet:
        print(summarize(args, estimator, table, seconds))
    return 0


def _read(args: argparse.Namespace) -> "Table":
    from hypercut.data.tables import read_table  # here, since `hypercut --help` need not wait for numpy

    available = memory.available_mb()
    size = args.file.stat().st_size // memory.MB if os.path.isfile(args.file) else 0
    # Otherwise the kernel would kill the process without a message.
    if available is not None and size > available:
        raise InputError(
            f"{args.file} has {size / 1024:.1f} GB, but only {available / 1024:.1f} GB of memory are free. "
            "Use a sample of the rows or a machine with more memory."
        )
    try:
        header = None if args.header is None else args.header == "yes"
        table = read_table(args.file, label_column=args.truth, header=header)
    except MemoryError:
        raise _out_of_memory(args.file, "reading it") from None
    if len(table.X) < 2:
        raise InputError(f"{args.file}: expected at least two rows to cluster, found {len(table.X)}.")
    return table


def _fit(estimator: "Estimator", table: "Table", path: Path) -> None:
    """Fit the estimator; log its warnings and turn its errors into InputErrors that name the file."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            estimator.fit(table.X)
    except (InputError, memory.NotEnoughMemoryError) as error:
        raise InputError(f"{path}: {error}") from None
    except MemoryError:
        raise _out_of_memory(path, f"running {estimator.name}") from None
    for warning in caught:
        _log.warning("%s", warning.message)


def _out_of_memory(path: Path, during: str) -> InputError:
    return InputError(
        f"{path}: out of memory while {during}; nothing was written. Close other programs, use a sample of the rows "
        "or a machine with more memory."
    )
