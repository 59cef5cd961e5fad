"""Progress of long work: a bar in a terminal, occasional lines in a log file."""

import logging
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from types import TracebackType
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
        self._quiet = quiet
        self._lock = threading.Lock()
        self._late = False
        self._phase = ""
        self._timer = threading.Timer(PATIENCE_SECONDS, self._begin)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        if not self._quiet:
            self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._timer.cancel()

    def __call__(self, phase: str) -> None:
        """Begin a phase."""
        with self._lock:
            self._phase = phase
            if self._late:
                self._print()

    def _begin(self) -> None:
        with self._lock:
            self._late = True
            if self._phase:
                self._print()

    def _print(self) -> None:
        print(f"{self._phase} …", file=sys.stderr, flush=True)
