"""Steps in processes forked by the server give the same results as programs, and end with whatever waits for them."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hypercut.benchmark import code
from hypercut.benchmark.problems import make_problem, save_problem
from hypercut.benchmark.rows import read_rows
from hypercut.data.features.file import Features
from tests.benchmark.test_worker import is_alive, wait_for
from tests.rows import ORIGIN
from tests.workflow.project import MEASURED, ROOT

pytestmark = pytest.mark.workflow

CLIENT = ROOT / "workflow" / "scripts" / "step.py"
METHODS = """
import os
import time
from multiprocessing import Pool
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin


def parity(i):
    return i % 2


class Base(ClusterMixin, BaseEstimator):
    def fit(self, X, y=None):
        self.labels_ = [parity(i) for i in range(len(X))]
        self.run(len(X))
        return self


class Tells(Base):
    name = "tells"

    def run(self, n):
        command = Path("/proc/self/cmdline").read_text()
        Path("told.part").write_text(f"{command}\\n{np.random.random()}")
        Path("told.part").rename("told")


class Hangs(Base):
    name = "hangs"

    def run(self, n):
        Path("pids.part").write_text(f"{os.getpid()} {os.getppid()}")
        Path("pids.part").rename("pids")
        time.sleep(1000)


class Aborts(Base):
    name = "aborts"

    def run(self, n):
        os.abort()


class Leaves(Base):
    name = "leaves"

    def run(self, n):
        os._exit(7)


class StartsProcesses(Base):
    name = "starts processes"

    def run(self, n):
        with Pool(2) as pool:
            self.labels_ = pool.map(abs, self.labels_)
            self.solver_ = {"start": str(pool._ctx.get_start_method())}


class LeavesAProcess(Base):
    name = "leaves a process"

    def run(self, n):
        if os.fork() == 0:
            time.sleep(1000)
"""


class Server:
    """A server and the folder in which its clients run steps."""

    def __init__(self, folder: Path, source: Path) -> None:
        self.folder = folder
        self.home = Path(tempfile.mkdtemp())
        self.owner = subprocess.Popen(["sleep", "1000"])
        binaries = Path(sys.executable).parent
        self.environment = {
            **os.environ,
            "PATH": f"{binaries}:{os.environ['PATH']}",
            "PYTHONPATH": str(source),
            "HYPERCUT_STARTED_BY": str(os.getpid()),
        }
        command = [sys.executable, "-m", "hypercut.steps._server", self.home, str(self.owner.pid)]
        self.process = subprocess.Popen(command, cwd=folder, env=self.environment)
        wait_for((self.home / "socket").exists)

    def start(self, name: str, *, limit: int = 60, **environment: str) -> "subprocess.Popen[bytes]":
        """Start a clustering by one of METHODS, as job.sh does."""
        client = [sys.executable, "-I", "-S", CLIENT, self.home / "socket"]
        step = ["python", "-m", "hypercut.steps.cluster", "problem.npz", "--module=methods.py", f"--name={name}"]
        options = ["--factors", "1", "--repeats=1", f"--time-limit={limit}", "--out=rows.parquet"]
        with (self.folder / "log").open("wb") as log:
            return subprocess.Popen(
                [*client, *step, *options],
                cwd=self.folder,
                env={**self.environment, **environment},
                stdout=log,
                stderr=log,
            )

    def rows(self, name: str, **options: str) -> pd.DataFrame:
        """Run a clustering and return its rows without measurements."""
        status = self.start(name, **options).wait(120)
        assert status == 0, (self.folder / "log").read_text()
        rows = read_rows(self.folder / "rows.parquet", labels=True).drop(columns=MEASURED)
        # After a crash the traceback has the address of the thread.
        return rows.assign(traceback=rows["traceback"].str.replace("0x[0-9a-f]+", "", regex=True))

    def serves(self, **environment: str) -> bool:
        """Run a clustering and return whether the server forked its process."""
        self.rows("tells", **environment)
        return "_server" in (self.folder / "told").read_text()

    def hanging(self) -> "tuple[subprocess.Popen[bytes], list[int]]":
        """Start a clustering that hangs; return the client, and the processes of worker and job once it does."""
        job = self.start("hangs", limit=1000)
        wait_for((self.folder / "pids").exists)
        return job, list(map(int, (self.folder / "pids").read_text().split()))

    def end(self) -> None:
        for process in (self.process, self.owner):
            process.kill()
            process.wait()
        shutil.rmtree(self.home, ignore_errors=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / ("a long name with spaces " * 8) / "run"
    folder.mkdir(parents=True)
    (folder / "methods.py").write_text(METHODS)
    y = np.arange(30) % 3
    X = np.random.default_rng(0).normal(size=(30, 4)) + 6 * np.eye(3, 4)[y]
    features = Features(X, y, {"kind": "own", "complete": True})
    problem = make_problem("b", features, setting="noise-L2", level=0.4, draws=1)
    save_problem(folder / "problem.npz", problem, ORIGIN)
    return folder


@pytest.fixture
def serve(folder: Path) -> Iterator[Callable[[Path], Server]]:
    """Starts servers, for the package in a given folder."""
    servers: list[Server] = []

    def start(source: Path = code.ROOT.parent) -> Server:
        servers.append(Server(folder, source))
        return servers[-1]

    yield start
    for server in servers:
        server.end()


def test_rows_are_those_of_a_program_whatever_a_method_does(serve: Callable[..., Server]) -> None:
    server = serve()
    assert server.serves()
    names = ["tells", "aborts", "leaves", "starts processes", "leaves a process"]
    forked = {name: server.rows(name) for name in names}
    told = (server.folder / "told").read_text()
    server.rows("tells")
    assert (server.folder / "told").read_text() != told  # the global generator differs from process to process
    server.process.kill()
    server.process.wait()
    assert not server.serves()
    for name, rows in forked.items():
        pd.testing.assert_frame_equal(rows, server.rows(name), obj=name)


def test_other_settings_of_libraries_are_not_served(serve: Callable[..., Server]) -> None:
    server = serve()
    assert server.serves(HYPERCUT_DATA_MIRROR="elsewhere")
    assert not server.serves(OMP_NUM_THREADS="2")
    assert not server.serves(PYTHONWARNINGS="ignore")
    assert server.serves()


def test_an_edited_source_file_is_not_served(serve: Callable[..., Server], tmp_path: Path) -> None:
    """Also if the edit keeps size and modification time."""
    source = tmp_path / "src"
    shutil.copytree(code.ROOT, source / "hypercut", ignore=shutil.ignore_patterns("__pycache__"))
    server = serve(source)
    assert server.serves()
    edited = source / "hypercut" / "core" / "samples.py"
    before = edited.stat()
    edited.write_bytes(edited.read_bytes()[::-1])
    os.utime(edited, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert not server.serves()


@pytest.mark.parametrize("who", ["client", "shell", "server"])
def test_no_process_survives_what_waits_for_it(serve: Callable[..., Server], who: str) -> None:
    server = serve()
    with subprocess.Popen(["sleep", "1000"]) as shell:
        server.environment["HYPERCUT_STARTED_BY"] += f" {shell.pid}"
        client, processes = server.hanging()
        (server.folder / "pids").unlink()
        assert all(map(is_alive, processes))
        {"client": client, "shell": shell, "server": server.process}[who].kill()
        for process in processes:
            wait_for(lambda process=process: not is_alive(process))
        if who == "server":  # the job is run as a program
            wait_for((server.folder / "pids").exists)
            client.kill()
        shell.kill()
    assert client.wait(60) == (1 if who == "shell" else -signal.SIGKILL)
    assert not list(server.folder.glob(".rows*")) + list(server.folder.glob("rows*"))


def test_a_killed_step_is_reported_as_killed_and_harms_no_other(serve: Callable[..., Server]) -> None:
    server = serve()
    client, (_, job) = server.hanging()
    os.kill(job, signal.SIGKILL)
    assert client.wait(60) == -signal.SIGKILL
    assert server.serves()


def test_a_server_that_does_not_answer_runs_nothing_later(serve: Callable[..., Server]) -> None:
    server = serve()
    server.process.send_signal(signal.SIGSTOP)
    assert not server.serves()
    (server.folder / "told").unlink()
    server.process.send_signal(signal.SIGCONT)
    assert server.serves()  # it has dropped the first request


def test_the_server_ends_with_its_owner(serve: Callable[..., Server]) -> None:
    server = serve()
    server.owner.kill()
    server.owner.wait()
    assert server.process.wait(60) == 0
    assert not server.home.exists()
