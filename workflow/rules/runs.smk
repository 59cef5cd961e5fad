# What happens around a run: what a killed one left behind, and what failed.

import contextlib
import re
import shutil
import socket
import subprocess
import time

STARTED = time.time()
# Seconds by which the clocks of machines that share a folder may differ.
CLOCKS_DIFFER = 60
OWNER = Path(".snakemake", "owners", f"{socket.gethostname()} {os.getpid()}")
# Where the executor for Slurm keeps the output of submitted jobs. It removes that of jobs that did well.
SUBMISSIONS = Path(".snakemake", "slurm_logs")


def begin(log):
    """End what killed runs left to Slurm, and note who holds Snakemake's lock, which does not say."""
    script = ROOT / "workflow" / "scripts" / "cancel_leftovers.py"
    if subprocess.run([sys.executable, script]).returncode:
        raise WorkflowError("Jobs of a killed run may still be at work: see above.")
    date_back()
    OWNER.parent.mkdir(exist_ok=True)
    # One log, or one for each of Snakemake's loggers.
    logs = [log] if isinstance(log, str) else log
    OWNER.write_text("".join(f"{path}\n" for path in logs))


def made():
    """All results but for logs and MLflow's artifacts, of which there are many."""
    yield from Path(RESULTS).glob("*")
    for folder in COMPUTED:
        yield from Path(RESULTS, folder).rglob("*")


def remove_parts():
    """Remove what killed jobs have half written: beside its place, under a name with the number of their process."""
    for path in list(made()):
        writer = re.fullmatch(r"\..+\.(\d+)\.(part|old)", path.name)
        if writer and not is_alive(int(writer[1])):
            # What cannot be removed must not hide why a run failed.
            with contextlib.suppress(OSError):
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def is_alive(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's
        pass
    return True


def date_back():
    """Date files from the future now, for Snakemake refuses what is older than its input.

    There are such files when the clock was ahead and has been set back.
    """
    latest = time.time() + CLOCKS_DIFFER
    files = [
        path
        for path in [*made(), *Path(DATA).glob("*/*")]
        if path.is_file() and path.stat().st_mtime > latest
    ]
    for path in files:
        os.utime(path)
    if files:
        print(f"{len(files)} files were dated in the future, and are dated now.")


def distrust():
    """Write the configuration anew, and so gather again, when Snakemake's records are gone.

    There it looks for changes of code and configuration. Gathering compares every result with both, and names those that
    are stale.
    """
    known = Path(".snakemake", "known", RESULTS.replace(os.sep, "%"))
    if not known.exists():
        LAYOUT.config.unlink(missing_ok=True)
        known.parent.mkdir(parents=True, exist_ok=True)
        known.touch()


distrust()


def end():
    OWNER.unlink(missing_ok=True)
    remove_parts()


def failed_submissions():
    """What the logs of this run's submitted jobs say about failures: their output is on no terminal."""
    for path in sorted(SUBMISSIONS.rglob("*.log")):
        if path.stat().st_mtime >= STARTED:
            yield f"\nA submitted job failed: {path}\n{told(path.read_text(errors='replace'))}"


def told(log):
    """What job.sh wrote; where it could not, what Slurm says, and what was to be made."""
    blocks = re.findall(
        "^FAILED with status.*?^To retry it alone.*?$", log, re.M | re.S
    )
    reasons = re.findall(r"^(?:slurmstepd|srun)\S*: error: .*$", log, re.M)
    outputs = sorted(set(re.findall("^ *output: (.*)$", log, re.M)))
    return "\n".join(blocks or [*reasons, f"Not done: {', '.join(outputs)}"])
