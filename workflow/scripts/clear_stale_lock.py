"""Clear away what a killed Snakemake left in this folder: its lock, and jobs that outlived it.

Snakemake's lock does not say who holds it, so the owner is looked for among the running processes: a Snakemake that
works in this folder. If it lives, nothing is touched. Where processes cannot be listed, or the run was started on
another machine that shares this folder, nothing is done but to say what to do.
"""

import contextlib
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

LOCKS = Path(".snakemake/locks")
#: Runs at work, and those that were killed, called "host process" (workflow/rules/runs.smk).
OWNERS = Path(".snakemake/owners")
PROCESSES = Path("/proc")


def at_work_here(program: str, *, started_by_another: bool = False) -> list[int]:
    """The processes in this folder that run a program, be it as a script or with ``python -m``.

    Snakemake starts further ones of its kind for submitted jobs, with ``--mode``: those are ``started_by_another``.
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
        except (OSError, UnicodeDecodeError):  # gone meanwhile, or somebody else's
            continue
    return found


def main() -> int:
    """Clear the lock if nobody holds it."""
    if not LOCKS.is_dir() or not any(LOCKS.iterdir()):
        return 0
    if not PROCESSES.is_dir():
        print("Snakemake's lock is there. If no other run is under way: snakemake --unlock", file=sys.stderr)
        return 0
    elsewhere = [note for note in OWNERS.glob("*") if note.name.split()[0] != socket.gethostname()]
    if elsewhere:
        host, process = elsewhere[0].name.split()
        print(
            f"A run was started on {host} (process {process}) and has not ended there; this is {socket.gethostname()}. "
            f"Go on there. If that machine is gone: rm '{elsewhere[0]}' && snakemake --unlock",
            file=sys.stderr,
        )
        return 1
    holding = at_work_here("snakemake")
    if holding:
        print(
            f"Another Snakemake works in this folder (process {holding[0]}). Wait for it, or end it.", file=sys.stderr
        )
        return 1
    jobs = at_work_here("snakemake", started_by_another=True) + at_work_here("hypercut.steps.")
    print(f"The last run was killed: ending its {len(jobs)} jobs and taking its lock away.", file=sys.stderr)
    for job in jobs:
        with contextlib.suppress(ProcessLookupError):
            os.kill(job, signal.SIGKILL)
    return subprocess.run(["snakemake", "--unlock", "--quiet", "all"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
