"""Cancel what a killed Snakemake left in Slurm's queue: jobs that it submitted from this folder.

Called at the start of a run, which holds the folder's lock: whoever submitted them is gone. They would write the same
files as this run's jobs. Where there is no Slurm, nothing is done.
"""

import shutil
import subprocess
import sys
import time
from pathlib import Path

SECONDS = 120


def leftovers() -> list[str]:
    """The ids of our jobs in the queue that Snakemake submitted from this folder."""
    here = str(Path.cwd())
    # The executor gives every job a comment of this form, and its own batch job, if it runs in one, has none.
    command = ["squeue", "--me", "--noheader", "--format=%i|%Z|%k"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=SECONDS)
    found = [line.split("|", 2) for line in done.stdout.splitlines()]
    return [job for job, folder, comment in found if folder == here and comment.startswith("rule_")]


def main() -> int:
    """Cancel them, and wait until they are gone."""
    if shutil.which("squeue") is None:
        return 0
    try:
        jobs = leftovers()
        if not jobs:
            return 0
        print(f"A killed run left {len(jobs)} jobs in Slurm's queue: cancelling them.", file=sys.stderr)
        subprocess.run(["scancel", *jobs], check=True, timeout=SECONDS)
        deadline = time.monotonic() + SECONDS
        while leftovers():
            if time.monotonic() > deadline:
                print(f"Slurm: expected jobs {', '.join(jobs)} to end. Cancel them, and run again.", file=sys.stderr)
                return 1
            time.sleep(1)
    except (OSError, subprocess.SubprocessError) as error:
        # A machine may have Slurm's commands and no Slurm: that is no reason not to run.
        print(f"Slurm was not asked for jobs of a killed run: {error}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
