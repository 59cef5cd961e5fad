"""What the programs of the steps have in common."""

import argparse
import json
import logging
import os
import select
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from hypercut.errors import InputError

#: The environment variable that lists the processes without which nobody waits for a step (workflow/scripts/job.sh).
STARTED_BY = "HYPERCUT_STARTED_BY"


def run_program(run: Callable[[argparse.Namespace], None], parser: argparse.ArgumentParser) -> NoReturn:
    """Parse the command line and run; bad input ends with status 2 and one message, not with a traceback."""
    logging.basicConfig(format="%(message)s", level=logging.INFO)
    end_with(map(int, os.environ.get(STARTED_BY, "").split()))
    try:
        run(parser.parse_args())
    except InputError as error:
        sys.exit(_complain(str(error)))
    sys.exit(0)


def end_with(processes: Iterable[int]) -> None:
    """Let this process end as soon as one of the others has, where the system can tell."""
    try:
        ends = [os.pidfd_open(process) for process in processes]
    except ProcessLookupError:  # one is gone already
        sys.exit(1)
    except (AttributeError, OSError):  # not on this system
        return
    if ends:
        threading.Thread(target=_exit_after, args=(ends,), daemon=True).start()


def _exit_after(ends: list[int]) -> None:
    select.select(ends, [], [])
    os._exit(1)  # at once, whatever the other threads do


def json_argument(text: str) -> Any:
    """Return an argument given as JSON."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"expected JSON, found {text!r} ({error})") from None


def _complain(message: str) -> int:
    print(f"hypercut: {message}", file=sys.stderr)
    return 2
