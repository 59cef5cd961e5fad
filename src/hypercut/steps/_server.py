"""A server that has imported the libraries of the steps and forks a process for each step, which then starts at once.

``python -m hypercut.steps._server SOCKET PROCESS`` answers until PROCESS, a Snakemake, has ended. The Snakefile starts
it for runs on one machine; workflow/scripts/step.py is the client, and runs the step as a program without a server.
Importing scikit-learn takes most of the time of a short job: without the server a small benchmark takes twice as long.

The server runs no numerical code, so that no library has threads when it forks. Its code is that of the recipes, which
Snakemake wrote when it started.
"""

import gc
import importlib
import json
import os
import random
import runpy
import select
import shutil
import signal
import socket
import sys
from contextlib import suppress
from typing import Any

import numpy as np

from hypercut.algorithms import _registry
from hypercut.benchmark import code, declared
from hypercut.run import worker
from hypercut.steps._program import STARTED_BY

#: The steps that the server runs. Report and track import much more, and run once.
STEPS = ("aggregate", "cluster", "configuration", "corrupt", "featurize", "overcluster", "similarity")
#: Bytes of a request: a command with its recipe, and the environment.
MOST = 2**18


def preload() -> None:
    """Import all that the steps import, and parse it for the fingerprints, which then are of the imported code."""
    methods = [facts.module for facts in (*_registry.algorithms().values(), *_registry.baselines().values())]
    datasets = [f"{code.DATASETS}.{name}" for name in declared.datasets()]
    steps = [f"hypercut.steps.{step}" for step in STEPS]
    modules = code.closure([*steps, *methods, *datasets, code.OWN_DATA])
    for module in modules.keys() - set(steps):  # which run as main modules
        importlib.import_module(module)
    for method in methods:
        code.clustering_code(method)
    importlib.import_module("pyarrow.parquet")  # imported by pandas when it writes the first file
    gc.collect()
    gc.freeze()  # forked processes do not copy memory only to find that these objects are still in use


def serve(path: str, owner: int) -> None:
    """Answer each request with the exit status of the step until the process ``owner`` ends; remove the folder."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt in the terminal reaches the steps, and Snakemake
    owner_end = os.pidfd_open(owner)
    running: dict[int, tuple[int, socket.socket]] = {}  # by the descriptor that is ready when the process has ended
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
        listening.bind(path)
        listening.listen(128)
        preload()
        while owner_end not in (ready := select.select([owner_end, listening.fileno(), *running], [], [])[0]):
            for end in running.keys() & set(ready):
                process, connection = running.pop(end)
                _, status = os.waitpid(process, 0)
                os.close(end)
                with connection:
                    _answer(connection, os.waitstatus_to_exitcode(status))
            if listening.fileno() in ready:
                connection, _ = listening.accept()
                message, streams, _, _ = socket.recv_fds(connection, MOST, 2)
                if not message:  # the client is gone
                    connection.close()
                    continue
                process = os.fork()
                if process == 0:
                    run(json.loads(message), streams)
                for stream in streams:
                    os.close(stream)
                running[os.pidfd_open(process)] = process, connection
    shutil.rmtree(os.path.dirname(path), ignore_errors=True)


def _answer(connection: socket.socket, status: int) -> None:
    with suppress(OSError):  # the client is gone
        connection.send(b"%d" % status)


def run(request: dict[str, Any], streams: list[int]) -> None:
    """Run the step in this process, which ends with it, with the server, and with the client."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, stream in enumerate(streams, start=1):
        os.dup2(stream, number)
    os.environ.update(request["environment"])
    os.environ[STARTED_BY] += f" {os.getppid()}"
    random.seed()
    np.random.seed()  # noqa: NPY002 - methods may use the global generator
    worker.start_method = "fork"
    _, _, module, *arguments = request["command"]
    sys.argv = [module, *arguments]
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        status = end.code
    except BaseException:
        sys.excepthook(*sys.exc_info())
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status if isinstance(status, int) else 1)


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
