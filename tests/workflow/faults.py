"""Fault injection: kills, full disks, clock changes … during runs of the ``tiny`` preset.

``python -m tests.workflow.faults [NAME …]`` (``make faults``) injects the faults one after another, minutes each, and
compares the outcome with that of an undisturbed run. ``--out FILE`` writes a row for each fault: how often,
what the user saw, and the commit. Rows of other faults in the file are kept. Faults that need Slurm, PostgreSQL
or mounts are skipped with a reason where these are not available.
"""

import argparse
import contextlib
import csv
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


@dataclass
class Outcome:
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
        command = [sys.executable, "workflow/scripts/clear_stale_lock.py"]
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
        deadline = busy + SECONDS
        while self.alive:
            assert time.monotonic() < deadline, self.log.read_text()[-3000:]
            if not idle():
                busy = time.monotonic()
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
        deadline = time.monotonic() + SECONDS
        while len(list(self.project.results.glob(files))) < count:
            assert self.alive, self.log.read_text()[-3000:]
            assert time.monotonic() < deadline
            time.sleep(0.1)

    def logged(self, pattern: str) -> str:
        """Return the line of the log that matches a pattern."""
        text = self.log.read_text()
        found = re.search(f"^.*{pattern}.*$", text, flags=re.MULTILINE)
        assert found, text[-3000:]
        return found[0].strip()


class Bench:
    """A folder for the faults, with an undisturbed run for comparison."""

    def __init__(self, folder: Path, kills: int, seed: int) -> None:
        self.folder = folder
        self.kills = kills
        self.random = random.Random(seed)
        self._count = 0
        self.undisturbed = Project(folder / "undisturbed")
        if not (self.undisturbed.results / "tracking.json").exists():
            shutil.rmtree(self.undisturbed.folder, ignore_errors=True)
            self.undisturbed = Project.create(self.undisturbed.folder)
            Run(self.undisturbed).complete()

    def fresh(self) -> Project:
        """Return a project with data, in which nothing has been run."""
        self._count += 1
        folder = self.folder / f"project-{os.getpid()}-{self._count}"
        project = Project.create(folder)
        shutil.copytree(self.undisturbed.folder / "data", folder / "data")
        return project

    def unfinished(self) -> Project:
        """Return a finished project without the clusterings of two submissions and the steps after them."""
        self._count += 1
        project = self.undisturbed.copy(self.folder / f"project-{os.getpid()}-{self._count}")
        for done in ("problems", "communities", "clusters"):
            shutil.rmtree(project.results / done / "digits")
            shutil.rmtree(project.results / done / "iris" / "noise-L5", ignore_errors=True)
        (project.results / "problems" / "iris" / "noise-L5.npz").unlink()
        (project.results / "communities" / "iris" / "noise-L5.npz").unlink()
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
                where = (process / "cwd").readlink()
                if where.is_relative_to(self.folder) and f"project-{os.getpid()}-" in str(where):
                    os.kill(int(process.name), signal.SIGKILL)

    def runs(self) -> list[str]:
        """Return the MLflow runs of the undisturbed benchmark."""
        return runs_of(f"sqlite:///{self.undisturbed.results / 'mlflow.db'}")

    def check_server(self, server: Server, prefix: str) -> None:
        """Check that the server has each run once."""
        expected = [run.replace(PREFIX, prefix, 1) for run in self.runs()]
        assert server.runs(prefix) == expected, server.runs(prefix)


def kill_at_random(
    bench: Bench,
    where: str,
    run: Callable[[Project], Run],
    kill: Callable[[Run], str],
    seconds: int,
    has_jobs: Callable[[], bool] | None = None,
) -> Outcome:
    """Kill something every few seconds and restart what has died. When a benchmark is complete, begin another.

    ``has_jobs`` tells whether Slurm has jobs. Only with Slurm may a run wait for jobs that do not exist: those that a
    killed ``slurmctld`` has forgotten.
    """
    killed: list[str] = []
    complete = survived = 0
    current = run(bench.fresh())
    while len(killed) < bench.kills:
        if not current.alive:
            if (current.project.results / "tracking.json").exists():
                bench.check(current.project)
                complete += 1
                current = run(bench.fresh())
            current.start()
            survived = len(killed)
        time.sleep(bench.random.uniform(2, seconds))
        what = kill(current)
        if what:
            killed.append(what)
            print(f"  {len(killed):2} {what}", flush=True)
    interrupted = False
    if has_jobs is not None:
        interrupted = current.finish_or_interrupt(lambda: not has_jobs() and not jobs_of(current.project))
        assert not interrupted or "`slurmctld`" in killed[survived:], current.log.read_text()[-3000:]
    elif current.alive:
        current.finish()
    current.complete()
    bench.check(current.project)
    counts = ", ".join(f"{killed.count(what)} × {what}" for what in sorted(set(killed)))
    seen = f"the same command resumed each time; benchmarks completed: {complete + 1}"
    if interrupted:
        seen += "; after the last kill, Snakemake waited for lost submissions until it was interrupted"
    return Outcome(f"killed at random moments {where}: {counts}", len(killed), seen)


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


def kills_on_one_machine(bench: Bench) -> Outcome:
    def kill(run: Run) -> str:
        jobs = jobs_of(run.project)
        if jobs and bench.random.random() < 0.5:
            with contextlib.suppress(ProcessLookupError):
                os.kill(bench.random.choice(jobs), signal.SIGKILL)
                return "a job"
            return ""
        return kill_snakemake(run)

    return kill_at_random(bench, "on one machine", Run, kill, 15)


@contextlib.contextmanager
def a_cluster(nodes: int = 2, *, limits: bool = False) -> Iterator[slurm.Slurm]:
    reason = slurm.reason_not_to_run()
    if reason:
        raise Unavailable(reason)
    with slurm.running(nodes, limits=limits) as cluster:
        yield cluster


def on_slurm(project: Project) -> Run:
    return Run(project, ("--profile", "profiles/slurm", *slurm.OPTIONS))


def kills_on_slurm(bench: Bench) -> Outcome:
    with a_cluster() as cluster:

        def kill(run: Run) -> str:
            jobs, processes = cluster.jobs(), jobs_of(run.project)
            match bench.random.choice(
                ["Snakemake", "slurmctld"] + 2 * ["job"] * bool(jobs) + ["process"] * bool(processes)
            ):
                case "job":
                    cluster.run("scancel", bench.random.choice(jobs))
                    return "a submission (`scancel`)"
                case "process":
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(bench.random.choice(processes), signal.SIGKILL)
                    return "a job's process"
                case "slurmctld":
                    cluster.kill_controller()
                    time.sleep(bench.random.uniform(1, 5))
                    cluster.start_controller()
                    return "`slurmctld`"
            return kill_snakemake(run)

        return kill_at_random(
            bench, "on Slurm", on_slurm, kill, 45, lambda: bool(cluster.jobs("PENDING,RUNNING,COMPLETING"))
        )


def node_drained(bench: Bench) -> Outcome:
    with a_cluster() as cluster:
        run = on_slurm(bench.unfinished())
        run.start()
        run.wait_for("problems/*/*.npz", 2)
        cluster.set_node("node1", "drain")
        run.wait_for("clusters/*/*/*.parquet", 30)
        assert cluster.states()["node1"] in ("draining", "drained")
        cluster.set_node("node1", "resume")
        assert run.finish() == 0, run.log.read_text()[-3000:]
        bench.check(run.project)
    return Outcome(
        "a node drained while its jobs ran, and returned", 1, "nothing: running jobs finished, the rest waited"
    )


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
    seen = (
        "nothing: Slurm restarted its jobs after two minutes"
        if status == 0
        else "its jobs were reported as failed, and the same command reran them"
    )
    return Outcome("a node lost with its jobs, and returned", 1, seen)


def out_of_memory(bench: Bench) -> Outcome:
    if not slurm.MEMORY_GROUPS.exists():
        raise Unavailable(f"memory limits are not available: {slurm.MEMORY_GROUPS} does not exist")
    project = bench.unfinished()
    # Less than a submission of several jobs needs, but more than half: the second attempt requests twice as much.
    project.edit("src/hypercut/benchmark/cost.py", "BASE_MB = 300", "BASE_MB = 80")
    project.edit("src/hypercut/benchmark/cost.py", "SUBMISSION_MB = 450", "SUBMISSION_MB = 20")
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


def two_at_once(bench: Bench) -> Outcome:
    project = bench.fresh()
    first = Run(project)
    first.start()
    first.wait_for("clusters/*/*/*.parquet")
    times = 3
    for _ in range(times):
        second = subprocess.run(
            project.command(), cwd=project.folder, env=project.environment(), capture_output=True, text=True
        )
        assert second.returncode == 1
        assert "LockException" in second.stdout + second.stderr
    with contextlib.suppress(subprocess.CalledProcessError):
        Run(project).start()
        raise AssertionError("the lock of a living run was cleared")
    assert first.finish() == 0
    bench.check(project)
    return Outcome(
        "two Snakemakes in one folder", times, "the second exits at once: `LockException`, with instructions"
    )


def a_server() -> Server:
    reason = Server.reason_not_to_run()
    if reason:
        raise Unavailable(reason)
    return Server()


def two_syncs(bench: Bench) -> Outcome:
    times = 3
    with a_server() as server:
        for user in ("alice", "bob"):
            server.add_user(user)
        for number in range(times):
            prefix = f"round{number}"
            syncs = [server.sync(bench.undisturbed.results, user, prefix) for user in ("alice", "bob")]
            for sync in syncs:
                output, _ = sync.communicate(timeout=SECONDS)
                assert sync.returncode == 0, output
            bench.check_server(server, prefix)
            again, _ = server.sync(bench.undisturbed.results, "alice", prefix).communicate(timeout=SECONDS)
            assert f"{len(bench.runs())} unchanged, 0 removed" in again, again
    seen = "no error, and every run exactly once"
    return Outcome("two people syncing the same results to a server at once", times, seen)


def database_stopped(bench: Bench) -> Outcome:
    times = 3
    seen = []
    with a_server() as server:
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
            assert "0 results missing" in output, output
            bench.check_server(server, prefix)
    waited = f"{times - len(seen)} of {times} syncs waited and continued"
    failed = f"; {len(seen)} ended with `{seen[-1]}`, and the same command completed it" if seen else ""
    return Outcome("PostgreSQL stopped during a sync, and started again", times, waited + failed)


FAULTS: dict[str, Callable[[Bench], Outcome]] = {
    "kills": kills_on_one_machine,
    "slurm-kills": kills_on_slurm,
    "drained": node_drained,
    "lost": node_lost,
    "memory": out_of_memory,
    "disk": disk_full,
    "read-only": read_only,
    "clock": clock_jumps,
    "two": two_at_once,
    "syncs": two_syncs,
    "database": database_stopped,
}


COLUMNS = ("name", "fault", "times", "what the user saw", "commit")


def write_outcome(path: Path, name: str, outcome: Outcome) -> None:
    """Write an outcome into a CSV file, in place of an earlier one of the same fault."""
    rows = {}
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            rows = {row["name"]: row for row in csv.DictReader(file)}
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True).stdout.strip()
    values = (name, outcome.what, outcome.times, outcome.seen, commit)
    rows[name] = dict(zip(COLUMNS, map(str, values), strict=True))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[name] for name in FAULTS if name in rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(FAULTS)} (default: all)")
    parser.add_argument("--kills", type=int, default=20, help="number of kills (default 20)")
    parser.add_argument("--seed", type=int, default=0, help="random seed of the moments (default 0)")
    parser.add_argument("--out", type=Path, help="CSV file for the outcomes; rows of other faults are kept")
    parser.add_argument("--folder", type=Path, help="working folder, kept afterwards (default: a temporary one)")
    args = parser.parse_args()
    unknown = set(args.names) - set(FAULTS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; available: {', '.join(FAULTS)}")
    injected, failed = 0, []
    with contextlib.ExitStack() as stack:
        folder = args.folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hypercut-faults-")))
        bench = Bench(folder.resolve(), args.kills, args.seed)
        for name in args.names or FAULTS:
            print(f"{name} …", flush=True)
            started = time.monotonic()
            try:
                outcome = FAULTS[name](bench)
            except Unavailable as reason:
                print(f"{name} skipped: {reason}", flush=True)
                continue
            except (AssertionError, subprocess.SubprocessError, TimeoutError) as error:
                failed.append(name)
                print(f"{name} FAILED: {error}", file=sys.stderr, flush=True)
                continue
            finally:
                bench.end_processes()
            injected += 1
            minutes = (time.monotonic() - started) / 60
            print(f"  {outcome.what}, {outcome.times} times: {outcome.seen} ({minutes:.1f} min)", flush=True)
            if args.out:
                write_outcome(args.out, name, outcome)
    print(f"{injected} faults, nothing lost." if not failed else f"FAILED: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
