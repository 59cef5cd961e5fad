# PYTHON_ARGCOMPLETE_OK: argcomplete looks for this marker (hypercut.cli._parser)
"""The command line: ``hypercut <command> …``, one module of this package per command.

A command module has ``HELP`` and ``DESCRIPTION``, a function ``add_arguments(parser)`` and a function ``run(args)``,
which returns the exit status. Heavy modules are imported inside ``run``, so that ``--help`` answers at once. Commands
may import every package except ``steps``; nothing imports them.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from functools import partial

from hypercut import __version__
from hypercut.cli import archive, cluster, compare, data, discard, report, reproduce, status, ui
from hypercut.cli._parser import Parser, answer_shell
from hypercut.errors import InputError, not_installed

COMMANDS = (cluster, data, report, status, discard, archive, compare, reproduce, ui)

# The exit statuses that a shell reports after SIGINT and SIGPIPE.
INTERRUPTED, PIPE_CLOSED = 130, 141


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = Parser(prog="hypercut", description="Robust spectral clustering with hypergraphs.")
    parser.add_argument("--version", action="version", version=f"hypercut {__version__}")
    subparsers = parser.add_subparsers(metavar="<command>")
    parser.set_defaults(run=partial(_print_help, parser))
    for command in COMMANDS:
        added = subparsers.add_parser(
            command.__name__.rpartition(".")[2],
            help=command.HELP,
            description=command.DESCRIPTION,
            epilog=getattr(command, "EXAMPLES", None),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        added.set_defaults(run=command.run)
        command.add_arguments(added)
    return parser


def _print_help(parser: argparse.ArgumentParser, _: argparse.Namespace) -> int:
    """Run ``hypercut`` without a command."""
    parser.print_help()
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return the exit status (2: bad input, with the reason on stderr)."""
    if None in (sys.stdin, sys.stdout, sys.stderr):  # the next file that is opened would get its number
        print("hypercut: a standard stream is closed. Redirect it to /dev/null instead.", file=sys.stderr)
        return 2
    try:
        try:
            parser = build_parser()
            answer_shell(parser)
            args = parser.parse_args(argv)
            status: int = args.run(args)
        finally:
            # Python flushes again at exit, where a closed pipe could no longer be caught.
            sys.stdout.flush()
        return status
    except InputError as error:
        print(f"hypercut: {error}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "hypercut":
            raise
        print(f"hypercut: {not_installed(error.name)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("hypercut: interrupted", file=sys.stderr)
        return INTERRUPTED
    except OSError as error:
        # The flush at exit would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return PIPE_CLOSED
        print(f"hypercut: {error}", file=sys.stderr)
        return 2
