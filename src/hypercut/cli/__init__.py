"""The command line: ``hypercut <command> …``, one module of this package per command.

A command module has ``add_parser(subparsers)``, which declares its arguments and sets ``run`` to the function that
carries it out. Modules import what is heavy inside that function, so that ``--help`` answers at once and a workflow
job pays only for what it uses.
"""

import argparse
import sys
from collections.abc import Sequence

from hypercut.cli import cluster, data, report, server, ui
from hypercut.errors import InputError

COMMANDS = (cluster, data, report, ui, server)


def build_parser() -> argparse.ArgumentParser:
    """Assemble the parser of all commands."""
    parser = argparse.ArgumentParser(prog="hypercut", description="Robust spectral clustering with hypergraphs.")
    subparsers = parser.add_subparsers(metavar="<command>", required=True)
    for command in COMMANDS:
        command.add_parser(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return the exit status (2: bad input, with the reason on stderr)."""
    args = build_parser().parse_args(argv)
    try:
        status: int = args.run(args)
    except InputError as error:
        print(f"hypercut: {error}", file=sys.stderr)
        return 2
    return status
