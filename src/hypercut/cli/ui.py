"""``hypercut ui``: open the results of a benchmark in MLflow."""

import argparse
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from importlib.util import find_spec
from pathlib import Path

from hypercut.benchmark.layout import Layout
from hypercut.errors import InputError, not_installed
from hypercut.tracking.store import artifact_folder, environment, sqlite_uri

HELP = "open the results in MLflow"
DESCRIPTION = """\
Start MLflow on the results, accessible from this machine only, and print a link to an overview of its pages.
Press Ctrl-C to stop it. For results on a team's server, open the server's address instead.
"""

LOOPBACK = "127.0.0.1"

#: The host in the links, which browsers resolve to this machine. On 127.0.0.1 and localhost, MLflow opens its assistant
#: over a third of the page, and no setting prevents it.
HOST = "hypercut.localhost"

START_SECONDS = 120.0
"""how long MLflow may take to start; some seconds on a quiet machine"""

HOME = "#/experiments?workflowType=machine_learning"
"""MLflow's list of experiments, in its pages for model training"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("results", type=Path, nargs="?", default="results", help="results folder (default: results)")
    parser.add_argument("--port", type=int, default=5000, help="port to listen on (default: 5000)")


def run(args: argparse.Namespace) -> int:
    """Start the server, print the links, and wait until it ends."""
    if find_spec("mlflow") is None:
        raise InputError(not_installed("mlflow"))
    database = find_database(args.results)
    check_port(args.port)
    # `kill` and a closed terminal stop the server as Ctrl-C does.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(0))
    server = start_server(database, args.port)
    try:
        wait_until_up(server, f"http://{LOOPBACK}:{args.port}")
        print(describe_pages(args.results, f"http://{HOST}:{args.port}"), flush=True)
        return server.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGTERM)
        server.wait()


def describe_pages(results: Path, address: str) -> str:
    """Return what to open: the page that links to all views, else the list of experiments."""
    try:
        overview = json.loads(Layout(results).tracking.read_text(encoding="utf-8"))["overview"] or HOME
    except (OSError, ValueError, KeyError, TypeError):
        overview = HOME
    return (
        f"MLflow shows {results} here, on this machine only (Ctrl-C stops it):\n\n  {address}/{overview}\n\n"
        f"If your browser does not find {HOST} (Safari), replace it by {LOOPBACK}."
    )


def find_database(results: Path) -> Path:
    """Return the database that the step ``track`` wrote."""
    database = Layout(results).database
    if not database.exists():
        raise InputError(
            f"{database}: there is no such file. Specify the results folder (hypercut ui results/quick), run "
            "the benchmark first, or open the address of the server that the results were synced to."
        )
    return database.resolve()


def check_port(port: int) -> None:
    """Raise an error if a port is in use; MLflow's own message is a page long."""
    with socket.socket() as probe:
        # As the server does: a port whose last connections are still closing is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except (OSError, OverflowError) as error:
            raise InputError(f"Port {port} is not free: {error}. Choose another one: --port {port + 1}") from None


def start_server(database: Path, port: int) -> "subprocess.Popen[bytes]":
    """Start MLflow in a process group, so that its workers are stopped with it. Only its errors are shown."""
    # With one worker and without job execution it starts in seconds.
    command = [sys.executable, "-m", "mlflow", "server", "--workers", "1", "--host", LOOPBACK, "--port", str(port)]
    command += ["--backend-store-uri", sqlite_uri(database)]
    command += ["--artifacts-destination", artifact_folder(database).as_uri(), "--uvicorn-opts", "--log-level warning"]
    command += ["--allowed-hosts", ",".join(f"{host}:*" for host in (HOST, LOOPBACK, "localhost"))]
    command += ["--cors-allowed-origins", f"http://{HOST}:*"]
    # Users can do nothing about deprecations within MLflow.
    quiet = {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false", "PYTHONWARNINGS": "ignore"}
    return subprocess.Popen(command, env={**environment(), **quiet}, stdout=subprocess.DEVNULL, start_new_session=True)


def wait_until_up(server: "subprocess.Popen[bytes]", address: str) -> None:
    """Wait until the server answers; raise an error if it does not start."""
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
