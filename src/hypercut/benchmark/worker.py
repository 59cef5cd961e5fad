"""A process that does one task after another and may be killed in the middle of any of them.

An algorithm may never return, or take the process down with it, or leave processes of its own behind. So it runs in a
process of its own that leads a process group, and what happened to it is an answer like any other.
"""

import contextlib
import faulthandler
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

#: A task in, an answer out. Both must be picklable.
Handler = Callable[[Any], Any]

# What the processes of a worker print goes to standard error, which is a log, up to here.
LOG_BYTES = 1_000_000
# The end of it is kept: there a crash tells where it happened.
END_BYTES = 20_000
# How long to wait for the end of a process that has hung up, and for the rest of the output of one that has ended. A
# process that left its group may hold that open.
LAST_SECONDS = 5.0

CRASH = "Fatal Python error"
"""how faulthandler begins"""


@dataclass(frozen=True)
class Died:
    """The process ended during the task."""

    exitcode: int | None
    out_of_memory: bool = False
    """whether the kernel killed it for its memory"""
    stack: str = ""
    """the calls in which compiled code crashed, the innermost first"""

    def __str__(self) -> str:
        if self.out_of_memory:
            return "the kernel ended the process: out of memory"
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
class Skipped:
    """Skipped after ``in_a_row`` consecutive timeouts."""

    in_a_row: int

    def __str__(self) -> str:
        return f"not tried: {self.in_a_row} in a row timed out before it"


class Worker:
    """Answers tasks with ``make(*arguments)``, which is made anew in a new process when the last one is gone.

    ``make`` must be importable, and its arguments picklable: the process is spawned, and imports what it needs itself.
    """

    def __init__(self, make: Callable[..., Handler], *arguments: Any) -> None:
        self._made_of = (make, arguments)
        self._process: _Process | None = None
        self._log = _Log()

    def ask(self, task: Any, limit: float | None = None) -> Any:
        """Return the handler's answer, or :class:`TimedOut` after ``limit`` seconds, or :class:`Died`.

        The start of the process, with the imports of ``make``, is not counted.
        """
        if self._process is None:
            self._process = _Process(self._made_of, self._log)
            answer = self._process.receive()
            if isinstance(answer, Died):
                self.close()
                return answer
        self._process.send(task)
        answer = self._process.receive(limit)
        if isinstance(answer, Died | TimedOut):
            self.close()
        return answer

    def ask_all(self, tasks: Iterable[Any], limits: Limits) -> Iterator[Any]:
        """Give the answer to each task, :class:`Skipped` for those after the last that the limits allow."""
        in_a_row = 0
        for task in tasks:
            if in_a_row >= limits.in_a_row:
                yield Skipped(in_a_row)
                continue
            answer = self.ask(task, limits.seconds)
            in_a_row = in_a_row + 1 if isinstance(answer, TimedOut) else 0
            yield answer

    def close(self) -> None:
        """End the process and its group, whatever they are doing. Only what has left the group goes on."""
        if self._process is not None:
            self._process.end()
        self._process = None

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class _Process:
    """One process of a worker, with all that it starts."""

    def __init__(self, made_of: tuple[Callable[..., Handler], tuple[Any, ...]], log: "_Log") -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        printed, output = context.Pipe(duplex=False)
        # Not a daemon in multiprocessing's sense: those may have no children, and a method may want some.
        self._process = context.Process(target=_serve, args=(theirs, output, *made_of))
        self._process.start()
        theirs.close()
        output.close()
        assert self._process.pid is not None
        self._pid = self._process.pid
        self._ended = _end_of(self._process)
        self._guard = _guard(self._pid)
        self._end_of_output = b""
        self._output = threading.Thread(target=self._copy_output, args=(printed, log), daemon=True)
        self._output.start()
        self._kills = _kills_for_memory()
        self._killed = False

    def send(self, task: Any) -> None:
        """Pass on a task. A process that is gone is found out when its answer is waited for."""
        self._kills = _kills_for_memory()
        with contextlib.suppress(ConnectionError):
            self._connection.send(task)

    def receive(self, limit: float | None = None) -> Any:
        """Return what the process sends, :class:`TimedOut` after ``limit`` seconds, or :class:`Died`."""
        begun = time.monotonic()
        ready = wait([self._connection, self._ended], limit)
        if not ready:
            return TimedOut(round(time.monotonic() - begun, 1))
        if self._ended in ready:
            self._kill()  # what it started may hold the connection open, and its end would never come
        try:
            if self._connection.poll():
                return self._connection.recv()
        except (EOFError, ConnectionError):
            pass
        return self._died()

    def end(self) -> None:
        """End the process and all of its group, and free what belongs to it."""
        self._kill()
        self._guard.kill()
        self._guard.communicate()
        self._process.join()
        self._output.join(LAST_SECONDS)
        self._connection.close()
        if self._ended != self._process.sentinel:
            os.close(self._ended)

    def _kill(self) -> None:
        if self._killed:  # and waited for, perhaps: its number may be that of another process by now
            return
        self._killed = True
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGKILL)
        self._process.kill()  # it may not have made its group yet

    def _copy_output(self, printed: Connection, log: "_Log") -> None:
        with printed:
            while chunk := os.read(printed.fileno(), 65536):
                self._end_of_output = (self._end_of_output + chunk)[-END_BYTES:]
                log.write(chunk)

    def _died(self) -> Died:
        wait([self._ended], LAST_SECONDS)
        self._kill()  # it may have closed its connection and live on
        self._process.join()
        self._output.join(LAST_SECONDS)
        exitcode = self._process.exitcode
        for_memory = exitcode == -signal.SIGKILL and _kills_for_memory() > self._kills
        _, crash, stack = self._end_of_output.decode(errors="replace").rpartition(CRASH)
        return Died(exitcode, for_memory, crash + stack if crash else "")


class _Log:
    """Passes on what processes print to standard error, but only so much: the rest would fill the disk."""

    def __init__(self) -> None:
        self._left = LOG_BYTES

    def write(self, chunk: bytes) -> None:
        """Write what there is room for."""
        if not self._left:
            return
        kept = chunk[: self._left]
        self._left -= len(kept)
        if not self._left:
            kept += f"\n… {LOG_BYTES} bytes have been printed: the rest is left out …\n".encode()
        with contextlib.suppress(OSError):  # a full disk is no reason to fail
            os.write(2, kept)


def _serve(
    connection: Connection, output: Connection, make: Callable[..., Handler], arguments: tuple[Any, ...]
) -> None:
    os.setsid()  # all that is started here can be ended together
    for descriptor in (1, 2):
        os.dup2(output.fileno(), descriptor)
    output.close()
    faulthandler.enable()
    handler = make(*arguments)
    connection.send(None)
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        answer = handler(task)
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):  # whatever the method has put there
                stream.flush()
        connection.send(answer)


def _end_of(process: multiprocessing.process.BaseProcess) -> int:
    """Return a file descriptor that becomes ready when the process ends."""
    assert process.pid is not None
    try:
        return os.pidfd_open(process.pid)
    except (AttributeError, OSError):  # not on this system
        # What the process started may hold this one open.
        return process.sentinel


def _guard(group: int) -> "subprocess.Popen[bytes]":
    """Start a process that ends a process group when this process is gone, however it went."""
    return subprocess.Popen(
        ["sh", "-c", 'read _; kill -s KILL -- "-$0"', str(group)],  # nobody writes to it: it ends when its writer does
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _kills_for_memory() -> int:
    """Return how many processes the kernel has killed for memory since it was started; 0 where it does not tell."""
    try:
        lines = Path("/proc/vmstat").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("oom_kill "))
