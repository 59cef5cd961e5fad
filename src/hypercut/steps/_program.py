"""What the programs of the steps have in common."""

import argparse
import json
import logging
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from hypercut.errors import InputError


def run_program(run: Callable[[argparse.Namespace], None], parser: argparse.ArgumentParser) -> NoReturn:
    """Parse the command line and run; bad input ends with status 2 and one message, not with a traceback."""
    logging.basicConfig(format="%(message)s", level=logging.INFO)
    try:
        run(parser.parse_args())
    except InputError as error:
        sys.exit(_complain(str(error)))
    sys.exit(0)


def json_argument(text: str) -> Any:
    """Return an argument given as JSON."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"expected JSON, found {text!r} ({error})") from None


def _complain(message: str) -> int:
    print(f"hypercut: {message}", file=sys.stderr)
    return 2
