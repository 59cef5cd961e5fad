# What happens around a run: what a killed one left behind, and what failed.

import re
import socket
import subprocess
import time

STARTED = time.time()
OWNER = Path(".snakemake", "owners", f"{socket.gethostname()} {os.getpid()}")
# Where the executor for Slurm keeps the output of submitted jobs. It removes that of jobs that did well.
SUBMISSIONS = Path(".snakemake", "slurm_logs")


def begin(log):
    """End what killed runs left to Slurm, and note who holds Snakemake's lock, which does not say."""
    script = Path(workflow.basedir, "workflow", "scripts", "cancel_leftovers.py")
    if subprocess.run([sys.executable, script]).returncode:
        raise WorkflowError("Jobs of a killed run may still be at work: see above.")
    OWNER.parent.mkdir(exist_ok=True)
    OWNER.write_text(f"{log}\n")


def end():
    OWNER.unlink(missing_ok=True)


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
