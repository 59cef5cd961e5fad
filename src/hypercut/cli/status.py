"""``hypercut status``: what of a benchmark is there, stale, failed, or from other versions of libraries."""

import argparse
from pathlib import Path
from typing import Any

DESCRIPTION = """\
Tell the state of a benchmark's results: which files are missing or stale, which clusterings failed, and which results
were computed with other versions of Python and the libraries than are installed now.

A result is stale when code, data or configuration have changed since: running the benchmark computes it again. Another
version of a library makes nothing stale. To compute such results again, or failed ones: hypercut discard.
"""


def add_parser(subparsers: Any) -> None:
    """Declare ``hypercut status`` and its arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "status",
        help="tell which results are missing, stale or failed",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "results", type=Path, nargs="?", default=Path("results"), help="folder of the results (default: results)"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Inspect every result file, and print what was found."""
    from hypercut.benchmark.design import load_benchmark
    from hypercut.benchmark.state import inspect_state

    print(inspect_state(args.results, load_benchmark(args.results)))
    return 0
