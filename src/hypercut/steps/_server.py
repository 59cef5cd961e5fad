"""A server that has imported the libraries of the steps and forks a process for each step, which then starts at once.

``python -m hypercut.steps._server FOLDER PROCESS`` listens on a socket in FOLDER until PROCESS, a Snakemake, has ended.
The Snakefile starts it for runs on one machine; the client is workflow/scripts/step.py. A step in a forked process does
what the same step does as a program: the server refuses what would differ, and the client then runs the program.

The server runs no numerical code, so that no library has threads when it forks.
"""

import argparse
import gc
import importlib
import os
import random
import runpy
import select
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hypercut.algorithms import _registry
from hypercut.benchmark import code, worker
from hypercut.steps._program import STARTED_BY

SOCKET = "socket"
#: The steps that the server runs. Report and track import much more, and run once.
STEPS = ("aggregate", "cluster", "configuration", "corrupt", "featurize", "overcluster", "similarity")
#: Beginnings of environment variables that Python and libraries read when they are loaded.
READ_AT_START = (
    *("PYTHON", "LD_", "LANG", "LC_", "MALLOC_", "GLIBC_"),
    *("OMP_", "GOMP_", "KMP_", "OPENBLAS_", "GOTO_", "MKL_", "BLIS_", "VECLIB_", "NUMEXPR_"),
)
# For a client to send its request, and to confirm the start.
SECONDS = 5.0


@dataclass(frozen=True)
class Request:
    """The command of a step, with the folder, environment and output of the client."""

    command: list[str]
    folder: str
    environment: dict[bytes, bytes]
    streams: list[int]

    @classmethod
    def receive(cls, connection: socket.socket) -> "Request":
        """Read a request: its length and the file descriptors of the output; then words that end with a zero byte."""
        length, streams, _, _ = socket.recv_fds(connection, 8, 2)
        with connection.makefile("rb") as stream:
            count, folder, *words = stream.read(int(length, 16)).split(b"\0")
        command = [os.fsdecode(word) for word in words[: int(count)]]
        environment = dict(word.split(b"=", 1) for word in words[int(count) :])
        return cls(command, os.fsdecode(folder), environment, streams)

    def can_be_served(self) -> bool:
        """Return whether the command is a step that would find the same folder and settings as a program."""
        python, option, module = self.command[:3]
        return (
            (python, option) == ("python", "-m")
            and module in {f"{code.STEPS}.{step}" for step in STEPS}
            and self.folder == os.getcwd()
            and read_at_start(self.environment) == read_at_start(first_environment())
        )

    def run(self) -> None:
        """Run the step in this process, which ends with it, with the server, and with the client."""
        for number, stream in enumerate(self.streams, start=1):
            os.dup2(stream, number)
            os.close(stream)
        first = first_environment()
        by_imports = {name: value for name, value in os.environb.items() if first.get(name) != value}
        os.environb.clear()
        os.environb.update({**self.environment, **by_imports})
        os.environ[STARTED_BY] += f" {os.getppid()}"
        # State of libraries that differs from process to process, or follows the environment.
        random.seed()
        np.random.seed()  # noqa: NPY002 - methods may use the global generator
        tempfile.tempdir = None
        worker.start_method = "fork"
        sys.argv = self.command[2:]
        runpy.run_module(self.command[2], run_name="__main__", alter_sys=True)


def first_environment() -> dict[bytes, bytes]:
    """Return the environment that this process was started with. Imports add to it: scikit-learn does."""
    words = Path("/proc/self/environ").read_bytes().split(b"\0")
    return dict(word.split(b"=", 1) for word in words if word)


def read_at_start(environment: dict[bytes, bytes]) -> dict[bytes, bytes]:
    """Return the variables that Python and libraries read when they are loaded."""
    return {name: value for name, value in environment.items() if os.fsdecode(name).startswith(READ_AT_START)}


def source_state() -> dict[str, tuple[int, int, int]]:
    """Return what changes when a file of the package is edited, replaced, added or removed."""
    return {entry.path: _state(entry.stat()) for entry in _files(str(code.ROOT))}


def _state(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_ino, status.st_size, status.st_ctime_ns  # a copy may preserve the modification time


def _files(folder: str) -> Iterator["os.DirEntry[str]"]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _files(entry.path)
            else:
                yield entry


def preload() -> None:
    """Import all that the steps import, and parse it for the fingerprints, which then are of the imported code."""
    steps = [f"{code.STEPS}.{step}" for step in STEPS]
    methods = [facts.module for facts in (*_registry.algorithms().values(), *_registry.references().values())]
    datasets = [f"{code.DATASETS}.{name}" for name in code.datasets()]
    modules = [*steps, *methods, *datasets, code.OWN_DATA]
    code.fingerprint(modules)
    for module in code.closure(modules):
        if module not in steps:  # which are run as main modules
            importlib.import_module(module)
    importlib.import_module("pyarrow.parquet")  # imported by pandas when it writes the first file
    gc.collect()
    gc.freeze()  # forked processes do not copy memory only to find that these objects are still in use


def serve(path: Path, owner: int) -> Request:
    """Answer requests until the process ``owner`` ends. Return only in a forked process, with the request to run."""
    owner_end = os.pidfd_open(owner)
    loaded = source_state()
    preload()
    running: dict[int, tuple[int, socket.socket]] = {}  # by the descriptor that is ready when the process has ended
    # An interrupt in the terminal reaches the forked processes: like other jobs, they are in the group of Snakemake.
    interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen(128)
        while True:
            ready, _, _ = select.select([owner_end, listening.fileno(), *running], [], [])
            if owner_end in ready:
                shutil.rmtree(path.parent, ignore_errors=True)
                sys.exit(0)
            for end in running.keys() & set(ready):
                _report(end, *running.pop(end))
            if listening.fileno() not in ready:
                continue
            connection, _ = listening.accept()
            connection.settimeout(SECONDS)
            request = _accepted(connection, loaded)
            if request is None:
                connection.close()  # the client runs the program
                continue
            process = os.fork()
            if process == 0:
                for end, (_, other) in running.items():
                    os.close(end)
                    other.close()
                os.close(owner_end)
                signal.signal(signal.SIGINT, interrupt)
                _confirm(connection)
                return request
            for stream in request.streams:
                os.close(stream)
            running[os.pidfd_open(process)] = process, connection


def _accepted(connection: socket.socket, loaded: dict[str, tuple[int, int, int]]) -> Request | None:
    """Return the request of a client; None if it is not complete or cannot be served, or if the source has changed."""
    try:
        request = Request.receive(connection)
    except (OSError, ValueError):
        return None
    if request.can_be_served() and source_state() == loaded:
        return request
    for stream in request.streams:
        os.close(stream)
    return None


def _confirm(connection: socket.socket) -> None:
    """Tell the client that its step is about to start; exit if it is gone or has lost patience and runs the program."""
    with connection, suppress(OSError):
        connection.sendall(b"process %d\n" % os.getpid())
        if connection.recv(1):
            return
    os._exit(1)


def _report(end: int, process: int, connection: socket.socket) -> None:
    """Send the client the exit status of its process, or minus the signal that killed it."""
    _, status = os.waitpid(process, 0)
    os.close(end)
    with connection, suppress(OSError):  # the client may be gone
        connection.sendall(b"status %d\n" % os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Run steps in forked processes.")
    parser.add_argument("folder", type=Path, help="for the socket; deleted at the end")
    parser.add_argument("process", type=int, help="the server ends with this process")
    args = parser.parse_args()
    serve(args.folder / SOCKET, args.process).run()
