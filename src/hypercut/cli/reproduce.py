"""``hypercut reproduce``: compute one published result from nothing and compare it with the reference."""

import argparse
from pathlib import Path

HELP = "compute one result of a reference from nothing and compare"
DESCRIPTION = """\
Compute one result of a reference from nothing and say whether it agrees. The workflow runs in a temporary folder: data
(fetched unless they are in the data folder), features, corruption, over-clusterings and clusterings.

On the machine and library versions of the reference, rows are equal. Another processor or BLAS rounds differently, and
single samples may change their cluster. So a result agrees if no mean score over repeats differs by more than 0.01.

Exit status: 0 if the result agrees, 1 if it does not, 2 if it could not be computed.
"""
EXAMPLES = """\
examples:
  hypercut reproduce orl clean PKO+HSC
  hypercut reproduce iris noise-L5 CSC
  hypercut reproduce iris clean PKO+HSC --variation ratio-initial
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("dataset", help="such as orl")
    parser.add_argument("setting", help="clean, noise-L1 …")
    parser.add_argument("algorithm", help="such as PKO+HSC")
    parser.add_argument("--variation", default="", metavar="NAME", help="a sweep or reading instead of the cell")
    parser.add_argument(
        "--reference", type=Path, default=Path("reference"), help="folder of the reference (default: reference)"
    )
    parser.add_argument("--data", type=Path, default=Path("data"), help="data folder (default: data)")
    parser.add_argument("--cores", type=int, default=1, help="cores to use (default: 1)")


def run(args: argparse.Namespace) -> int:
    """Compute the result and compare it."""
    # Here, since `hypercut --help` need not wait for pandas.
    from hypercut.benchmark.reference import read_reference
    from hypercut.benchmark.reproduction import reproduce

    key = (args.dataset, args.setting, args.algorithm, args.variation)
    agreement = reproduce(read_reference(args.reference), key, args.data, args.cores)
    print(agreement)
    return 0 if agreement.agrees else 1
