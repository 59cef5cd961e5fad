"""Progress of long work: a bar or the time in a terminal, occasional lines in a log file."""

import logging
import shutil
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from tqdm import tqdm

T = TypeVar("T")

LINE_EVERY_SECONDS = 10.0
"""interval between lines in a log file; shorter work writes none"""

PATIENCE_SECONDS = 2.0
"""work that takes longer says what it is"""

_log = logging.getLogger(__name__)


def in_terminal() -> bool:
    """Return whether standard error is a terminal."""
    return sys.stderr.isatty()


def show(items: Iterable[T], *, total: int, label: str) -> Iterator[T]:
    """Yield the items and report how many are done."""
    if in_terminal():
        yield from tqdm(items, total=total, desc=label, leave=False)
        return
    reported = time.monotonic()
    for done, item in enumerate(items, start=1):
        yield item
        if time.monotonic() - reported >= LINE_EVERY_SECONDS:
            reported = time.monotonic()
            _log.info("%s: %d of %d", label, done, total)


@contextmanager
def working(on: str) -> Iterator[None]:
    """Write to standard error what is being done if it takes long: with the time in a terminal, else a line."""
    done = threading.Event()
    reporter = threading.Thread(target=_report_until, args=(done, on), daemon=True)
    reporter.start()
    try:
        yield
    finally:
        done.set()
        reporter.join()


def _report_until(done: threading.Event, on: str) -> None:
    started = time.monotonic()
    if done.wait(PATIENCE_SECONDS):
        return
    if not in_terminal():
        print(f"{on} …", file=sys.stderr, flush=True)
        return
    while True:
        line = f"{on} … {time.monotonic() - started:.0f} s"
        # A longer line would wrap, and the next one not replace it.
        sys.stderr.write(f"\r{line[: shutil.get_terminal_size().columns - 1]}\x1b[K")
        sys.stderr.flush()
        if done.wait(1.0):
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            return
