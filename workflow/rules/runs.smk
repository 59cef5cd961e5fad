# Before, during and after a run: the lock, the console, and cleaning up after killed runs.

import contextlib
import fcntl
import logging
import re
import shutil
import time

from psutil import pid_exists
from snakemake.logging import logger

from console import Console
from hypercut.benchmark.layout import COMPUTED
from hypercut.run.failures import FAILURES

STARTED = time.time()
# Seconds by which the clocks of machines with a shared folder may differ.
CLOCKS_DIFFER = 60


# This lock is held until the process has ended: workflow/scripts/unlock.py removes the lock of a killed Snakemake only if no
# other one runs in this folder. Some file systems have no locks.
FOLDER = os.open(".", os.O_RDONLY)
if "--unlock" not in sys.argv:
    with contextlib.suppress(OSError):
        fcntl.flock(FOLDER, fcntl.LOCK_SH)


def failed_clusterings(path):
    """Return the messages of the failed clusterings in a result file."""
    if not path.endswith(".parquet") or Path(path).parent == Path(RESULTS):
        return []
    import pyarrow.parquet

    rows = pyarrow.parquet.read_table(path, columns=["status", "message"]).to_pylist()
    return [f"{row['status']}: {row['message']}" for row in rows if row["status"] in FAILURES]


def links():
    """Yield lines with the place of this run's report and the command that opens MLflow."""
    failed = CONSOLE is not None and CONSOLE.failed
    if LAYOUT.report_page.exists() and not (failed and LAYOUT.report_page.stat().st_mtime < STARTED):
        yield f"Report: {LAYOUT.report_page}"
    elif failed:
        yield f"Partial report: hypercut report {RESULTS}"
    if LAYOUT.tracking.exists():
        preset = f" PRESET={config['preset']}" if config.get("preset") else ""
        yield f"MLflow: make ui{preset}, or hypercut ui {RESULTS}"


def open_console():
    """Replace the handler that prints Snakemake's messages, unless --verbose or --logger has chosen other output."""
    for handler in logger.handlers:
        if (
            isinstance(handler, logging.StreamHandler)
            and not isinstance(handler, logging.FileHandler)
            and not logger.isEnabledFor(logging.DEBUG)
        ):
            console = Console(handler, failed_clusterings, RETRY, links)
            logger.removeHandler(handler)
            logger.addHandler(console)
            return console


CONSOLE = open_console()
if workflow.is_main_process:
    for note in NOTES:
        logger.warning(note)


def start_server():
    """Start the server that forks single-threaded steps, unless jobs run elsewhere or with another Python."""
    wanted = os.environ.get("HYPERCUT_WARM") != "0" and hasattr(os, "pidfd_open")
    if wanted and PYTHON and not workflow.non_local_exec:
        os.environ.update(HYPERCUT_SERVER=".snakemake/hypercut.socket")
        shell(
            "OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1"
            " python -m hypercut.steps._server $HYPERCUT_SERVER $PPID < /dev/null &"
        )


def result_files():
    """Yield all results except logs and MLflow artifacts, which are many."""
    yield from Path(RESULTS).glob("*")
    for folder in COMPUTED:
        yield from Path(RESULTS, folder).rglob("*")


def remove_parts():
    """Delete partial files of killed jobs. Their names contain the number of the process that wrote them."""
    for path in list(result_files()):
        writer = re.fullmatch(r"\..+\.(\d+)\.(part|old)", path.name)
        if writer and not pid_exists(int(writer[1])):
            # An error here must not hide why the run failed.
            with contextlib.suppress(OSError):
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def redate_future_files():
    """Set modification times in the future to now, since Snakemake would find new outputs older than these inputs.

    Such files exist if the clock was ahead and has been set back.
    """
    latest = time.time() + CLOCKS_DIFFER
    files = [
        path
        for path in [*result_files(), *Path(CONFIG["data"]["root"]).glob("*/*")]
        if path.is_file() and path.stat().st_mtime > latest
    ]
    for path in files:
        os.utime(path)
    if files:
        print(f"{len(files)} files had dates in the future: set to now.")


def end(*advice):
    """Clean up, and print the summary of the run."""
    remove_parts()
    if CONSOLE:
        CONSOLE.summarize(*advice)
    elif advice:
        print(*advice, sep="\n")
