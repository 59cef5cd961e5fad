"""Workers whose processes hang, die, fork or print: their answers, and that no process is left behind."""

import ctypes
import itertools
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hypercut.run import worker as worker_module
from hypercut.run.failures import Failure, Status
from hypercut.run.worker import Worker

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning"),  # of Python 3.12, in tests only
]

SECONDS = 60


@pytest.fixture(autouse=True, params=["spawn", "fork"])
def start_method(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(worker_module, "start_method", request.param)
    return request.param


class Tasks:
    """Calls the method named by the first word of the task."""

    def __call__(self, task: tuple[str, ...]) -> object:
        return getattr(self, task[0])(*task[1:])

    def echo(self, word: str) -> str:
        return word

    def pid(self) -> int:
        return os.getpid()

    def hang(self) -> None:
        time.sleep(1000)

    def hang_up(self) -> None:
        os.closerange(3, 256)
        self.hang()

    def leave(self) -> None:
        raise SystemExit(3)

    def crash(self) -> None:
        ctypes.string_at(0)

    def have_child(self) -> int:
        """Fork a process, which inherits all file descriptors, and return its number."""
        child = os.fork()
        if child == 0:
            time.sleep(1000)
        return child

    def share_work(self) -> list[int]:
        with multiprocessing.get_context("fork").Pool(2) as pool:
            return pool.map(abs, [-1, 2])

    def have_child_and(self, note: str, then: str) -> None:
        Path(note).write_text(str(self.have_child()))
        getattr(self, then)()

    def be_killed(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


def is_alive(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_worker_answers_again_after_it_was_killed() -> None:
    with Worker(Tasks) as worker:
        assert worker.ask(("echo", "hello")) == "hello"
        assert worker.ask(("hang",), 0.2).status == Status.TIMEOUT
        assert worker.ask(("echo", "hello")) == "hello"
        assert worker.ask(("leave",)) == Failure(Status.CRASHED, "the process ended with exit status 3")
        assert worker.ask(("echo", "hello")) == "hello"


def test_children_of_a_task_are_killed_at_its_timeout(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    with Worker(Tasks) as worker:
        assert worker.ask(("have_child_and", str(note), "hang"), 5).status == Status.TIMEOUT
        child = int(note.read_text())
        wait_for(lambda: not is_alive(child))


def test_children_of_a_task_are_killed_with_the_worker() -> None:
    with Worker(Tasks) as worker:
        child = worker.ask(("have_child",))
        assert is_alive(child)
    wait_for(lambda: not is_alive(child))


def test_a_death_is_noticed_while_a_child_holds_the_connection(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    with Worker(Tasks) as worker:
        killed = Failure(Status.CRASHED, "the process was killed by SIGKILL (out of memory?)")
        assert worker.ask(("have_child_and", str(note), "be_killed"), 20) == killed
        child = int(note.read_text())
        wait_for(lambda: not is_alive(child))
        assert worker.ask(("echo", "hello")) == "hello"


def test_a_process_that_closes_its_connection_is_killed() -> None:
    with Worker(Tasks) as worker:
        assert worker.ask(("hang_up",), SECONDS).status == Status.CRASHED
        assert worker.ask(("echo", "hello")) == "hello"


PROGRAM = """
import sys
from hypercut.run import worker
from tests.run.test_worker import Tasks
worker.start_method = sys.argv[1]
if __name__ == '__main__':
    with worker.Worker(Tasks) as asked:
        print(asked.ask(('pid',)), asked.ask(('have_child',)), flush=True)
        asked.ask(('hang',))
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_workers_end_with_the_process_that_started_them(tmp_path: Path, how: signal.Signals, start_method: str) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    folders = os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])
    command, environment = [sys.executable, program, start_method], {**os.environ, "PYTHONPATH": folders}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as asking:
        worker, child = map(int, asking.stdout.readline().split())
        alive = is_alive(worker) and is_alive(child)
        asking.send_signal(how)
    assert alive
    wait_for(lambda: not is_alive(worker))
    wait_for(lambda: not is_alive(child))


def test_a_task_may_start_a_pool_of_processes() -> None:
    with Worker(Tasks) as worker:
        assert worker.ask(("share_work",), SECONDS) == [1, 2]


def test_an_out_of_memory_kill_is_distinguished_from_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel counts such kills. Here the count grows with every call."""
    count = itertools.count()
    monkeypatch.setattr("hypercut.run.worker._kills_for_memory", lambda: next(count))
    with Worker(Tasks) as worker:
        killed = Failure(Status.MEMORY, "the kernel killed the process: out of memory")
        assert worker.ask(("be_killed",)) == killed
        assert worker.ask(("leave",)).status == Status.CRASHED


def test_a_crash_in_compiled_code_has_a_stack() -> None:
    with Worker(Tasks) as worker:
        crashed = worker.ask(("crash",))
        assert (crashed.status, crashed.message) == (Status.CRASHED, "the process was killed by SIGSEGV")
        assert crashed.traceback.startswith("Fatal Python error: Segmentation fault")
        assert " in crash" in crashed.traceback
        assert worker.ask(("be_killed",)).traceback is None
