"""``hypercut server``: an MLflow server for a team, on PostgreSQL, with passwords."""

import argparse
import fcntl
import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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
from hypercut.postgres import Postgres, write_secret

THIS_MACHINE = (LOOPBACK, "localhost")
EVERYWHERE = "0.0.0.0"
ADMIN = "admin"

#: Who has a password may change everything: results of one team are synced by any of its members, and a sync replaces
#: runs. Without one, nothing can be read. The time saves most of the server's work, which is hashing passwords.
AUTHENTICATION = """[mlflow]
default_permission = MANAGE
database_uri = {database}
admin_username = {admin}
auth_cache_ttl_seconds = 60
"""


def add_parser(subparsers: Any) -> None:
    """Declare ``hypercut server`` and its arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "server",
        help="run an MLflow server for a team",
        description="Run MLflow on a PostgreSQL of its own, with passwords, and for this machine alone unless told "
        "otherwise. Everything is kept in one folder. Ctrl-C ends it. See docs/TRACKING.md.",
    )
    parser.add_argument(
        "folder", type=Path, nargs="?", default=Path("mlflow-server"), help="where all is kept (default: mlflow-server)"
    )
    parser.add_argument("--host", default=LOOPBACK, help=f"the address to listen at (default: {LOOPBACK})")
    parser.add_argument("--port", type=int, default=5000, help="where to listen (default 5000)")
    parser.add_argument(
        "--allowed-hosts",
        metavar="NAMES",
        help="the names under which browsers and clients may call it, separated by commas; needed for any other host",
    )
    parser.add_argument("--artifacts", metavar="URI", help="where files are kept: a folder or s3://… (default: here)")
    parser.add_argument("--workers", type=int, default=2, help="processes that answer (default 2)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Check what was asked for, and serve."""
    if args.host not in THIS_MACHINE and not args.allowed_hosts:
        raise InputError(
            f"--host {args.host}: expected --allowed-hosts too, found none. Name the server as its users will call it, "
            "such as --allowed-hosts mlflow.example.org"
        )
    check_installed("workflow,server", "mlflow", "flask_wtf", "psycopg2")
    check_port(args.port)
    folder = args.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with only_one(folder):
        return serve(args, folder)


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Refuse a folder that a server is using: its database would be taken away from it."""
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(
                f"{folder}: expected no server at work there, found one. Use it, end it, or give another folder."
            ) from None
        yield


def serve(args: argparse.Namespace, folder: Path) -> int:
    """Start the database and MLflow, say how to log in, and wait for their end."""
    known = secrets_of(folder)
    passwords = folder / "pgpass"
    write_secret(passwords, f"*:*:*:*:{known['database']}\n")
    database = Postgres(folder / "postgresql", passwords, known["database"])
    exit_when_terminated()
    database.start()
    server = None
    try:
        server = start_mlflow(args, folder, database, known)
        address = f"http://{LOOPBACK if args.host == EVERYWHERE else args.host}:{args.port}"
        try:
            wait_until_up(server, address)
        except InputError as error:
            raise InputError(f"{error} Its log: {folder / 'server.log'}") from None
        print(f"MLflow: {address}  (Ctrl-C ends it)\n\n{how_to_log_in(address, folder)}", flush=True)
        return server.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        try:
            if server is not None:
                stop_server(server)
        finally:
            database.stop()


def secrets_of(folder: Path) -> dict[str, str]:
    """Return the passwords of this server, made when it is started for the first time."""
    path = folder / "secrets.json"
    if not path.exists():
        made = {name: secrets.token_urlsafe(24) for name in ("database", ADMIN, "session")}
        write_secret(path, json.dumps(made, indent=2) + "\n")
    return dict(json.loads(path.read_text(encoding="utf-8")))


def start_mlflow(
    args: argparse.Namespace, folder: Path, database: Postgres, known: Mapping[str, str]
) -> "subprocess.Popen[bytes]":
    """Start MLflow. What is secret goes by files and by its environment: everybody can see command lines."""
    from hypercut.tracking import environment

    authentication = folder / "authentication.ini"
    authentication.write_text(AUTHENTICATION.format(database=database.database("authentication"), admin=ADMIN))
    store = database.database("mlflow")
    variables = (
        environment()
        | database.environment
        | {
            "MLFLOW_BACKEND_STORE_URI": store,
            "MLFLOW_AUTH_CONFIG_PATH": str(authentication),
            "MLFLOW_AUTH_ADMIN_PASSWORD": known[ADMIN],
            "MLFLOW_FLASK_SERVER_SECRET_KEY": known["session"],
        }
    )
    variables.pop("MLFLOW_TRACKING_URI", None)
    upgrade(folder, store, variables)
    hosts = [f"{name}:{args.port}" for name in THIS_MACHINE] + (args.allowed_hosts or "").split(",")
    options = ["--app-name", "basic-auth", "--workers", str(args.workers), "--host", args.host]
    options += ["--port", str(args.port), "--allowed-hosts", ",".join(filter(None, hosts))]
    options += ["--artifacts-destination", args.artifacts or str(folder / "artifacts")]
    with (folder / "server.log").open("ab") as log:
        return start_server(options, variables, log)


def upgrade(folder: Path, store: str, variables: Mapping[str, str]) -> None:
    """Bring the tables to this MLflow's form: at first, and after an upgrade of MLflow."""
    from importlib.metadata import version

    note = folder / "mlflow-version"
    if note.exists() and note.read_text() == version("mlflow"):
        return
    command = [sys.executable, "-m", "mlflow", "db", "upgrade", store]
    done = subprocess.run(command, env=dict(variables), capture_output=True, text=True)
    if done.returncode:
        raise InputError(f"MLflow: expected to prepare its database, found: {done.stderr.strip().splitlines()[-1:]}")
    note.write_text(version("mlflow"))


def how_to_log_in(address: str, folder: Path) -> str:
    """Say where the password is, not what it is: terminals are logged."""
    here = os.path.relpath(folder)
    return f"""To sync results to it, in another terminal:

  export MLFLOW_TRACKING_URI={address} MLFLOW_TRACKING_USERNAME={ADMIN}
  export MLFLOW_TRACKING_PASSWORD=$(python -c "import json; print(json.load(open('{here}/secrets.json'))['{ADMIN}'])")
  snakemake --cores 1 --forcerun track

Users of their own: {address}/signup, as {ADMIN}. Its log: {here}/server.log"""
