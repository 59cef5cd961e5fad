"""Remove the lock of a killed Snakemake in this folder, and kill jobs that outlived it.

Snakemake's lock does not name its owner, so this looks for a running Snakemake in this folder and does nothing if there
is one. If processes cannot be listed, or the run was started on another machine that shares this folder, it only prints
what to do.
"""

import contextlib
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

LOCKS = Path(".snakemake/locks")
#: One note per running or killed run, named "host process" (workflow/rules/runs.smk).
OWNERS = Path(".snakemake/owners")
PROCESSES = Path("/proc")


def processes_here(program: str, *, started_by_another: bool = False) -> list[int]:
    """Return the processes in this folder that run a program, as a script or with ``python -m``.

    For submitted jobs Snakemake starts further Snakemakes, with ``--mode``: these are ``started_by_another``.
    """
    here = Path.cwd()
    found = []
    for process in PROCESSES.glob("[0-9]*"):
        try:
            arguments = (process / "cmdline").read_bytes().split(b"\0")
            if (b"--mode" in arguments) != started_by_another:
                continue
            command = [Path(argument.decode()).name for argument in arguments[:3]]
            if any(word.startswith(program) for word in command) and (process / "cwd").readlink() == here:
                found.append(int(process.name))
        except (OSError, UnicodeDecodeError):  # ended meanwhile, or of another user
            continue
    return found


def main() -> int:
    """Remove the lock if its owner is gone."""
    if not LOCKS.is_dir() or not any(LOCKS.iterdir()):
        return 0
    if not PROCESSES.is_dir():
        print("This folder is locked by Snakemake. If no other run is active: snakemake --unlock", file=sys.stderr)
        return 0
    elsewhere = [note for note in OWNERS.glob("*") if note.name.split()[0] != socket.gethostname()]
    if elsewhere:
        host, process = elsewhere[0].name.split()
        print(
            f"A run on {host} (process {process}) has not ended; this machine is {socket.gethostname()}. "
            f"Continue on {host}. If that machine is gone: rm '{elsewhere[0]}' && snakemake --unlock",
            file=sys.stderr,
        )
        return 1
    holding = processes_here("snakemake")
    if holding:
        print(
            f"Another Snakemake is running in this folder (process {holding[0]}). Wait for it or stop it.",
            file=sys.stderr,
        )
        return 1
    jobs = processes_here("snakemake", started_by_another=True) + processes_here("hypercut.steps.")
    print(f"The last run was killed: killing its {len(jobs)} remaining jobs and removing its lock.", file=sys.stderr)
    for job in jobs:
        with contextlib.suppress(ProcessLookupError):
            os.kill(job, signal.SIGKILL)
    return subprocess.run(["snakemake", "--unlock", "--quiet", "all"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
