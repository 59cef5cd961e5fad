"""The MLflow server for a team, as `hypercut server` starts it."""

import base64
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from hypercut.errors import InputError
from hypercut.postgres import SERVICE_USER, find_programs, free_port

START_SECONDS = 300


class Server(contextlib.AbstractContextManager["Server"]):
    """A running server, in a temporary folder."""

    def __init__(self) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="hypercut-server-")
        self.folder = Path(self._temporary.name)
        self.folder.chmod(0o755)  # PostgreSQL's user must be able to enter it
        port = free_port()
        self.address = f"http://127.0.0.1:{port}"
        output = self.folder / "output.txt"
        with output.open("wb") as log:
            command = [sys.executable, "-m", "hypercut", "server", str(self.folder / "server"), "--port", str(port)]
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        deadline = time.monotonic() + START_SECONDS
        while "Ctrl-C" not in output.read_text():
            if self._process.poll() is not None or time.monotonic() > deadline:
                told = output.read_text()
                self.__exit__()
                raise TimeoutError(f"The server did not start: {told}")
            time.sleep(0.2)
        self.passwords = {"admin": self.secrets()["admin"]}

    @staticmethod
    def reason_not_to_run() -> str | None:
        """Why there can be no server here, or None."""
        try:
            find_programs()
        except InputError as error:
            return str(error)
        return None

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(START_SECONDS)
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
        user = SERVICE_USER if os.geteuid() == 0 else None
        data = self.folder / "server" / "postgresql" / "data"
        command = [str(find_programs() / "pg_ctl"), *arguments, "--wait", "--pgdata", str(data)]
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
