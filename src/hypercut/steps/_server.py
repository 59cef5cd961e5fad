"""A server that has imported the libraries of the steps and forks a process for each step, so that it starts at once.

``python -m hypercut.steps._server SOCKET PROCESS`` answers until PROCESS, a Snakemake, has ended. The Snakefile starts
it for runs on one machine. Its client, workflow/scripts/step.py, runs the step as a program if there is no server.
The server runs no numerical code, so that no library has threads when it forks.
"""

import importlib
import json
import os
import random
import runpy
import select
import signal
import socket
import sys
from pathlib import Path

import numpy as np

from hypercut.algorithms import _registry
from hypercut.benchmark import code, declared
from hypercut.run import worker

#: The steps whose imports the server loads. Report and track import much more, and run once.
STEPS = ("aggregate", "cluster", "configuration", "corrupt", "featurize", "overcluster", "similarity")
#: Bytes of a request: a command with its recipe, and the environment.
MOST = 2**18


def preload() -> None:
    """Import what the steps import, and parse it now, so that fingerprints are those of the imported code."""
    methods = [facts.module for facts in (*_registry.algorithms().values(), *_registry.baselines().values())]
    datasets = [f"{code.DATASETS}.{name}" for name in declared.datasets()]
    steps = [f"hypercut.steps.{step}" for step in STEPS]
    modules = code.closure([*steps, *methods, *datasets, code.OWN_DATA])
    for module in {*modules, "pyarrow.parquet"} - {*steps}:  # steps run as main modules
        importlib.import_module(module)
    for method in methods:
        code.clustering_code(method)


def serve(path: Path, owner: int) -> None:
    """Fork a process for each request until the process ``owner`` ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt in the terminal reaches the steps, and Snakemake
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no process waits for the steps, which answer themselves
    owner_end = os.pidfd_open(owner)
    path.unlink(missing_ok=True)  # of a server that was killed
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
        listening.bind(str(path))
        listening.listen(128)
        preload()
        while owner_end not in select.select([owner_end, listening.fileno()], [], [])[0]:
            connection, _ = listening.accept()
            if os.fork() == 0:
                listening.close()
                run(connection)
            connection.close()
    path.unlink(missing_ok=True)


def run(connection: socket.socket) -> None:
    """Run the requested step in this process, send that it has begun and its exit status, and end the process."""
    message, streams, _, _ = socket.recv_fds(connection, MOST, 2)
    connection.send(b"begun")
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, stream in enumerate(streams, start=1):
        os.dup2(stream, number)
    command, environment = json.loads(message)
    os.environ.update(environment)
    random.seed()
    np.random.seed()  # noqa: NPY002 - methods may use the global generator
    worker.start_method = "fork"
    sys.argv = command[2:]  # without python -m
    try:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    except SystemExit as end:
        sys.stdout.flush()
        connection.send(str(end.code).encode())
        os._exit(0)


if __name__ == "__main__":
    serve(Path(sys.argv[1]), int(sys.argv[2]))
