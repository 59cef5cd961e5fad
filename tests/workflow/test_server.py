"""Steps forked by the server give the same results as programs, and end when a process that waits for them ends."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hypercut.benchmark import code
from hypercut.benchmark.recipe import RUNNER_VERSION
from hypercut.data.features import Features
from hypercut.files import canonical_json
from hypercut.results.rows import read_rows
from hypercut.run.problems import make_problem, save_problem
from tests.workflow.project import MEASURED, ROOT, SECONDS, is_alive, methods, wait_for

pytestmark = [pytest.mark.workflow, pytest.mark.timeout(SECONDS)]

MADE_BY = {"featurize": {}, "corrupt": {}}
#: What methods do while they cluster, by their names.
METHODS = {
    "tells": "Path('told').write_text(Path('/proc/self/cmdline').read_text() + str(np.random.random()))",
    "hangs": "Path('part').write_text(f'{os.getpid()} {os.getppid()}')\nos.rename('part', 'pids')\n"
    "while not Path('stop').exists(): sleep(0.1)",
    "aborts": "os.abort()",
    "leaves": "os._exit(7)",
    "starts_processes": "self.labels_ = Pool(2).map(abs, self.labels_)",
    "leaves_a_process": "os.fork() or sleep(1000)",
}


class Server:
    """A server, and the folder in which its clients run steps."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = Path(tempfile.mkdtemp())
        self.owner, self.shell = (subprocess.Popen(["sleep", "1000"]) for _ in range(2))
        self.environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(code.ROOT.parent),
            "HYPERCUT_STARTED_BY": f"{self.shell.pid} {self.owner.pid}",
        }
        command = [sys.executable, "-m", "hypercut.steps._server", self.home / "socket", str(self.owner.pid)]
        self.process = subprocess.Popen(command, cwd=folder, env=self.environment)
        wait_for((self.home / "socket").exists)

    def start(self, name: str, limit: int = 60) -> "subprocess.Popen[bytes]":
        """Start a clustering by one of METHODS, as job.sh does."""
        module = str(self.folder / "methods.py")
        step = {"algorithm": name, "module": module, "uses": [], "variation": "", "repeats": 1, "sigma_factors": [1.0]}
        step |= {"parameters": [{}]}
        step |= {"code": code.clustering_code(module), "runner": RUNNER_VERSION}
        client = [sys.executable, "-I", "-S", ROOT / "workflow/scripts/step.py", self.home / "socket"]
        program = ["python", "-m", "hypercut.steps.cluster", canonical_json({**MADE_BY, "cluster": step})]
        limits = canonical_json({"time_limit": limit, "give_up_after": 3})
        command = [*client, *program, "--limits", limits, "--problem", "problem.npz", "--out", "rows.parquet"]
        with (self.folder / "log").open("wb") as log:
            return subprocess.Popen(command, cwd=self.folder, env=self.environment, stdout=log, stderr=log)

    def rows(self, name: str) -> pd.DataFrame:
        """Run a clustering and return its rows without measurements."""
        assert self.start(name).wait() == 0, (self.folder / "log").read_text()
        rows = read_rows(self.folder / "rows.parquet", labels=True).drop(columns=MEASURED)
        # After a crash the traceback has the address of the thread.
        return rows.assign(traceback=rows["traceback"].str.replace("0x[0-9a-f]+", "", regex=True))

    def serves(self) -> bool:
        """Run a clustering and return whether the server forked its process."""
        self.rows("tells")
        return "_server" in (self.folder / "told").read_text()

    def hanging(self) -> "tuple[subprocess.Popen[bytes], list[int]]":
        """Start a clustering that hangs; return the client, and the processes of worker and step."""
        (self.folder / "pids").unlink(missing_ok=True)
        client = self.start("hangs", limit=1000)
        wait_for((self.folder / "pids").exists)
        return client, list(map(int, (self.folder / "pids").read_text().split()))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    folder = tmp_path / ("a long name with spaces " * 8) / "run"
    folder.mkdir(parents=True)
    (folder / "methods.py").write_text(methods(**METHODS))
    y = np.arange(30) % 3
    X = np.random.default_rng(0).normal(size=(30, 4)) + 6 * np.eye(3, 4)[y]
    features = Features(X, y, {"kind": "own", "complete": True, "identity": "1"})
    problem = make_problem("b", features, setting="noise-L2", level=0.4, draws=1)
    save_problem(folder / "problem.npz", problem, MADE_BY)
    server = Server(folder)
    yield server
    for process in (server.process, server.owner, server.shell):
        process.kill()
        process.wait()
    shutil.rmtree(server.home, ignore_errors=True)


def test_rows_are_those_of_a_program_whatever_a_method_does(server: Server) -> None:
    assert server.serves()
    told = (server.folder / "told").read_text()
    forked = {name: server.rows(name) for name in METHODS if name != "hangs"}
    assert (server.folder / "told").read_text() != told  # the global generator differs from process to process
    server.process.kill()
    server.process.wait()
    assert not server.serves()
    for name, rows in forked.items():
        pd.testing.assert_frame_equal(rows, server.rows(name), obj=name)


@pytest.mark.parametrize("who", ["client", "shell", "owner"])
def test_no_process_survives_what_waits_for_it(server: Server, who: str) -> None:
    client, processes = server.hanging()
    {"client": client, "shell": server.shell, "owner": server.owner}[who].kill()
    for process in processes:
        wait_for(lambda process=process: not is_alive(process))
    assert client.wait() == (-signal.SIGKILL if who == "client" else 1)
    assert not [*server.folder.glob(".rows*"), *server.folder.glob("rows*")]
    if who == "owner":
        server.owner.wait()
        assert server.process.wait() == 0
        assert not list(server.home.iterdir())


def test_a_killed_step_has_failed_and_harms_no_other(server: Server) -> None:
    client, (_, step) = server.hanging()
    os.kill(step, signal.SIGKILL)
    assert client.wait() == 1
    assert server.serves()


def test_a_killed_server_harms_no_step(server: Server) -> None:
    client, _ = server.hanging()
    server.process.kill()
    server.process.wait()
    (server.folder / "stop").touch()
    assert client.wait() == 0
