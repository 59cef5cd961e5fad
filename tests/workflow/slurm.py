"""A private Slurm on this machine: nodes are daemons on the loopback interface, without accounting or systemd.

Uses the packages of the distribution (Debian: slurm-wlm slurm-wlm-basic-plugins munge), which must be installed.
"""

import contextlib
import fcntl
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

#: The default path. SLURM_CONF could name another, but the executor plugin drops that variable in job steps.
CONFIGURATION = Path("/etc/slurm/slurm.conf")
#: In the same folder: enforcement of memory limits.
LIMITS = CONFIGURATION.with_name("cgroup.conf")
#: Memory limits in version 1 of control groups. Version 2 needs systemd.
MEMORY_GROUPS = Path("/sys/fs/cgroup/memory/memory.limit_in_bytes")
LOCK = Path(tempfile.gettempdir(), "hypercut-slurm.lock")
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel", "scontrol", "sinfo")
PARTITION = "testing"
#: The maximum that the profile requests for one submission, whatever the machine has.
CPUS = 4
MEGABYTES = 16_000
PORT = 17_800
START_SECONDS = 30

#: Options besides the profile: this Slurm has no accounts and no accounting, and its jobs are short.
OPTIONS = ["--slurm-no-account", "--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "1"]


def reason_not_to_run() -> str | None:
    """Return why Slurm cannot run here, or None."""
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        return f"Slurm is not installed: {', '.join(missing)} not found"
    if os.geteuid() != 0:
        return "a private Slurm needs root, to run jobs as users"
    for path in (CONFIGURATION, LIMITS):
        if path.exists() and not _is_ours(path):
            return f"this machine already has a Slurm ({path}), which is not touched"
    return None


def _is_ours(path: Path) -> bool:
    return path.is_symlink() and path.readlink().parent.name.startswith("hypercut-slurm-")


class Slurm:
    """A running cluster. With ``limits``, jobs that exceed their requested memory are killed."""

    def __init__(self, folder: Path, nodes: int, limits: bool) -> None:
        self.folder = folder
        self.limits = limits
        self.nodes = [f"node{number}" for number in range(1, nodes + 1)]
        self._controller: subprocess.Popen[bytes] | None = None
        self._others: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        """Start the daemons and wait until the nodes are idle."""
        for name in ("state", "log"):
            (self.folder / name).mkdir()
        (self.folder / "slurm.conf").write_text(self._configuration())
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        CONFIGURATION.parent.mkdir(exist_ok=True)
        for path in (CONFIGURATION, LIMITS):
            path.unlink(missing_ok=True)
        CONFIGURATION.symlink_to(self.folder / "slurm.conf")
        if self.limits:
            (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nConstrainRAMSpace=yes\n")
            LIMITS.symlink_to(self.folder / "cgroup.conf")
        files = {"key-file": key, "socket": "munge.sock", "pid-file": "munged.pid"}
        files |= {"seed-file": "munge.seed", "log-file": "log/munged"}
        options = [f"--{name}={self.folder / file}" for name, file in files.items()]
        self._others.append(self._daemon("munged", "--foreground", "--force", *options))
        self._wait_for((self.folder / "munge.sock").exists, "munged's socket")
        self.start_controller()
        self._others += [self._daemon("slurmd", "-D", "-N", node) for node in self.nodes]
        self._wait_for(lambda: self.states() == dict.fromkeys(self.nodes, "idle"), "idle nodes")

    def stop(self) -> None:
        """Cancel the jobs, then stop the daemons."""
        with contextlib.suppress(subprocess.SubprocessError, TimeoutError):
            self.run("scancel", "--full", "--user=root")
            self._wait_for(lambda: not self.jobs("RUNNING,COMPLETING"), "the end of the jobs")
        for daemon in [*reversed(self._others), self._controller]:
            if daemon is not None:
                daemon.terminate()
        for daemon in [*self._others, self._controller]:
            if daemon is not None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    daemon.wait(START_SECONDS)
                daemon.kill()
                daemon.wait()
        for path in (CONFIGURATION, LIMITS):
            if _is_ours(path):
                path.unlink()

    def start_controller(self) -> None:
        """Start slurmctld, also after :meth:`kill_controller`."""
        self._controller = self._daemon("slurmctld", "-D", "-i")
        self._wait_for(lambda: subprocess.run(["scontrol", "ping"], capture_output=True).returncode == 0, "slurmctld")

    def kill_controller(self) -> None:
        """Kill slurmctld, as a crash would."""
        assert self._controller is not None
        self._controller.kill()
        self._controller.wait()

    def run(self, *command: str) -> str:
        """Run a command of Slurm and return its output."""
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout

    def jobs(self, states: str = "RUNNING") -> list[str]:
        """Return the ids of the jobs in these states."""
        return self.run("squeue", "--noheader", "--format=%i", f"--states={states}").split()

    def states(self) -> dict[str, str]:
        """Return node → state."""
        try:
            lines = self.run("sinfo", "--noheader", "--Node", "--format=%N %T").splitlines()
        except subprocess.SubprocessError:
            return {}
        return dict(line.split() for line in lines)

    def set_node(self, node: str, state: str) -> None:
        """Set the state of a node, such as drain or resume."""
        self.run("scontrol", "update", f"nodename={node}", f"state={state}", "reason=test")

    def history(self) -> list[dict[str, str]]:
        """Return the attributes of finished jobs: id, state, node, start, end …"""
        file = self.folder / "log" / "jobs"
        lines = file.read_text().splitlines() if file.exists() else []
        return [dict(word.split("=", 1) for word in line.split() if "=" in word) for line in lines]

    def _daemon(self, *command: str) -> "subprocess.Popen[bytes]":
        with (self.folder / "log" / "daemons").open("ab") as log:
            # In a new session: Ctrl-C in the terminal must not reach the daemons.
            return subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)

    def _wait_for(self, condition: Callable[[], object], what: str) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not condition():
            if time.monotonic() > deadline:
                logs = "\n".join(path.read_text()[-1000:] for path in (self.folder / "log").iterdir())
                raise TimeoutError(f"Slurm: expected {what} within {START_SECONDS} s. Its logs:\n{logs}")
            time.sleep(0.1)

    def _configuration(self) -> str:
        host = socket.gethostname().partition(".")[0]
        settings = {
            "ClusterName": "hypercut",
            "SlurmctldHost": f"{host}(127.0.0.1)",
            "SlurmctldPort": PORT,
            "SlurmUser": "root",
            "SlurmdUser": "root",
            "AuthType": "auth/munge",
            "AuthInfo": f"socket={self.folder}/munge.sock",
            "CredType": "cred/munge",
            "ProctrackType": "proctrack/cgroup" if self.limits else "proctrack/linuxproc",
            "TaskPlugin": "task/cgroup" if self.limits else "task/none",
            "JobAcctGatherType": "jobacct_gather/none",
            "AccountingStorageType": "accounting_storage/none",
            "JobCompType": "jobcomp/filetxt",
            "JobCompLoc": self.folder / "log" / "jobs",
            "MpiDefault": "none",
            "SelectType": "select/cons_tres",
            "SelectTypeParameters": "CR_Core_Memory",
            "SchedulerParameters": "sched_interval=1,sched_min_interval=0,bf_interval=1",
            # Snakemake asks squeue about finished jobs, which must still be listed.
            "MinJobAge": 3600,
            "KillWait": 2,
            "ReturnToService": 2,
            # The nodes may claim more cores and memory than the machine has.
            "SlurmdParameters": "config_overrides",
            "StateSaveLocation": self.folder / "state",
            "SlurmdSpoolDir": self.folder / "spool-%n",
            "SlurmctldPidFile": self.folder / "slurmctld.pid",
            "SlurmdPidFile": self.folder / "slurmd-%n.pid",
            "SlurmctldLogFile": self.folder / "log" / "slurmctld",
            "SlurmdLogFile": self.folder / "log" / "slurmd-%n",
        }
        lines = [f"{name}={value}" for name, value in settings.items()]
        machine = f"NodeHostname={host} NodeAddr=127.0.0.1 CPUs={CPUS} RealMemory={MEGABYTES} State=UNKNOWN"
        lines += [f"NodeName={node} Port={PORT + n} {machine}" for n, node in enumerate(self.nodes, start=1)]
        lines.append(f"PartitionName={PARTITION} Nodes={','.join(self.nodes)} Default=YES MaxTime=INFINITE State=UP")
        return "\n".join(lines) + "\n"


@contextlib.contextmanager
def running(nodes: int = 2, *, limits: bool = False) -> Iterator[Slurm]:
    """Run a cluster for the duration of the block; one at a time on a machine."""
    with LOCK.open("w") as lock, tempfile.TemporaryDirectory(prefix="hypercut-slurm-") as folder:
        fcntl.flock(lock, fcntl.LOCK_EX)
        reason = reason_not_to_run()
        if reason:
            raise RuntimeError(reason)
        Path(folder).chmod(0o755)
        slurm = Slurm(Path(folder), nodes, limits)
        try:
            slurm.start()
            yield slurm
        finally:
            slurm.stop()
