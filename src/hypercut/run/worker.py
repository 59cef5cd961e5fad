"""A worker process that answers one task after another and may die or be killed during any of them.

An algorithm may hang, crash, or leave child processes behind. So it runs in a separate process with its own process
group. A timeout or a death is an answer like any other: a :class:`hypercut.run.failures.Failure`.
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
from typing import Any, Literal

from hypercut.run.failures import TRACEBACK_LINES, Failure, FailureError, Status, shortened

#: A task in, an answer out. Both must be picklable.
Handler = Callable[[Any], Any]

# The output of a worker's processes is copied to standard error (a log file), up to this size.
LOG_BYTES = 1_000_000
# The end of the output is kept in memory: after a crash it holds the stack.
END_BYTES = 20_000
# How long to wait for a process to end after it has closed its connection, and for the rest of the output after it has
# ended: another process that left the group may hold the output open.
LAST_SECONDS = 5.0

#: How the process of a worker is started. A step that the server forked with all imports done (hypercut.steps._server)
#: sets "fork". Otherwise the process of the job has imported little and may have threads, so forking is no option.
start_method: Literal["spawn", "fork"] = "spawn"

# The first words of faulthandler.
CRASH = "Fatal Python error"


@dataclass(frozen=True)
class Limits:
    """Kill a task after ``seconds``; skip all remaining tasks after ``in_a_row`` consecutive timeouts.

    Without the second limit, a job whose tasks all hang would take ``seconds`` times the number of tasks.
    """

    seconds: float | None = None
    in_a_row: int = 3


class Worker:
    """Answers tasks with the handler ``make(*arguments)``, in a process that is started again after it has died.

    The process may be spawned, so ``make`` must be importable and its arguments picklable.
    """

    def __init__(self, make: Callable[..., Handler], *arguments: Any) -> None:
        self._handler = (make, arguments)
        self._process: _Process | None = None
        self._log_bytes_left = LOG_BYTES

    def ask(self, task: Any, limit: float | None = None) -> Any:
        """Return the handler's answer, or a :class:`Failure` if the process dies or is not done in ``limit`` seconds.

        The limit does not cover the start of the process and the imports of ``make``.
        """
        try:
            if self._process is None:
                self._process = _Process(self._handler, self._copy_to_log)
                self._process.receive()
            self._process.send(task)
            return self._process.receive(limit)
        except FailureError as error:
            self.close()
            return error.failure

    def ask_all(self, tasks: Iterable[Any], limits: Limits) -> Iterator[Any]:
        """Yield the answer to each task; ``Status.SKIPPED`` after too many consecutive timeouts."""
        in_a_row = 0
        for task in tasks:
            if in_a_row >= limits.in_a_row:
                yield Failure(Status.SKIPPED, f"skipped after {in_a_row} consecutive timeouts")
                continue
            answer = self.ask(task, limits.seconds)
            timed_out = isinstance(answer, Failure) and answer.status == Status.TIMEOUT
            in_a_row = in_a_row + 1 if timed_out else 0
            yield answer

    def close(self) -> None:
        """Kill the process and its group. A process that left the group survives."""
        if self._process is not None:
            self._process.end()
        self._process = None

    def _copy_to_log(self, chunk: bytes) -> None:
        """Copy output to standard error, up to LOG_BYTES: endless output would fill the disk."""
        if not self._log_bytes_left:
            return
        kept = chunk[: self._log_bytes_left]
        self._log_bytes_left -= len(kept)
        if not self._log_bytes_left:
            kept += f"\n… output truncated after {LOG_BYTES} bytes …\n".encode()
        with contextlib.suppress(OSError):  # a full disk must not fail the clustering
            os.write(2, kept)

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class _Process:
    """One process of a worker, and its group."""

    def __init__(self, handler: tuple[Callable[..., Handler], tuple[Any, ...]], log: Callable[[bytes], None]) -> None:
        context: Any = multiprocessing.get_context(start_method)
        self._connection, theirs = context.Pipe()
        printed, output = context.Pipe(duplex=False)
        inherited = (self._connection, printed) if start_method == "fork" else ()
        # Not a daemon: multiprocessing forbids daemons to start processes, and a method may want to.
        self._process = context.Process(target=_serve, args=(theirs, output, inherited, *handler))
        self._process.start()
        theirs.close()
        output.close()
        assert self._process.pid is not None
        self._pid = self._process.pid
        try:
            self._ended = os.pidfd_open(self._pid)  # ready when the process ends
        except (AttributeError, OSError):  # not on this system
            self._ended = self._process.sentinel  # not ready as long as a child of the process holds it open
        self._guard = _guard(self._pid)
        self._end_of_output = b""
        self._output = threading.Thread(target=self._copy_output, args=(printed, log), daemon=True)
        self._output.start()
        self._kills = _kills_for_memory()
        self._killed = False

    def send(self, task: Any) -> None:
        """Send a task. :meth:`receive` notices if the process is gone."""
        self._kills = _kills_for_memory()
        with contextlib.suppress(ConnectionError):
            self._connection.send(task)

    def receive(self, limit: float | None = None) -> Any:
        """Return the answer of the process; raise FailureError if it dies or is not done in ``limit`` seconds."""
        begun = time.monotonic()
        ready = wait([self._connection, self._ended], limit)
        if not ready:
            seconds = round(time.monotonic() - begun, 1)
            raise FailureError(Failure(Status.TIMEOUT, f"no result after {seconds:g} s", seconds=seconds))
        if self._ended in ready:
            self._kill()  # a child may hold the connection open, and reading would block
        try:
            if self._connection.poll():
                return self._connection.recv()
        except (EOFError, ConnectionError):
            pass
        raise FailureError(self._death())

    def end(self) -> None:
        """Kill the process and its group, and release their resources."""
        self._kill()
        self._guard.kill()
        self._guard.communicate()
        self._process.join()
        self._output.join(LAST_SECONDS)
        self._connection.close()
        if self._ended != self._process.sentinel:
            os.close(self._ended)

    def _kill(self) -> None:
        if self._killed:  # perhaps also reaped: another process may have its number by now
            return
        self._killed = True
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGKILL)
        self._process.kill()  # it may not have created its group yet

    def _copy_output(self, printed: Connection, log: Callable[[bytes], None]) -> None:
        with printed:
            while chunk := os.read(printed.fileno(), 65536):
                self._end_of_output = (self._end_of_output + chunk)[-END_BYTES:]
                log(chunk)

    def _death(self) -> Failure:
        wait([self._ended], LAST_SECONDS)
        self._kill()  # it may have closed its connection without ending
        self._process.join()
        self._output.join(LAST_SECONDS)
        exitcode = self._process.exitcode or 0
        status, message = Status.CRASHED, f"the process ended with exit status {exitcode}"
        if exitcode == -signal.SIGKILL and _kills_for_memory() > self._kills:
            status, message = Status.MEMORY, "the kernel killed the process: out of memory"
        elif exitcode < 0:
            hint = " (out of memory?)" if exitcode == -signal.SIGKILL else ""
            message = f"the process was killed by {signal.Signals(-exitcode).name}{hint}"
        _, crash, calls = self._end_of_output.decode(errors="replace").rpartition(CRASH)
        # The innermost call comes first, unlike in the traceback of an error.
        stack = shortened((crash + calls).splitlines()[:TRACEBACK_LINES]) if crash else None
        return Failure(status, message, stack)


def _serve(
    connection: Connection,
    output: Connection,
    inherited: tuple[Connection, ...],
    make: Callable[..., Handler],
    arguments: tuple[Any, ...],
) -> None:
    os.setsid()  # a group of its own, which can be killed as a whole
    for other in inherited:
        other.close()
    multiprocessing.set_start_method("spawn", force=True)  # for a method that starts processes: as in a spawned process
    for descriptor in (1, 2):
        os.dup2(output.fileno(), descriptor)
    output.close()
    faulthandler.enable(2)
    handler = make(*arguments)
    connection.send(None)
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        answer = handler(task)
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):  # a method may have replaced the streams
                stream.flush()
        connection.send(answer)


def _guard(group: int) -> "subprocess.Popen[bytes]":
    """Start a process that kills a process group when this process ends, even if it is killed."""
    return subprocess.Popen(
        ["sh", "-c", 'read _; kill -s KILL -- "-$0"', str(group)],  # nobody writes: read returns when this process ends
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _kills_for_memory() -> int:
    """Return the kernel's count of processes killed because memory ran out; 0 if it has none."""
    try:
        lines = Path("/proc/vmstat").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("oom_kill "))
