"""MLflow's server as a process that ends with the command that started it."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import IO

from hypercut.errors import InputError, not_installed

LOOPBACK = "127.0.0.1"

START_SECONDS = 120.0
"""how long MLflow may take to start; some seconds on a quiet machine"""


def check_installed(extras: str, *modules: str) -> None:
    """Raise an error if a module is missing: the other process would end with a traceback."""
    for module in modules:
        if find_spec(module) is None:
            raise InputError(not_installed(module, extras))


def check_port(port: int) -> None:
    """Raise an error if a port is taken: MLflow's own message is a page long."""
    with socket.socket() as probe:
        # As the server does: a port whose last connections are still closing is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except (OSError, OverflowError) as error:
            raise InputError(f"Port {port} is not free: {error}. Choose another one: --port {port + 1}") from None


def exit_when_terminated() -> None:
    """Make `kill` and a closed terminal end this command as Ctrl-C does, together with its servers."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(0))


def start_server(
    options: Sequence[str], variables: Mapping[str, str], log: IO[bytes] | None = None
) -> "subprocess.Popen[bytes]":
    """Start MLflow. Without a log, only its errors are shown."""
    command = [sys.executable, "-m", "mlflow", "server", *options, "--uvicorn-opts", "--log-level warning"]
    # Users can do nothing about deprecations within MLflow.
    quiet = {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false", "PYTHONWARNINGS": "ignore"}
    return subprocess.Popen(
        command,
        env={**variables, **quiet},
        stdout=log or subprocess.DEVNULL,
        stderr=log,
        start_new_session=True,  # a group of its own, so that its workers can be ended with it
    )


def stop_server(server: "subprocess.Popen[bytes]") -> None:
    """End the server and its workers."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGTERM)
    server.wait()


def wait_until_up(server: "subprocess.Popen[bytes]", address: str) -> None:
    """Return when the server answers."""
    deadline = time.monotonic() + START_SECONDS
    # A proxy would look for the server on its own machine.
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise InputError(f"MLflow did not start: it ended with status {server.returncode}; see above.")
        try:
            with direct.open(f"{address}/health", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise InputError(f"MLflow did not answer at {address} within {START_SECONDS:.0f} s. Try again.")
