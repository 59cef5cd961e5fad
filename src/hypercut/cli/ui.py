"""``hypercut ui``: MLflow's pages on the results of a benchmark."""

import argparse
import subprocess
import sys
from pathlib import Path
from typing import Any

from hypercut.cli._mlflow import (
    LOOPBACK,
    check_installed,
    check_port,
    exit_when_terminated,
    start_server,
    stop_server,
    wait_until_up,
)
from hypercut.errors import InputError

HOME = "#/experiments?workflowType=machine_learning"
"""MLflow's list of experiments, in its part for model training"""


def add_parser(subparsers: Any) -> None:
    """Declare ``hypercut ui`` and its arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "ui",
        help="open MLflow on the results",
        description="Start MLflow on the results, accessible from this machine alone, and print links. "
        "Ctrl-C ends it. For results on a team's server, open the server's address instead.",
    )
    parser.add_argument(
        "results", type=Path, nargs="?", default=Path("results"), metavar="RESULTS", help="folder (default: results)"
    )
    parser.add_argument("--port", type=int, default=5000, help="port to listen on (default: 5000)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Start the server, print the links, and wait until it ends."""
    from hypercut.tracking import links

    check_installed("workflow", "mlflow")
    database = find_database(args.results)
    check_port(args.port)
    address = f"http://{LOOPBACK}:{args.port}"
    exit_when_terminated()
    server = start(database, args.port)
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
    """The database that the step ``track`` has written."""
    from hypercut.benchmark.layout import Layout

    database = Layout(results).database
    if not database.exists():
        hint = "Specify the folder of the results, or run the benchmark first: make quick"
        if Layout(results).tracking.exists():
            hint = "The results were synced to another store, such as a server: open its address"
        raise InputError(f"{database}: there is no such file. {hint}.")
    return database.resolve()


def start(database: Path, port: int) -> "subprocess.Popen[bytes]":
    """Start MLflow with one worker, which is up in seconds, and the artifacts beside the database."""
    from hypercut.tracking import artifact_folder, environment

    options = ["--workers", "1", "--host", LOOPBACK, "--port", str(port)]
    options += ["--backend-store-uri", f"sqlite:///{database}"]
    options += ["--artifacts-destination", str(artifact_folder(database))]
    return start_server(options, environment())
