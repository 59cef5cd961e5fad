# Before, during and after a run: cleaning up after killed runs, the console, and reporting failed submissions.

import contextlib
import re
import shutil
import socket
import subprocess
import tempfile
import time

from snakemake.logging import logger
from snakemake.settings.enums import Quietness
from snakemake_interface_executor_plugins.settings import ExecMode

import console
from hypercut.benchmark.rows import FAILURES

STARTED = time.time()
# Seconds by which the clocks of machines with a shared folder may differ.
CLOCKS_DIFFER = 60
OWNER = Path(".snakemake", "owners", f"{socket.gethostname()} {os.getpid()}")
# The server that steps are forked from, if there is one, and its folder.
SERVERS = []
# The variables that Snakemake sets to a job's number of threads.
THREADS = [
    *(f"{library}_NUM_THREADS" for library in ("OMP", "GOTO", "OPENBLAS", "MKL")),
    *("VECLIB_MAXIMUM_THREADS", "NUMEXPR_NUM_THREADS"),
]


def statuses(path):
    """Return status and message of every clustering in a result file."""
    import pyarrow.parquet

    columns = pyarrow.parquet.read_table(path, columns=["status", "message"])
    return list(zip(*columns.to_pydict().values()))


def links():
    """Yield where the report of this run is, and how to open MLflow."""
    failed = CONSOLE is not None and CONSOLE.run.failed
    if LAYOUT.report_page.exists() and not (
        failed and LAYOUT.report_page.stat().st_mtime < STARTED
    ):
        yield f"Report: {LAYOUT.report_page}"
    elif failed:
        yield f"Partial report: hypercut report {RESULTS}"
    if LAYOUT.tracking.exists():
        preset = f" PRESET={config['preset']}" if config.get("preset") else ""
        yield f"MLflow: make ui{preset}, or hypercut ui {RESULTS}"


def open_console():
    """Replace the handler that prints Snakemake's messages, unless a user has chosen other ones; return ours."""
    settings = workflow.output_settings
    quiet = set(settings.quiet or ())
    default = [
        handler for handler in logger.handlers if handler.name == "DefaultStreamHandler"
    ]
    if workflow.exec_mode != ExecMode.DEFAULT:
        os.environ.pop(console.FAILURES, None)
        return None
    if (
        settings.verbose
        or quiet & {Quietness.ALL, Quietness.PROGRESS}
        or Quietness.RULES not in quiet
        or not default
    ):
        return None
    handler = console.Console(
        default[0],
        default[0].stream,
        dry_run=settings.dryrun,
        statuses=statuses,
        failures=FAILURES,
        results=RESULTS,
        links=links,
    )
    logger.removeHandler(default[0])
    logger.addHandler(handler)
    return handler


CONSOLE = open_console()
if workflow.exec_mode == ExecMode.DEFAULT:
    for note in NOTES:
        logger.warning(note)


def begin(log):
    """Cancel Slurm jobs of killed runs, and record the owner of Snakemake's lock, which does not name it."""
    script = ROOT / "workflow" / "scripts" / "cancel_leftovers.py"
    if subprocess.run([sys.executable, script]).returncode:
        raise WorkflowError("Jobs of a killed run may still be running: see above.")
    redate_future_files()
    OWNER.parent.mkdir(exist_ok=True)
    # A path, or a list with one path per logger of Snakemake.
    logs = [log] if isinstance(log, str) else log
    OWNER.write_text("".join(f"{path}\n" for path in logs))
    if CONSOLE:
        CONSOLE.run.cores = None if workflow.non_local_exec else workflow.cores
        jobs = workflow.dag.needrun_jobs()
        CONSOLE.run.seconds = {job.jobid: expected_seconds(job) for job in jobs}
    start_server()


def start_server():
    """Start the server that steps are forked from, unless jobs run elsewhere or with another Python.

    A job that the server does not run, or not yet, is a program of its own.
    """
    wanted = os.environ.get("HYPERCUT_WARM") != "0" and hasattr(os, "pidfd_open")
    if not wanted or workflow.non_local_exec or not PYTHON:
        return
    folder = tempfile.mkdtemp(prefix="hypercut-")  # of this user only
    command = [sys.executable, "-m", "hypercut.steps._server", folder, str(os.getpid())]
    # The environment that jobs with one thread have. Others are not served.
    environment = {**os.environ, **dict.fromkeys(THREADS, "1")}
    environment["PYTHONPATH"] = os.pathsep.join(
        [str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    server = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL)
    SERVERS.append((server, folder))
    os.environ.update(HYPERCUT_SERVER=f"{folder}/socket")


def stop_server():
    for server, folder in SERVERS:
        server.kill()
        server.wait()
        shutil.rmtree(folder, ignore_errors=True)


def result_files():
    """Yield all results except logs and MLflow artifacts, which are many."""
    yield from Path(RESULTS).glob("*")
    for folder in COMPUTED:
        yield from Path(RESULTS, folder).rglob("*")


def remove_parts():
    """Delete partial files of killed jobs. Their names contain the number of the process that wrote them."""
    for path in list(result_files()):
        writer = re.fullmatch(r"\..+\.(\d+)\.(part|old)", path.name)
        if writer and not is_alive(int(writer[1])):
            # An error here must not hide why the run failed.
            with contextlib.suppress(OSError):
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def is_alive(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # of another user
        pass
    return True


def redate_future_files():
    """Set modification times in the future to now: Snakemake would find their outputs older than their inputs.

    Such files appear when the clock was ahead and has been set back.
    """
    latest = time.time() + CLOCKS_DIFFER
    files = [
        path
        for path in [*result_files(), *Path(DATA).glob("*/*")]
        if path.is_file() and path.stat().st_mtime > latest
    ]
    for path in files:
        os.utime(path)
    if files:
        print(f"{len(files)} files had dates in the future: set to now.")


def recheck_without_records():
    """Delete config.json if Snakemake's records are lost, so that the results are gathered again.

    Without records, Snakemake does not notice changes of code and configuration. Gathering compares every result with
    both, and lists stale ones.
    """
    known = Path(".snakemake", "known", RESULTS.replace(os.sep, "%"))
    if not known.exists():
        LAYOUT.config.unlink(missing_ok=True)
        known.parent.mkdir(parents=True, exist_ok=True)
        known.touch()


recheck_without_records()


def end(*advice):
    """Clean up, and print what the run has done."""
    stop_server()
    OWNER.unlink(missing_ok=True)
    remove_parts()
    if CONSOLE:
        CONSOLE.summarize(*advice)
    elif advice:
        print(*advice, sep="\n")


def failed_submissions():
    """Return the failures in the logs of submitted jobs that were not shown when the jobs failed."""
    return console.failed_submissions(STARTED, CONSOLE.shown if CONSOLE else ())
