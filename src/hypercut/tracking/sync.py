"""The sync: compare the runs in MLflow with the expected ones, then write or remove the differences."""

import re
import shutil
import time
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, as_completed, wait
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypercut.errors import InputError, redact_address
from hypercut.progress import show
from hypercut.tracking import views
from hypercut.tracking.background import BackgroundBuilder
from hypercut.tracking.content import Content, ContentBuilder
from hypercut.tracking.expected import REPORT, ExpectedRun, expected_runs, read_run
from hypercut.tracking.location import DEFAULT_PREFIX, TrackingError, benchmark_id, database_file, is_default_store
from hypercut.tracking.store import Store, open_store

#: Runs that wait to be written. After an error none of them is begun.
WAITING = 8

ToDo = Sequence[tuple[ExpectedRun, list[Any]]]
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
    overview: str = ""
    """address of the page that links to all views, relative to the server's root; empty if there is no report"""
    links: dict[str, str] = field(default_factory=dict)
    """title of a page of MLflow → its address, relative to the server's root"""

    def __str__(self) -> str:
        return (
            f"MLflow at {self.uri}: {self.created} runs created, {self.replaced} replaced, {self.skipped} unchanged, "
            f"{self.removed} removed, {self.missing} results missing; {self.seconds:.1f} s"
        )


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
    by_experiment: dict[str, list[ExpectedRun]] = {}
    for wanted in expected:
        by_experiment.setdefault(wanted.experiment, []).append(wanted)
    owner = views.Owner(benchmark_id(results), shared=not is_default_store(results, uri))
    builder = ContentBuilder(run, headline or {}, figures=figures)
    report = SyncReport(redact_address(uri), prefix, missing=missing)
    try:
        with BackgroundBuilder(builder, owner.benchmark) as background:
            database = database_file(uri)
            if database and not database.exists():
                # All runs will be missing: they are built while MLflow is imported and creates its tables.
                background.request([run for runs in by_experiment.values() for run in runs])
            with open_store(uri, prefix) as store:
                _Sync(store, owner, background, report, by_experiment).carry_out()
    except TrackingError as error:
        raise TrackingError(f"{error} The results in {results} are not affected.") from None
    report.seconds = round(time.monotonic() - started, 3)
    return report


@dataclass
class _Sync:
    """A sync in progress, the only one that writes to these experiments."""

    store: Store
    owner: views.Owner
    background: BackgroundBuilder
    report: SyncReport
    expected: Mapping[str, Sequence[ExpectedRun]]
    """by experiment"""
    ids: dict[str, str] = field(default_factory=dict)
    """of the experiments"""

    def carry_out(self) -> None:
        """Create the experiments, write and remove runs, save the views."""
        created = {views.PREFIX_TAG: self.report.prefix}
        tags = {self.owner.experiment_tag: self.report.prefix, **views.KIND_TAG}
        self.ids = {
            name: self.store.experiment(f"{self.report.prefix}/{name}", created, tags) for name in self.expected
        }
        todo = [item for name, runs in self.expected.items() for item in self._compare(self.ids[name], runs)]
        # Closed, so that an interrupted sync stops writing before it gives up its lock.
        with closing(self._write_all(todo)) as written:
            for _ in show(written, total=len(todo), label="runs written to MLflow"):
                self.store.keep_lock()
        self.report.replaced = sum(bool(old) for _, old in todo)
        self.report.created = len(todo) - self.report.replaced
        self._remove_abandoned()
        saved = {name: self._save_views(name, experiment_id) for name, experiment_id in self.ids.items()}
        if REPORT in self.ids:
            self._save_overview(self.ids[REPORT], saved)

    def _compare(self, experiment_id: str, expected: Sequence[ExpectedRun]) -> ToDo:
        """Remove runs that are incomplete or not expected; return those to write."""
        stored: dict[str, list[Any]] = {run.id: [] for run in expected}
        for run in self._own_runs(experiment_id):
            if run.info.status == "FINISHED" and run.data.tags["hypercut.cell"] in stored:
                stored[run.data.tags["hypercut.cell"]].append(run)
            else:
                self._remove(run)
        todo = []
        for wanted in expected:
            same = [run for run in stored[wanted.id] if run.data.tags.get("hypercut.key") == wanted.key]
            if not same:
                todo.append((wanted, stored[wanted.id]))
                continue
            self.report.skipped += 1
            for run in stored[wanted.id]:
                if run is not same[0]:
                    self._remove(run)
        return todo

    def _write_all(self, todo: ToDo) -> Generator[None]:
        """Write the runs, several at once because most of the time is spent waiting for the server."""
        if not self.background.requested:
            self.background.request([run for run, _ in todo])
        replaced = {(run.experiment, run.id): old for run, old in todo}
        with ThreadPoolExecutor(self.store.writers) as pool:
            try:
                waiting: set[Future[None]] = set()
                for run, content, folder in self.background.built():
                    # One that another sync wrote in the meantime is not written again.
                    if (run.experiment, run.id) in replaced:
                        old = replaced[run.experiment, run.id]
                        waiting.add(pool.submit(self._write, run, old, content, folder))
                    if len(waiting) >= WAITING:
                        written, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                        for future in written:
                            future.result()
                            yield
                for future in as_completed(waiting):
                    future.result()
                    yield
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise

    def _write(self, run: ExpectedRun, old: Sequence[Any], content: Content, folder: Path) -> None:
        """Write one run, then delete those it replaces, so that there is always one."""
        self.store.write(self.ids[run.experiment], run.name, content, folder)
        for replaced in old:
            self.store.delete(replaced)
        shutil.rmtree(folder)

    def _own_runs(self, experiment_id: str) -> list[Any]:
        """Return the runs that a sync of this benchmark wrote, as MLflow's entities."""
        runs = self.store.runs(experiment_id, self.owner.runs)
        return [run for run in runs if "hypercut.cell" in run.data.tags]

    def _remove(self, run: Any) -> None:
        self.store.delete(run)
        self.report.removed += 1

    def _remove_abandoned(self) -> None:
        """Remove our runs from experiments without expected runs, and the experiments if that empties them."""
        for name, experiment_id in self.store.experiments(self.owner.experiment_tag, self.report.prefix).items():
            experiment = name.removeprefix(f"{self.report.prefix}/")
            if experiment in self.ids:
                continue
            for run in self._own_runs(experiment_id):
                self._remove(run)
            self._save_views(experiment, experiment_id)
            self.store.client.delete_experiment_tag(experiment_id, self.owner.experiment_tag)
            abandoned = views.is_abandoned(self.store.client.get_experiment(experiment_id).tags)
            if abandoned and not self.store.client.search_runs([experiment_id], max_results=1):
                self.store.client.delete_experiment(experiment_id)

    def _save_views(self, name: str, experiment_id: str) -> list[views.View]:
        """Save and return the views of an experiment; remove those of this benchmark that it no longer has."""
        saved = views.experiment_views(name, self.expected.get(name, []), self.owner)
        wanted = {view.tag: view.value for view in saved}
        present = self.store.client.get_experiment(experiment_id).tags
        stale = {tag for tag in present if tag.startswith(self.owner.view_tag) and tag not in wanted}
        kept = {tag: value for tag, value in present.items() if tag not in stale}
        wanted[views.NOTE_TAG] = views.describe(name, kept | wanted, experiment_id)
        self.store.set_tags(experiment_id, present, wanted)
        for tag in stale:
            self.store.client.delete_experiment_tag(experiment_id, tag)
        title = f"{self.report.prefix}/{name}"
        self.report.links |= {f"{title} · {view.name}": view.link(experiment_id) for view in saved}
        return saved

    def _save_overview(self, experiment_id: str, saved: Mapping[str, Sequence[views.View]]) -> None:
        """Describe the run of the report with links to all views."""
        (run,) = self._own_runs(experiment_id)
        files = views.run_page(experiment_id, run.info.run_id, "/artifacts")
        text = views.overview(saved, self.ids, files)
        if run.data.tags.get(views.NOTE_TAG) != text:
            self.store.client.set_tag(run.info.run_id, views.NOTE_TAG, text)
        self.report.overview = views.run_page(experiment_id, run.info.run_id)
        self.report.links[f"{self.report.prefix}/{REPORT}"] = files
