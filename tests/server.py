"""The MLflow server for a team, as `make server` starts it."""

import base64
import contextlib
import glob
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.request
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).parents[1] / "workflow" / "scripts" / "server.sh"
START_SECONDS = 300


def free_port() -> int:
    """Return a port of the loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def run_script(*arguments: object, **variables: str) -> "subprocess.Popen[str]":
    """Start the script of the server, with the Python of the tests."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.Popen(
        ["bash", str(SCRIPT), *map(str, arguments)],
        env={**os.environ, "PATH": path, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def find_pg_ctl() -> str | None:
    """Return PostgreSQL's program for starting and stopping, if it is installed."""
    found = shutil.which("pg_ctl") or next(iter(sorted(glob.glob("/usr/lib/postgresql/*/bin/pg_ctl"))), None)
    return os.path.realpath(found) if found else None


class Server(contextlib.AbstractContextManager["Server"]):
    """A running server, in a temporary folder."""

    def __init__(self) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="hypercut-server-")
        self.folder = Path(self._temporary.name)
        self.folder.chmod(0o755)  # PostgreSQL's user must be able to enter it
        port = free_port()
        self.address = f"http://127.0.0.1:{port}"
        self._process = run_script(self.folder / "server", port)
        assert self._process.stdout is not None
        # Killed if it says nothing: reading would wait for ever.
        watchdog = threading.Timer(START_SECONDS, self._process.terminate)
        watchdog.start()
        output = ""
        while "Log: " not in output:
            line = self._process.stdout.readline()
            output += line
            if not line:
                self.__exit__()
                raise TimeoutError(f"The server did not start: {output}")
        watchdog.cancel()
        self.output = output
        self.passwords = {"admin": self.secrets()["admin"]}

    @staticmethod
    def reason_not_to_run() -> str | None:
        """Why no server can run here, or None."""
        return None if find_pg_ctl() else "PostgreSQL is not installed"

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.communicate(timeout=START_SECONDS)
        self._temporary.cleanup()

    def secrets(self) -> dict[str, str]:
        return dict(json.loads((self.folder / "server" / "secrets.json").read_text()))

    def request(self, path: str, body: object = None, user: str = "admin", host: str = "") -> Any:
        """Ask MLflow's REST interface."""
        login = base64.b64encode(f"{user}:{self.passwords.get(user, 'wrong')}".encode()).decode()
        headers = {"Content-Type": "application/json", "Authorization": f"Basic {login}"}
        if host:
            headers["Host"] = host
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data=data, headers=headers)
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)

    def add_user(self, name: str) -> None:
        self.passwords[name] = f"{name}-{os.urandom(8).hex()}"
        self.request("/api/2.0/mlflow/users/create", {"username": name, "password": self.passwords[name]})

    def environment(self, user: str) -> dict[str, str]:
        return {
            "MLFLOW_TRACKING_URI": self.address,
            "MLFLOW_TRACKING_USERNAME": user,
            "MLFLOW_TRACKING_PASSWORD": self.passwords[user],
        }

    def sync(self, results: Path, user: str, prefix: str) -> "subprocess.Popen[str]":
        """Start the step ``track``, as a user."""
        out = self.folder / f"{user}-{prefix}.json"
        return subprocess.Popen(
            [sys.executable, "-m", "hypercut.steps.track", str(results), "--out", str(out), "--prefix", prefix],
            env={**os.environ, **self.environment(user)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def experiments(self, prefix: str) -> dict[str, str]:
        """Id → name of the experiments below a prefix."""
        search = {"max_results": 1000, "filter": f"name LIKE '{prefix}/%'"}
        found = self.request("/api/2.0/mlflow/experiments/search", search).get("experiments", [])
        return {item["experiment_id"]: item["name"] for item in found}

    def runs(self, prefix: str) -> list[str]:
        """The finished runs below a prefix, as ``experiment run``."""
        names = self.experiments(prefix)
        if not names:
            return []
        body = {"experiment_ids": list(names), "max_results": 1000, "filter": "attributes.status = 'FINISHED'"}
        found = self.request("/api/2.0/mlflow/runs/search", body).get("runs", [])
        return sorted(f"{names[run['info']['experiment_id']]} {run['info']['run_name']}" for run in found)

    def stop_database(self) -> None:
        self._control("stop", "--mode", "immediate")

    def start_database(self) -> None:
        # The options of the last start, its port among them, are in the folder.
        options = (self.folder / "server" / "postgresql" / "data" / "postmaster.opts").read_text().split()
        port = options[options.index('"-p"') + 1].strip('"')
        self._control("start", "--log", "/dev/null", "--options", f"-p {port}")

    def _control(self, *arguments: str) -> None:
        user = "postgres" if os.geteuid() == 0 else None
        data = self.folder / "server" / "postgresql" / "data"
        command = [str(find_pg_ctl()), *arguments, "--wait", "--pgdata", str(data)]
        subprocess.run(
            command,
            check=True,
            user=user,
            group=user,
            extra_groups=[] if user else None,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


def runs_of(uri: str) -> list[str]:
    """The runs in a store, as ``experiment run``; one that is there twice is there twice."""
    from mlflow import MlflowClient

    client = MlflowClient(uri)
    names = {experiment.experiment_id: experiment.name for experiment in client.search_experiments()}
    found = client.search_runs(list(names), max_results=10_000)
    return sorted(f"{names[run.info.experiment_id]} {run.info.run_name}" for run in found)
