"""``hypercut cluster``: cluster the rows of a file."""

import argparse
import logging
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypercut import algorithms
from hypercut.cli._estimator import DEFAULT, make_estimator
from hypercut.cli._input import input_name, read, selection
from hypercut.cli._output import PLOTS, STDOUT, check_outputs, output_path, write_labels
from hypercut.cli._parser import complete
from hypercut.core import memory
from hypercut.errors import InputError

if TYPE_CHECKING:
    from hypercut.algorithms import Estimator
    from hypercut.data.tables import Table

_log = logging.getLogger(__name__)

HELP = "cluster the rows of a file"
DESCRIPTION = """\
Cluster the rows of a file and write one label per row. Separator, decimal mark
and encoding of text are detected. Columns of text or dates, and columns that
number the rows, are left out. The summary reports how the file was read, which
features were used, and how clear the clusters are.
"""
EXAMPLES = """\
examples:
  # estimate the number of clusters; writes data.clusters.csv
  hypercut cluster data.csv

  # keep the columns of the input, and draw the clusters
  hypercut cluster data.xlsx --sheet 2 --append --plot clusters.html

  # choose the algorithm, its scale and its parameters
  hypercut cluster data.parquet --clusters 3 --algorithm PKO+HSC \\
      --sigma 0.4 --set alpha=0.6 --out labels.parquet --overwrite

  # from standard input to standard output; the summary goes to standard error
  grep -v unknown data.csv | hypercut cluster - > labels.csv
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("file", type=Path, help="text (.csv, .txt, .csv.gz …), .xlsx, .parquet, .npz (X) or .npy; - for standard input")
    add("--clusters", type=int, metavar="K", help=f"number of clusters, at least 2; {DEFAULT} can estimate it")
    out = "labels: .csv, .tsv, .xlsx, .parquet, .npz, .npy, or - for standard output (default: NAME.clusters.SUFFIX)"
    add("--out", type=Path, metavar="FILE", help=out)
    add("--append", action="store_true", help="also write the columns of the input")
    add("--plot", type=Path, metavar="FILE", help=f"draw the clusters: {', '.join(PLOTS)}; .html includes the summary")
    add("--overwrite", action="store_true", help="replace output files that exist")
    chosen = add("--algorithm", default=DEFAULT, metavar="NAME", help=f"default: {DEFAULT}")
    complete(chosen, algorithms.names)
    add("--list-algorithms", action=_ListAlgorithms, help="print the algorithms, a line about each, and exit")
    scale = "scale of the kernel in mean distances, such as 0.4 (default: chosen among fifteen without labels)"
    add("--sigma", default="auto", metavar="FACTOR", help=scale)
    other = "other parameter of the algorithm, such as alpha=0.6 or n_neighbors=5; repeatable"
    add("--set", action="append", default=[], metavar="NAME=VALUE", dest="settings", help=other)
    add("--columns", metavar="A,B,…", help="the features (default: all columns of numbers that do not number the rows)")
    add("--ignore", metavar="A,B,…", help="columns to leave out")
    add("--standardize", action="store_true", help="scale features to mean 0 and variance 1, for different units")
    add("--truth", metavar="COLUMN", help="column of known classes, to be compared with the clusters; not a feature")
    missing = "leave out rows with missing values, or replace these by the median of their column (default: an error)"
    add("--missing", choices=["drop", "median"], help=missing)
    add("--header", choices=["yes", "no"], help="whether the first line of text or of a sheet names the columns")
    add("--sheet", metavar="NAME", help="sheet of an .xlsx file, by name or number (default: the first)")
    add("--seed", type=int, default=0, help="random seed (default: 0)")
    add("--quiet", action="store_true", help="print neither progress nor a summary")


class _ListAlgorithms(argparse.Action):
    """Print the algorithms and exit, like --help: no other argument is required."""

    def __init__(self, option_strings: list[str], dest: str, help: str) -> None:
        super().__init__(option_strings, dest=argparse.SUPPRESS, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        for name, algorithm in algorithms.registry().items():
            about = (algorithm.__doc__ or "").strip().partition("\n")[0].removeprefix(f"{name}: ")
            print(f"{name:<8} {about}{' Default.' if name == DEFAULT else ''}")
        print(f"\n{DEFAULT} needs no options. The others need --clusters K.")
        parser.exit()


def run(args: argparse.Namespace) -> int:
    """Cluster a file and write its labels. All options are checked before the file is read."""
    estimator = make_estimator(args)
    columns = selection(args)
    check_outputs(args)
    if args.plot is not None:
        from hypercut.cli import _plot  # noqa: F401  if matplotlib is missing, fail before clustering
    from hypercut import progress  # here, since `hypercut --help` need not wait for tqdm

    logging.basicConfig(level=logging.WARNING if args.quiet else logging.INFO, format="%(message)s", stream=sys.stderr)
    begun = time.monotonic()
    # Each σ of a search is logged, but only if the search takes long.
    long = lambda _: time.monotonic() - begun >= progress.PATIENCE_SECONDS  # noqa: E731
    logging.getLogger("hypercut.selection").addFilter(long)
    name = input_name(args.file)
    with progress.Phases(quiet=args.quiet) as say:
        say(f"Reading {name}")
        try:
            source, table = read(args, columns)
            check_outputs(args, last=True)
            started = time.perf_counter()
            say(f"Clustering {len(table.X)} samples × {table.X.shape[1]} features with {estimator.name}")
            _fit(estimator, table, name)
        except memory.NotEnoughMemoryError as error:
            raise InputError(f"{name}: {error}") from None
        except MemoryError:
            raise InputError(
                f"{name}: out of memory; nothing was written. Close other programs, use a sample of the rows or a "
                "machine with more memory."
            ) from None
        seconds = time.perf_counter() - started
        out = output_path(args)
        column = write_labels(out, estimator.labels_, table.kept, source if args.append else None)
        if args.quiet and args.plot is None:
            return 0

        from hypercut.cli import _summary  # here, since `hypercut --help` need not wait for it

        facts = _summary.facts(args, estimator, source, table, seconds)
        remarks = _summary.remarks(args, estimator, table)
        if args.plot is not None:
            say(f"Drawing {args.plot}")
            from hypercut.cli._plot import write_plot  # here, since it needs matplotlib

            write_plot(args.plot, estimator, table, name, facts, remarks)
    if not args.quiet:
        facts["written"] = _summary.written(args, out, column, table)
        # If the labels go to standard output, another program may read them.
        print(_summary.layout(facts, remarks), file=sys.stderr if out == STDOUT else sys.stdout)
    return 0


def _fit(estimator: "Estimator", table: "Table", name: str) -> None:
    """Fit the estimator; log its warnings, and name the file in its errors."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            estimator.fit(table.X)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    for warning in caught:
        _log.warning("%s", warning.message)
