"""``hypercut status``: which results are missing, stale, failed or computed with other versions."""

import argparse
from pathlib import Path

from hypercut.progress import Phases

HELP = "show which results are missing, stale or failed"
DESCRIPTION = """\
Show the state of a benchmark's results: which files are missing or stale, which clusterings failed, and which results
were computed with other versions of Python or libraries than those installed.

A result is stale if code, data or configuration have changed since it was computed. The next run of the benchmark
computes it again. Another version of a library makes no result stale. To compute such results or failed ones again, see
hypercut discard.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("results", type=Path, nargs="?", default="results", help="results folder (default: results)")


def run(args: argparse.Namespace) -> int:
    """Inspect every result file and print the state."""
    # Here, since `hypercut --help` need not wait for pandas.
    from hypercut.benchmark.design import load_benchmark
    from hypercut.benchmark.state import inspect_state

    with Phases() as say:
        say(f"Reading the result files of {args.results}")
        state = inspect_state(args.results, load_benchmark(args.results))
    print(state)
    return 0
