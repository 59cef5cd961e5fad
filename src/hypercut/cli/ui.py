"""``hypercut ui``: MLflow's pages on the results of a benchmark."""

import argparse
import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from hypercut.errors import InputError

HOST = "127.0.0.1"
"""this machine alone: the local store has no passwords"""

HOME = "#/experiments?workflowType=machine_learning"
"""MLflow's list of experiments, in its part for model training"""

START_SECONDS = 120.0
"""how long MLflow may take to start; some seconds on a quiet machine"""


def add_parser(subparsers: Any) -> None:
    """Declare ``hypercut ui`` and its arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "ui",
        help="open MLflow on the results",
        description="Start MLflow's pages on the results, for this machine alone, and tell where to click. "
        "Ctrl-C ends it. A team's server needs no such command: open its address.",
    )
    parser.add_argument(
        "results", type=Path, nargs="?", default=Path("results"), metavar="RESULTS", help="folder (default: results)"
    )
    parser.add_argument("--port", type=int, default=5000, help="where to listen (default 5000)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Start the server, tell the links, and wait for its end."""
    from hypercut.tracking import links

    database = find_database(args.results)
    check_port(args.port)
    address = f"http://{HOST}:{args.port}"
    # A plain `kill` of this process shall end the server too, as Ctrl-C does.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    server = start_server(database, args.port)
    try:
        wait_until_up(server, address)
        print(f"MLflow on {args.results}: {address}/{HOME}  (Ctrl-C ends it)\n")
        for name, link in links(args.results).items():
            print(f"  {name}\n    {address}/{link}")
        sys.stdout.flush()
        return server.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        stop_server(server)


def find_database(results: Path) -> Path:
    """The database that the step ``track`` has made."""
    from hypercut.tracking import DATABASE

    database = results / DATABASE
    if not database.exists():
        hint = "Give the folder of the results, or run the benchmark first: make quick"
        if (results / "tracking.json").exists():
            hint = "The results were synced to a server (MLFLOW_TRACKING_URI): open its address"
        raise InputError(f"{database}: expected the MLflow store of a benchmark, found nothing. {hint}.")
    return database.resolve()


def check_port(port: int) -> None:
    """Refuse a port that is taken: MLflow's own message is a page long."""
    with socket.socket() as probe:
        # As the server does it: a port whose last connections are still closing is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except (OSError, OverflowError) as error:
            raise InputError(
                f"Port {port}: expected a free one, found: {error}. Choose another: --port {port + 1}"
            ) from None


def start_server(database: Path, port: int) -> "subprocess.Popen[bytes]":
    """Start MLflow with one worker, which is up in seconds, and the artifacts beside the database."""
    from hypercut.tracking import artifact_folder, environment

    command = [sys.executable, "-m", "mlflow", "server", "--workers", "1", "--host", HOST, "--port", str(port)]
    command += ["--backend-store-uri", f"sqlite:///{database}"]
    command += ["--artifacts-destination", str(artifact_folder(database))]
    # Requests and deprecations within MLflow are not for this terminal.
    command += ["--uvicorn-opts", "--log-level warning"]
    variables = environment() | {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false", "PYTHONWARNINGS": "ignore"}
    # In a group of its own, so that its workers can be ended with it.
    return subprocess.Popen(command, env=variables, stdout=subprocess.DEVNULL, start_new_session=True)


def stop_server(server: "subprocess.Popen[bytes]") -> None:
    """End the server and its workers."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGTERM)
    server.wait()


def wait_until_up(server: "subprocess.Popen[bytes]", address: str) -> None:
    """Return when the server answers."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise InputError(f"Expected MLflow to start, but it ended with status {server.returncode}; see above.")
        try:
            with urllib.request.urlopen(f"{address}/health", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise InputError(f"Expected MLflow to answer at {address} within {START_SECONDS:.0f} s, but it does not.")
