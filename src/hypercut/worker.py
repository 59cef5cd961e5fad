"""A process that does one task after another and may be killed in the middle of any of them.

An algorithm may never return, or take the process down with it. So it runs in a process of its own, and what happened
to it is an answer like any other.
"""

import ctypes
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Protocol

PR_SET_PDEATHSIG = 1  # linux/prctl.h


class Handler(Protocol):
    """What the process does with a task: prepare, say that it starts, work, and return something picklable."""

    def __call__(self, task: Any, started: Callable[[], None]) -> Any:
        """Do it."""


@dataclass(frozen=True)
class Died:
    """The process ended during the task."""

    exitcode: int | None

    def __str__(self) -> str:
        if self.exitcode is not None and self.exitcode < 0:
            name = signal.Signals(-self.exitcode).name
            hint = " (out of memory?)" if -self.exitcode == signal.SIGKILL else ""
            return f"the process was ended by {name}{hint}"
        return f"the process ended with exit status {self.exitcode}"


@dataclass(frozen=True)
class TimedOut:
    """The task was given up after so many seconds, and its process killed."""

    seconds: float

    def __str__(self) -> str:
        return f"not done after {self.seconds:g} s"


@dataclass(frozen=True)
class Limits:
    """When to give up. A task after ``seconds``; all that are left after ``in_a_row`` timeouts one after another.

    Without the second, tasks that never end would take as many times the first as there are tasks.
    """

    seconds: float | None = None
    in_a_row: int = 3


@dataclass(frozen=True)
class NotTried:
    """So many tasks before it timed out, one after another."""

    in_a_row: int

    def __str__(self) -> str:
        return f"not tried: {self.in_a_row} in a row timed out before it"


class Worker:
    """Answers tasks with ``make(*arguments)``, which is made anew in a new process when the last one is gone.

    ``make`` must be importable, and its arguments picklable: the process is spawned, and imports what it needs itself.
    """

    def __init__(self, make: Callable[..., Handler], *arguments: Any) -> None:
        self._made_of = (make, arguments)
        self._process: multiprocessing.process.BaseProcess | None = None
        self._connection: Connection | None = None

    def ask(self, task: Any, limit: float | None = None) -> Any:
        """Return the handler's answer, or :class:`TimedOut` after ``limit`` seconds of work, or :class:`Died`."""
        connection = self._connected()
        try:
            connection.send(task)
            connection.recv()  # it has prepared, and starts
            started = time.monotonic()
            if not connection.poll(limit):
                self.close()
                return TimedOut(round(time.monotonic() - started, 1))
            return connection.recv()
        except (EOFError, ConnectionError):
            assert self._process is not None
            self._process.join()
            exitcode = self._process.exitcode
            self.close()
            return Died(exitcode)

    def ask_all(self, tasks: Iterable[Any], limits: Limits) -> Iterator[Any]:
        """Give the answer to each task, :class:`NotTried` for those after the last that the limits allow."""
        in_a_row = 0
        for task in tasks:
            if in_a_row >= limits.in_a_row:
                yield NotTried(in_a_row)
                continue
            answer = self.ask(task, limits.seconds)
            in_a_row = in_a_row + 1 if isinstance(answer, TimedOut) else 0
            yield answer

    def close(self) -> None:
        """End the process, whatever it is doing."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._connection is not None:
            self._connection.close()
        self._process = self._connection = None

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _connected(self) -> Connection:
        if self._connection is None:
            context = multiprocessing.get_context("spawn")
            self._connection, theirs = context.Pipe()
            self._process = context.Process(target=_serve, args=(theirs, *self._made_of), daemon=True)
            self._process.start()
            theirs.close()
        return self._connection


def _serve(connection: Connection, make: Callable[..., Handler], arguments: tuple[Any, ...]) -> None:
    _die_with_parent()
    handler = make(*arguments)
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        connection.send(handler(task, lambda: connection.send(None)))


def _die_with_parent() -> None:
    """Let the kernel end this process with its parent: one that is in an endless loop would outlive it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        parent = multiprocessing.parent_process()
        if parent is not None and os.getppid() != parent.pid:  # it was gone before it could be watched
            os._exit(1)
