"""Progress of long work: a bar in a terminal, occasional lines in a log file."""

import logging
import math
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Self, TypeVar

from tqdm import tqdm

T = TypeVar("T")

LINE_EVERY_SECONDS = 10.0
"""interval between lines in a log file; shorter work writes none"""

PATIENCE_SECONDS = 2.0
"""shorter work of a command prints nothing"""

_log = logging.getLogger(__name__)


def in_terminal() -> bool:
    """Return whether standard error is a terminal."""
    return sys.stderr.isatty()


def show(items: Iterable[T], *, total: int, label: str) -> Iterator[T]:
    """Yield the items and report how many are done."""
    if in_terminal():
        yield from tqdm(items, total=total, desc=label, leave=False, delay=PATIENCE_SECONDS)
        return
    reported = time.monotonic()
    for done, item in enumerate(items, start=1):
        yield item
        if time.monotonic() - reported >= LINE_EVERY_SECONDS:
            reported = time.monotonic()
            _log.info("%s: %d of %d", label, done, total)


class Phases:
    """Prints to standard error what a command is doing, once it has taken :data:`PATIENCE_SECONDS`.

    >>> with Phases() as say:
    ...     say("reading 3 files")
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._patience = math.inf if quiet else PATIENCE_SECONDS
        self._begun = time.monotonic()
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def __call__(self, phase: str) -> None:
        """Begin a phase."""
        self.__exit__()
        left = self._begun + self._patience - time.monotonic()
        line = f"{phase} …"
        if left <= 0:
            print(line, file=sys.stderr, flush=True)
        elif left < math.inf:
            self._timer = threading.Timer(left, print, [line], {"file": sys.stderr, "flush": True})
            self._timer.daemon = True
            self._timer.start()
