"""The MLflow server for a team, started by the commands of docs/guide/mlflow-server.md on a PostgreSQL of its own."""

import base64
import contextlib
import glob
import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[1] / "docs" / "guide" / "mlflow-server.md"
START_SECONDS = 300


def free_port() -> int:
    """Return a port of the loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def postgresql() -> Path | None:
    """Return the folder of PostgreSQL's programs, if it is installed."""
    found = shutil.which("pg_ctl") or next(iter(sorted(glob.glob("/usr/lib/postgresql/*/bin/pg_ctl"))), None)
    return Path(os.path.realpath(found)).parent if found else None


class Server(contextlib.AbstractContextManager["Server"]):
    """A running server, in a temporary folder."""

    def __init__(self) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="hypercut-server-")
        self.folder = Path(self._temporary.name)
        self.folder.chmod(0o755)  # PostgreSQL's user must be able to enter it
        self._database_port, port = free_port(), free_port()
        self.address = f"http://127.0.0.1:{port}"
        self.passwords = {"database": secrets.token_urlsafe(24)}
        self._create_database()
        text = PAGE.read_text(encoding="utf-8").replace("PASSWORD-OF-THE-DATABASE", self.passwords["database"])
        text = text.replace("127.0.0.1:5432", f"127.0.0.1:{self._database_port}").replace("5000", str(port))
        commands = self.folder / "commands.sh"  # a file, because it has the password
        commands.write_text("\n".join(["set -e", *re.findall(r"```bash\n(.*?)```", text, re.DOTALL)]))
        self.log = self.folder / "server.log"
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                ["bash", str(commands)],
                cwd=self.folder,
                env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._wait()
        self.passwords["admin"] = (self.folder / "mlflow-server" / "admin-password").read_text().strip()

    @staticmethod
    def reason_not_to_run() -> str | None:
        """Why no server can run here, or None."""
        return None if postgresql() else "PostgreSQL is not installed"

    def _wait(self) -> None:
        """Wait until the server answers."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{self.address}/health", timeout=2):
                return
            time.sleep(0.2)
        log = self.log.read_text()
        self.__exit__()
        raise TimeoutError(f"The server did not start: {log}")

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGTERM)
        self._process.wait(START_SECONDS)
        self.stop_database()
        self._temporary.cleanup()

    def request(self, path: str, body: object = None, user: str = "admin", host: str = "") -> Any:
        """Ask MLflow's REST interface."""
        login = base64.b64encode(f"{user}:{self.passwords.get(user, 'wrong')}".encode()).decode()
        headers = {"Content-Type": "application/json", "Authorization": f"Basic {login}"} | (
            {"Host": host} if host else {}
        )
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data=data, headers=headers)
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)

    def add_user(self, name: str) -> None:
        self.passwords[name] = f"{name}-{os.urandom(8).hex()}"
        self.request("/api/2.0/mlflow/users/create", {"username": name, "password": self.passwords[name]})

    def sync(self, results: Path, user: str, prefix: str) -> "subprocess.Popen[str]":
        """Start the step ``track``, as a user."""
        out = str(self.folder / f"{user}-{prefix}.json")
        command = [sys.executable, "-m", "hypercut.steps.track", str(results), "--out", out, "--prefix", prefix]
        login = {"MLFLOW_TRACKING_USERNAME": user, "MLFLOW_TRACKING_PASSWORD": self.passwords[user]}
        quick = {"MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1"}  # the default is for slow networks
        environment = {**os.environ, "MLFLOW_TRACKING_URI": self.address, **login, **quick}
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

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

    def _create_database(self) -> None:
        data = self.folder / "postgresql"
        data.mkdir()
        password = data / "password"
        password.write_text(self.passwords["database"])
        if os.geteuid() == 0:
            for path in (data, password):
                shutil.chown(path, "postgres")
        options = ["--username=hypercut", f"--pwfile={password}", "--auth=scram-sha-256", "--encoding=UTF8"]
        self._postgresql("initdb", f"--pgdata={data / 'data'}", *options)
        with (data / "data" / "postgresql.conf").open("a") as settings:
            settings.write("listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\n")
        self.start_database()
        for name in ("mlflow", "mlflow_auth"):
            self._postgresql("createdb", "-h127.0.0.1", f"-p{self._database_port}", "-Uhypercut", name)

    def stop_database(self) -> None:
        self._control("stop", "--mode", "immediate")

    def start_database(self) -> None:
        self._control("start", "--log", "/dev/null", "--options", f"-p {self._database_port}")

    def _control(self, *arguments: str) -> None:
        self._postgresql("pg_ctl", *arguments, "--wait", "--pgdata", str(self.folder / "postgresql" / "data"))

    def _postgresql(self, program: str, *arguments: str) -> None:
        """Run a program of PostgreSQL, which refuses to run as root."""
        user = "postgres" if os.geteuid() == 0 else None
        folder = postgresql()
        assert folder is not None
        options = {"user": user, "group": user, "extra_groups": [] if user else None, "cwd": "/", "check": True}
        options |= dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        environment = {**os.environ, "PGPASSWORD": self.passwords["database"]}
        subprocess.run([str(folder / program), *arguments], env=environment, **options)


def runs_of(uri: str) -> list[str]:
    """The runs in a store, as ``experiment run``; one that is there twice is there twice."""
    from mlflow import MlflowClient

    client = MlflowClient(uri)
    names = {experiment.experiment_id: experiment.name for experiment in client.search_experiments()}
    found = client.search_runs(list(names), max_results=10_000)
    return sorted(f"{names[run.info.experiment_id]} {run.info.run_name}" for run in found)
