"""Fault injection: kills, full disks, clock changes … during runs of the ``tiny`` preset.

``python -m benchmarks.faults [NAME …]`` (``make faults``) injects the faults one after another, minutes each, and
compares the outcome with that of an undisturbed run. ``--out FILE`` writes a row for each fault: how often,
what the user saw, and the commit. Rows of other faults in the file are kept. Faults that need Slurm, PostgreSQL
or mounts are skipped with a reason where these are not available.
"""

import argparse
import contextlib
import itertools
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from tests.server import Server, runs_of
from tests.workflow import slurm
from tests.workflow.project import Project, assert_same_outcome

SECONDS = 900
#: Snakemake looks at Slurm at least every 180 seconds.
IDLE = 240
PREFIX = "hypercut/tiny"
"""of the experiments of the preset"""


class Unavailable(Exception):
    """The fault cannot be injected on this machine."""


class Outcome(NamedTuple):
    """A row of the table: a fault after which nothing was lost."""

    what: str
    times: int
    seen: str


@dataclass
class Run:
    """A Snakemake in the folder of a project, started as a user would."""

    project: Project
    options: tuple[str, ...] = ("--cores", "2")
    variables: dict[str, str] = field(default_factory=dict)
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def log(self) -> Path:
        return self.project.folder / "run.log"

    def clear(self) -> None:
        """Clean up after a killed run, as the make targets do."""
        command = [sys.executable, "workflow/scripts/unlock.py"]
        environment = self.project.environment()
        subprocess.run(command, cwd=self.project.folder, env=environment, check=True, capture_output=True)

    def start(self) -> None:
        self.clear()
        command = [sys.executable, "-m", "snakemake", *self.options, "--config", "preset=tiny"]
        with self.log.open("wb") as log:
            environment = self.project.environment(**self.variables)
            self.process = subprocess.Popen(command, cwd=self.project.folder, env=environment, stdout=log, stderr=log)

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def finish(self) -> int:
        """Wait for the end and return the exit status."""
        assert self.process is not None
        return self.process.wait(SECONDS)

    def finish_or_interrupt(self, idle: Callable[[], bool]) -> bool:
        """Wait for the end; return whether Ctrl-C was needed, since for long nothing was under way."""
        assert self.process is not None
        busy = time.monotonic()
        while self.alive:
            busy = busy if idle() else time.monotonic()
            if time.monotonic() - busy > IDLE:
                self.process.send_signal(signal.SIGINT)
                self.finish()
                return True
            time.sleep(1)
        return False

    def complete(self) -> str:
        """Run to the end, expect success, and return the log."""
        self.start()
        status = self.finish()
        text = self.log.read_text()
        assert status == 0, text[-3000:]
        return text

    def wait_for(self, files: str, count: int = 1) -> None:
        """Wait until ``count`` files match the pattern."""
        while len(list(self.project.results.glob(files))) < count:
            assert self.alive, self.log.read_text()[-3000:]
            time.sleep(0.1)

    def logged(self, pattern: str) -> str:
        """Return the line of the log that matches a pattern."""
        text = self.log.read_text()
        found = re.search(f"^.*{pattern}.*$", text, flags=re.MULTILINE)
        assert found, text[-3000:]
        return found[0].strip()


class Bench:
    """A folder for the faults, with an undisturbed run for comparison."""

    def __init__(self, folder: Path, kills: int) -> None:
        self.folder = folder
        self.kills = kills
        self.random = random.Random(0)
        self._folders = (folder / f"project-{number}" for number in itertools.count())
        self.undisturbed = Project.create(folder / "undisturbed")
        Run(self.undisturbed).complete()

    def fresh(self) -> Project:
        """Return a project with data, in which nothing has been run."""
        folder = next(self._folders)
        project = Project.create(folder)
        shutil.copytree(self.undisturbed.folder / "data", folder / "data")
        return project

    def unfinished(self) -> Project:
        """Return a finished project without the clusterings of two submissions and the steps after them."""
        project = self.undisturbed.copy(next(self._folders))
        for done in ("problems", "overclusterings", "clusters"):
            shutil.rmtree(project.results / done / "digits")
            shutil.rmtree(project.results / done / "iris" / "noise-L5", ignore_errors=True)
        (project.results / "problems" / "iris" / "noise-L5.npz").unlink()
        (project.results / "overclusterings" / "iris" / "noise-L5.npz").unlink()
        for name in ("table.parquet", "tracking.json", "report/index.html"):
            (project.results / name).unlink()
        return project

    def check(self, project: Project) -> None:
        """Check that the outcome is that of the undisturbed run, with every run in MLflow once."""
        assert_same_outcome(self.undisturbed, project)
        store = project.results / "mlflow.db"
        if store.exists():
            assert runs_of(f"sqlite:///{store}") == self.runs()
        left = list(project.results.rglob("*.part"))
        assert not left, left

    def end_processes(self) -> None:
        """Kill remaining processes, after a failed check or on a node that Slurm considers lost."""
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if (process / "cwd").readlink().is_relative_to(self.folder):
                    os.kill(int(process.name), signal.SIGKILL)

    def runs(self) -> list[str]:
        """Return the MLflow runs of the undisturbed benchmark."""
        return runs_of(f"sqlite:///{self.undisturbed.results / 'mlflow.db'}")

    def check_server(self, server: Server, prefix: str) -> None:
        """Check that the server has each run once."""
        expected = [run.replace(PREFIX, prefix, 1) for run in self.runs()]
        assert server.runs(prefix) == expected, server.runs(prefix)


def kill_at_random(bench: Bench, cluster: slurm.Slurm | None = None) -> Outcome:
    """Kill something every few seconds and restart what has died. When a benchmark is complete, begin another.

    Only with Slurm may a run wait for jobs that do not exist: those that a killed ``slurmctld`` has forgotten.
    """
    begin = Run if cluster is None else on_slurm
    killed: list[str] = []
    complete = survived = 0
    current = begin(bench.fresh())
    while len(killed) < bench.kills:
        if not current.alive:
            if (current.project.results / "tracking.json").exists():
                bench.check(current.project)
                complete += 1
                current = begin(bench.fresh())
            current.start()
            survived = len(killed)
        time.sleep(bench.random.uniform(2, 15 if cluster is None else 45))
        what = kill(bench, current, cluster)
        if what:
            killed.append(what)
            print(f"  {len(killed):2} {what}", flush=True)
    interrupted = False
    if cluster is not None:
        states = "PENDING,RUNNING,COMPLETING"
        interrupted = current.finish_or_interrupt(lambda: not cluster.jobs(states) and not jobs_of(current.project))
        assert not interrupted or "`slurmctld`" in killed[survived:], current.log.read_text()[-3000:]
    elif current.alive:
        current.finish()
    current.complete()
    bench.check(current.project)
    counts = ", ".join(f"{killed.count(what)} × {what}" for what in sorted(set(killed)))
    seen = f"the same command resumed each time; benchmarks completed: {complete + 1}"
    if interrupted:
        seen += "; after the last kill, Snakemake waited for lost submissions until it was interrupted"
    where = "on one machine" if cluster is None else "on Slurm"
    return Outcome(f"killed at random moments {where}: {counts}", len(killed), seen)


def kill(bench: Bench, run: Run, cluster: slurm.Slurm | None) -> str:
    """Kill something at random; return what, or nothing if it had ended."""
    processes, jobs = jobs_of(run.project), cluster.jobs() if cluster else []
    choices = ["Snakemake"] + ["process"] * bool(processes) + 2 * ["job"] * bool(jobs) + ["slurmctld"] * bool(cluster)
    match bench.random.choice(choices):
        case "process":
            with contextlib.suppress(ProcessLookupError):
                os.kill(bench.random.choice(processes), signal.SIGKILL)
                return "a job's process"
            return ""
        case "job":
            cluster.run("scancel", bench.random.choice(jobs))
            return "a submission (`scancel`)"
        case "slurmctld":
            cluster.kill_controller()
            time.sleep(bench.random.uniform(1, 5))
            cluster.start_controller()
            return "`slurmctld`"
    return kill_snakemake(run)


def kills_on_slurm(bench: Bench) -> Outcome:
    with a_cluster() as cluster:
        return kill_at_random(bench, cluster)


def kill_snakemake(run: Run) -> str:
    if not run.alive:
        return ""
    assert run.process is not None
    run.process.kill()
    run.process.wait()
    return "Snakemake"


def jobs_of(project: Project) -> list[int]:
    """Return the processes of the project's jobs and their server, without workers, whose death is a result.

    A worker has the command line of the process that it was forked from, but leads a session.
    """
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            command, number = (process / "cmdline").read_bytes(), int(process.name)
            is_job = (process / "cwd").readlink() == project.folder and b"hypercut.steps." in command
            if is_job and os.getsid(number) != number:
                found.append(number)
    return found


@contextlib.contextmanager
def a_cluster(nodes: int = 2, *, limits: bool = False) -> Iterator[slurm.Slurm]:
    reason = slurm.reason_not_to_run()
    if reason:
        raise Unavailable(reason)
    with slurm.running(nodes, limits=limits) as cluster:
        yield cluster


def on_slurm(project: Project) -> Run:
    return Run(project, ("--profile", "profiles/slurm", *slurm.OPTIONS))


def node_lost(bench: Bench) -> Outcome:
    with a_cluster() as cluster:
        run = on_slurm(bench.unfinished())
        run.start()
        run.wait_for("problems/*/*.npz", 2)
        assert cluster.run("squeue", "--noheader", "--nodelist=node1", "--states=RUNNING")
        cluster.set_node("node1", "down")
        time.sleep(5)
        with contextlib.suppress(subprocess.CalledProcessError):  # it may have returned already
            cluster.set_node("node1", "resume")
        status = run.finish()
        if status:
            run.complete()
        bench.check(run.project)
    rerun = "its jobs were reported as failed, and the same command reran them"
    seen = rerun if status else "nothing: Slurm restarted its jobs after two minutes"
    return Outcome("a node lost with its jobs, and returned", 1, seen)


def out_of_memory(bench: Bench) -> Outcome:
    if not slurm.MEMORY_GROUPS.exists():
        raise Unavailable(f"memory limits are not available: {slurm.MEMORY_GROUPS} does not exist")
    project = bench.unfinished()
    # Less than a submission of several jobs needs, but more than half: the second attempt requests twice as much.
    project.edit("src/hypercut/benchmark/requests.py", "BASE_MB = 300", "BASE_MB = 80")
    project.edit("src/hypercut/benchmark/requests.py", "SUBMISSION_MB = 450", "SUBMISSION_MB = 20")
    with a_cluster(nodes=1, limits=True) as cluster:
        run = on_slurm(project)
        run.complete()
        failed = [job["JobId"] for job in cluster.history() if job["JobState"] != "COMPLETED"]
        assert failed
        for job in failed:
            (log,) = project.folder.glob(f".snakemake/slurm_logs/**/{job}.log")
            assert "oom-kill" in log.read_text()
        bench.check(project)
    seen = "killed by Slurm, `Trying to restart job`, and resubmitted with twice the memory"
    return Outcome("submissions that exceed their memory limit", len(failed), seen)


@contextlib.contextmanager
def small_disk(project: Project, size: str) -> Iterator[Callable[[str], None]]:
    """Mount a file system of this size as the results folder; yield a function that remounts it with other options."""
    if os.geteuid() != 0:
        raise Unavailable("mounting needs root")
    project.results.mkdir(parents=True)

    def mount(options: str) -> None:
        subprocess.run(["mount", "-o", options, "-t", "tmpfs", "tmpfs", project.results], check=True)

    try:
        mount(f"size={size}")
    except subprocess.CalledProcessError as error:
        raise Unavailable("mounting is not possible") from error
    try:
        yield mount
    finally:
        subprocess.run(["umount", "--lazy", project.results], check=True)


def disk_full(bench: Bench) -> Outcome:
    project = bench.fresh()
    run = Run(project)
    seen = []
    # Full during the clusterings, then during the report, then with enough space.
    with small_disk(project, "300k") as mount:
        for size in ("900k", "500m"):
            run.start()
            assert run.finish() != 0
            seen.append(run.logged("No space left on device|disk is full"))
            mount(f"remount,size={size}")
        run.complete()
        bench.check(project)
    messages = " and ".join(f"`{line[:160]}`" for line in seen)
    return Outcome(
        "results on a disk that fills up: during the clusterings, and when the report is written",
        len(seen),
        f"{messages}; with free space, the same command resumed",
    )


def read_only(bench: Bench) -> Outcome:
    project = bench.fresh()
    with small_disk(project, "500m") as mount:
        run = Run(project)
        run.start()
        run.wait_for("clusters/*/*/*.parquet", 5)
        kill_snakemake(run)
        run.clear()  # a file system with open files cannot become read-only
        mount("remount,ro")
        run.start()
        assert run.finish() != 0
        seen = run.logged("Read-only file system|Write-protected output")
        mount("remount,rw")
        run.complete()
        bench.check(project)
    return Outcome("results read-only after a kill, then writable", 1, f"`{seen[:160]}`; the same command resumed")


def clock_jumps(bench: Bench) -> Outcome:
    library = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
    if library is None:
        raise Unavailable("libfaketime is not installed (Debian: libfaketime)")
    project = bench.fresh()
    for offset, results in (("+2d", 6), ("-2d", 12)):
        # Setting a real clock does not change the monotonic clock.
        run = Run(project, variables={"LD_PRELOAD": str(library), "FAKETIME": offset, "DONT_FAKE_MONOTONIC": "1"})
        run.start()
        run.wait_for("clusters/*/*/*.parquet", results)
        kill_snakemake(run)
    run = Run(project)
    run.complete()
    bench.check(project)
    again = run.complete()
    assert "Nothing to be done" in again, again[-2000:]
    return Outcome(
        "a clock two days ahead, then two behind, then right, with a kill each",
        3,
        "nothing; a second run had nothing to do",
    )


def database_stopped(bench: Bench) -> Outcome:
    times = 3
    seen = []
    reason = Server.reason_not_to_run()
    if reason:
        raise Unavailable(reason)
    with Server() as server:
        server.add_user("alice")
        for number in range(times):
            prefix = f"round{number}"
            sync = server.sync(bench.undisturbed.results, "alice", prefix)
            while sync.poll() is None and len(server.runs(prefix)) < 2 + 6 * number:
                time.sleep(0.1)
            server.stop_database()
            time.sleep(bench.random.uniform(0, 8))
            server.start_database()
            output, _ = sync.communicate(timeout=SECONDS)
            if sync.returncode:
                assert sync.returncode == 2, output
                seen.append(output.strip().splitlines()[-1].partition(f"{server.address}: ")[2].partition(". Check")[0])
                output, _ = server.sync(bench.undisturbed.results, "alice", prefix).communicate(timeout=SECONDS)
            bench.check_server(server, prefix)
    waited = f"{times - len(seen)} of {times} syncs waited and continued"
    failed = f"; {len(seen)} ended with `{seen[-1]}`, and the same command completed it" if seen else ""
    return Outcome("PostgreSQL stopped during a sync, and started again", times, waited + failed)


FAULTS: dict[str, Callable[[Bench], Outcome]] = {
    "kills": kill_at_random,
    "slurm-kills": kills_on_slurm,
    "lost": node_lost,
    "memory": out_of_memory,
    "disk": disk_full,
    "read-only": read_only,
    "clock": clock_jumps,
    "database": database_stopped,
}


COLUMNS = ["fault", "times", "what the user saw", "commit"]


def write_outcome(path: Path, name: str, outcome: Outcome) -> None:
    """Write an outcome into a CSV file, in place of an earlier one of the same fault."""
    rows = pd.read_csv(path, index_col="name") if path.exists() else pd.DataFrame(columns=COLUMNS)
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True).stdout.strip()
    rows.loc[name] = [*outcome, commit]
    rows.loc[[each for each in FAULTS if each in rows.index]].to_csv(path, index_label="name")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "names", nargs="*", choices=[*FAULTS, []], metavar="NAME", help=f"{', '.join(FAULTS)} (default: all)"
    )
    parser.add_argument("--kills", type=int, default=20, help="number of kills (default 20)")
    parser.add_argument("--out", type=Path, help="CSV file for the outcomes; rows of other faults are kept")
    args = parser.parse_args()
    failed = []
    with tempfile.TemporaryDirectory(prefix="hypercut-faults-") as folder:
        bench = Bench(Path(folder), args.kills)
        for name in args.names or FAULTS:
            print(f"{name} …", flush=True)
            try:
                outcome = FAULTS[name](bench)
            except Unavailable as reason:
                print(f"  skipped: {reason}", flush=True)
                continue
            except (AssertionError, subprocess.SubprocessError, TimeoutError) as error:
                failed.append(name)
                print(f"  FAILED: {error}", flush=True)
                continue
            finally:
                bench.end_processes()
            print(f"  {outcome.what}, {outcome.times} times: {outcome.seen}", flush=True)
            if args.out:
                write_outcome(args.out, name, outcome)
    print(f"FAILED: {', '.join(failed)}" if failed else "Nothing lost.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
