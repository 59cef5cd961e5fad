"""Take away the lock that a killed Snakemake left in this folder. A lock whose owner lives is left alone.

Snakemake's lock does not say who holds it, so the owner is looked for among the running processes: a Snakemake that
works in this folder. Where processes cannot be listed, or others may work here from another machine, nothing is done
but to say what to do.
"""

import subprocess
import sys
from pathlib import Path

LOCKS = Path(".snakemake/locks")
PROCESSES = Path("/proc")


def owners() -> list[int]:
    """The processes that run Snakemake in this folder."""
    here = Path.cwd()
    found = []
    for process in PROCESSES.glob("[0-9]*"):
        try:
            arguments = (process / "cmdline").read_bytes().split(b"\0")
            if (process / "cwd").readlink() == here and any(
                Path(a.decode()).name == "snakemake" for a in arguments[:3]
            ):
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
    holding = owners()
    if holding:
        print(
            f"Another Snakemake works in this folder (process {holding[0]}). Wait for it, or end it.", file=sys.stderr
        )
        return 1
    print("The last run was killed: taking its lock away.", file=sys.stderr)
    return subprocess.run(["snakemake", "--unlock", "--quiet", "all"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
