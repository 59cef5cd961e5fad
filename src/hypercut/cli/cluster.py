"""``hypercut cluster``: cluster a user's own file."""

import argparse
import logging
import os
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypercut.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hypercut.algorithms import Estimator
    from hypercut.data.tables import Table

OUTPUT_SUFFIXES = (".csv", ".npy", ".npz", ".parquet")
DEFAULT = "AK+NC"
LARGEST_SEED = 2**32 - 1
"""what numpy takes"""

_log = logging.getLogger(__name__)

DESCRIPTION = """\
Cluster the rows of a file and write one label a row.

The file is .csv, .parquet, .npz (array X) or .npy, one sample a row, numbers only. The output's suffix chooses its
format: .csv and .parquet get a column 'cluster', .npz an array 'labels', .npy the labels alone.

A .csv file has commas, points in its numbers, and UTF-8. Its first line names the columns if it has no number, and is
a row if it has nothing else; where both are possible, --header says which. Without names, columns are 0, 1, 2, …
"""
EXAMPLES = """\
examples:
  hypercut cluster data.csv --out labels.csv                      the number of clusters is estimated
  hypercut cluster data.csv --clusters 10 --out labels.csv --overwrite        replaces the file of labels
  hypercut cluster data.parquet --clusters 3 --algorithm PKO+HSC --sigma 0.4 --set alpha=0.6 --out labels.parquet
  hypercut cluster iris.csv --clusters 3 --truth species --out species.csv  also compare with known classes
"""


def add_parser(subparsers: Any) -> None:
    """Declare ``hypercut cluster`` and its arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "cluster",
        help="cluster the rows of a file",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", type=Path, help="the samples: .csv, .parquet, .npz or .npy")
    parser.add_argument(
        "--clusters", type=int, metavar="K", help=f"number of clusters, at least 2; {DEFAULT} can estimate it"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="where to write the labels: a new file")
    parser.add_argument("--overwrite", action="store_true", help="replace the file --out if it exists")
    parser.add_argument(
        "--algorithm",
        default=DEFAULT,
        metavar="NAME",
        help=f"default {DEFAULT}, with nothing to set and for any number of samples; --list-algorithms names all",
    )
    parser.add_argument("--list-algorithms", action=_ListAlgorithms, help="print the names of the algorithms and stop")
    parser.add_argument(
        "--sigma",
        default="auto",
        metavar="FACTOR",
        help="scale of the kernel as a multiple of the mean distance between samples, e.g. 0.4; "
        "or auto (default): try fifteen and choose without labels",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        dest="settings",
        help="any other parameter of the algorithm, e.g. alpha=0.6 or n_neighbors=5; may be repeated",
    )
    parser.add_argument(
        "--header", choices=["yes", "no"], help="whether the first line of a .csv file names the columns"
    )
    parser.add_argument("--truth", metavar="COLUMN", help="a column of known classes: no feature, only compared with")
    parser.add_argument("--seed", type=int, default=0, help="seed of the random starts (default 0)")
    parser.add_argument("--quiet", action="store_true", help="no progress, no summary")
    parser.set_defaults(run=run)


class _ListAlgorithms(argparse.Action):
    """Print the algorithms and stop, like --help."""

    def __init__(self, option_strings: list[str], dest: str, help: str) -> None:
        super().__init__(option_strings, dest=argparse.SUPPRESS, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from hypercut import algorithms

        print("\n".join(algorithms.names()))
        parser.exit()


_HEADER = {"yes": True, "no": False, None: None}


def run(args: argparse.Namespace) -> int:
    """Cluster a file and write its labels."""
    from hypercut import algorithms
    from hypercut.core.memory import NotEnoughMemoryError
    from hypercut.data.tables import read_table

    if not 0 <= args.seed <= LARGEST_SEED:
        raise InputError(f"--seed {args.seed}: expected a number from 0 to {LARGEST_SEED}.")
    if args.clusters is not None and args.clusters < 2:
        raise InputError(f"--clusters {args.clusters}: expected at least 2 clusters.")
    if str(args.file) == "-":
        raise InputError("-: expected a file; standard input is not read. Save it first: ... > data.csv")
    _check_output(args.out, args.file, overwrite=args.overwrite)
    estimator = _make_estimator(algorithms.get(args.algorithm), args)
    _check_file_fits(args.file)
    try:
        table = read_table(args.file, label_column=args.truth, header=_HEADER[args.header])
    except MemoryError:
        raise _out_of_memory(args.file, "it was read") from None
    if len(table.X) < 2:
        raise InputError(f"{args.file}: expected at least two rows to cluster, found {len(table.X)}.")
    logging.basicConfig(level=logging.WARNING if args.quiet else logging.INFO, format="%(message)s", stream=sys.stderr)
    started = time.perf_counter()
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            estimator.fit(table.X)
    except (InputError, NotEnoughMemoryError) as error:
        raise InputError(f"{args.file}: {error}") from None
    except MemoryError:
        raise _out_of_memory(args.file, f"{estimator.name} worked on it") from None
    seconds = time.perf_counter() - started
    for warning in told:
        _log.warning("%s", warning.message)
    write_labels(args.out, estimator.labels_)
    if not args.quiet:
        print(_summary(args, estimator, table, seconds))
    return 0


def write_labels(path: Path, labels: "NDArray[Any]") -> None:
    """Write labels in the format of the suffix; the file appears whole or not at all."""
    import numpy as np
    import pandas as pd

    from hypercut.files import atomic_write

    try:
        with atomic_write(path) as part, part.open("wb") as file:
            match path.suffix.lower():
                case ".csv":
                    pd.DataFrame({"cluster": labels}).to_csv(file, index=False)
                case ".parquet":
                    pd.DataFrame({"cluster": labels}).to_parquet(file, index=False)
                case ".npz":
                    np.savez(file, labels=labels)
                case ".npy":
                    np.save(file, labels)
    except OSError as error:
        raise InputError(f"{path}: could not be written: {error.strerror or error}.") from None


def _check_output(path: Path, source: Path, *, overwrite: bool) -> None:
    """Raise an error, before any computing, if the output cannot be written or would replace a file."""
    if path.suffix.lower() not in OUTPUT_SUFFIXES:
        found = repr(path.suffix) if path.suffix else "no suffix"
        raise InputError(f"{path}: expected an output file ending in {', '.join(OUTPUT_SUFFIXES)}, found {found}.")
    if not os.path.isdir(path.parent):
        raise InputError(f"{path}: there is no folder {path.parent}. Create it first.")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise InputError(f"{path}: writing into {path.parent} is not permitted. Choose another folder.")
    if os.path.isdir(path):
        raise InputError(f"{path}: expected a file name, found a folder there.")
    if os.path.exists(path) and os.path.exists(source) and os.path.samefile(path, source):
        raise InputError(f"{path}: expected another file than the input, which would be lost. Choose another --out.")
    if os.path.lexists(path) and not overwrite:
        raise InputError(f"{path} exists. Choose another --out, or replace it: --overwrite")


def _out_of_memory(path: Path, during: str) -> InputError:
    return InputError(
        f"{path}: memory ran out while {during}; nothing was written. End other programs, use a sample of the rows, "
        "or a machine with more."
    )


def _check_file_fits(path: Path) -> None:
    """Refuse a file that is larger than memory before it is read: reading it would end in a kill without a word."""
    from hypercut.core.memory import MB, available_mb

    available = available_mb()
    size = path.stat().st_size // MB if os.path.isfile(path) else 0
    if available is not None and size > available:
        raise InputError(
            f"{path}: expected a file that fits into memory, found {size / 1024:.1f} GB, and {available / 1024:.1f} GB "
            "free. Use a sample of the rows, or a machine with more."
        )


def _make_estimator(algorithm: "type[Estimator]", args: argparse.Namespace) -> "Estimator":
    available = algorithm().get_params()
    if args.clusters is None and available["n_clusters"] is not None:
        raise InputError(f"{algorithm.name} needs to know how many: give --clusters K. {DEFAULT} can estimate it.")
    parameters: dict[str, Any] = {"n_clusters": args.clusters, "random_state": args.seed}
    options = []
    if args.sigma != "auto":
        if not algorithm.has_scale:
            raise InputError(f"{algorithm.name} has no scale to choose: leave --sigma out.")
        options.append(f"--sigma {args.sigma}")
        parameters["sigma_factor"] = _number(args.sigma, options[-1])
    settable = sorted(available.keys() - {"n_clusters", "random_state", "sigma_factor"})
    for setting in args.settings:
        options.append(f"--set {setting}")
        name, _, value = setting.partition("=")
        if name not in settable or not value:
            raise InputError(
                f"{options[-1]}: expected NAME=VALUE with a parameter of {algorithm.name}: {', '.join(settable)}."
            )
        parameters[name] = value if isinstance(available[name], str) else _number(value, options[-1])
    try:
        return algorithm(**parameters).validated()
    except InputError as error:
        raise InputError(f"{' '.join(options)}: {error}") from None


def _number(text: str, option: str) -> int | float:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    raise InputError(f"{option}: expected a number, found {text!r}.")


def _summary(
    args: argparse.Namespace,
    estimator: "Estimator",
    table: "Table",
    seconds: float,
) -> str:
    import numpy as np

    k = args.clusters or estimator.labels_.max() + 1
    sizes = np.sort(np.bincount(estimator.labels_, minlength=k))[::-1]
    shown = ", ".join(map(str, sizes[:12])) + (f", … ({len(sizes)} in all)" if len(sizes) > 12 else "")
    lines = {
        "samples": f"{table.X.shape[0]} × {table.X.shape[1]} from {args.file}",
        **({"read as": "; ".join(table.notes)} if table.notes else {}),
        "algorithm": f"{estimator.name}, {k} clusters{'' if args.clusters else ' (estimated)'}, seed {args.seed}",
        "scale": _describe_scale(estimator),
        "clusters": shown,
        "status": f"{estimator.status_} after {estimator.n_iter_} iterations, {seconds:.1f} s",
        "written": str(args.out),
    }
    if args.truth and table.y is not None:
        from hypercut.metrics import evaluate

        scores = evaluate(table.y, estimator.labels_)
        lines[f"against {args.truth}"] = ", ".join(f"{name} {value:.4f}" for name, value in scores.items())
    width = max(map(len, lines))
    text = "\n".join(f"{name:<{width}}  {value}" for name, value in lines.items())
    if estimator.solver_.get("path") == "distinct":
        text += "\nThere are no more distinct samples than clusters: each is one."
    elif estimator.status_ == "degenerate":
        text += "\nThe graph falls apart into at least as many pieces as clusters: they are the clusters." + (
            " Try a larger --sigma." if estimator.has_scale else ""
        )
    return text


def _describe_scale(estimator: Any) -> str:
    import numpy as np

    from hypercut.paper.protocol import SIGMA_FACTORS

    if not estimator.has_scale:
        low, high = np.percentile(estimator.affinity_scale_, [5, 95])
        view = getattr(estimator, "view_", None)
        return f"local, σ from {low:.4g} to {high:.4g} (5th to 95th percentile)" + (
            f"; features {'as given' if view == 'given' else view}" if view else ""
        )
    text = f"σ = {estimator.affinity_scale_:.4g} = {estimator.sigma_factor_:g} × mean distance"
    if estimator.get_params()["sigma_factor"] == "auto":
        text += f", chosen without labels among {len(SIGMA_FACTORS)}"
        if estimator.sigma_factor_ in (SIGMA_FACTORS[0], SIGMA_FACTORS[-1]):
            text += " (at the edge of the grid)"
    return text
