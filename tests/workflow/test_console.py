"""What a run prints: lines in a log file, bars in a terminal, failures, and the summary at its end."""

import importlib.util
import io
import logging
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from tests.workflow.project import ROOT

_spec = importlib.util.spec_from_file_location("console", ROOT / "workflow" / "console.py")
console = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(console)

CSC = {"dataset": "iris", "setting": "clean", "result": "CSC"}
MINE = {**CSC, "result": "weights/Mine"}


class Output:
    """A console and what it has printed."""

    def __init__(self, terminal: bool = False) -> None:
        self.stream = io.StringIO()
        self.stream.isatty = lambda: terminal
        self.snakemakes = logging.StreamHandler(self.stream)
        failures = {"Mine.parquet": ["failed: ValueError: no"]}
        self.console = console.Console(
            self.snakemakes, lambda path: failures.get(path, []), "snakemake --cores 1", lambda: ["Report: here"]
        )

    def send(self, event: LogEvent | None, message: str = "", level: int = logging.INFO, **facts: Any) -> None:
        record = logging.LogRecord("snakemake", level, "", 0, message, (), None)
        vars(record).update(facts, **({"event": event} if event else {}))
        self.console.handle(record)

    def plan(self, **stats: int) -> None:
        self.send(LogEvent.RUN_INFO, stats={**stats, "total": sum(stats.values())})

    def start(self, number: int, rule: str, *output: str, submission: str = "", **wildcards: str) -> None:
        self.send(LogEvent.JOB_STARTED, jobs=[submission or number])
        self.send(LogEvent.JOB_INFO, jobid=number, rule_name=rule, wildcards=wildcards, output=output)

    def finish(self, number: int) -> None:
        self.send(LogEvent.JOB_FINISHED, job_id=number)

    def fail(self, number: int, *logs: Path, output: str = "out") -> None:
        self.send(LogEvent.JOB_ERROR, level=logging.ERROR, jobid=number, log=[*map(str, logs)], output=[output])

    @property
    def lines(self) -> list[str]:
        return self.stream.getvalue().splitlines()


@pytest.fixture
def log() -> Output:
    return Output()


def test_a_log_has_one_line_per_finished_job(log: Output) -> None:
    log.plan(cluster=2, report=1)
    log.start(1, "cluster", "CSC.parquet", **CSC)
    log.start(3, "report", "index.html")
    log.send(LogEvent.PROGRESS, done=1, total=2)
    log.send(None, "Select jobs to execute...")
    log.finish(1)
    log.finish(3)
    counts, first, second = log.lines
    assert counts == "3 jobs: 2 cluster, 1 report"
    assert re.fullmatch(r"\d\d:\d\d:\d\d +1/3  cluster iris · clean · CSC +0:00:00; 0:00:00 left", first)
    assert re.fullmatch(r"\S+ +2/3  report +\S+; \S+ left", second)


def test_the_time_left_follows_from_the_finished_jobs(log: Output) -> None:
    """Two jobs run at once: 200 seconds of work took 100; 2 · 10 + 3 · 60 seconds of work remain."""
    log.console._planned.update(acquire=4, cluster=6)
    log.console._done.update(acquire=2, cluster=3)
    log.console._seconds.update(acquire=20, cluster=180)
    log.console._began -= 100
    assert log.console._left() == "0:01:40 left"


def test_failed_jobs_and_clusterings_are_named(log: Output, tmp_path: Path) -> None:
    """A job that succeeds at a second attempt has not failed."""
    log.plan(cluster=1, acquire=1, track=1, report=1)
    log.start(1, "cluster", "Mine.parquet", **MINE)
    log.finish(1)
    log.start(2, "acquire", "manifest.json", dataset="orl")
    log.fail(2)
    log.start(2, "acquire", "manifest.json", dataset="orl")
    log.finish(2)
    (tmp_path / "track.log").write_text("".join(f"line {i}\n" for i in range(100)) + "FAILED with status 2\n")
    log.start(3, "track", "tracking.json")
    log.fail(3, tmp_path / "track.log", output="tracking.json")
    assert "cluster iris · clean · weights · Mine: 1 clustering failed (failed: ValueError: no)" in log.lines
    failed = log.lines.index("FAILED track")
    assert log.lines[failed + 2 : -1] == [f"    line {i}" for i in range(86, 100)] + ["    FAILED with status 2"]
    assert log.lines[-1].endswith("snakemake --cores 1 -- 'tracking.json'")
    log.console.summarize("Run it again.")
    done, *rest = log.lines[-5:]
    assert re.fullmatch(r"Done: 2 of 4 jobs in \S+\.", done)
    assert rest == ["Failed jobs: track", "Failed clusterings: 1 of Mine", "Run it again.", "Report: here"]


@pytest.mark.parametrize("cancelled", [False, True])
def test_of_a_failed_submission_the_failed_jobs_are_named(log: Output, tmp_path: Path, cancelled: bool) -> None:
    """Of two jobs, one has finished; it runs again. Both have failed if Slurm has cancelled the submission."""
    logs = [tmp_path / "CSC.log", tmp_path / "Mine.log"]
    logs[0].write_text("finished\n")
    logs[1].write_text("ValueError: no\n" + ("" if cancelled else "FAILED with status 1\n"))
    (tmp_path / "slurm.log").write_text("slurmstepd-node1: error: *** JOB 21 CANCELLED\n" + 20 * "shutting down\n")
    log.plan(cluster=2)
    # Snakemake announces a group of jobs by an identifier of its own.
    log.start(1, "cluster", "CSC.parquet", submission="5f3c", **CSC)
    log.start(2, "cluster", "Mine.parquet", submission="5f3c", **MINE)
    jobs = [{"jobid": number, "log": [str(path)]} for number, path in enumerate(logs, start=1)]
    log.send(LogEvent.GROUP_ERROR, level=logging.ERROR, aux_logs=[str(tmp_path / "slurm.log")], job_error_info=jobs)
    log.fail(1, logs[0])
    log.fail(2, logs[1])
    assert {"    slurmstepd-node1: error: *** JOB 21 CANCELLED", "    ValueError: no"} <= set(log.lines)
    failed = [line.rpartition(" ")[2] for line in log.lines if line.startswith("FAILED cluster")]
    assert failed == (["CSC", "Mine"] if cancelled else ["Mine"])
    # The job that ran again for another one may fail itself.
    log.start(1, "cluster", "CSC.parquet", **CSC)
    log.fail(1, logs[0])
    assert log.lines.count("FAILED cluster iris · clean · CSC") == 1 + cancelled


def test_other_messages_are_printed_unless_snakemake_would_not(log: Output) -> None:
    log.send(LogEvent.ERROR, "LockException: locked", logging.ERROR)
    log.send(LogEvent.JOB_FINISHED, "Finished", number=1)  # as another version of Snakemake might send it
    assert log.lines == ["LockException: locked", "Finished"]
    log.snakemakes.addFilter(lambda record: False)  # --quiet
    log.plan(cluster=1)
    assert len(log.lines) == 2


def test_a_dry_run_lists_the_jobs_and_why_they_run(log: Output) -> None:
    why = "Params have changed since last execution"
    log.send(LogEvent.JOB_INFO, jobid=1, rule_name="cluster", wildcards=CSC, output=(), reason=why)
    log.send(LogEvent.JOB_INFO, jobid=2, rule_name="report", wildcards=None, output=())
    assert log.lines == [f"{'cluster iris · clean · CSC':<55}  {why}", "report"]


def test_a_terminal_has_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    terminal = Output(terminal=True)
    terminal.plan(cluster=5, report=1)
    terminal.start(1, "cluster", "CSC.parquet", **CSC)
    terminal.start(2, "cluster", "CSC.parquet", **CSC)
    terminal.finish(1)
    terminal.fail(2)
    terminal.console.summarize()
    for shown in (r"cluster .*1/5", r"total .*1/6", r"FAILED cluster .*Done: 1 of 6 jobs"):
        assert re.search(shown, terminal.stream.getvalue(), re.DOTALL)


def test_the_log_of_a_failed_job_ends_with_its_status(tmp_path: Path) -> None:
    script = f"source '{ROOT}/workflow/scripts/job.sh'; job log bash -c 'echo why; exit 3'"
    assert subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=tmp_path, check=False).returncode == 3
    assert (tmp_path / "log").read_text() == "why\nFAILED with status 3\n"
    assert console.has_failed(str(tmp_path / "log"))
