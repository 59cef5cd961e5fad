"""``hypercut cluster``: cluster the rows of a file."""

import argparse
import logging
import shutil
import sys
import textwrap
import time
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from hypercut import algorithms
from hypercut.cli._completion import complete
from hypercut.cli._estimator import DEFAULT, make_estimator
from hypercut.cli._input import input_name, out_of_memory, read, selection
from hypercut.cli._output import PLOTS, STDOUT, check_not_replaced, check_outputs, write_labels
from hypercut.core import memory
from hypercut.errors import InputError

if TYPE_CHECKING:
    from hypercut.algorithms import Estimator
    from hypercut.data.tables import Selection, Table

_log = logging.getLogger(__name__)

WIDEST = 110  # longer lines are hard to read

HELP = "cluster the rows of a file"
DESCRIPTION = """\
Cluster the rows of a file and write one label per row.

The input is text (.csv, .tsv, .txt, also in .gz, or - for standard input),
.xlsx, .parquet, .npz (array X) or .npy, with one sample per row. Separator,
decimal mark and encoding of text are detected. Its first line is read as
column names if it contains no number, and as data if it contains only numbers.
If it is ambiguous (numbers and text, or 0, 1, 2, …), specify --header. Unnamed
columns are called 0, 1, 2, …

With - the labels go to standard output and the summary to standard error,
unless --out names a file.

Columns of text or dates, and columns that number or identify the rows, are left
out. The summary says how the file was read, which features were used, and how
clear the clusters are.
"""
EXAMPLES = """\
examples:
  # estimate the number of clusters; writes data.clusters.csv
  hypercut cluster data.csv

  # keep the columns of the input, and draw the clusters
  hypercut cluster data.xlsx --sheet 2 --append --plot clusters.html

  # choose features, leave out rows with missing values
  hypercut cluster data.csv --columns length,width --missing drop

  # compare the clusters with known classes
  hypercut cluster iris.csv --clusters 3 --truth species --out species.csv

  # choose the algorithm, its scale and its parameters
  hypercut cluster data.parquet --clusters 3 --algorithm PKO+HSC \\
      --sigma 0.4 --set alpha=0.6 --out labels.parquet --overwrite

  # from standard input to standard output; the summary goes to standard error
  grep -v unknown data.csv | hypercut cluster - > labels.csv
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("file", type=Path, help="samples: text, .xlsx, .parquet, .npz or .npy; - for standard input")
    add("--clusters", type=int, metavar="K", help=f"number of clusters, at least 2; {DEFAULT} can estimate it")
    add(
        "--out",
        type=Path,
        metavar="FILE",
        help="where to write the labels: .csv, .tsv, .xlsx, .parquet (column 'cluster'), .npz (array 'labels') or "
        ".npy; - for standard output (default: NAME.clusters.SUFFIX next to the input, with its suffix "
        "or .csv; standard output if the input is standard input)",
    )
    add("--append", action="store_true", help="write the columns of the input too")
    add("--plot", type=Path, metavar="FILE", help=f"draw the clusters: {', '.join(PLOTS)}; .html with the summary")
    add("--overwrite", action="store_true", help="replace output files that exist")
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
    add("--columns", metavar="A,B,…", help="the features (default: all columns of numbers that do not number the rows)")
    add("--ignore", metavar="A,B,…", help="columns to leave out")
    add(
        "--standardize",
        action="store_true",
        help="give all features mean 0 and variance 1 first, for columns in different units",
    )
    add("--truth", metavar="COLUMN", help="column of known classes: not a feature, only compared with the clusters")
    add(
        "--missing",
        choices=["drop", "median"],
        help="leave out rows with missing or infinite values (they get no label), or replace these by the median of "
        "their column; otherwise they are an error",
    )
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
        print(
            f"\n{DEFAULT} needs no options: it estimates the number of clusters. The others need --clusters K,\n"
            "and choose their scale σ, if they have one, without labels unless --sigma specifies it."
        )
        parser.exit()


def run(args: argparse.Namespace) -> int:
    """Cluster a file and write its labels; check all options before reading it."""
    estimator = make_estimator(args)
    columns = selection(args)
    out = check_outputs(args)
    if args.plot is not None:
        from hypercut.cli import _plot  # noqa: F401  if matplotlib is missing, fail before clustering
    logging.basicConfig(level=logging.WARNING if args.quiet else logging.INFO, format="%(message)s", stream=sys.stderr)
    logging.getLogger("hypercut.selection").addFilter(_few_scales)
    from hypercut.progress import Phases  # here, since `hypercut --help` need not wait for tqdm

    with nullcontext(_say_nothing) if args.quiet else Phases() as say:
        return _run(args, estimator, columns, out, say)


def _run(
    args: argparse.Namespace, estimator: "Estimator", columns: "Selection", out: Path, say: Callable[[str], None]
) -> int:
    """Read, cluster, write, draw and print."""
    say(f"Reading {input_name(args.file)}")
    source, table = read(args, columns)
    check_not_replaced(args, out)
    started = time.perf_counter()
    say(f"Clustering {len(table.X)} samples × {table.X.shape[1]} features with {estimator.name}")
    _fit(estimator, table, args.file)
    seconds = time.perf_counter() - started
    column = write_labels(out, estimator.labels_, table.kept, source if args.append else None)
    if args.quiet and args.plot is None:
        return 0

    from hypercut.cli import _summary  # here, since `hypercut --help` need not wait for it

    facts = _summary.facts(args, estimator, source, table)
    facts["status"] = _summary.status(estimator, seconds)
    remarks = _summary.remarks(args, estimator, table)
    if args.plot is not None:
        say(f"Drawing {args.plot}")
        from hypercut.cli._plot import write_plot  # here, since it needs matplotlib

        write_plot(args.plot, estimator, table, input_name(args.file), facts, remarks)
    facts["written"] = _summary.written(args, out, column, table) + (f"; plot: {args.plot}" if args.plot else "")
    if not args.quiet:
        width = min(shutil.get_terminal_size((100, 24)).columns, WIDEST)
        # Labels on standard output are for a program.
        stream = sys.stderr if out == STDOUT else sys.stdout
        wrapped = [textwrap.fill(remark, width) for remark in remarks]
        print(_summary.layout(facts, width), *([""] if wrapped else []), *wrapped, sep="\n", file=stream)
    return 0


class _FewScales(logging.Filter):
    """Passes lines of a search over σ that takes long: in a log file one, half way; in a terminal all after a while."""

    def __init__(self) -> None:
        super().__init__()
        self._started = 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to print that a scale is tried."""
        from hypercut import progress  # here, as above

        _, number, total = cast("tuple[float, int, int]", record.args)
        if number == 1:
            self._started = time.monotonic()
        takes_long = time.monotonic() - self._started >= progress.PATIENCE_SECONDS
        return takes_long and (progress.in_terminal() or number == total // 2 + 1)


_few_scales = _FewScales()


def _say_nothing(_: str) -> None:
    pass


def _fit(estimator: "Estimator", table: "Table", path: Path) -> None:
    """Fit the estimator; log its warnings and turn its errors into InputErrors that name the file."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            estimator.fit(table.X)
    except (InputError, memory.NotEnoughMemoryError) as error:
        raise InputError(f"{input_name(path)}: {error}") from None
    except MemoryError:
        raise out_of_memory(path, f"running {estimator.name}") from None
    for warning in caught:
        _log.warning("%s", warning.message)
