"""Cancel Slurm jobs of killed Snakemake runs: they would write the same files as the jobs of this run.

Every run writes a note to ``.snakemake/owners`` (workflow/rules/runs.smk) with the path of its log, in which the Slurm
executor reports the name of its jobs, and deletes the note at its end. A note without a running process belongs to a
killed run. Runs on other machines that share this folder are ignored.
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
    """Return the notes of killed runs on this machine."""
    return [note for note in sorted(OWNERS.glob(f"{socket.gethostname()} *")) if not is_snakemake(note.name.split()[1])]


def is_snakemake(process: str) -> bool:
    """Return whether a process is a running Snakemake, and not another process with the same number."""
    try:
        return b"snakemake" in Path("/proc", process, "cmdline").read_bytes()
    except OSError:
        return False


def submitted_as(note: Path) -> str | None:
    """Return the name of a run's jobs in Slurm; None if it submitted none."""
    logs = [Path(line) for line in note.read_text().splitlines()]
    text = "".join(log.read_text() for log in logs if log.is_file())
    found = re.search(r"SLURM run ID: (\S+)", text)
    return found[1] if found else None


def in_queue(names: list[str]) -> list[str]:
    """Return the ids of the jobs with these names."""
    command = ["squeue", "--noheader", "--format=%i", f"--name={','.join(names)}"]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=SECONDS).stdout.split()


def main() -> int:
    """Cancel the jobs of killed runs, and wait until they have ended."""
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
                raise TimeoutError(f"jobs {', '.join(jobs)} are still in the queue after {SECONDS} s")
            time.sleep(1)
    except (OSError, subprocess.SubprocessError) as error:
        reason = (getattr(error, "stderr", None) or str(error)).strip()
        print(
            f"Could not cancel the Slurm jobs of a killed run: {reason}. They would write the same files as this run. "
            f"When they have ended, rm -r {OWNERS} and run again.",
            file=sys.stderr,
        )
        return 1
    for note in notes:
        note.unlink(missing_ok=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
