"""``hypercut compare``: what changed between two sets of results."""

import argparse
from pathlib import Path

HELP = "compare two sets of results: what changed beyond the noise of repeats"
DESCRIPTION = """\
Compare two results folders or archives: list the results that changed beyond the noise of repeats, and the results that
only one side has.

Exit status: 0 if no common result changed, 1 if one did, 2 if the two cannot be compared.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("a", type=Path, metavar="A", help="results folder or archive")
    parser.add_argument("b", type=Path, metavar="B", help="another one")
    parser.add_argument(
        "--metric",
        default="nmi",
        choices=["nmi", "ami", "ari", "purity", "matched_accuracy"],
        help="the score (default: nmi)",
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE.csv", help="also write the comparison of all results as a table"
    )


def run(args: argparse.Namespace) -> int:
    """Compare, print and write."""
    # Here, since `hypercut --help` need not wait for pandas.
    from hypercut.files import atomic_write, explain_write_errors
    from hypercut.results.compare import compare, read_side

    comparison = compare(read_side(args.a), read_side(args.b), args.metric)
    print(comparison)
    if args.out:
        with explain_write_errors(args.out.parent), atomic_write(args.out) as part:
            comparison.results.to_csv(part, index=False)
        print(f"\nWritten: {args.out}")
    return 1 if len(comparison.changed) else 0
