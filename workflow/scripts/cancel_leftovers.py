"""Cancel what killed Snakemakes left in Slurm's queue: their jobs would write the same files as those of this run.

Every run notes itself in ``.snakemake/owners`` (workflow/rules/runs.smk) with its log, where Slurm's executor tells the
name under which it submits, and takes the note away at its end. A note whose process is gone is that of a killed run.
Runs of other machines that share this folder are left alone.
"""

import re
import socket
import subprocess
import sys
import time
from pathlib import Path

OWNERS = Path(".snakemake/owners")
SECONDS = 120


def killed_runs() -> list[Path]:
    """The notes of runs on this machine that are at work no more."""
    return [note for note in sorted(OWNERS.glob(f"{socket.gethostname()} *")) if not is_snakemake(note.name.split()[1])]


def is_snakemake(process: str) -> bool:
    """Whether a process is there, and is no other that got the same number since."""
    try:
        return b"snakemake" in Path("/proc", process, "cmdline").read_bytes()
    except OSError:
        return False


def submitted_as(note: Path) -> str | None:
    """The name that a run gave to its jobs in Slurm; None if it submitted none."""
    logs = [Path(line) for line in note.read_text().splitlines()]
    told = "".join(log.read_text() for log in logs if log.is_file())
    found = re.search(r"SLURM run ID: (\S+)", told)
    return found[1] if found else None


def in_queue(names: list[str]) -> list[str]:
    """The ids of the jobs of these names."""
    command = ["squeue", "--noheader", "--format=%i", f"--name={','.join(names)}"]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=SECONDS).stdout.split()


def main() -> int:
    """Cancel them, and wait until they are gone."""
    notes = killed_runs()
    names = [name for name in map(submitted_as, notes) if name]
    try:
        jobs = in_queue(names) if names else []
        if jobs:
            print(f"A killed run left {len(jobs)} jobs in Slurm's queue: cancelling them.", file=sys.stderr)
            subprocess.run(["scancel", *jobs], check=True, timeout=SECONDS)
        deadline = time.monotonic() + SECONDS
        while jobs and in_queue(names):
            if time.monotonic() > deadline:
                raise TimeoutError(f"jobs {', '.join(jobs)} are still there after {SECONDS} s")
            time.sleep(1)
    except (OSError, subprocess.SubprocessError) as error:
        told = (getattr(error, "stderr", None) or str(error)).strip()
        print(
            f"Expected to cancel what a killed run may have left to Slurm, found: {told}. Its jobs would write the "
            f"same files as this run's. When they are gone: rm -r {OWNERS}, and run again.",
            file=sys.stderr,
        )
        return 1
    for note in notes:
        note.unlink(missing_ok=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
