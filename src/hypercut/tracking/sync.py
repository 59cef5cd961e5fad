"""The sync: compare the runs in MLflow with those that the results give, then write or remove the differences."""

import re
import time
import uuid
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypercut.benchmark.layout import Layout
from hypercut.errors import InputError, redact_address
from hypercut.files import atomic_write
from hypercut.progress import show
from hypercut.tracking import content, links
from hypercut.tracking.content import Results, Run
from hypercut.tracking.store import Store, database_file, open_store

#: The tag of an experiment that hypercut created.
CREATED_TAG = "hypercut.prefix"

DIGEST_TAG = "hypercut.digest"
"""the tag of a run with the hash of all that it logs"""


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
    seconds: float = 0.0
    overview: str = ""
    """address of the page that links to all views, relative to the server's root; empty if there is no report"""

    def __str__(self) -> str:
        return (
            f"MLflow at {self.uri}: {self.created} runs created, {self.replaced} replaced, {self.skipped} unchanged, "
            f"{self.removed} removed; {self.seconds:.1f} s"
        )


def sync(
    results: Path, uri: str, *, prefix: str = "hypercut", headline: Mapping[str, float] | None = None
) -> SyncReport:
    """Make the runs of this benchmark in MLflow agree with its table and its report.

    Experiments are called ``<prefix>/<dataset>``. Benchmarks with the same prefix share experiments, but no runs.
    One sync writes at a time; another one waits. A run is marked as finished last, so the next sync completes one that
    was interrupted. ``headline`` has figures of the report, logged as its metrics. Runs of other benchmarks are not
    touched.

    Raises :class:`hypercut.tracking.store.TrackingError` if the store cannot be reached or fails.
    """
    started = time.monotonic()
    if not re.fullmatch(r"[\w.-]+(/[\w.-]+)*", prefix):
        raise InputError(
            f"Expected a prefix of letters, digits, '.', '-', '_', in parts separated by '/', found {prefix!r}. "
            "Choose another, such as alice/quick."
        )
    read = Results.read(results)
    report = SyncReport(redact_address(uri), prefix)
    with open_store(results, uri) as store:
        # Other benchmarks may write to any store but the default one.
        database = database_file(uri)
        shared = database is None or database.resolve() != Layout(results).database.resolve()
        runs = list(content.runs(read, headline or {}))
        _Sync(store, report, benchmark_id(results), shared, read.code).carry_out(runs)
    report.seconds = round(time.monotonic() - started, 3)
    return report


def benchmark_id(results: Path) -> str:
    """Return the id that tells the runs of a benchmark from others in the store; the first sync creates it."""
    path = Layout(results).benchmark_id
    if not path.exists():
        with atomic_write(path) as part:
            part.write_text(f"{uuid.uuid4().hex}\n", encoding="utf-8")
    found = path.read_text(encoding="utf-8", errors="replace").strip()
    if not re.fullmatch("[0-9a-f]{32}", found):
        raise InputError(
            f"{path}: expected the id of a benchmark, 32 hexadecimal digits. Restore the file, or delete it to track "
            "the results as a new benchmark; the runs of the old one then stay in MLflow."
        )
    return found


@dataclass
class _Sync:
    """A sync in progress, the only one that writes runs of this benchmark."""

    store: Store
    report: SyncReport
    benchmark: str
    shared: bool
    """whether other benchmarks may write to the store"""
    code: Mapping[str, str]
    experiments: dict[str, Any] = field(default_factory=dict)
    """by their names without prefix"""

    def carry_out(self, runs: Sequence[Run]) -> None:
        """Create the experiments, write and remove runs, save the views."""
        by_experiment: dict[str, list[Run]] = {}
        for run in runs:
            by_experiment.setdefault(run.experiment, []).append(run)
        created = {CREATED_TAG: self.report.prefix, **links.KIND_TAG}
        for name in by_experiment:
            self.experiments[name] = self.store.experiment(f"{self.report.prefix}/{name}", created)
        todo = [item for name, wanted in by_experiment.items() for item in self._compare(name, wanted)]
        # Several at once, because most of the time is spent waiting for a server. After an error none is begun.
        with ThreadPoolExecutor(self.store.writers) as pool:
            for replaced in show(pool.map(self._write, todo), total=len(todo), label="runs written to MLflow"):
                self.report.replaced += replaced
                self.report.created += not replaced
        self._remove_abandoned()
        views = {name: self._save_views(name, wanted) for name, wanted in by_experiment.items()}
        if links.REPORT in self.experiments:
            self._save_overview(views)

    def _compare(self, experiment: str, wanted: Sequence[Run]) -> list[tuple[Run, list[Any]]]:
        """Remove runs that are incomplete or not wanted; return those to write, each with the runs that it replaces."""
        digests = {run.name: run.digest for run in wanted}
        unchanged: set[str] = set()
        outdated: dict[str, list[Any]] = {name: [] for name in digests}
        for run in self._own_runs(experiment):
            name = run.info.run_name
            if run.info.status != "FINISHED" or name not in digests or name in unchanged:
                self._remove(run)
            elif run.data.tags.get(DIGEST_TAG) == digests[name]:
                unchanged.add(name)
            else:
                outdated[name].append(run)
        for run in (run for name in unchanged for run in outdated[name]):
            self._remove(run)
        self.report.skipped += len(unchanged)
        return [(run, outdated[run.name]) for run in wanted if run.name not in unchanged]

    def _write(self, item: tuple[Run, list[Any]]) -> bool:
        """Write one run, then delete those it replaces, so that there is always one; return whether it replaces any."""
        run, outdated = item
        tags = {links.BENCHMARK_TAG: self.benchmark, "hypercut.kind": run.kind, DIGEST_TAG: run.digest, **self.code}
        self.store.write(self.experiments[run.experiment].experiment_id, run, tags)
        for replaced in outdated:
            self.store.delete(replaced)
        return bool(outdated)

    def _own_runs(self, experiment: str) -> list[Any]:
        """Return the runs that a sync of this benchmark wrote, as MLflow's entities."""
        return self.store.runs(self.experiments[experiment].experiment_id, links.owned(self.benchmark))

    def _remove(self, run: Any) -> None:
        self.store.delete(run)
        self.report.removed += 1

    def _remove_abandoned(self) -> None:
        """Remove our runs from experiments in which we no longer have any, and the experiments if that empties them."""
        for name, experiment in self.store.experiments(self.report.prefix).items():
            if name in self.experiments:
                continue
            id = experiment.experiment_id
            for run in self.store.runs(id, links.owned(self.benchmark)):
                self._remove(run)
            self._delete_views(experiment, kept=())
            if CREATED_TAG in experiment.tags and not self.store.client.search_runs([id], max_results=1):
                self.store.client.delete_experiment(id)

    def _save_views(self, name: str, wanted: Sequence[Run]) -> list[links.View]:
        """Save and return the views of an experiment; delete those of this benchmark that it no longer has."""
        experiment = self.experiments[name]
        found = list(links.views(name, [run.tags for run in wanted], self.benchmark, shared=self.shared))
        tags = dict(view.tag for view in found) if links.saves_views() else {}
        self.store.set_tags(experiment, {**tags, **links.KIND_TAG, links.NOTE_TAG: links.note(name)})
        self._delete_views(experiment, kept=tags)
        return found

    def _delete_views(self, experiment: Any, kept: Sequence[str] | Mapping[str, str]) -> None:
        for tag in experiment.tags:
            if tag.startswith(links.VIEW_TAG + links.view_prefix(self.benchmark)) and tag not in kept:
                self.store.client.delete_experiment_tag(experiment.experiment_id, tag)

    def _save_overview(self, views: Mapping[str, Sequence[links.View]]) -> None:
        """Describe the run of the report with links to all views."""
        (run,) = self._own_runs(links.REPORT)
        ids = {name: experiment.experiment_id for name, experiment in self.experiments.items()}
        self.report.overview = links.run_page(ids[links.REPORT], run.info.run_id)
        text = links.overview(views, ids, links.run_page(ids[links.REPORT], run.info.run_id, "/artifacts"))
        if run.data.tags.get(links.NOTE_TAG) != text:
            self.store.client.set_tag(run.info.run_id, links.NOTE_TAG, text)
