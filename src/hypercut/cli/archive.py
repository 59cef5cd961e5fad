"""``hypercut archive``: add the results of a benchmark to a reference."""

import argparse
from pathlib import Path

HELP = "add the results of a benchmark to a reference, which is small enough for a repository"
DESCRIPTION = """\
Add the rows of all finished results, without labels and with their provenance, to a reference folder.

A benchmark need not be complete: archive what is done, and the rest later or from another machine. Results that are in
the reference already are kept if they are equal. It is an error if a result is stale, if it differs from the archived
one, or if archived results are of other code, data or settings than the new ones.

hypercut restore puts the rows back, hypercut report builds the report from them.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("results", type=Path, help="results folder of a benchmark")
    parser.add_argument("reference", type=Path, help="folder of the reference, new or existing")
    parser.add_argument(
        "--replace", action="store_true", help="let the new results win: replace archived ones, drop outdated ones"
    )


def run(args: argparse.Namespace) -> int:
    """Add the results and say how many."""
    # Here, since `hypercut --help` need not wait for pandas.
    from hypercut.benchmark.archive import archive

    print(f"{args.reference}: {archive(args.results, args.reference, replace=args.replace)}.")
    size = sum(path.stat().st_size for path in args.reference.glob("rows/*.parquet"))
    print(f"Size of all rows: {size / 1e6:.2f} MB.")
    return 0
