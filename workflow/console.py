"""What a run prints: bars in a terminal, one line per finished job in a log file, and a summary at its end.

:class:`Console` is a handler of Snakemake's logger in place of the one that prints to the terminal. It is no plugin of
Snakemake, which refuses to start if a plugin of the profile is not installed. Snakemake's own log, in
``.snakemake/log``, stays as it is.
"""

import contextlib
import logging
import os
import re
import shutil
import sys
import tempfile
import textwrap
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from snakemake_interface_logger_plugins.common import LogEvent

#: Where job.sh writes its message about a failed job while there are bars, which it would otherwise overwrite.
FAILURES = "HYPERCUT_FAILURES"
#: Messages that tell a user nothing about the run. All of them are in Snakemake's own log.
NOISE = re.compile(
    "Building DAG|Using shell|Group jobs: inactive|Conda environments: ignored|Singularity containers: ignored|"
    "Select jobs to execute|Assuming unrestricted shared|Complete log|Elapsed time|SLURM run ID|"
    r"(Job|Group job) \S+ has been submitted|Submitted array job|Job rate limit reached|"
    "Exiting because a job execution failed|Cannot restore .* no backup found|Cleaning up SLURM log files"
)
#: Errors of Snakemake that say less than the message of job.sh and the summary.
KNOWN_ERROR = re.compile(r"(RuleException:\s+)?CalledProcessError in file|(WorkflowError:\s+)?At least one job did not")
RESTART = re.compile(r"Trying to restart job (\d+)")
NOTHING_TO_DO = "Nothing to be done"
#: Events that are counted, or say less than the lines printed here.
SILENT = {
    LogEvent.WORKFLOW_STARTED,
    LogEvent.RESOURCES_INFO,
    LogEvent.JOB_STARTED,
    LogEvent.GROUP_INFO,
    LogEvent.PROGRESS,
    LogEvent.SHELLCMD,
}
#: Rules that only name the files of a complete run, and the sum of all rules.
TARGETS = ("all", "everything", "total")
#: The forecast of the costs counts as much as the measured speed of so many seconds.
FORECAST_SECONDS = 30
#: Output of submitted jobs. The Slurm executor deletes that of successful jobs.
SUBMISSIONS = Path(".snakemake", "slurm_logs")
#: The message of job.sh about a failed job.
MESSAGE = re.compile(r"^FAILED with status \d+: (?P<output>.*?)$.*?^To retry it alone.*?$", re.M | re.S)
#: Errors of Slurm; that a step of a job has failed is said better by job.sh.
REASON = re.compile(r"^(?:slurmstepd|srun)\S*: error: (?!.*Exited with exit code).*$", re.M)
#: How many failed jobs or algorithms the summary names.
SHOWN = 5


@dataclass
class Job:
    """A job that has started."""

    rule: str
    names: tuple[str, ...]  # of dataset, setting, variation and algorithm
    output: tuple[str, ...]
    started: float = field(default_factory=time.monotonic)

    def __str__(self) -> str:
        return f"{self.rule} {' · '.join(self.names)}".rstrip()


@dataclass
class Run:
    """The jobs of a run and their state. Jobs have the numbers that Snakemake gave them."""

    cores: int | None = 1  # None on a cluster, where only the measured speed counts
    planned: dict[str, int] = field(default_factory=dict)  # rule → number of jobs, in the order of the workflow
    seconds: dict[int, float] = field(default_factory=dict)  # job → expected seconds
    jobs: dict[int, Job] = field(default_factory=dict)
    running: set[int] = field(default_factory=set)
    done: set[int] = field(default_factory=set)
    failed: set[int] = field(default_factory=set)
    statuses: Counter[tuple[str, str]] = field(default_factory=Counter)  # (algorithm, status) → clusterings
    began: float = field(default_factory=time.monotonic)

    @property
    def total(self) -> int:
        """The number of jobs of this run."""
        return sum(self.planned.values())

    @property
    def elapsed(self) -> float:
        """Seconds since the run began."""
        return time.monotonic() - self.began

    def start(self, number: int, job: Job) -> None:
        """Record that a job starts, perhaps again."""
        self.jobs[number] = job
        self.running.add(number)
        self.failed.discard(number)

    def end(self, number: int, *, failed: bool) -> None:
        """Record that a job has ended."""
        self.running.discard(number)
        (self.failed if failed else self.done).add(number)

    def lose(self, number: int) -> None:
        """Record that a job has to run again because another of its submission failed."""
        self.running.discard(number)

    def by_rule(self, numbers: Iterable[int]) -> Counter[str]:
        """Return how many of these jobs each rule has."""
        # A copy, since bars are drawn in another thread.
        return Counter(self.jobs[number].rule for number in [*numbers] if number in self.jobs)

    def seconds_left(self) -> float | None:
        """Return the expected seconds to the end: the forecast of the jobs, corrected by the speed so far."""
        if not self.seconds:
            return None
        now = time.monotonic()
        finished = sum(self.seconds.get(number, 0) for number in [*self.done])
        for number in [*self.running]:
            finished += min(now - self.jobs[number].started, 0.9 * self.seconds.get(number, 0))
        forecast = FORECAST_SECONDS if self.cores else 0
        speed = (finished + forecast * (self.cores or 0)) / (self.elapsed + forecast)
        return max(sum(self.seconds.values()) - finished, 0) / speed if speed else None

    def summary(self, failures: Iterable[str], results: str) -> Iterator[str]:
        """Yield the lines about what was computed, how long it took, and what failed: jobs, or ``failures``."""
        clusterings = self.statuses.total()
        computed = f" with {plural(clusterings, 'clustering')}" if clusterings else ""
        yield f"Done: {len(self.done)} of {plural(self.total, 'job')}{computed} in {duration(self.elapsed)}."
        failed = [str(self.jobs[number]) for number in sorted(self.failed) if number in self.jobs]
        if failed:
            left = self.total - len(self.done) - len(failed)
            not_run = f" Not run: {plural(left, 'job')}." if left > 0 else ""
            yield f"Failed: {listed(failed)}.{not_run}"
        of_algorithm: dict[str, Counter[str]] = {}
        for (algorithm, status), count in self.statuses.items():
            if status in failures:
                of_algorithm.setdefault(algorithm, Counter())[status] = count
        if of_algorithm:
            parts = [
                f"{name} ({', '.join(f'{count} {status}' for status, count in counts.items())})"
                for name, counts in of_algorithm.items()
            ]
            yield f"Failed clusterings: {listed(parts)}. hypercut status {results} lists them."
        if not failed and not of_algorithm:
            yield "Failed: nothing."


class Console(logging.Handler):
    """Prints what happens in a run.

    ``replaced`` is Snakemake's handler, which formats everything that is not about jobs. ``statuses`` reads the status
    and message of every clustering in a result file; ``failures`` are the statuses of failed ones. ``results`` is the
    folder of results, and ``links`` are lines that say where to find them.
    """

    def __init__(
        self,
        replaced: logging.Handler,
        stream: TextIO,
        *,
        dry_run: bool,
        statuses: Callable[[str], Iterable[tuple[str, str]]],
        failures: Iterable[str],
        results: str,
        links: Callable[[], Iterable[str]],
    ) -> None:
        super().__init__()
        self.run = Run()
        self._replaced, self._stream, self._dry_run = replaced, stream, dry_run
        self._statuses, self._failures = statuses, frozenset(failures)
        self._results, self._links = results, links
        self._bars = None if dry_run else make_bars(self.run, stream)
        self._would_run: list[Job] = []
        self._reported: set[int] = set()  # jobs whose failure was printed with that of their group
        self.shown: set[Path] = set()  # logs of submissions whose failure was printed

    def emit(self, record: logging.LogRecord) -> None:
        """Print or count a message of Snakemake."""
        try:
            event = getattr(record, "event", None)
            handle = getattr(self, f"_on_{event.name.lower()}", None) if event else None
            if handle is not None:
                handle(record)
            elif again := RESTART.match(record.getMessage()):
                self.print(f"Trying again: {self.run.jobs[int(again[1])]}")
            elif event not in SILENT and not NOISE.match(record.getMessage()):
                self._pass_on(record)
        except Exception:  # of a message in a form that another version of Snakemake has
            self._replaced.handle(record)

    def _pass_on(self, record: logging.LogRecord) -> None:
        if self._replaced.filter(record):
            self.print(self._replaced.format(record) or "", "red" if record.levelno >= logging.ERROR else "")
        if record.getMessage().startswith(NOTHING_TO_DO):
            self.print("\n".join(self._links()))

    def print(self, text: str, style: str = "") -> None:
        """Print text, above the bars if there are any."""
        if self._bars:
            self._bars.print(text, style)
        elif text:
            print(text, file=self._stream, flush=True)

    def _on_run_info(self, record: logging.LogRecord) -> None:
        self.run.planned = {rule: count for rule, count in vars(record)["stats"].items() if rule not in TARGETS}
        counts = ", ".join(f"{count} {rule}" for rule, count in self.run.planned.items())
        if self._dry_run and not self._would_run:  # sent before the jobs, too
            return
        # Whole lines in a file, for grep.
        width = shutil.get_terminal_size().columns if self._stream.isatty() else sys.maxsize
        for line in listing(self._would_run, list(self.run.planned)):
            self.print(textwrap.fill(line, width, subsequent_indent=" " * 13, break_on_hyphens=False))
        self.print(f"{plural(self.run.total, 'job')}: {counts}")

    def _on_job_info(self, record: logging.LogRecord) -> None:
        facts = vars(record)
        names = tuple(map(str, (facts["wildcards"] or {}).values()))
        job = Job(facts["rule_name"], names, tuple(map(str, facts["output"])))
        if job.rule in TARGETS:
            return
        if self._dry_run:
            self._would_run.append(job)
            return
        self.run.start(facts["jobid"], job)
        if self._bars:
            self._bars.show()

    def _on_job_finished(self, record: logging.LogRecord) -> None:
        number = vars(record)["job_id"]
        job = self.run.jobs.get(number)
        if job is None:
            return
        self.run.end(number, failed=False)
        if self._bars is None:
            self.print(self._line(job))
        self._count_clusterings(job)

    def _on_job_error(self, record: logging.LogRecord) -> None:
        facts = vars(record)
        number = facts["jobid"]
        if number in self._reported:
            self._reported.discard(number)
            return
        self.run.end(number, failed=True)
        self.print(f"FAILED {self.run.jobs.get(number) or facts['rule_name']}", "bold red")
        if self._bars:
            self.print(self._bars.messages_of_jobs())
        for failure in self._failures_in(facts.get("log") or ()):
            self.print(failure.text)

    def _on_group_error(self, record: logging.LogRecord) -> None:
        """Name the jobs of a submission that failed. The others are lost with it, even if they had finished."""
        facts = vars(record)
        jobs = {info["jobid"]: self.run.jobs[info["jobid"]] for info in facts["job_error_info"]}
        found = self._failures_in(facts["aux_logs"])
        outputs = {output for failure in found for output in failure.outputs}
        failed = {number: job for number, job in jobs.items() if outputs & set(job.output)}
        self._reported.update(jobs)
        for number in jobs:
            if failed and number not in failed:
                self.run.lose(number)
            else:
                self.run.end(number, failed=True)
        # Without a message of a job, Slurm ended the submission, and with it all jobs.
        for line in [str(job) for job in failed.values()] or listing(jobs.values(), list(self.run.planned)):
            self.print(f"FAILED {line}", "bold red")
        for failure in found:
            self.print(failure.text)
        if failed and len(jobs) > len(failed):
            others = plural(len(jobs) - len(failed), "other job")
            self.print(f"Submitted together with {others}, to be run again.")

    def _failures_in(self, logs: Iterable[str]) -> list["Failure"]:
        """Return the failures in logs of submissions."""
        found = []
        for path in map(Path, logs):
            if SUBMISSIONS.name in path.parts and path.is_file():
                found.append(read_failure(path))
                self.shown.add(path.resolve())
        return found

    def _on_error(self, record: logging.LogRecord) -> None:
        if not KNOWN_ERROR.match(record.getMessage()):
            self._pass_on(record)

    def _line(self, job: Job) -> str:
        """Return the line of a finished job: when, how many are done, what it was, how long it took, and time left."""
        done, total = len(self.run.done), self.run.total
        left = self.run.seconds_left()
        width = len(str(total))
        count = f"{done:>{width}}/{total} {done / max(total, 1):>4.0%}"
        after = f"; {duration(left)} left" if left and done < total else ""
        took = duration(time.monotonic() - job.started)
        what = f"{job.rule:<12} {' · '.join(job.names)}"
        return f"{time.strftime('%H:%M:%S')}  {count}  {what:<48}  {took}{after}"

    def _count_clusterings(self, job: Job) -> None:
        if job.rule not in ("cluster", "vary"):
            return
        found = [pair for path in job.output for pair in self._statuses(path)]
        self.run.statuses.update((job.names[-1], status) for status, _ in found)
        bad = [f"{status}: {message}" for status, message in found if status in self._failures]
        if bad:
            self.print(f"{' · '.join(job.names)}: {len(bad)} of {len(found)} clusterings failed ({bad[0]})", "yellow")

    def summarize(self, *advice: str) -> None:
        """Print the end of a run: what was computed, how long it took, what failed, where the results are."""
        if self._bars:
            self._bars.hide()
        lines = [*self.run.summary(self._failures, self._results), *advice, *self._links()]
        print("", *lines, sep="\n", file=self._stream, flush=True)

    def close(self) -> None:
        """Remove the bars."""
        if self._bars:
            self._bars.hide()
        super().close()


def make_bars(run: Run, stream: TextIO) -> "Bars | None":
    """Return the bars of a run, unless the stream is no terminal or rich is not installed."""
    if not stream.isatty() or os.environ.get("TERM") == "dumb":
        return None
    with contextlib.suppress(ImportError):
        return Bars(run, stream)
    return None


class Bars:
    """A bar for each rule, the time left, and the running jobs, at the bottom of a terminal."""

    def __init__(self, run: Run, stream: TextIO) -> None:
        from rich.console import Console as Terminal
        from rich.live import Live
        from rich.text import Text

        self._run, self._text = run, Text
        self._terminal = Terminal(file=stream, highlight=False, markup=False, emoji=False)
        self._live = Live(console=self._terminal, get_renderable=self._draw, transient=True, refresh_per_second=4)
        self._messages: Path | None = None

    def show(self) -> None:
        """Begin to draw."""
        if self._messages is None:
            self._messages = Path(tempfile.mkdtemp(prefix="hypercut-"), "failures")
            self._messages.touch()
            os.environ[FAILURES] = str(self._messages)
            self._live.start(refresh=True)

    def hide(self) -> None:
        """Stop drawing and erase the bars."""
        self._live.stop()
        if self._messages is not None:
            os.environ.pop(FAILURES, None)
            shutil.rmtree(self._messages.parent, ignore_errors=True)

    def print(self, text: str, style: str = "") -> None:
        """Print above the bars."""
        if text:
            self._terminal.print(self._text(text, style), soft_wrap=True)

    def messages_of_jobs(self) -> str:
        """Return what job.sh wrote since the last call."""
        if self._messages is None:
            return ""
        with contextlib.suppress(OSError), self._messages.open("r+", errors="replace") as messages:
            text = messages.read()
            messages.truncate(0)
            return text.strip("\n")
        return ""

    def _draw(self) -> Any:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table

        run = self._run
        done, failed = run.by_rule(run.done), run.by_rule(run.failed)
        several = {rule: count for rule, count in run.planned.items() if count > 1}
        table = Table.grid(padding=(0, 2))
        for rule, count in several.items():
            note = self._text(f"{failed[rule]} failed", "bold red") if failed[rule] else ""
            table.add_row(rule, ProgressBar(count, done[rule], width=40), f"{done[rule]}/{count}", note)
        left = run.seconds_left()
        table.add_row(
            self._text("total", "bold"),
            ProgressBar(run.total or 1, len(run.done), width=40),
            f"{len(run.done)}/{run.total}",
            f"{clock(run.elapsed)}{f', about {clock(left)} left' if left is not None else ''}",
        )
        single = [self._single(rule, done, failed) for rule in run.planned if rule not in several]
        once = [self._text("once ").append_text(self._text("  ").join(single))] if single else []
        return Group("", table, *once, *self._now())

    def _now(self) -> list[Any]:
        running = [str(self._run.jobs[number]) for number in sorted(self._run.running)]
        more = [f"and {len(running) - SHOWN} more"] if len(running) > SHOWN else []
        lines = [f"now  {name}" for name in [*running[:SHOWN], *more]]
        return [self._text(line, "dim", no_wrap=True, overflow="ellipsis") for line in lines]

    def _single(self, rule: str, done: Mapping[str, int], failed: Mapping[str, int]) -> Any:
        if failed[rule]:
            return self._text(f"✗ {rule}", "bold red")
        return self._text(f"✓ {rule}", "green") if done[rule] else self._text(f"· {rule}", "dim")


@dataclass(frozen=True)
class Failure:
    """What the log of a submission says about its failure, and the files that its failed jobs should have written."""

    text: str
    outputs: frozenset[str]


def failed_submissions(since: float, shown: Collection[Path]) -> Iterator[str]:
    """Yield the failures of submissions since a time, except those already shown."""
    for path in sorted(SUBMISSIONS.rglob("*.log")):
        if path.stat().st_mtime >= since and path.resolve() not in shown:
            yield f"\n{read_failure(path).text}"


def read_failure(path: Path) -> Failure:
    """Return the errors of Slurm and the messages of job.sh; without these or after those, what is missing."""
    log = path.read_text(errors="replace")
    messages, reasons = list(MESSAGE.finditer(log)), REASON.findall(log)
    outputs = sorted(set(re.findall("^ *output: (.*)$", log, re.M)))
    missing = [] if messages and not reasons else [f"Not done: {', '.join(outputs)}"]
    lines = [f"A submitted job failed: {path}", *reasons, *(message[0] for message in messages), *missing]
    return Failure("\n".join(lines), frozenset(message["output"] for message in messages))


def listing(jobs: Iterable[Job], rules: list[str]) -> Iterator[str]:
    """Yield a line for all jobs of a rule that differ in their last two names only.

    >>> cells = [Job("cluster", ("iris", setting, name), ()) for setting in ("noise-L10", "noise-L9") for name in "BA"]
    >>> list(listing(cells, ["cluster"]))
    ['cluster      iris · noise-L9, noise-L10: A, B']
    """
    last: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for job in jobs:
        last.setdefault((job.rule, job.names[:-1]), []).extend(job.names[-1:])
    before: dict[tuple[int, tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for (rule, names), found in last.items():
        key = rules.index(rule), names[:-1], tuple(sorted(found, key=_natural))
        before.setdefault(key, []).extend(names[-1:])
    for (rule, first, found), second in sorted(before.items()):
        names = [*first, *([", ".join(sorted(second, key=_natural))] if second else [])]
        yield f"{rules[rule]:<12} {' · '.join(names)}{': ' if names else ''}{', '.join(found)}".rstrip()


def _natural(name: str) -> list[str | int]:
    """Return the key that sorts L9 before L10."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def duration(seconds: float) -> str:
    """Return a duration in at most two units.

    >>> [duration(s) for s in (0.42, 59, 61, 5400, 100_000)]
    ['0.4 s', '59 s', '1 min 1 s', '1 h 30 min', '1 d 3 h']
    """
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, days = minutes // 60, minutes // 1440
    if days:
        return f"{days} d {hours % 24} h"
    if hours:
        return f"{hours} h {minutes % 60} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def clock(seconds: float) -> str:
    """Return a duration as on a clock.

    >>> [clock(s) for s in (5, 65, 3700)]
    ['0:05', '1:05', '1:01:40']
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}" if minutes >= 60 else f"{minutes}:{rest:02}"


def plural(number: int, noun: str) -> str:
    """Return a number and its noun."""
    return f"{number:,} {noun}{'s' if number != 1 else ''}"


def listed(items: list[str]) -> str:
    """Return the first items and how many more there are."""
    more = f" and {len(items) - SHOWN} more" if len(items) > SHOWN else ""
    return ", ".join(items[:SHOWN]) + more
