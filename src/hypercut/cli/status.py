"""``hypercut status``: which results are missing, stale, failed or computed with other versions."""

import argparse
from pathlib import Path

from hypercut.progress import Phases

HELP = "show which results are missing, stale or failed"
DESCRIPTION = """\
Show which result files are missing or stale (code, data or configuration have changed, so the next run computes them
again), which clusterings failed, and which results were computed with other versions of Python or libraries (see
hypercut discard).
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("results", type=Path, nargs="?", default="results", help="results folder (default: results)")


def run(args: argparse.Namespace) -> int:
    """Inspect every result file and print the state."""
    # Here, since `hypercut --help` need not wait for pandas.
    from hypercut.benchmark.design import load_benchmark
    from hypercut.results.state import inspect_state

    with Phases() as say:
        say(f"Reading the result files of {args.results}")
        state = inspect_state(args.results, load_benchmark(args.results))
    print(state)
    return 0
