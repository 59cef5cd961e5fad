"""``hypercut restore``: put the rows of a reference back in place as results."""

import argparse
from pathlib import Path

HELP = "put the results of a reference back in place, so that a benchmark computes only the rest"
DESCRIPTION = """\
Put the rows of a reference back in place as finished results, without labels. The next run of the benchmark computes
only what is missing: the rest of an interrupted benchmark, or a method or level that you added.

A result is restored only if the present code would compute the same one, from the same data if they are already here.
The next run computes restored results again if the configuration differs, and stops if the data differ. Results that
were computed here are kept.

  hypercut restore reference results
  snakemake --cores 8
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("reference", type=Path, help="folder of the reference")
    parser.add_argument("results", type=Path, help="results folder of the benchmark")


def run(args: argparse.Namespace) -> int:
    """Restore, and say what was not restored."""
    # Here, since `hypercut --help` need not wait for pandas.
    from hypercut.benchmark.restore import restore

    print(restore(args.reference, args.results))
    return 0
