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
from hypercut.errors import InputError, redact
from hypercut.postgres import Postgres, write_secret

THIS_MACHINE = (LOOPBACK, "localhost")
EVERYWHERE = "0.0.0.0"
ADMIN = "admin"
LOCK, SECRETS = "lock", "secrets.json"

#: Everybody with a password may change everything: any member of a team may sync its results, and a sync replaces
#: runs. Without a password nothing can be read. Caching saves most of the server's work, which is hashing passwords.
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
        description="Run MLflow on its own PostgreSQL, with passwords, by default accessible from this machine alone. "
        "Everything is kept in one folder. Ctrl-C ends it. See docs/TRACKING.md.",
    )
    parser.add_argument(
        "folder",
        type=Path,
        nargs="?",
        default=Path("mlflow-server"),
        help="where to keep everything (default: mlflow-server)",
    )
    parser.add_argument("--host", default=LOOPBACK, help=f"address to listen on (default: {LOOPBACK})")
    parser.add_argument("--port", type=int, default=5000, help="port to listen on (default: 5000)")
    parser.add_argument(
        "--allowed-hosts",
        metavar="NAMES",
        help="names under which browsers and clients reach it, separated by commas; required with --host",
    )
    parser.add_argument(
        "--artifacts", metavar="URI", help="where to keep artifacts: a folder or s3://… (default: FOLDER/artifacts)"
    )
    parser.add_argument("--workers", type=int, default=2, help="number of server processes (default: 2)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Check the arguments, and serve."""
    if args.host not in THIS_MACHINE and not args.allowed_hosts:
        raise InputError(
            f"--host {args.host} requires --allowed-hosts: the names by which users reach the server, "
            "such as --allowed-hosts mlflow.example.org"
        )
    check_installed("workflow,server", "mlflow", "flask_wtf", "psycopg2")
    check_port(args.port)
    folder = args.folder.resolve()
    check_folder(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with only_one(folder):
        return serve(args, folder)


def check_folder(folder: Path) -> None:
    """Raise an error for a folder with files of others: some might have the names of the server's own."""
    if not folder.exists() or (folder / SECRETS).exists():
        return
    # The lock is the first file that a server creates.
    if not folder.is_dir() or {path.name for path in folder.iterdir()} - {LOCK}:
        raise InputError(
            f"{folder}: expected a new or empty folder, or one of an earlier `hypercut server`. Specify another one."
        )


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Raise an error if another server is using the folder: this one would stop its database."""
    with (folder / LOCK).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(
                f"{folder}: another server is running in this folder. Use it, stop it, or specify another folder."
            ) from None
        yield


def serve(args: argparse.Namespace, folder: Path) -> int:
    """Start the database and MLflow, print how to log in, and wait until they end."""
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
    """Return the passwords of this server, generated by its first start."""
    path = folder / SECRETS
    if not path.exists():
        made = {name: secrets.token_urlsafe(24) for name in ("database", ADMIN, "session")}
        write_secret(path, json.dumps(made, indent=2) + "\n")
    return dict(json.loads(path.read_text(encoding="utf-8")))


def start_mlflow(
    args: argparse.Namespace, folder: Path, database: Postgres, known: Mapping[str, str]
) -> "subprocess.Popen[bytes]":
    """Start MLflow. Secrets are passed in files and in its environment: everybody can see command lines."""
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
    """Create the tables, or upgrade them after an upgrade of MLflow."""
    from importlib.metadata import version

    note = folder / "mlflow-version"
    if note.exists() and note.read_text() == version("mlflow"):
        return
    command = [sys.executable, "-m", "mlflow", "db", "upgrade", store]
    done = subprocess.run(command, env=dict(variables), capture_output=True, text=True)
    if done.returncode:
        reason = redact(" ".join(done.stderr.strip().splitlines()[-1:]))
        log = folder / "postgresql" / "server.log"
        raise InputError(f"MLflow could not prepare its database: {reason}. The log of the database: {log}")
    note.write_text(version("mlflow"))


def how_to_log_in(address: str, folder: Path) -> str:
    """Return instructions that name the file of the password instead of the password: terminals are logged."""
    here = os.path.relpath(folder)
    return f"""To sync results to it, in another terminal:

  export MLFLOW_TRACKING_URI={address} MLFLOW_TRACKING_USERNAME={ADMIN}
  export MLFLOW_TRACKING_PASSWORD=$(python -c "import json; print(json.load(open('{here}/{SECRETS}'))['{ADMIN}'])")
  snakemake --cores 1 --forcerun track

Users of their own: {address}/signup, as {ADMIN}. Its log: {here}/server.log"""
