"""The sync: compare the runs in MLflow with the expected ones, then write or remove the differences."""

import re
import shutil
import tempfile
import time
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path

from hypercut.errors import InputError, redact_address
from hypercut.files import write_json
from hypercut.progress import show
from hypercut.tracking import views
from hypercut.tracking.content import Content, ContentBuilder, read_summaries
from hypercut.tracking.expected import REPORT, ExpectedRun, Kind, expected_runs, read_run
from hypercut.tracking.figures import MetricFigure
from hypercut.tracking.identity import benchmark_id
from hypercut.tracking.location import DEFAULT_PREFIX, TrackingError, is_default_store
from hypercut.tracking.store import Store, StoredRun, open_store

#: Runs whose files are prepared before they are written.
BATCH = 64

ToDo = Sequence[tuple[ExpectedRun, list[StoredRun]]]
"""runs to write, each with the runs that it replaces"""


@dataclass
class SyncReport:
    """What a sync did."""

    uri: str
    """without secrets"""
    prefix: str
    created: int = 0
    replaced: int = 0
    skipped: int = 0
    """runs that were up to date"""
    removed: int = 0
    """runs without a result, and incomplete runs of an interrupted sync"""
    missing: int = 0
    """results that are expected but have no file"""
    seconds: float = 0.0
    links: dict[str, str] = field(default_factory=dict)
    """title of a page of MLflow → its address, relative to the server's root"""

    def __str__(self) -> str:
        return (
            f"MLflow at {self.uri}: {self.created} runs created, {self.replaced} replaced, {self.skipped} unchanged, "
            f"{self.removed} removed, {self.missing} results missing; {self.seconds:.1f} s"
        )

    def write(self, path: Path) -> None:
        """Write the report as JSON, atomically."""
        write_json(path, asdict(self))


def sync(
    results: Path,
    uri: str,
    *,
    prefix: str = DEFAULT_PREFIX,
    headline: Mapping[str, float] | None = None,
    figures: bool = True,
) -> SyncReport:
    """Make the runs of this benchmark in MLflow agree with the results that ``run.json`` expects and that have a file.

    One sync writes at a time; another one waits. A run is marked as finished last, so the next sync completes one that
    was interrupted. ``headline`` has figures of the report, logged as its metrics. Runs of other benchmarks are not
    touched.

    Raises :class:`TrackingError` if the store cannot be reached or fails.
    """
    started = time.monotonic()
    if not re.fullmatch(r"[\w.-]+(/[\w.-]+)*", prefix):
        raise InputError(
            f"Expected a prefix of letters, digits, '.', '-', '_', in parts separated by '/', found {prefix!r}. "
            "Choose another, such as alice/quick."
        )
    run = read_run(results)
    expected, missing = expected_runs(results, run, headline or {})
    owner = views.Owner(benchmark_id(results), shared=not is_default_store(results, uri))
    builder = ContentBuilder(run, headline or {}, MetricFigure() if figures else None)
    report = SyncReport(redact_address(uri), prefix, missing=missing)
    try:
        with open_store(uri, prefix) as store:
            _Sync(store, owner, builder, expected, report).carry_out()
    except TrackingError as error:
        raise TrackingError(f"{error} The results in {results} are not affected.") from None
    report.seconds = round(time.monotonic() - started, 3)
    return report


class _Sync:
    """A sync in progress, the only one that writes to these experiments."""

    def __init__(
        self,
        store: Store,
        owner: views.Owner,
        builder: ContentBuilder,
        expected: Sequence[ExpectedRun],
        report: SyncReport,
    ) -> None:
        self.store = store
        self.owner = owner
        self.builder = builder
        self.report = report
        self.expected: dict[str, list[ExpectedRun]] = {}
        """by experiment"""
        for run in expected:
            self.expected.setdefault(run.experiment, []).append(run)
        self.ids: dict[str, str] = {}
        self.report_run: str | None = None

    def carry_out(self) -> None:
        """Create the experiments, write and remove runs, save the views."""
        created = {views.PREFIX_TAG: self.report.prefix}
        tags = {self.owner.experiment_tag: self.report.prefix, **views.KIND_TAG}
        self.ids = {name: self.store.experiment(self._full_name(name), created, tags) for name in self.expected}
        todo = [item for name, runs in self.expected.items() for item in self._compare(self.ids[name], runs)]
        # Closed, so that an interrupted sync stops writing before it gives up its lock.
        with closing(self._write_all(todo)) as written:
            for _ in show(written, total=len(todo), label="runs written to MLflow"):
                self.store.keep_lock()
        self.report.replaced = sum(bool(old) for _, old in todo)
        self.report.created = len(todo) - self.report.replaced
        self._remove_abandoned()
        for name, experiment_id in self.ids.items():
            self._save_views(name, experiment_id)

    def _full_name(self, experiment: str) -> str:
        return f"{self.report.prefix}/{experiment}"

    def _compare(self, experiment_id: str, expected: Sequence[ExpectedRun]) -> ToDo:
        """Remove runs that are incomplete or not expected; return those to write."""
        stored: dict[str, list[StoredRun]] = {run.id: [] for run in expected}
        for run in self.store.runs(experiment_id, self.owner.benchmark):
            if run.finished and run.id in stored:
                stored[run.id].append(run)
            else:
                self._remove(run)
        todo = []
        for wanted in expected:
            same = [run for run in stored[wanted.id] if run.key == wanted.key]
            if not same:
                todo.append((wanted, stored[wanted.id]))
                continue
            self.report.skipped += 1
            self._note(wanted, same[0].run_id)
            for run in stored[wanted.id]:
                if run is not same[0]:
                    self._remove(run)
        return todo

    def _write_all(self, todo: ToDo) -> Generator[None]:
        """Write the runs, several at once because most of the time is spent waiting for the server.

        Figures are drawn in this thread, since matplotlib is not thread-safe. After an error no further run is begun.
        """
        paths = dict.fromkeys(path for run, _ in todo if run.kind != Kind.REPORT for path in run.files)
        summaries = read_summaries(list(paths))
        with (
            tempfile.TemporaryDirectory(prefix="hypercut-track-") as scratch,
            ThreadPoolExecutor(self.store.writers) as pool,
        ):
            try:
                for start in range(0, len(todo), BATCH):
                    futures: list[Future[None]] = []
                    for run, old in todo[start : start + BATCH]:
                        folder = Path(tempfile.mkdtemp(dir=scratch))
                        content = self.builder.build(run, summaries, self.owner.benchmark, folder)
                        futures.append(pool.submit(self._write, run, old, content, folder))
                    for written in as_completed(futures):
                        written.result()
                        yield
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise

    def _write(self, run: ExpectedRun, old: Sequence[StoredRun], content: Content, folder: Path) -> None:
        """Write one run, then delete those it replaces, so that there is always one."""
        self._note(run, self.store.write(self.ids[run.experiment], run.name, content, folder))
        for replaced in old:
            self.store.delete(replaced)
        shutil.rmtree(folder)

    def _note(self, run: ExpectedRun, run_id: str) -> None:
        """Remember the report's run, for its link."""
        if run.kind == Kind.REPORT:
            self.report_run = run_id

    def _remove(self, run: StoredRun) -> None:
        self.store.delete(run)
        self.report.removed += 1

    def _remove_abandoned(self) -> None:
        """Remove our runs from experiments without expected runs, and the experiments if that empties them."""
        for name, experiment_id in self.store.experiments(self.owner.experiment_tag, self.report.prefix).items():
            experiment = name.removeprefix(f"{self.report.prefix}/")
            if experiment in self.ids:
                continue
            for run in self.store.runs(experiment_id, self.owner.benchmark):
                self._remove(run)
            self._save_views(experiment, experiment_id)
            self.store.remove_tag(experiment_id, self.owner.experiment_tag)
            if views.is_abandoned(self.store.tags(experiment_id)):
                self.store.delete_if_empty(experiment_id)

    def _save_views(self, name: str, experiment_id: str) -> None:
        """Save the views of an experiment, and remove those of this benchmark that it no longer has."""
        saved = views.experiment_views(name, self.expected.get(name, []), self.owner)
        wanted = {view.tag: view.value for view in saved}
        present = self.store.tags(experiment_id)
        stale = {tag for tag in present if tag.startswith(self.owner.view_tag) and tag not in wanted}
        kept = {tag: value for tag, value in present.items() if tag not in stale}
        wanted[views.NOTE_TAG] = views.describe(name, kept | wanted, experiment_id)
        self.store.set_tags(experiment_id, present, wanted)
        for tag in stale:
            self.store.remove_tag(experiment_id, tag)
        for view in saved:
            self.report.links[f"{self._full_name(name)} · {view.name}"] = view.link(experiment_id)
        if self.report_run and name == REPORT:
            self.report.links[self._full_name(name)] = views.artifacts_page(experiment_id, self.report_run)
