"""Progress of long work: a bar in a terminal, occasional lines in a log file."""

import logging
import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from tqdm import tqdm

T = TypeVar("T")

LINE_EVERY_SECONDS = 10.0
"""interval between lines in a log file; shorter work writes none"""

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
