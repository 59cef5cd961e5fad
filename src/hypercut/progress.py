"""Progress of long work: a bar in a terminal, a line now and then in a log file."""

import logging
import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from tqdm import tqdm

T = TypeVar("T")

LINE_EVERY_SECONDS = 10.0
"""how often a log file gets a line; work that is done sooner writes none"""

_log = logging.getLogger(__name__)


def in_terminal() -> bool:
    """Whether progress is seen by a person."""
    return sys.stderr.isatty()


def show(items: Iterable[T], *, total: int, label: str) -> Iterator[T]:
    """Pass the items on, and show how many have passed."""
    if in_terminal():
        yield from tqdm(items, total=total, desc=label, leave=False)
        return
    reported = time.monotonic()
    for done, item in enumerate(items, start=1):
        yield item
        if time.monotonic() - reported >= LINE_EVERY_SECONDS:
            reported = time.monotonic()
            _log.info("%s: %d of %d", label, done, total)
