"""Running a step as a program: arguments, errors, and exit when the workflow has ended."""

import argparse
import json
import logging
import os
import select
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NoReturn

from hypercut.errors import InputError

#: Environment variable with the processes that wait for this step (set by workflow/scripts/job.sh).
STARTED_BY = "HYPERCUT_STARTED_BY"


def run_program(run: Callable[[argparse.Namespace], None], parser: argparse.ArgumentParser) -> NoReturn:
    """Parse the command line and run. An :class:`InputError` exits with status 2 and its message, without traceback."""
    logging.basicConfig(format="%(message)s", level=logging.INFO)
    end_with(map(int, os.environ.get(STARTED_BY, "").split()))
    try:
        run(parser.parse_args())
    except InputError as error:
        print(f"hypercut: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit("Interrupted.")
    sys.exit(0)


def step_parser(description: str | None, *inputs: str) -> argparse.ArgumentParser:
    """Return a parser of a step with the arguments for its recipe, its input files by name, and the file to write."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("recipe", type=json_argument, help="everything that decides the result, as JSON")
    for name in inputs:
        parser.add_argument(f"--{name}", type=Path, help="a file of an earlier step")
    parser.add_argument("--out", type=Path, help="the file to write")
    return parser


def with_limits(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Return the parser with an argument for the limits of the configuration, for a step that clusters."""
    parser.add_argument("--limits", type=json_argument, required=True, help="time_limit and give_up_after, as JSON")
    return parser


def check_code(recipe: dict[str, Any], step: str, code: str) -> None:
    """Raise an error if the code on disk is not the code of the recipe, which the workflow wrote when it started."""
    if recipe[step]["code"] != code:
        raise InputError(f"The code of the step {step} was edited after the workflow started. Run it again.")


def end_with(processes: Iterable[int]) -> None:
    """Exit as soon as one of the given processes has ended, on systems that report this (Linux)."""
    try:
        ends = [os.pidfd_open(process) for process in processes]
    except ProcessLookupError:  # one has ended already
        sys.exit(1)
    except (AttributeError, OSError):  # not on this system
        return
    if ends:
        threading.Thread(target=_exit_after, args=(ends,), daemon=True).start()


def _exit_after(ends: list[int]) -> None:
    select.select(ends, [], [])
    os._exit(1)  # without waiting for other threads


def json_argument(text: str) -> Any:
    """Parse a JSON argument."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"expected JSON, found {text!r} ({error})") from None
