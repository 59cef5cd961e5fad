"""What a run prints: bars in a terminal, one line per finished job in a log file, failed jobs, and a summary.

This is a handler of Python's ``logging`` for Snakemake's documented events. A logger plugin would have to be installed,
since Snakemake does not start without a plugin that its profile names. Snakemake's log in ``.snakemake/log`` stays.
"""

import logging
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from textwrap import shorten
from typing import Any

#: Lines of the log of a failed job, and characters of a list of failures in the summary.
LINES, CHARACTERS = 15, 300
#: Rules that only list the files of a complete run, and the name that Snakemake gives to the sum of all rules.
TARGETS = ("all", "everything", "total")
#: Events and messages of Snakemake that say nothing about the run, or that are printed here in another form.
SILENT = {"workflow_started", "resources_info", "group_info", "progress", "shellcmd"}
NOISE = re.compile(
    "Building DAG|Using shell|Group jobs: inactive|Conda environments: ignored|Singularity containers: ignored|"
    "Select jobs to execute|Assuming unrestricted shared|Complete log|Elapsed time|SLURM run ID|Job rate limit reached|"
    r"(Job|Group job) \S+ has been submitted|Submitted array job|Cleaning up SLURM|Exiting because|Cannot restore|"
    r"(RuleException:\s+)?CalledProcessError in file|(WorkflowError:\s+)?At least one job did not"
)


class Console(logging.Handler):
    """Prints what happens in a run.

    ``replaced`` is Snakemake's handler, which filters (``--quiet``) and formats messages. ``failures`` returns messages
    of failed clusterings in an output file, ``retry`` repeats one job, and ``links`` says where the results are.
    """

    def __init__(
        self, replaced: Any, failures: Callable[[str], list[str]], retry: str, links: Callable[[], Iterable[str]]
    ) -> None:
        super().__init__()
        self._replaced, self._failures, self._retry, self._links = replaced, failures, retry, links
        self._began = time.monotonic()
        # By rule: the jobs of the run, those that are done, and the seconds that they took.
        self._planned, self._done, self._seconds = Counter[str](), Counter[str](), Counter[str]()
        self._running = False  # a dry run starts no job
        self._jobs: dict[int, tuple[Any, float]] = {}  # the event of each job, and when it started
        self._again: set[int] = set()  # jobs that run again because another job of their submission failed
        self.failed: dict[int, str] = {}
        self._unclustered: Counter[str] = Counter()  # failed clusterings of each algorithm
        self._bars: Any = None
        self._tasks: dict[str, Any] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Print or count a message of Snakemake."""
        event = getattr(record, "event", None)
        try:
            if handle := getattr(self, f"_on_{event}", None):
                handle(record)
            elif event not in SILENT and not NOISE.match(record.getMessage()):
                style = "red" if record.levelno >= logging.ERROR else ""
                self._print(record, self._replaced.format(record) or "", style=style)
                if record.getMessage().startswith("Nothing to be done"):
                    self._print(record, *self._links())
        except (AttributeError, KeyError, TypeError):  # an event in the form of another version of Snakemake
            self._replaced.handle(record)

    def _on_run_info(self, record: Any) -> None:
        self._began = time.monotonic()
        self._planned = Counter({rule: count for rule, count in record.stats.items() if rule not in TARGETS})
        counts = ", ".join(f"{count} {rule}" for rule, count in self._planned.items())
        self._print(record, f"{plural(self._planned.total(), 'job')}: {counts}")

    def _on_job_started(self, record: Any) -> None:
        if not self._running and self._replaced.filter(record):
            self._bars = make_bars(self._replaced.stream)
            for rule in [*self._planned, "total"] if self._bars else []:
                total = self._planned[rule] or self._planned.total()
                self._tasks[rule] = self._bars.add_task(rule, total=total, start=rule == "total", note="")
        self._running = True

    def _on_job_info(self, record: Any) -> None:
        if record.rule_name in TARGETS:
            return
        if not self._running:
            why = shorten(getattr(record, "reason", "") or "", CHARACTERS)
            self._print(record, f"{title(record):<55}  {why}".rstrip())
            return
        self._jobs[record.jobid] = record, time.monotonic()
        self._again.discard(record.jobid)
        if self._bars:
            self._bars.start_task(self._tasks[record.rule_name])
            self._bars.update(self._tasks[record.rule_name], note=title(record))

    def _on_job_finished(self, record: Any) -> None:
        if record.job_id not in self._jobs:
            return
        job, began = self._jobs[record.job_id]
        seconds = time.monotonic() - began
        self.failed.pop(record.job_id, None)
        self._done[job.rule_name] += 1
        self._seconds[job.rule_name] += seconds
        if self._bars:
            self._bars.update(self._tasks[job.rule_name], completed=self._done[job.rule_name])
            self._bars.update(self._tasks["total"], completed=self._done.total(), note=self._left())
        else:
            count = f"{self._done.total():>4}/{self._planned.total()}"
            self._print(record, f"{time.strftime('%X')} {count}  {title(job):<55}  {clock(seconds)}; {self._left()}")
        if bad := self._failures(job.output[0]):
            self._unclustered[Path(job.wildcards["result"]).name] += len(bad)
            self._print(record, f"{title(job)}: {plural(len(bad), 'clustering')} failed ({bad[0]})", style="yellow")

    def _on_job_error(self, record: Any) -> None:
        if record.jobid in self._again:
            return
        self.failed[record.jobid] = title(self._jobs[record.jobid][0])
        output = record.output[0].partition(" (")[0]  # Snakemake adds flags: (update)
        retry = f"To retry it alone: {self._retry} -- '{output}'"
        self._print(record, f"FAILED {self.failed[record.jobid]}", *ends(record.log), retry, style="red")

    def _on_group_error(self, record: Any) -> None:
        """Report a failed submission. The errors of its jobs follow, even of those that only have to run again."""
        logs = {job["jobid"]: job["log"] for job in record.job_error_info}
        failed = {number for number in logs if any(map(has_failed, logs[number]))} or set(logs)
        self._again = set(logs) - failed
        again = f"; {plural(len(self._again), 'job')} of it will run again" if self._again else ""
        self._print(record, f"FAILED submission of {plural(len(logs), 'job')}{again}", *ends(record.aux_logs))

    def _left(self) -> str:
        """Return the time left, assuming that the remaining jobs of a rule take as long as its finished ones."""
        spent, done = self._seconds.total(), self._done.total()
        mean = {rule: self._seconds[rule] / self._done[rule] for rule in self._done}
        seconds = sum(count * mean.get(rule, spent / done) for rule, count in (self._planned - self._done).items())
        return f"{clock((time.monotonic() - self._began) * seconds / spent)} left"

    def _print(self, record: logging.LogRecord, *lines: str, style: str = "") -> None:
        """Print lines, above the bars if there are any, unless ``--quiet`` silences this kind of message."""
        if not any(lines) or not self._replaced.filter(record):
            return
        if self._bars:
            self._bars.console.print("\n".join(lines), style=style, markup=False, highlight=False, soft_wrap=True)
        else:
            print(*lines, sep="\n", file=self._replaced.stream, flush=True)

    def summarize(self, *advice: str) -> None:
        """Print what was computed, how long it took, what failed, and where the results are."""
        self.close()
        done = f"{self._done.total()} of {plural(self._planned.total(), 'job')}"
        lines = [f"Done: {done} in {clock(time.monotonic() - self._began)}."]
        bad = [f"{count} of {name}" for name, count in self._unclustered.items()]
        for what, failed in (("jobs", self.failed.values()), ("clusterings", bad)):
            lines.append(f"Failed {what}: {shorten(', '.join(failed) or 'none', CHARACTERS)}")
        print("", *lines, *advice, *self._links(), sep="\n", file=self._replaced.stream, flush=True)

    def close(self) -> None:
        """Remove the bars."""
        if self._bars:
            self._bars.stop()
            self._bars = None
        super().close()


def make_bars(stream: Any) -> Any:
    """Return the bars of a run, already started; None if the stream is not a terminal or rich is not installed."""
    if not stream.isatty() or find_spec("rich") is None:
        return None
    from rich.console import Console as Terminal
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    note = TextColumn("{task.fields[note]}", markup=False)
    columns = "{task.description}", BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), note
    bars = Progress(*columns, console=Terminal(file=stream), transient=True)
    bars.start()
    return bars


def title(job: Any) -> str:
    """Return the rule of a job, and the names of its dataset, setting, variation and algorithm."""
    names = "/".join(map(str, (job.wildcards or {}).values()))
    return f"{job.rule_name} {names.replace('/', ' · ')}".rstrip()


def has_failed(log: str) -> bool:
    """Return whether a log ends with the line that workflow/scripts/job.sh adds if a job fails."""
    return Path(log).is_file() and "FAILED with status" in Path(log).read_text(errors="replace")[-100:]


def ends(logs: Iterable[str]) -> Iterable[str]:
    """Yield the end of each log; if some logs report a failure, only of these.

    Slurm's reason may come earlier in a log, since the jobs of a cancelled submission still write that they shut down.
    """
    for log in list(filter(has_failed, logs)) or logs:
        lines = Path(log).read_text(errors="replace").splitlines() if Path(log).is_file() else []
        reasons = [line for line in lines[:-LINES] if line.startswith("slurmstepd")]
        yield f"The end of {log}:"
        yield from (f"    {line}" for line in [*reasons, *lines[-LINES:]] or ["(empty; is the disk full?)"])


def plural(number: int, noun: str) -> str:
    """Return a number and its noun."""
    return f"{number:,} {noun}{'s' if number != 1 else ''}"


def clock(seconds: float) -> str:
    """Return a duration in hours, minutes and seconds."""
    return str(timedelta(seconds=round(seconds)))
