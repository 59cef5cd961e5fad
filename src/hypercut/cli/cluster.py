"""``hypercut cluster``: cluster a user's own file."""

import argparse
from typing import Any


def add_parser(subparsers: Any) -> None:
    """Declare ``hypercut cluster`` and its arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser("cluster", help="cluster the rows of a file")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Cluster a file and write its labels."""
    return 0
