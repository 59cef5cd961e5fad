"""What a run prints: lines in a log file, bars in a terminal, and the summary at its end."""

import doctest
import importlib.util
import io
import logging
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from tests.workflow.project import ROOT


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("console", ROOT / "workflow" / "console.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["console"] = module  # for its dataclasses
    spec.loader.exec_module(module)
    return module


console = load()
CELL = {"dataset": "iris", "setting": "clean", "algorithm": "CSC"}
MINE = {**CELL, "algorithm": "Mine"}
STATUSES = {"CSC.parquet": [("ok", ""), ("ok", "")], "Mine.parquet": [("ok", ""), ("failed", "ValueError: no")]}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Output:
    """A console and what it has printed."""

    def __init__(self, stream: io.StringIO, *, dry_run: bool = False) -> None:
        self.stream = stream
        self.console = console.Console(
            logging.StreamHandler(stream),
            stream,
            dry_run=dry_run,
            statuses=STATUSES.__getitem__,
            failures={"failed"},
            results="results",
            links=lambda: ["Report: here"],
        )

    def send(self, event: LogEvent | None, message: str = "", level: int = logging.INFO, **facts: Any) -> None:
        record = logging.LogRecord("snakemake", level, "", 0, message, (), None)
        vars(record).update(facts, **({"event": event} if event else {}))
        self.console.handle(record)

    def start(self, number: int, rule: str, *output: str, **wildcards: str) -> None:
        self.send(LogEvent.JOB_INFO, jobid=number, rule_name=rule, wildcards=wildcards, output=output)

    @property
    def lines(self) -> list[str]:
        return self.stream.getvalue().splitlines()


def test_the_examples_in_docstrings() -> None:
    assert doctest.testmod(console).failed == 0


@pytest.fixture
def log() -> Output:
    return Output(io.StringIO())


def test_a_log_has_one_line_per_finished_job(log: Output) -> None:
    log.send(LogEvent.WORKFLOW_STARTED, "Workflow has started!")
    log.send(LogEvent.RUN_INFO, stats={"cluster": 2, "report": 1, "total": 3})
    log.console.run.seconds = {1: 10, 2: 10, 3: 3600}
    log.start(1, "cluster", "CSC.parquet", **CELL)
    log.start(3, "report", "index.html")
    log.send(LogEvent.PROGRESS, done=1, total=2)
    log.send(None, "Select jobs to execute...")
    log.send(LogEvent.JOB_FINISHED, job_id=1)
    log.send(LogEvent.JOB_FINISHED, job_id=3)
    counts, first, second = log.lines
    assert counts == "3 jobs: 2 cluster, 1 report"
    assert re.fullmatch(r"\d\d:\d\d:\d\d  1/3  33%  cluster      iris · clean · CSC +0.0 s; \d+ (min|h) .* left", first)
    assert re.fullmatch(r"\S+  2/3  67%  report +0.0 s; .* left", second)


def test_failed_jobs_and_clusterings_are_named(log: Output) -> None:
    log.send(LogEvent.RUN_INFO, stats={"cluster": 2, "track": 1, "report": 1, "total": 4})
    log.start(1, "cluster", "Mine.parquet", **MINE)
    log.send(LogEvent.JOB_FINISHED, job_id=1)
    log.start(2, "cluster", "CSC.parquet", **CELL)
    log.send(LogEvent.JOB_FINISHED, job_id=2)
    log.start(3, "track", "tracking.json")
    log.send(LogEvent.JOB_ERROR, "Error in rule track", logging.ERROR, jobid=3, rule_name="track")
    log.send(LogEvent.ERROR, "RuleException:\nCalledProcessError in file x, line 3", logging.ERROR)
    assert "iris · clean · Mine: 1 of 2 clusterings failed (failed: ValueError: no)" in log.lines
    assert log.lines[-1] == "FAILED track"
    log.console.summarize("Run it again.")
    done, *rest = log.lines[-5:]
    assert re.fullmatch(r"Done: 2 of 4 jobs with 4 clusterings in \S+ s\.", done)
    assert rest == [
        "Failed: track. Not run: 1 job.",
        "Failed clusterings: Mine (1 failed). hypercut status results lists them.",
        "Run it again.",
        "Report: here",
    ]


def test_a_job_that_succeeds_at_last_has_not_failed(log: Output) -> None:
    log.send(LogEvent.RUN_INFO, stats={"acquire": 1, "total": 1})
    log.start(1, "acquire", "manifest.json", dataset="orl")
    log.send(LogEvent.JOB_ERROR, level=logging.ERROR, jobid=1, rule_name="acquire")
    log.send(None, "Trying to restart job 1.")
    log.start(1, "acquire", "manifest.json", dataset="orl")
    log.send(LogEvent.JOB_FINISHED, job_id=1)
    log.console.summarize()
    assert "Trying again: acquire orl" in log.lines
    assert "Failed: nothing." in log.lines


SUBMISSION = """
    output: results/communities/iris/clean.npz
    output: results/clusters/iris/clean/CSC.parquet

FAILED with status 1: results/clusters/iris/clean/CSC.parquet
The end of results/logs/cluster/iris/clean/CSC.log:
    ValueError: no
To retry it alone: snakemake --cores 1 -- 'results/clusters/iris/clean/CSC.parquet'

srun: error: node1: task 0: Exited with exit code 1
"""
CANCELLED = """
    output: results/clusters/iris/clean/CSC.parquet
slurmstepd-node1: error: *** JOB 21 ON node1 CANCELLED AT 2026-11-16T10:18:25 ***
"""


def fail_group(log: Output, folder: Path, text: str) -> Path:
    """Let a submission of three jobs fail, of which one had finished, as Snakemake reports it."""
    path = folder / ".snakemake" / "slurm_logs" / "group" / "2.log"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    log.send(LogEvent.RUN_INFO, stats={"overcluster": 1, "cluster": 2, "total": 3})
    log.start(1, "overcluster", "results/communities/iris/clean.npz", dataset="iris", setting="clean")
    log.start(2, "cluster", "results/clusters/iris/clean/CSC.parquet", **CELL)
    log.start(3, "cluster", "results/clusters/iris/clean/Mine.parquet", **MINE)
    jobs = [{"jobid": number, "rule_name": "cluster"} for number in (1, 2, 3)]
    log.send(LogEvent.GROUP_ERROR, level=logging.ERROR, groupid="small", aux_logs=[str(path)], job_error_info=jobs)
    for job in jobs:
        log.send(LogEvent.JOB_ERROR, level=logging.ERROR, log=[], **job)
    return path


def test_of_a_failed_submission_only_the_failed_job_is_named(log: Output, tmp_path: Path) -> None:
    path = fail_group(log, tmp_path, SUBMISSION)
    assert log.lines[1:] == [
        "FAILED cluster iris · clean · CSC",
        f"A submitted job failed: {path}",
        "FAILED with status 1: results/clusters/iris/clean/CSC.parquet",
        "The end of results/logs/cluster/iris/clean/CSC.log:",
        "    ValueError: no",
        "To retry it alone: snakemake --cores 1 -- 'results/clusters/iris/clean/CSC.parquet'",
        "Submitted together with 2 other jobs, to be run again.",
    ]
    log.console.summarize()
    assert "Failed: cluster iris · clean · CSC. Not run: 2 jobs." in log.lines


def test_a_cancelled_submission_names_all_its_jobs_and_why(log: Output, tmp_path: Path) -> None:
    path = fail_group(log, tmp_path, CANCELLED)
    assert log.lines[1:] == [
        "FAILED overcluster  iris: clean",
        "FAILED cluster      iris · clean: CSC, Mine",
        f"A submitted job failed: {path}",
        "slurmstepd-node1: error: *** JOB 21 ON node1 CANCELLED AT 2026-11-16T10:18:25 ***",
        "Not done: results/clusters/iris/clean/CSC.parquet",
    ]


def test_a_job_submitted_alone_shows_its_log_once(log: Output, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path(".snakemake", "slurm_logs", "rule_cluster", "3.log")
    path.parent.mkdir(parents=True)
    path.write_text(SUBMISSION)
    log.start(1, "cluster", "results/clusters/iris/clean/CSC.parquet", **CELL)
    assert list(console.failed_submissions(0, log.console.shown))
    log.send(LogEvent.JOB_ERROR, level=logging.ERROR, jobid=1, rule_name="cluster", log=["CSC.log", str(path)])
    assert log.lines[0] == "FAILED cluster iris · clean · CSC"
    assert log.lines.count("    ValueError: no") == 1
    assert not list(console.failed_submissions(0, log.console.shown))


def test_on_a_cluster_the_time_left_follows_from_the_measured_speed(log: Output) -> None:
    run = log.console.run
    run.cores, run.seconds = None, {1: 10, 2: 30}
    assert run.seconds_left() is None
    run.began -= 100
    run.done.add(1)
    assert run.seconds_left() == pytest.approx(300, rel=0.01)


def test_other_messages_are_printed(log: Output) -> None:
    log.send(None, "Nothing to be done (all requested files are present and up to date).")
    log.send(LogEvent.ERROR, "LockException: locked", logging.ERROR)
    log.send(LogEvent.JOB_FINISHED, "Finished", number=1)  # as another version of Snakemake might send it
    nothing, link, *others = log.lines
    assert nothing.startswith("Nothing to be done")
    assert link == "Report: here"
    assert others == ["LockException: locked", "Finished"]


def test_a_dry_run_lists_cells_together() -> None:
    log = Output(io.StringIO(), dry_run=True)
    stats = {"cluster": 4, "report": 1, "total": 5}
    log.send(LogEvent.RUN_INFO, stats=stats)
    for number, (setting, algorithm) in enumerate([("noise-L10", "CSC"), ("clean", "CSC"), ("clean", "AK+NC")]):
        log.start(number, "cluster", dataset="iris", setting=setting, algorithm=algorithm)
    log.start(4, "cluster", dataset="iris", setting="noise-L9", algorithm="CSC")
    log.start(5, "report")
    log.send(LogEvent.RUN_INFO, stats=stats)
    assert log.lines == [
        "cluster      iris · clean: AK+NC, CSC",
        "cluster      iris · noise-L9, noise-L10: CSC",
        "report",
        "5 jobs: 4 cluster, 1 report",
    ]


def test_a_terminal_has_bars_and_the_messages_of_failed_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    terminal = Output(Terminal())
    terminal.send(LogEvent.RUN_INFO, stats={"cluster": 5, "report": 1, "total": 6})
    terminal.start(1, "cluster", "CSC.parquet", **CELL)
    terminal.start(2, "cluster", "Mine.parquet", **MINE)
    messages = Path(os.environ[console.FAILURES])
    messages.write_text("FAILED with status 1: Mine.parquet\n    KeyError: 3\n")
    terminal.send(LogEvent.JOB_FINISHED, job_id=1)
    terminal.send(LogEvent.JOB_ERROR, level=logging.ERROR, jobid=2, rule_name="cluster")
    terminal.console.summarize()
    printed = terminal.stream.getvalue()
    assert "now  cluster iris · clean · CSC" in printed
    assert "1/5" in printed
    assert "1 failed" in printed
    assert re.search(r"FAILED cluster iris · clean · Mine.*KeyError: 3.*Done: 1 of 6 jobs", printed, re.S)
    assert not messages.parent.exists()
    assert console.FAILURES not in os.environ


@pytest.mark.parametrize("bars", [True, False])
def test_the_message_of_a_failed_job_goes_where_the_bars_do_not_overwrite_it(tmp_path: Path, bars: bool) -> None:
    script = f"source {ROOT}/workflow/scripts/job.sh; RETRY=snakemake; job log out.npz bash -c 'echo why; exit 3'"
    messages = tmp_path / "failures"
    if bars:
        messages.touch()
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=tmp_path,
        env={**os.environ, console.FAILURES: str(messages)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 3
    printed, other = (messages.read_text(), done.stderr) if bars else (done.stderr, "")
    assert printed.strip().splitlines() == [
        "FAILED with status 3: out.npz",
        "The end of log:",
        "    why",
        "To retry it alone: snakemake -- 'out.npz'",
    ]
    assert other == ""
