"""A PostgreSQL of one's own: a cluster in a folder, on the loopback, with a password, from the machine's programs."""

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
from pathlib import Path

from hypercut.errors import InputError

HOST = "127.0.0.1"
USER = "hypercut"
SECONDS = 120
#: PostgreSQL refuses to run as root. Debian's package brings this user.
SERVICE_USER = "postgres"
#: Where Debian puts the programs, by version.
INSTALLED = Path("/usr/lib/postgresql")

SETTINGS = f"""
# Written by hypercut: this machine alone, and nothing but passwords.
listen_addresses = '{HOST}'
unix_socket_directories = ''
"""


class Postgres:
    """The cluster in a folder. ``passwords`` is a file in PostgreSQL's .pgpass format, which clients are told of."""

    def __init__(self, folder: Path, passwords: Path, password: str) -> None:
        self.folder = folder
        self.passwords = passwords
        self.log = folder / "server.log"
        self._data = folder / "data"
        self._password = password
        self._programs = find_programs()
        self._user = SERVICE_USER if os.geteuid() == 0 else None
        self.port = 0

    def start(self) -> None:
        """Start it, and make it first if it is not there."""
        self._make()
        if self._control("status").returncode == 0:
            # Of a server that was killed. Its port is known to nobody any more.
            self.stop()
        self.port = free_port()
        self._checked("start", self._control("start", "--log", str(self.log), "--options", f"-p {self.port}"))

    def stop(self) -> None:
        """Stop it; what is under way is rolled back."""
        self._control("stop", "--mode", "fast")

    def database(self, name: str) -> str:
        """Return the address of a database, made if need be. The password is not in it: see ``environment``."""
        command = [self._program("createdb"), f"--host={HOST}", f"--port={self.port}", f"--username={USER}", name]
        variables = {**os.environ, **self.environment}
        done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=SECONDS)
        if done.returncode and "already exists" not in done.stderr:
            raise InputError(f"PostgreSQL: expected to make the database {name}, found: {done.stderr.strip()}")
        return f"postgresql://{USER}@{HOST}:{self.port}/{name}"

    @property
    def environment(self) -> dict[str, str]:
        """What clients need to log in."""
        return {"PGPASSFILE": str(self.passwords)}

    def _make(self) -> None:
        if self._data.exists():
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        part = self.folder / "data.part"
        shutil.rmtree(part, ignore_errors=True)
        password = self.folder / "password.part"
        if self._user:
            shutil.chown(self.folder, self._user)
        write_secret(password, self._password, self._user)
        try:
            command = [self._program("initdb"), f"--pgdata={part}", f"--username={USER}", f"--pwfile={password}"]
            command += ["--auth=scram-sha-256", "--encoding=UTF8", "--no-locale", "--data-checksums"]
            self._checked("make a cluster", self._run(command))
        finally:
            password.unlink()
        with (part / "postgresql.conf").open("a") as file:
            file.write(SETTINGS)
        part.rename(self._data)

    def _control(self, action: str, *options: str) -> "subprocess.CompletedProcess[str]":
        return self._run([self._program("pg_ctl"), action, "--pgdata", str(self._data), "--wait", *options])

    def _run(self, command: list[str]) -> "subprocess.CompletedProcess[str]":
        home = pwd.getpwnam(self._user).pw_dir if self._user else str(Path.home())
        # The server keeps what it is given open: with pipes, reading its starter's output would never end.
        with (self.folder / "control.log").open("w+") as log:
            done = subprocess.run(
                command,
                user=self._user,
                group=self._user,
                extra_groups=[] if self._user else None,
                cwd=self.folder if not self._user else "/",
                env={"PATH": os.environ.get("PATH", ""), "HOME": home, "LC_ALL": "C"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                timeout=SECONDS,
            )
            log.seek(0)
            return subprocess.CompletedProcess(command, done.returncode, log.read(), "")

    def _checked(self, what: str, done: "subprocess.CompletedProcess[str]") -> None:
        if done.returncode:
            told = [line for line in done.stdout.splitlines() if line.strip()][-3:]
            hint = f" It runs as the user {self._user}, who must be able to enter {self.folder}." if self._user else ""
            raise InputError(f"PostgreSQL: expected to {what} in {self.folder}, found: {' '.join(told)}{hint}")

    def _program(self, name: str) -> str:
        return str(self._programs / name)


def find_programs() -> Path:
    """Return the folder of PostgreSQL's programs: what PATH has, or the newest that Debian has installed."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    installed = [path.parent for path in INSTALLED.glob("*/bin/initdb")]
    if not installed:
        raise InputError("PostgreSQL: expected its programs, found no initdb. On Debian: apt-get install postgresql")
    return max(installed, key=lambda path: [int(part) for part in path.parent.name.split(".") if part.isdigit()])


def free_port() -> int:
    """Return a port of the loopback that nobody listens on."""
    with contextlib.closing(socket.socket()) as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def write_secret(path: Path, content: str, owner: str | None = None) -> None:
    """Write a file that nobody else may read, at no time."""
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(content)
    if owner:
        shutil.chown(path, owner)
